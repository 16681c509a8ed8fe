/* unseen: a kernel is launched by the host and by a shared library, whose calls the runtime does not see. */
#include "ocl.h"
#include <dlfcn.h>

typedef void (*setter)(cl_kernel kernel, cl_mem out, int n);
typedef cl_int (*ranger)(cl_command_queue queue, cl_kernel kernel, size_t global);
typedef cl_int (*tasker)(cl_command_queue queue, cl_kernel kernel);

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        exit(4);
    return found;
}

int main(void)
{
    cl_int error;
    int n = 1;
    const size_t global = 4;
    open_device(CL_DEVICE_TYPE_ALL, 0);
    void *library = dlopen("./libpast.so", RTLD_NOW);
    if (!library) {
        puts(dlerror());
        return 3;
    }
    setter past_set = (setter)find(library, "past_set");
    ranger past_range = (ranger)find(library, "past_range");
    tasker past_task = (tasker)find(library, "past_task");
    const char *text = read_file("mark.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "mark", &error);
    check(error, "clCreateKernel");
    cl_mem out = buffer(4 * sizeof(int));
    past_set(kernel, out, 5);
    printf("first: %d %d\n", past_range(queue, kernel, 3), past_task(queue, kernel));
    print_ints(out, 4);
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "out");
    check(clSetKernelArg(kernel, 1, sizeof n, &n), "n");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "launch");
    print_ints(out, 4);
    past_set(kernel, out, 5);
    printf("then: %d %d\n", past_range(queue, kernel, 3), past_task(queue, kernel));
    print_ints(out, 4);
    check(clReleaseKernel(kernel), "clReleaseKernel");
    return 0;
}
