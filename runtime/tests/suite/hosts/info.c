/* info: asks all about programs and kernels. */
#include "ocl.h"

static void print_string(const char *what, cl_int error, const char *text)
{
    if (error == CL_SUCCESS)
        printf("%s: '%s'\n", what, text);
    else
        printf("%s: %d\n", what, error);
}

static void about_program(cl_program program, const char *text)
{
    char string[4096] = "";
    size_t count = 0, size = 0;
    cl_uint number = 0;
    cl_int error;
    error = clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    printf("kernels: %d %zu\n", error, count);
    error = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof string, string, &size);
    print_string("names", error, string);
    printf("size of names %zu, too small: %d\n", size,
           clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 2, string, NULL));
    error = clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof string, string, &size);
    printf("source: %d, %zu, %d\n", error, size, strcmp(string, text));
    error = clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof number, &number, NULL);
    printf("devices: %d %u\n", error, number);
    cl_context its_context = NULL;
    error = clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &its_context, NULL);
    printf("context: %d %d\n", error, its_context == context);
    cl_build_status status = 99;
    error = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status,
                                  &status, NULL);
    printf("status: %d %d\n", error, status);
    error = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof string,
                                  string, NULL);
    print_string("options", error, string);
    cl_program_binary_type type = 99;
    error = clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                                  NULL);
    printf("binary type: %d %u\n", error, type);
    printf("another device: %d\n",
           clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                                 NULL));
}

static void about_kernel(cl_program program, const char *name)
{
    cl_int error;
    char string[256] = "";
    cl_uint number = 0;
    size_t size = 0, sizes[3] = {9, 9, 9};
    cl_kernel kernel = clCreateKernel(program, name, &error);
    printf("%s: %d\n", name, error);
    if (!kernel)
        return;
    error = clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof string, string, NULL);
    print_string("function name", error, string);
    error = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof number, &number, NULL);
    printf("arguments: %d %u\n", error, number);
    cl_program its_program = NULL;
    error = clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &its_program, NULL);
    printf("program: %d %d\n", error, its_program == program);
    error = clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                     sizeof sizes, sizes, NULL);
    printf("compile size: %d %zu %zu %zu\n", error, sizes[0], sizes[1], sizes[2]);
    error = clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                     NULL);
    printf("group size: %d %zu\n", error, size);
    for (cl_uint i = 0; i < number; i++) {
        cl_kernel_arg_type_qualifier type = 99;
        cl_kernel_arg_address_qualifier address = 99;
        cl_kernel_arg_access_qualifier access = 99;
        error = clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof string, string,
                                   NULL);
        print_string("type", error, string);
        error = clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof string, string, NULL);
        print_string("name", error, string);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address,
                           NULL);
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access,
                           NULL);
        printf("qualifiers: %d %x %x\n", (int)type, address, access);
    }
    int value = 1;
    printf("beyond: %d\n", clSetKernelArg(kernel, number, sizeof value, &value));
    fprintf(stderr, "beyond: %d\n",
            clGetKernelArgInfo(kernel, number, CL_KERNEL_ARG_NAME, sizeof string, string, NULL));
    error = clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof string, string, NULL);
    fprintf(stderr, "attributes: %d '%s'\n", error, string);
    clReleaseKernel(kernel);
}

int main(void)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_GPU, 0);
    const char *text = read_file("info.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    puts("before");
    cl_build_status status = 99;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
    printf("status: %d\n", status);
    clCreateKernel(program, "plain", &error);
    printf("kernel: %d\n", error);
    printf("names: %d\n", clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, NULL));
    printf("bad builds: %d %d %d\n", clBuildProgram(program, 1, NULL, "", NULL, NULL),
           clBuildProgram(program, 0, &device, "", NULL, NULL),
           clBuildProgram(program, 0, NULL, "", NULL, &error));
    check(clBuildProgram(program, 1, &device, "-cl-kernel-arg-info", NULL, NULL),
          "clBuildProgram");
    puts("after");
    about_program(program, text);
    about_kernel(program, "plain");
    about_kernel(program, "fixed");
    about_kernel(program, "helper");
    about_kernel(program, "nothing");
    cl_kernel kernels[4];
    cl_uint count = 0;
    printf("all: %d", clCreateKernelsInProgram(program, 0, NULL, &count));
    printf(" %u", count);
    printf(" %d\n", clCreateKernelsInProgram(program, 1, kernels, NULL));
    check(clCreateKernelsInProgram(program, 4, kernels, &count), "clCreateKernelsInProgram");
    for (cl_uint i = 0; i < count; i++) {
        char name[64];
        clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        puts(name);
        clReleaseKernel(kernels[i]);
    }
    return 0;
}
