/* make_aocx KERNELS.cl OUT.aocx OPTIONS: builds a text and saves the device's binary. */
#include "ocl.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    cl_int error;
    open_device(CL_DEVICE_TYPE_ALL, 0);
    const char *text = read_file(argv[1], NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 0, NULL, argv[3], NULL, NULL);
    if (error != CL_SUCCESS) {
        char log[8192] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        return 1;
    }
    size_t size;
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "sizes");
    unsigned char *binary = malloc(size);
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), "binary");
    FILE *out = fopen(argv[2], "wb");
    if (!out || fwrite(binary, 1, size, out) != size || fclose(out) != 0)
        return 1;
    return 0;
}
