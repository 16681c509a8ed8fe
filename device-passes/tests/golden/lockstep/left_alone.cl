// Loops in which no barrier may stand, or is of no use.
// with: lockstep=all work-group-size
// host: kernel=differing dim=1 global=256 local=16 args=a,b,100
// host: kernel=data dim=1 global=256 local=16 args=a,b,100
// host: kernel=some dim=1 global=256 local=16 args=a,b,100
// host: kernel=gone dim=1 global=256 local=16 args=a,b,100
// host: kernel=counted dim=1 global=256 local=16 args=a,b,100
// host: kernel=jumps dim=1 global=256 local=16 args=a,b,100
// host: kernel=waits dim=1 global=256 local=16 args=a,b,100
// host: kernel=on_chip dim=1 global=256 local=16 args=a,b,100
// host: kernel=asked dim=1 global=256 local=16 args=a,b,100
// host: kernel=prints dim=1 global=256 local=16 args=a,b,100
// host: kernel=alone dim=1 global=256 local=1 args=a,b,100
// host: kernel=open dim=1 global=256 local=null args=a,b,100
__kernel void differing(__global int *a, __global const int *b, int n)
{
    for (int i = 0; i < get_local_id(0); i++)
        a[get_global_id(0)] += b[i];
}

// Another work-item may have written it.
__kernel void data(__global int *a, __global const int *b, int n)
{
    for (int i = 0; i < b[n]; i++)
        a[get_global_id(0)] += b[i];
}

__kernel void some(__global int *a, __global const int *b, int n)
{
    if (get_global_id(0) < n)
        for (int i = 0; i < n; i++)
            a[get_global_id(0)] += b[i];
}

__kernel void gone(__global int *a, __global const int *b, int n)
{
    if (get_global_id(0) >= n)
        return;
    for (int i = 0; i < n; i++)
        a[get_global_id(0)] += b[i];
}

// Work-items have counted differently far when they come to the second loop.
__kernel void counted(__global int *a, __global const int *b, int n)
{
    int often = 0;
    for (;;) {
        if (b[often + get_local_id(0)] == 0)
            break;
        often++;
    }
    for (int i = 0; i < often; i++)
        a[get_global_id(0)] += b[i];
}

__kernel void jumps(__global int *a, __global const int *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (i == 3)
            continue;
        a[get_global_id(0)] += b[i];
    }
}

__kernel void waits(__global int *a, __global const int *b, int n)
{
    __local int t[16];
    for (int i = 0; i < n; i++) {
        t[get_local_id(0)] = b[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] += t[15 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void on_chip(__global int *a, __global const int *b, int n)
{
    __local int t[16];
    t[get_local_id(0)] = 0;
    for (int i = 0; i < n; i++)
        t[get_local_id(0)] += i;
    a[get_global_id(0)] = t[get_local_id(0)];
}

__kernel void asked(__global int *a, __global const int *b, int n)
{
    #pragma unroll
    for (int i = 0; i < 16; i++)
        a[get_global_id(0)] += b[i];
}

__kernel void prints(__global int *a, __global const int *b, int n)
{
    for (int i = 0; i < n; i++)
        printf("%d\n", b[i]);
}

__kernel void alone(__global int *a, __global const int *b, int n)
{
    for (int i = 0; i < n; i++)
        a[get_global_id(0)] += b[i];
}

// Nobody says how many work-items would wait.
__kernel void open(__global int *a, __global const int *b, int n)
{
    for (int i = 0; i < n; i++)
        a[get_global_id(0)] += b[i];
}
