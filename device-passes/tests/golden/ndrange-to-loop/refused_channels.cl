// host: dim=1 global=64 local=8
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c;
__kernel void sends(__global const int *a) {
    write_channel_intel(c, a[get_global_id(0)]);
}
