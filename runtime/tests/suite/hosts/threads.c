/* threads: two threads launch one kernel object, each with parts of its own. */
#include <pthread.h>
#include "ocl.h"

#define LAUNCHES 300
#define PART 4

static cl_kernel kernel;

static void *launches(void *first)
{
    cl_int error;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    for (size_t i = *(size_t *)first; i < 2 * LAUNCHES; i += 2) {
        /* The parts differ in offset and size: a mixed-up hidden argument shows. */
        size_t offset = i * PART, global = 1 + i % PART;
        check(clEnqueueNDRangeKernel(own, kernel, 1, &offset, &global, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    }
    check(clFinish(own), "clFinish");
    check(clReleaseCommandQueue(own), "clReleaseCommandQueue");
    return NULL;
}

static void *others(void *unused)
{
    cl_int error;
    (void)unused;
    for (int i = 0; i < 200; i++) {
        cl_program program = NULL;
        check(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL), "program");
        cl_kernel one = clCreateKernel(program, "mark", &error);
        check(error, "clCreateKernel");
        check(clReleaseKernel(one), "clReleaseKernel");
    }
    return NULL;
}

int main(void)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_GPU, 0);
    const char *text = read_file("mark.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    kernel = clCreateKernel(program, "mark", &error);
    check(error, "clCreateKernel");
    size_t count = 2 * LAUNCHES * PART;
    cl_mem out = buffer(4 * count);
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    pthread_t threads[3];
    size_t first[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, launches, &first[i]);
    pthread_create(&threads[2], NULL, others, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    int *values = malloc(4 * count);
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4 * count, values, 0, NULL, NULL), "read");
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        size_t part = i / PART;
        int expected = i % PART < 1 + part % PART ? (int)(1 + part % PART) : 0;
        wrong += values[i] != expected;
    }
    printf("%d wrong\n", wrong);
    return 0;
}
