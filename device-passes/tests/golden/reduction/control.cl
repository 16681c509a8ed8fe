// launch: control float[1000] int=N float[8]
__kernel void control(__global const float *a, int n, __global float *out)
{
    float s0 = out[0], s1 = out[1], s2 = out[2];
    for (int i = 0; i < n; i++) {
        if (a[i] > 7.0f)
            continue;
        if (a[i] > 0.0f)
            s0 += a[i];
        else
            s0 -= a[i] * 2.0f;
        s1 += a[i];
        s1 += 1.0f;
        if (i == 700)
            break;
        switch ((int)a[i]) {
        case 0:
            s2 += 1.0f;
            break;
        case 1:
        case 2:
            s2 += 2.0f;
        default:
            s2 += 3.0f;
        }
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
}
