
#include <CL/cl.h>
#include <stdio.h>
void launch(cl_command_queue queue, cl_context context, cl_device_id device, FILE *file)
{
    static char text[10000];
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY, 4 << 20, NULL, NULL);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 << 20, NULL, NULL);
    cl_int n = 16;
    size_t global = 65536, local = 64;
    const char *names[] = {"scale", "chain"};
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = clCreateKernel(program, names[i], NULL);
        clSetKernelArg(kernel, 0, sizeof in, &in);
        clSetKernelArg(kernel, 1, sizeof out, &out);
        clSetKernelArg(kernel, 2, sizeof n, &n);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    }
}
int main(void) { launch(NULL, NULL, NULL, fopen("k.cl", "r")); }
