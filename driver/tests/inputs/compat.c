
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define OK(call) do { cl_int e = (call); if (e) { printf("%s: %d\n", #call, e); exit(1); } } while (0)
int main(int argc, char **argv) {
  static unsigned char binary[1 << 22];
  FILE *file = fopen(argv[1], "rb");
  size_t size = file ? fread(binary, 1, sizeof binary, file) : 0;
  const unsigned char *binaries[] = {binary};
  cl_platform_id platforms[8], platform = 0;
  cl_uint count = 0;
  OK(clGetPlatformIDs(8, platforms, &count));
  for (cl_uint i = 0; i < count; i++) {
    char name[256];
    OK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, 0));
    if (strstr(name, argv[2])) platform = platforms[i];
  }
  cl_device_id device;
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0));
  cl_int error, status, data[8] = {0};
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &error);
  OK(error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  OK(error);
  cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, binaries, &status, &error);
  OK(error);
  OK(clBuildProgram(program, 1, &device, "", 0, 0));
  for (int k = 3; k < argc; k++) {
    cl_kernel kernel = clCreateKernel(program, argv[k], &error);
    OK(error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 8;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, 0, &global, 0, 0, 0, 0));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, 0, 0));
  }
  for (int i = 0; i < 8; i++) printf("%d ", data[i]);
  return 0;
}
