/* Speckle reducing anisotropic diffusion of an ultrasound-like image.
 *
 *   srad [--rows N] [--columns N] [--iterations N] [--seed S] [--image FILE.pgm] [--integer-data]
 *        [--dump FILE] [--kernels FILE]
 *
 * Input: a phantom of discs with multiplicative speckle, from the generator of workload.h. --image
 * writes the result as a picture. With --integer-data, pixels are small whole numbers: in the first
 * iteration every sum is exact in any order (so run it with --iterations 1). */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "workload.h"

#define GROUP 64
#define TILE 8
#define LAMBDA 0.5f
#define BRIGHTEST 12.0f

#define CHECK(status, what) check_status((status), (what), __LINE__)
#define SET_ARG(kernel, index, value) CHECK(clSetKernelArg((kernel), (index), sizeof(value), &(value)), "clSetKernelArg")
#define LAUNCH(q, k, dim, global, local)                                                         \
    CHECK(clEnqueueNDRangeKernel((q), (k), (dim), NULL, (global), (local), 0, NULL, NULL), #k)

static void check_status(cl_int status, const char *what, int line)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "srad.c:%d: %s: OpenCL error %d\n", line, what, (int)status);
        exit(2);
    }
}

struct image {
    int rows, columns, count;
    float *pixels;
};

/* The phantom: dim ground, discs of several brightnesses, each pixel multiplied by the mean of four
 * uniform numbers (never zero, for SRAD divides by it). */
static struct image phantom(int rows, int columns, unsigned seed, int integers)
{
    struct image image = {rows, columns, rows * columns, NULL};
    lcg_t lcg = lcg_seed(seed);
    image.pixels = (float *)malloc(sizeof(float) * image.count);
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            float value = 2.0f;
            for (int disc = 0; disc < 4; disc++) {
                float dx = x - columns * (0.2f + 0.2f * disc);
                float dy = y - rows * (0.3f + 0.13f * disc);
                if (dx * dx + dy * dy < 0.01f * rows * columns)
                    value = 4.0f + 2.0f * disc;
            }
            float speckle = 0.05f;
            for (int i = 0; i < 4; i++)
                speckle += 0.5f * lcg_unit(&lcg);
            value *= speckle;
            image.pixels[y * columns + x] = integers ? 1.0f + floorf(value) : value;
        }
    }
    return image;
}

static char *read_kernels(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(2);
    }
    fseek(f, 0L, SEEK_END);
    long bytes = ftell(f);
    fseek(f, 0L, SEEK_SET);
    char *source = (char *)calloc(bytes + 1, 1);
    if (fread(source, 1, bytes, f) != (size_t)bytes) {
        fprintf(stderr, "srad: cannot read %s\n", path);
        exit(2);
    }
    fclose(f);
    return source;
}

static size_t round_up(size_t value, size_t multiple)
{
    size_t rest = value % multiple;
    return rest == 0 ? value : value + multiple - rest;
}

/* One iteration in double precision, in place. */
static void reference_step(double *image, double *coefficient, int rows, int columns)
{
    int count = rows * columns;
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < count; i++) {
        sum += image[i];
        square += image[i] * image[i];
    }
    double mean = sum / count;
    double q0 = (square / count - mean * mean) / (mean * mean);
    double *next = (double *)malloc(sizeof(double) * count);

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            int y = i / columns, x = i % columns;
            int north = y > 0 ? i - columns : i, south = y < rows - 1 ? i + columns : i;
            int west = x > 0 ? i - 1 : i, east = x < columns - 1 ? i + 1 : i;
            double c = image[i];
            double dn = image[north] - c, ds = image[south] - c;
            double dw = image[west] - c, de = image[east] - c;
            if (pass == 0) {
                double gradient = (dn * dn + ds * ds + dw * dw + de * de) / (c * c);
                double laplacian = (dn + ds + dw + de) / c;
                double damping = 1.0 + 0.25 * laplacian;
                double q = (0.5 * gradient - 0.0625 * laplacian * laplacian) / (damping * damping);
                double value = 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)));
                coefficient[i] = value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
            } else {
                next[i] = c + 0.25 * (double)LAMBDA
                              * (coefficient[i] * dn + coefficient[south] * ds + coefficient[i] * dw
                                 + coefficient[east] * de);
            }
        }
    }
    memcpy(image, next, sizeof(double) * count);
    free(next);
}

