/* Gaussian elimination: solves A x = b on the device, one pair of launches a column, substitutes
 * back on the host and checks x against elimination in double precision.
 *
 *   gaussian [--n N] [--seed S] [--integer-data] [--dump FILE] [--kernels FILE]
 *
 * Input: a diagonally dominant matrix from the generator of workload.h. With --integer-data, A is
 * the product of a unit lower and an upper triangular band matrix of small integers, so that every
 * operation is exact and so is every sum in any order. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "workload.h"

#define ROW_GROUP 64
#define TILE 8
#define BAND 3

#define CL_CHECK(call)                                                                   \
    do {                                                                                 \
        cl_int status_ = (call);                                                         \
        if (status_ != CL_SUCCESS) {                                                     \
            fprintf(stderr, "%s:%d: OpenCL error %d\n", __FILE__, __LINE__, (int)status_); \
            exit(2);                                                                     \
        }                                                                                \
    } while (0)

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel multipliers_kernel, eliminate_kernel, residuals_kernel;
static cl_mem matrix_buffer, rhs_buffer, factors_buffer;

static char *load_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = (char *)malloc(size + 1);
    if (text == NULL || fread(text, 1, size, file) != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    text[size] = '\0';
    fclose(file);
    return text;
}

static void setup(const char *kernel_file)
{
    cl_int status;
    cl_platform_id platform;
    cl_device_id device;
    char name[256];

    CL_CHECK(clGetPlatformIDs(1, &platform, NULL));
    CL_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    CL_CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL));
    printf("device: %s\n", name);

    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CL_CHECK(status);
    queue = clCreateCommandQueue(context, device, 0, &status);
    CL_CHECK(status);

    char *text = load_text(kernel_file);
    program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &status);
    CL_CHECK(status);
    status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (status != CL_SUCCESS) {
        char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s\n", log);
        exit(2);
    }
    free(text);

    multipliers_kernel = clCreateKernel(program, "multipliers", &status);
    CL_CHECK(status);
    eliminate_kernel = clCreateKernel(program, "eliminate", &status);
    CL_CHECK(status);
    residuals_kernel = clCreateKernel(program, "residuals", &status);
    CL_CHECK(status);
}

static void teardown(void)
{
    clReleaseMemObject(matrix_buffer);
    clReleaseMemObject(rhs_buffer);
    clReleaseMemObject(factors_buffer);
    clReleaseKernel(multipliers_kernel);
    clReleaseKernel(eliminate_kernel);
    clReleaseKernel(residuals_kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

static void launch_multipliers(int n, int step)
{
    size_t local[1] = {ROW_GROUP};
    size_t global[1];
    global[0] = (size_t)((n + ROW_GROUP - 1) / ROW_GROUP) * ROW_GROUP;

    CL_CHECK(clSetKernelArg(multipliers_kernel, 0, sizeof(cl_mem), &matrix_buffer));
    CL_CHECK(clSetKernelArg(multipliers_kernel, 1, sizeof(cl_mem), &factors_buffer));
    CL_CHECK(clSetKernelArg(multipliers_kernel, 2, sizeof(int), &n));
    CL_CHECK(clSetKernelArg(multipliers_kernel, 3, sizeof(int), &step));
    CL_CHECK(clEnqueueNDRangeKernel(queue, multipliers_kernel, 1, NULL, global, local, 0, NULL, NULL));
}

static void launch_eliminate(int n, int step)
{
    size_t local[2] = {TILE, TILE};
    size_t global[2];
    global[0] = (size_t)((n - step + TILE - 1) / TILE) * TILE;
    global[1] = (size_t)((n - step + TILE - 1) / TILE) * TILE;

    CL_CHECK(clSetKernelArg(eliminate_kernel, 0, sizeof(cl_mem), &matrix_buffer));
    CL_CHECK(clSetKernelArg(eliminate_kernel, 1, sizeof(cl_mem), &rhs_buffer));
    CL_CHECK(clSetKernelArg(eliminate_kernel, 2, sizeof(cl_mem), &factors_buffer));
    CL_CHECK(clSetKernelArg(eliminate_kernel, 3, sizeof(int), &n));
    CL_CHECK(clSetKernelArg(eliminate_kernel, 4, sizeof(int), &step));
    CL_CHECK(clEnqueueNDRangeKernel(queue, eliminate_kernel, 2, NULL, global, local, 0, NULL, NULL));
}

static void generate(float *matrix, float *rhs, int n, unsigned seed)
{
    lcg_t lcg = lcg_seed(seed);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            matrix[i * n + j] = lcg_unit(&lcg) - 0.5f;
        matrix[i * n + i] += (float)n;
        rhs[i] = 10.0f * lcg_unit(&lcg);
    }
}

static void generate_integers(float *matrix, float *rhs, int n, unsigned seed)
{
    lcg_t lcg = lcg_seed(seed);
    int *lower = (int *)calloc((size_t)n * n, sizeof(int));
    int *upper = (int *)calloc((size_t)n * n, sizeof(int));
    for (int i = 0; i < n; i++) {
        lower[i * n + i] = 1;
        upper[i * n + i] = 1 << lcg_between(&lcg, 0, 1);
        for (int k = 1; k <= BAND && i - k >= 0; k++) {
            lower[i * n + i - k] = lcg_between(&lcg, -2, 2);
            upper[(i - k) * n + i] = lcg_between(&lcg, -2, 2);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += lower[i * n + k] * upper[k * n + j];
            matrix[i * n + j] = (float)sum;
        }
    }
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += matrix[i * n + j] * (float)(j % 5 - 2);
        rhs[i] = sum;
    }
    free(lower);
    free(upper);
}

/* Back substitution on the triangular system that the device left. */
static void substitute(const float *matrix, const float *rhs, float *solution, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        double sum = rhs[i];
        for (int j = i + 1; j < n; j++)
            sum -= (double)matrix[i * n + j] * solution[j];
        solution[i] = (float)(sum / matrix[i * n + i]);
    }
}

