/* stored FILE: makes a program from the binary in a file, or else from fill.cl, whose binary it then
 * stores there. Hosts with a cache do so. */
#include "ocl.h"

static void run(cl_program program)
{
    cl_int error;
    size_t global = 3;
    cl_mem out = buffer(12);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    print_ints(out, 3);
}

/* Binaries may be large. */
static unsigned char *read_all(FILE *file, size_t *size)
{
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    if (fread(bytes, 1, *size, file) != *size)
        exit(3);
    fclose(file);
    return bytes;
}

static void store(cl_program program, const char *name)
{
    size_t size = 0;
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "size");
    unsigned char *binary = malloc(size);
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), "binary");
    FILE *file = fopen(name, "wb");
    fwrite(binary, 1, size, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    (void)argc;
    cl_int error, status = 99;
    open_device(CL_DEVICE_TYPE_ALL, 0);
    FILE *stored = fopen(argv[1], "rb");
    cl_program program = NULL;
    if (stored) {
        size_t size;
        const unsigned char *binary = read_all(stored, &size);
        program = clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &error);
        printf("from the file: %d %d %d\n", program != NULL, status, error);
    }
    if (!program) {
        const char *text = read_file("fill.cl", NULL);
        program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
        check(error, "clCreateProgramWithSource");
    }
    run(program);
    if (!stored)
        store(program, argv[1]);
    return 0;
}
