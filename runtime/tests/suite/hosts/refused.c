/* refused: arguments that clSetKernelArg refuses, at the end of the host's memory. */
#define _DEFAULT_SOURCE
#include "ocl.h"
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    cl_int error;
    int n = 2;
    const size_t global = 4;
    open_device(CL_DEVICE_TYPE_ALL, 0);
    const char *text = read_file("mark.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "mark", &error);
    check(error, "clCreateKernel");
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + page, page, PROT_NONE);
    cl_mem out = buffer(4 * sizeof(int));
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "out");
    check(clSetKernelArg(kernel, 1, sizeof n, &n), "n");
    printf("too large: %d\n", clSetKernelArg(kernel, 1, 8, memory + page - 4));
    printf("no argument: %d\n", clSetKernelArg(kernel, 9, 8, memory + page));
    printf("not memory: %d\n", clSetKernelArg(kernel, 0, 7, memory + page - 4));
    printf("launched: %d\n",
           clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    print_ints(out, 4);
    return 0;
}
