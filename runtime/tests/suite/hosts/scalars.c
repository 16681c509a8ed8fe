/* scalars LAUNCH..: launches over 8 work-items as LOCAL:C:S:N:W:F; a field that is `-` is not set
 * again, LOCAL `-` is NULL.
 * Prints the error of each launch, and what the kernel wrote for the first work-item. */
#include "ocl.h"

static cl_kernel kernel;

static int given(char **field)
{
    *field = strtok(NULL, ":");
    return *field && strcmp(*field, "-") != 0;
}

static void set(cl_uint index, size_t size, const void *value)
{
    check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static void launch(cl_mem out, char *text)
{
    size_t global = 8;
    char *field = strtok(text, ":");
    size_t local = strcmp(field, "-") == 0 ? 0 : strtoul(field, NULL, 0);
    set(0, sizeof out, &out);
    if (given(&field)) {
        cl_char c = (cl_char)strtol(field, NULL, 0);
        set(1, sizeof c, &c);
    }
    if (given(&field)) {
        cl_ushort s = (cl_ushort)strtol(field, NULL, 0);
        set(2, sizeof s, &s);
    }
    if (given(&field)) {
        cl_int n = (cl_int)strtol(field, NULL, 0);
        set(3, sizeof n, &n);
    }
    if (given(&field)) {
        cl_long w = strtoll(field, NULL, 0);
        set(4, sizeof w, &w);
    }
    if (given(&field)) {
        cl_float f = strtof(field, NULL);
        set(5, sizeof f, &f);
    }
    cl_event event = NULL;
    cl_int error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local ? &local : NULL, 0,
                                          NULL, &event);
    cl_float result[8] = {0};
    if (error == CL_SUCCESS) {
        cl_command_type type = 0;
        check(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL),
              "clGetEventInfo");
        check(type == CL_COMMAND_NDRANGE_KERNEL ? CL_SUCCESS : -1, "the event's type");
        check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, result, 1, &event, NULL),
              "clEnqueueReadBuffer");
        clReleaseEvent(event);
    }
    printf("%d %.1f\n", error, result[0]);
}

int main(int argc, char **argv)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_GPU, 0);
    const char *text = read_file("scalars.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    kernel = clCreateKernel(program, "scale", &error);
    check(error, "clCreateKernel");
    cl_mem out = buffer(8 * sizeof(cl_float));
    if (argc == 1) {
        size_t most = 0;
        check(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                       &most, NULL),
              "clGetKernelWorkGroupInfo");
        printf("%zu\n", most);
    }
    for (int i = 1; i < argc; i++)
        launch(out, argv[i]);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device();
    return 0;
}
