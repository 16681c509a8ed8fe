typedef struct { float lat, lng; } Place;

__kernel void distances(__global const Place *places, __global float *out, int n, float lat, float lng) {
    int i = get_global_id(0);
    if (i < n) {
        float a = lat - places[i].lat, b = lng - places[i].lng;
        out[i] = sqrt(a * a + b * b);
    }
}
