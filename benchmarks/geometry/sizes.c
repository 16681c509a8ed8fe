/* Prints which local sizes an implementation takes where a host leaves them open:
 *
 *     cc -O2 sizes.c -o sizes -lOpenCL && ./sizes [DEVICE'S NAME] */

#include "device.h"

static const char *const TEXT =
    "kernel void sizes(global uint *out) {\n"
    "    if (get_global_id(0) + get_global_id(1) + get_global_id(2) == 0)\n"
    "        for (uint d = 0; d < 3; d++)\n"
    "            out[d] = (uint)get_local_size(d);\n"
    "}\n";

static const size_t GLOBAL[][3] = {
    {64}, {80}, {100}, {120}, {256}, {512}, {1000}, {1001}, {1024}, {1040}, {4096}, {12288}, {65536}, {100000},
    {1048576}, {1000003}, {3000}, {7}, {33}, {96}, {640}, {16, 16}, {32, 32}, {64, 64}, {100, 100}, {120, 80},
    {256, 256}, {512, 512}, {1024, 1024}, {1000, 1000}, {4096, 4096}, {8, 4096}, {4096, 8}, {2, 4096}, {1, 4096},
    {4096, 1}, {100, 7}, {17, 1024}, {24, 36}, {1026, 1026}, {640, 480}, {1920, 1080}, {64, 64, 64}, {16, 16, 16},
    {100, 100, 100}, {512, 512, 8}, {8, 8, 512}, {3, 5, 7}, {128, 128, 2},
};

int main(int argc, char **argv)
{
    open_device(argc > 1 ? argv[1] : NULL);
    cl_int code;
    const char *text = TEXT;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "sizes", &code);
    check(code, "clCreateKernel");
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 3 * sizeof(cl_uint), NULL, &code);
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    for (size_t i = 0; i < sizeof GLOBAL / sizeof *GLOBAL; i++) {
        const size_t *global = GLOBAL[i];
        cl_uint dims = global[2] ? 3 : global[1] ? 2 : 1, local[3];
        check(clEnqueueNDRangeKernel(queue, kernel, dims, NULL, global, NULL, 0, NULL, NULL), "launch");
        check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof local, local, 0, NULL, NULL), "read");
        printf("%zu x %zu x %zu: %u x %u x %u\n", global[0], global[1], global[2], local[0], local[1], local[2]);
    }
    return 0;
}
