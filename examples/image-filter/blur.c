/* Blurs a grey image with a 5 x 5 filter, and compares every pixel with the host's own result. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 150
#define HEIGHT 100

static const int WEIGHTS[25] = {
    1, 4,  6,  4,  1, 4, 16, 24, 16, 4, 6, 24, 36,
    24, 6, 4, 16, 24, 16, 4, 1, 4,  6,  4, 1,
};
static const int SUM = 256;

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

static int clamped(int value, int limit)
{
    return value < 0 ? 0 : value >= limit ? limit - 1 : value;
}

static unsigned char expected(const unsigned char *image, int x, int y)
{
    int total = 0;
    for (int k = 0; k < 25; k++) {
        int row = clamped(y + k / 5 - 2, HEIGHT), column = clamped(x + k % 5 - 2, WIDTH);
        total += WEIGHTS[k] * image[row * WIDTH + column];
    }
    return (unsigned char)((total + SUM / 2) / SUM);
}

int main(void)
{
    static unsigned char image[WIDTH * HEIGHT], blurred[WIDTH * HEIGHT];
    unsigned seed = 1;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        seed = seed * 1664525u + 1013904223u;
        image[i] = (unsigned char)(seed >> 24);
    }

    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    char *text = read_text("blur.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel blur = clCreateKernel(program, "blur", &error);
    check(error, "clCreateKernel");

    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof image,
                               image, &error);
    check(error, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof blurred, NULL, &error);
    check(error, "clCreateBuffer");
    cl_mem weights = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                    sizeof WEIGHTS, (void *)WEIGHTS, &error);
    check(error, "clCreateBuffer");
    int width = WIDTH, height = HEIGHT, sum = SUM;
    check(clSetKernelArg(blur, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(blur, 1, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(blur, 2, sizeof weights, &weights), "clSetKernelArg");
    check(clSetKernelArg(blur, 3, sizeof width, &width), "clSetKernelArg");
    check(clSetKernelArg(blur, 4, sizeof height, &height), "clSetKernelArg");
    check(clSetKernelArg(blur, 5, sizeof sum, &sum), "clSetKernelArg");
    size_t local[2] = {16, 8};
    size_t global[2] = {(WIDTH + 15) / 16 * 16, (HEIGHT + 7) / 8 * 8};
    check(clEnqueueNDRangeKernel(queue, blur, 2, NULL, global, local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof blurred, blurred, 0, NULL, NULL),
          "clEnqueueReadBuffer");

    unsigned checksum = 0;
    int wrong = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        checksum = checksum * 31 + blurred[i];
        wrong += blurred[i] != expected(image, i % WIDTH, i / WIDTH);
    }
    printf("image of %d x %d: checksum %08x, %d pixels wrong\n", WIDTH, HEIGHT, checksum, wrong);
    clReleaseMemObject(weights);
    clReleaseMemObject(out);
    clReleaseMemObject(in);
    clReleaseKernel(blur);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(text);
    return wrong != 0;
}
