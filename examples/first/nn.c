/* nn [PLACES]: the place that is nearest to a point. A kernel computes all distances, the host takes
 * the least. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define GROUP 64

typedef struct {
    float lat, lng;
} Place;

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)error);
        exit(1);
    }
}

static char *read_text(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        perror(name);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    if (fread(text, 1, (size_t)length, file) != (size_t)length) {
        perror(name);
        exit(1);
    }
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    /* A grid with 40 places in each row, of which one is 3 and 4 away from the point. */
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    Place *places = malloc((size_t)n * sizeof *places);
    float *distances = malloc((size_t)n * sizeof *distances);
    for (int i = 0; i < n; i++)
        places[i] = (Place){10.0f * (float)(i / 40), 10.0f * (float)(i % 40)};
    float lat = 123.0f, lng = 156.0f;

    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");

    char *text = read_text("nn.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "distances", &error);
    check(error, "clCreateKernel");

    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               (size_t)n * sizeof(Place), places, &error);
    check(error, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, (size_t)n * sizeof(float), NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof n, &n), "clSetKernelArg");
    check(clSetKernelArg(kernel, 3, sizeof lat, &lat), "clSetKernelArg");
    check(clSetKernelArg(kernel, 4, sizeof lng, &lng), "clSetKernelArg");
    size_t local = GROUP, global = ((size_t)n + GROUP - 1) / GROUP * GROUP;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");

    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, (size_t)n * sizeof(float), distances, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    int nearest = 0;
    for (int i = 1; i < n; i++)
        if (distances[i] < distances[nearest])
            nearest = i;
    float least = distances[nearest];
    printf("place %d of %d is %g away\n", nearest, n, least);

    clReleaseMemObject(out);
    clReleaseMemObject(in);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(text);
    free(distances);
    free(places);
    return least == 5.0f ? 0 : 1;
}
