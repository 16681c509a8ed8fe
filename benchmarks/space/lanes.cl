/* Kernels to vectorise and coarsen, of the kinds that Fang and Varbanescu (CLVectorizer) measure: a product of
 * matrices, a convolution, option prices, and over-relaxation. n is the number of columns, and of rows. */

__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

#define RADIUS 2

/* b has the weights; rows of a and c are n + 2 * RADIUS elements. */
__kernel void convolve(__global const float *a, __constant float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int width = n + 2 * RADIUS;
    float sum = 0.0f;
    for (int j = 0; j <= 2 * RADIUS; j++)
        for (int i = 0; i <= 2 * RADIUS; i++)
            sum += a[(y + j) * width + x + i] * b[j * (2 * RADIUS + 1) + i];
    c[(y + RADIUS) * width + x + RADIUS] = sum;
}

/* The normal distribution. */
float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * sum;
    return d > 0.0f ? 1.0f - tail : tail;
}

/* Black and Scholes: calls and puts; a has prices, b strikes. */
__kernel void options(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int i = y * n + x;
    const float rate = 0.02f, volatility = 0.3f, years = 1.5f;
    float root = volatility * sqrt(years);
    float d1 = (log(a[i] / b[i]) + (rate + 0.5f * volatility * volatility) * years) / root;
    float discounted = b[i] * exp(-rate * years);
    float call = a[i] * normal(d1) - discounted * normal(d1 - root);
    c[i] = call;
    c[i + n * n] = call + discounted - a[i];
}

/* A step of over-relaxation, from a to c; borders stay. */
__kernel void relax(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1) {
        int i = y * n + x;
        float around = a[i - 1] + a[i + 1] + a[i - n] + a[i + n];
        c[i] = 0.25f * 1.25f * (around - b[i]) - 0.25f * a[i];
    }
}
