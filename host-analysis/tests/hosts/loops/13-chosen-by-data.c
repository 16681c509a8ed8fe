/* Loops without OpenCL choose among constants by what they read; what else changes there may be anything. */
#include "common.h"

#define WIDE 256

struct effect {
    int type;
};

static void reset(size_t *n)
{
    *n = 5;
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    struct effect chain[8];
    int count = 0;
    for (int i = 1; i < argc && count < 8; i++)
        chain[count++].type = atoi(argv[i]);
    size_t global = 1024, local = 64, other = 64, odd = 64, last = 64;
    int wide = 1;
    for (int i = 0; i < count; i++) {
        if (chain[i].type == 0)
            reset(&odd);
        if (chain[i].type == 1)
            odd = 32;
        if (chain[i].type == 2)
            other = chain[i].type;
        else if (chain[i].type == 3)
            other = 128;
        if (chain[i].type == 4)
            last = wide;
        wide = 2;
        if (chain[i].type >= 14) {
            local = WIDE;
            break;
        }
    }
    char options[64];
    sprintf(options, "-DTILE=%zu", local);
    const char *text = "kernel void k(global int *a) { a[get_global_id(0)] = TILE; }";
    // program: options=-DTILE=64 | -DTILE=256; sources="kernel void k(global int *a) { a[get_global_id(0)] = TILE; }"; kernels=k
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, options, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    // launch: kernel=k; dim=1; global=1024; local=64 or 256
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    // launch: kernel=k; dim=1; global=1024; local=?
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &other, 0, NULL, NULL);
    // launch: kernel=k; dim=1; global=1024; local=?
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &odd, 0, NULL, NULL);
    // launch: kernel=k; dim=1; global=1024; local=?
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &last, 0, NULL, NULL);
    return 0;
}
