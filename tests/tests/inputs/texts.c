#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file with text before it. */
static char *load(const char *name, const char *before, size_t *whole) {
    size_t length, head = strlen(before);
    char *text;
    FILE *stream = fopen(name, "rb");
    if (stream == 0) return NULL;
    fseek(stream, 0, SEEK_END);
    length = (size_t)ftell(stream);
    fseek(stream, 0, SEEK_SET);
    text = (char *)malloc(length + head + 1);
    memcpy(text, before, head);
    if (fread(text + head, length, 1, stream) != 1) {
        fclose(stream);
        free(text);
        return 0;
    }
    fclose(stream);
    if (whole != 0) *whole = length + head;
    text[length + head] = '\0';
    return text;
}

int main(int argc, char **argv) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    (void)argc, (void)argv;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_program program;
    CREATE
    printf("build: %d\n", clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    if (error != CL_SUCCESS) return 1;
    size_t global = 64, local = 16;
    int values[64] = {0};
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
    for (int i = 0; i < 64; i++) printf("%d ", values[i]);
    printf("\n");
    return 0;
}
