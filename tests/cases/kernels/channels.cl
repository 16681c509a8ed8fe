// Intel's extensions: channels, task attributes, memory attributes, loop pragmas.
#pragma OPENCL EXTENSION cl_intel_channels : enable
typedef struct { int key; float value; } packet;

channel float values;
channel packet packets __attribute__((depth(8)));
channel int grid[2][3] __attribute__((depth(0)));

__attribute__((max_global_work_dim(0)))
__kernel void produce(__global const float *restrict in, int n) {
    #pragma ivdep
    #pragma ii 1
    for (int i = 0; i < n; i++) {
        packet p = {i, in[i]};
        write_channel_intel(values, in[i] * 2);
        write_channel_intel(packets, p);
        write_channel_intel(grid[1][i % 3], -i);
    }
}

__attribute__((max_global_work_dim(0)))
__kernel void consume(__global float *restrict out, int n,
                      __local float *__attribute__((local_mem_size(1024))) scratch) {
    int __attribute__((numbanks(2), bankwidth(4))) banked[4];
    __local float __attribute__((memory, doublepump)) tile[64];
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        bool ok = false;
        packet p = read_channel_intel(packets);
        float more = read_channel_nb_intel(values, &ok);
        banked[i & 3] = read_channel_intel(grid[1][i % 3]);
        tile[i & 63] = more;
        scratch[0] = tile[0];
        out[i] = ok ? p.value + more : (float)p.key + banked[0];
        mem_fence(CLK_CHANNEL_MEM_FENCE);
    }
}
