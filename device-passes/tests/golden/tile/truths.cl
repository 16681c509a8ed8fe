// host: dim=1 global=1024 local=64 args=s,o
bool hit(float s, float x, float *t)
{
    if (s < x) return false;
    *t = s;
    return true;
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void nearest(__global const float *restrict s, __global float *restrict o)
{
    int i = get_global_id(0);
    float t = 0;
    for (int k = 0; k < 1024; k++)
        if (hit(s[k], i * 0.1f, &t)) t += 1;
    o[i] = t;
}
