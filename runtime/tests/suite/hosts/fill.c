/* fill HOW OPTIONS..: passes the text of fill.cl in some way and builds it with each of the
 * options in turn. Prints what `fill` wrote, or the error. */
#include "ocl.h"

static cl_program create(const char *how, cl_int *error)
{
    size_t length;
    char *text = read_file("fill.cl", &length);
    if (strcmp(how, "pieces") == 0) {
        const char *pieces[3] = {text, "", text + 20};
        size_t lengths[3] = {20, 0, 0};
        return clCreateProgramWithSource(context, 3, pieces, lengths, error);
    }
    if (strcmp(how, "nul") == 0) {
        /* The length counts the terminator, a usual mistake. */
        const char *pieces[1] = {text};
        size_t lengths[1] = {length + 1};
        return clCreateProgramWithSource(context, 1, pieces, lengths, error);
    }
    if (strcmp(how, "length") == 0) {
        const char *pieces[1] = {text};
        size_t lengths[1] = {length};
        memset(text + length, '#', 8);
        return clCreateProgramWithSource(context, 1, pieces, lengths, error);
    }
    const char *pieces[1] = {text};
    return clCreateProgramWithSource(context, 1, pieces, NULL, error);
}

static int called;

static void CL_CALLBACK notify(cl_program program, void *user_data)
{
    called += *(cl_program *)user_data == program;
}

static void run(cl_program program)
{
    cl_int error;
    size_t global = 3;
    cl_mem out = buffer(12);
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    print_ints(out, 3);
    clReleaseKernel(kernel);
    clReleaseMemObject(out);
}

int main(int argc, char **argv)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_GPU, 0);
    cl_program program = create(argv[1], &error);
    if (!program) {
        printf("not created: %d\n", error);
        return 0;
    }
    for (int i = 2; i < argc; i++) {
        char options[1024], log[4096];
        called = 0;
        error = clBuildProgram(program, 1, &device, argv[i], notify, &program);
        if (error != CL_SUCCESS) {
            printf("not built: %d\n", error);
            continue;
        }
        cl_build_status status = CL_BUILD_IN_PROGRESS;
        while (status == CL_BUILD_IN_PROGRESS)
            check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status,
                                        &status, NULL),
                  "status");
        check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options,
                                    options, NULL),
              "options");
        check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                                    NULL),
              "log");
        printf("called %d, status %d, options '%s'\n", called, status, options);
        run(program);
    }
    check(clReleaseProgram(program), "clReleaseProgram");
    close_device();
    return 0;
}