/* The same solution, all in double precision on the host. */
static void solve_reference(const float *matrix, const float *rhs, double *solution, int n)
{
    double *a = (double *)malloc(sizeof(double) * n * n);
    double *b = (double *)malloc(sizeof(double) * n);
    for (int i = 0; i < n * n; i++)
        a[i] = matrix[i];
    for (int i = 0; i < n; i++)
        b[i] = rhs[i];
    for (int step = 0; step < n - 1; step++) {
        for (int row = step + 1; row < n; row++) {
            double factor = a[row * n + step] / a[step * n + step];
            for (int column = step; column < n; column++)
                a[row * n + column] -= factor * a[step * n + column];
            b[row] -= factor * b[step];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++)
            sum -= a[i * n + j] * solution[j];
        solution[i] = sum / a[i * n + i];
    }
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    int n = 96;
    int seed = 1;
    int integers = 0;
    const char *dump = NULL;
    const char *kernel_file = "gaussian.cl";
    const char *text;

    for (int i = 1; i < argc; i++) {
        if ((text = option_value(argc, argv, &i, "--n")) != NULL)
            n = option_count(argv[0], text, 1, 4096);
        else if ((text = option_value(argc, argv, &i, "--seed")) != NULL)
            seed = option_count(argv[0], text, 0, 1 << 30);
        else if ((text = option_value(argc, argv, &i, "--dump")) != NULL)
            dump = text;
        else if ((text = option_value(argc, argv, &i, "--kernels")) != NULL)
            kernel_file = text;
        else if (strcmp(argv[i], "--integer-data") == 0)
            integers = 1;
        else {
            fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[i]);
            return 2;
        }
    }

    size_t matrix_bytes = sizeof(float) * n * n;
    size_t vector_bytes = sizeof(float) * n;
    float *matrix = (float *)malloc(matrix_bytes);
    float *triangle = (float *)malloc(matrix_bytes);
    float *rhs = (float *)malloc(vector_bytes);
    float *reduced = (float *)malloc(vector_bytes);
    float *factors = (float *)calloc(n, sizeof(float));
    float *solution = (float *)calloc(n, sizeof(float));
    float *residual = (float *)malloc(vector_bytes);
    double *reference = (double *)calloc(n, sizeof(double));

    if (integers)
        generate_integers(matrix, rhs, n, (unsigned)seed);
    else
        generate(matrix, rhs, n, (unsigned)seed);

    setup(kernel_file);

    cl_int status;
    matrix_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, matrix_bytes, NULL, &status);
    CL_CHECK(status);
    rhs_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, vector_bytes, NULL, &status);
    CL_CHECK(status);
    factors_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, vector_bytes, NULL, &status);
    CL_CHECK(status);
    CL_CHECK(clEnqueueWriteBuffer(queue, matrix_buffer, CL_TRUE, 0, matrix_bytes, matrix, 0, NULL, NULL));
    CL_CHECK(clEnqueueWriteBuffer(queue, rhs_buffer, CL_TRUE, 0, vector_bytes, rhs, 0, NULL, NULL));
    CL_CHECK(clEnqueueWriteBuffer(queue, factors_buffer, CL_TRUE, 0, vector_bytes, factors, 0, NULL, NULL));

    for (int step = 0; step < n - 1; step++) {
        launch_multipliers(n, step);
        launch_eliminate(n, step);
    }

    CL_CHECK(clEnqueueReadBuffer(queue, matrix_buffer, CL_TRUE, 0, matrix_bytes, triangle, 0, NULL, NULL));
    CL_CHECK(clEnqueueReadBuffer(queue, rhs_buffer, CL_TRUE, 0, vector_bytes, reduced, 0, NULL, NULL));
    CL_CHECK(clEnqueueReadBuffer(queue, factors_buffer, CL_TRUE, 0, vector_bytes, factors, 0, NULL, NULL));
    substitute(triangle, reduced, solution, n);

    /* The residual needs the matrix as it was: new buffers, the old values. */
    cl_mem original_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                            matrix_bytes, matrix, &status);
    CL_CHECK(status);
    cl_mem original_rhs_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                                vector_bytes, rhs, &status);
    CL_CHECK(status);
    cl_mem solution_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                            vector_bytes, solution, &status);
    CL_CHECK(status);
    cl_mem residual_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, vector_bytes, NULL, &status);
    CL_CHECK(status);
    CL_CHECK(clSetKernelArg(residuals_kernel, 0, sizeof(cl_mem), &original_buffer));
    CL_CHECK(clSetKernelArg(residuals_kernel, 1, sizeof(cl_mem), &original_rhs_buffer));
    CL_CHECK(clSetKernelArg(residuals_kernel, 2, sizeof(cl_mem), &solution_buffer));
    CL_CHECK(clSetKernelArg(residuals_kernel, 3, sizeof(cl_mem), &residual_buffer));
    CL_CHECK(clSetKernelArg(residuals_kernel, 4, sizeof(int), &n));
    size_t residual_local = ROW_GROUP;
    size_t residual_global = n;
    if (residual_global % residual_local != 0)
        residual_global += residual_local - residual_global % residual_local;
    CL_CHECK(clEnqueueNDRangeKernel(queue, residuals_kernel, 1, NULL, &residual_global,
                                    &residual_local, 0, NULL, NULL));
    CL_CHECK(clEnqueueReadBuffer(queue, residual_buffer, CL_TRUE, 0, vector_bytes, residual, 0, NULL, NULL));

    readbacks_t log = readbacks_open(dump);
    readbacks_f32(&log, "triangle", triangle, (size_t)n * n);
    readbacks_f32(&log, "reduced", reduced, n);
    readbacks_f32(&log, "factors", factors, n);
    readbacks_f32(&log, "residual", residual, n);
    readbacks_close(&log);

    /* x against the reference; and b - A x, of which each is at most rounding, against |b|. */
    solve_reference(matrix, rhs, reference, n);
    double error = 0.0;
    for (int i = 0; i < n; i++) {
        error = worse(error, error_against(solution[i], reference[i], 0.01));
        error = worse(error, fabs(residual[i]) / (fabs(rhs[i]) + 10.0));
    }

    clReleaseMemObject(original_buffer);
    clReleaseMemObject(original_rhs_buffer);
    clReleaseMemObject(solution_buffer);
    clReleaseMemObject(residual_buffer);
    teardown();
    free(matrix);
    free(triangle);
    free(rhs);
    free(reduced);
    free(factors);
    free(solution);
    free(residual);
    free(reference);
    return verdict(error, 1e-4);
}
