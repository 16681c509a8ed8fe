/* where LAUNCH..: launches as DIM:OFFSET:GLOBAL:LOCAL, sizes as 1,2,3 or - for NULL. Prints the
 * error of each, and what the kernel wrote if there is none. */
#include "ocl.h"

static size_t *sizes(char *text, size_t *out)
{
    if (strcmp(text, "-") == 0)
        return NULL;
    size_t count = 0;
    for (char *one = text; one; one = strchr(one, ',') ? strchr(one, ',') + 1 : NULL)
        out[count++] = strtoull(one, NULL, 0);
    return out;
}

int main(int argc, char **argv)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_GPU, 0);
    const char *text = read_file("where.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "where", &error);
    check(error, "clCreateKernel");
    for (int i = 1; i < argc; i++) {
        size_t offset[4], global[4], local[4];
        unsigned dim = (unsigned)strtoul(strtok(argv[i], ":"), NULL, 0);
        size_t *offsets = sizes(strtok(NULL, ":"), offset);
        size_t *globals = sizes(strtok(NULL, ":"), global);
        size_t *locals = sizes(strtok(NULL, ":"), local);
        size_t count = 4;
        for (unsigned d = 0; globals && d < dim && d < 3; d++)
            count *= globals[d] < 4096 ? globals[d] : 1;
        cl_mem out = buffer(count ? 4 * count : 4);
        check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
        error = clEnqueueNDRangeKernel(queue, kernel, dim, offsets, globals, locals, 0, NULL,
                                       NULL);
        check(clFinish(queue), "clFinish");
        printf("%d\n", error);
        if (error == CL_SUCCESS && count)
            print_ints(out, count);
        clReleaseMemObject(out);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device();
    return 0;
}