static void write_picture(const char *path, const unsigned char *pixels, int rows, int columns)
{
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        exit(2);
    }
    fprintf(f, "P5\n%d %d\n255\n", columns, rows);
    fwrite(pixels, 1, (size_t)rows * columns, f);
    fclose(f);
}

int main(int argc, char **argv)
{
    int rows = 60, columns = 76, iterations = 6, seed = 5, integers = 0;
    const char *dump = NULL, *picture = NULL, *kernel_file = "srad.cl", *text;

    for (int i = 1; i < argc; i++) {
        if ((text = option_value(argc, argv, &i, "--rows")))
            rows = option_count(argv[0], text, 1, 8192);
        else if ((text = option_value(argc, argv, &i, "--columns")))
            columns = option_count(argv[0], text, 1, 8192);
        else if ((text = option_value(argc, argv, &i, "--iterations")))
            iterations = option_count(argv[0], text, 0, 100000);
        else if ((text = option_value(argc, argv, &i, "--seed")))
            seed = option_count(argv[0], text, 0, 1 << 30);
        else if ((text = option_value(argc, argv, &i, "--image")))
            picture = text;
        else if ((text = option_value(argc, argv, &i, "--dump")))
            dump = text;
        else if ((text = option_value(argc, argv, &i, "--kernels")))
            kernel_file = text;
        else if (strcmp(argv[i], "--integer-data") == 0)
            integers = 1;
        else {
            fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[i]);
            return 2;
        }
    }

    struct image image = phantom(rows, columns, (unsigned)seed, integers);
    int count = image.count;
    double *expected = (double *)malloc(sizeof(double) * count);
    double *expected_coefficient = (double *)malloc(sizeof(double) * count);
    for (int i = 0; i < count; i++)
        expected[i] = image.pixels[i];

    /* OpenCL: the first platform's first device. */
    cl_int err;
    cl_platform_id platforms[8];
    cl_uint platform_count;
    cl_device_id devices[8];
    cl_uint device_count;
    char device_name[256];
    CHECK(clGetPlatformIDs(8, platforms, &platform_count), "clGetPlatformIDs");
    CHECK(clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 8, devices, &device_count), "clGetDeviceIDs");
    CHECK(clGetDeviceInfo(devices[0], CL_DEVICE_NAME, sizeof(device_name), device_name, NULL), "clGetDeviceInfo");
    printf("device: %s\n", device_name);
    cl_context context = clCreateContext(NULL, 1, devices, NULL, NULL, &err);
    CHECK(err, "clCreateContext");
    cl_command_queue commands = clCreateCommandQueue(context, devices[0], 0, &err);
    CHECK(err, "clCreateCommandQueue");

    const char *source = read_kernels(kernel_file);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    CHECK(err, "clCreateProgramWithSource");
    char flags[256];
    sprintf(flags, "-D GROUP=%d -D TILE=%d", GROUP, TILE);
    err = clBuildProgram(program, 1, devices, flags, NULL, NULL);
    if (err != CL_SUCCESS) {
        static char build_log[1 << 16];
        clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, sizeof(build_log), build_log, NULL);
        fprintf(stderr, "%s\n", build_log);
        return 2;
    }
    cl_kernel group_sums = clCreateKernel(program, "group_sums", &err);
    CHECK(err, "group_sums");
    cl_kernel speckle = clCreateKernel(program, "speckle", &err);
    CHECK(err, "speckle");
    cl_kernel coefficients = clCreateKernel(program, "coefficients", &err);
    CHECK(err, "coefficients");
    cl_kernel diffuse = clCreateKernel(program, "diffuse", &err);
    CHECK(err, "diffuse");
    cl_kernel to_bytes = clCreateKernel(program, "to_bytes", &err);
    CHECK(err, "to_bytes");

    /* One-dimensional launches over pixels, two-dimensional ones over tiles. */
    size_t line_local = GROUP, line_global = round_up(count, GROUP);
    size_t tile_local[2] = {TILE, TILE};
    size_t tile_global[2] = {round_up(columns, TILE), round_up(rows, TILE)};
    size_t one = 1;
    int groups = (int)(line_global / GROUP);
    float lambda = LAMBDA, scale = 255.0f / BRIGHTEST;

    size_t image_bytes = sizeof(float) * count;
    cl_mem now = clCreateBuffer(context, CL_MEM_READ_WRITE, image_bytes, NULL, &err);
    CHECK(err, "clCreateBuffer");
    cl_mem next = clCreateBuffer(context, CL_MEM_READ_WRITE, image_bytes, NULL, &err);
    CHECK(err, "clCreateBuffer");
    cl_mem coefficient = clCreateBuffer(context, CL_MEM_READ_WRITE, image_bytes, NULL, &err);
    CHECK(err, "clCreateBuffer");
    cl_mem sums = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float) * groups, NULL, &err);
    CHECK(err, "clCreateBuffer");
    cl_mem squares = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float) * groups, NULL, &err);
    CHECK(err, "clCreateBuffer");
    cl_mem q0_squared = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float), NULL, &err);
    CHECK(err, "clCreateBuffer");
    cl_mem bytes = clCreateBuffer(context, CL_MEM_WRITE_ONLY, count, NULL, &err);
    CHECK(err, "clCreateBuffer");
    CHECK(clEnqueueWriteBuffer(commands, now, CL_TRUE, 0, image_bytes, image.pixels, 0, NULL, NULL), "write");

    readbacks_t log = readbacks_open(dump);
    for (int iteration = 0; iteration < iterations; iteration++) {
        float q0;

        SET_ARG(group_sums, 0, now);
        SET_ARG(group_sums, 1, sums);
        SET_ARG(group_sums, 2, squares);
        SET_ARG(group_sums, 3, count);
        LAUNCH(commands, group_sums, 1, &line_global, &line_local);

        SET_ARG(speckle, 0, sums);
        SET_ARG(speckle, 1, squares);
        SET_ARG(speckle, 2, q0_squared);
        SET_ARG(speckle, 3, groups);
        SET_ARG(speckle, 4, count);
        LAUNCH(commands, speckle, 1, &one, &one);

        SET_ARG(coefficients, 0, now);
        SET_ARG(coefficients, 1, coefficient);
        SET_ARG(coefficients, 2, q0_squared);
        SET_ARG(coefficients, 3, rows);
        SET_ARG(coefficients, 4, columns);
        LAUNCH(commands, coefficients, 2, tile_global, tile_local);

        SET_ARG(diffuse, 0, now);
        SET_ARG(diffuse, 1, coefficient);
        SET_ARG(diffuse, 2, next);
        SET_ARG(diffuse, 3, lambda);
        SET_ARG(diffuse, 4, rows);
        SET_ARG(diffuse, 5, columns);
        LAUNCH(commands, diffuse, 2, tile_global, tile_local);

        cl_mem swap = now;
        now = next;
        next = swap;
        CHECK(clEnqueueReadBuffer(commands, q0_squared, CL_TRUE, 0, sizeof(q0), &q0, 0, NULL, NULL), "read");
        readbacks_f32(&log, "q0_squared", &q0, 1);
        reference_step(expected, expected_coefficient, rows, columns);
    }

    SET_ARG(to_bytes, 0, now);
    SET_ARG(to_bytes, 1, bytes);
    SET_ARG(to_bytes, 2, scale);
    SET_ARG(to_bytes, 3, count);
    LAUNCH(commands, to_bytes, 1, &line_global, NULL);

    unsigned char *pixels = (unsigned char *)malloc(count);
    CHECK(clEnqueueReadBuffer(commands, now, CL_TRUE, 0, image_bytes, image.pixels, 0, NULL, NULL), "read");
    CHECK(clEnqueueReadBuffer(commands, bytes, CL_TRUE, 0, count, pixels, 0, NULL, NULL), "read");
    readbacks_f32(&log, "image", image.pixels, count);
    readbacks_u8(&log, "pixels", pixels, count);
    readbacks_close(&log);
    if (picture)
        write_picture(picture, pixels, rows, columns);

    double error = 0.0;
    for (int i = 0; i < count; i++) {
        error = worse(error, error_against(image.pixels[i], expected[i], 0.1));
        double grey = fmin(255.0, image.pixels[i] * (double)scale);
        if (fabs(pixels[i] - grey) > 0.501)
            error = HUGE_VAL;
    }

    clReleaseMemObject(now);
    clReleaseMemObject(next);
    clReleaseMemObject(coefficient);
    clReleaseMemObject(sums);
    clReleaseMemObject(squares);
    clReleaseMemObject(q0_squared);
    clReleaseMemObject(bytes);
    clReleaseKernel(group_sums);
    clReleaseKernel(speckle);
    clReleaseKernel(coefficients);
    clReleaseKernel(diffuse);
    clReleaseKernel(to_bytes);
    clReleaseProgram(program);
    clReleaseCommandQueue(commands);
    clReleaseContext(context);
    free((void *)source);
    free(image.pixels);
    free(pixels);
    free(expected);
    free(expected_coefficient);
    return verdict(error, 1e-4);
}
