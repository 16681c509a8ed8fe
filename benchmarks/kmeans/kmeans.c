/* k-means clustering of a comma-separated table, by default Fisher's Iris measurements.
 *
 *   kmeans [--input FILE] [--clusters K] [--iterations N] [--points N [--features N] [--seed S]]
 *          [--integer-data] [--dump FILE] [--kernels FILE]
 *
 * With --points, the input is generated instead: Gaussian-like clouds from the generator of
 * workload.h. With --integer-data, values are rounded to tenths and scaled to whole numbers and
 * the centres are rounded to whole numbers after each iteration, so that every sum of the device
 * is exact in any order. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "workload.h"

#define ASSIGN_GROUP 32
#define SUM_GROUP 16
#define MAX_FEATURES 64

enum { KERNEL_TRANSPOSE, KERNEL_ASSIGN, KERNEL_SUMS, KERNEL_COUNT };

static const char *const kernel_names[KERNEL_COUNT] = {"transpose", "assign", "cluster_sums"};

static void fail_if(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "kmeans: %s failed with OpenCL error %d\n", what, (int)status);
    exit(2);
}

typedef struct {
    int n, width, clusters;
    float *points;  /* n rows of width */
    float *centres; /* clusters rows of width */
    int *membership;
} problem_t;

typedef struct {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[KERNEL_COUNT];
    cl_mem points, features, centres, membership, sums, counts;
} device_t;

static char *load_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    size_t capacity = 1024;
    char *text = (char *)malloc(capacity);
    *length = 0;
    for (;;) {
        *length += fread(text + *length, 1, capacity - *length, file);
        if (*length < capacity)
            break;
        capacity *= 2;
        text = (char *)realloc(text, capacity);
    }
    fclose(file);
    return text;
}

static void open_device(device_t *d, const char *kernel_file)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    char name[200];
    char options[64];
    size_t length;
    char *text;

    fail_if(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    d->context = clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
    fail_if(err, "clCreateContextFromType");
    fail_if(clGetContextInfo(d->context, CL_CONTEXT_DEVICES, sizeof(device), &device, NULL), "clGetContextInfo");
    fail_if(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL), "clGetDeviceInfo");
    printf("device: %s\n", name);

    d->queue = clCreateCommandQueue(d->context, device, 0, &err);
    fail_if(err, "clCreateCommandQueue");

    text = load_text(kernel_file, &length);
    d->program = clCreateProgramWithSource(d->context, 1, (const char **)&text, &length, &err);
    fail_if(err, "clCreateProgramWithSource");
    snprintf(options, sizeof(options), "-D SUM_GROUP=%d", SUM_GROUP);
    err = clBuildProgram(d->program, 1, &device, options, NULL, NULL);
    if (err != CL_SUCCESS) {
        size_t size = 0;
        clGetProgramBuildInfo(d->program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
        char *log = (char *)malloc(size + 1);
        clGetProgramBuildInfo(d->program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
        log[size] = '\0';
        fprintf(stderr, "%s\n", log);
        fail_if(err, "clBuildProgram");
    }
    free(text);

    for (int i = 0; i < KERNEL_COUNT; i++) {
        d->kernels[i] = clCreateKernel(d->program, kernel_names[i], &err);
        fail_if(err, kernel_names[i]);
    }
}

static cl_mem new_buffer(device_t *d, size_t bytes)
{
    cl_int err;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    fail_if(err, "clCreateBuffer");
    return buffer;
}

static void upload(device_t *d, const problem_t *p)
{
    size_t cells = (size_t)p->n * p->width;
    size_t global[2] = {(p->n / ASSIGN_GROUP + 1) * ASSIGN_GROUP, p->width};
    size_t local[2] = {ASSIGN_GROUP, 1};
    cl_kernel kernel = d->kernels[KERNEL_TRANSPOSE];

    d->points = new_buffer(d, cells * sizeof(float));
    d->features = new_buffer(d, cells * sizeof(float));
    d->centres = new_buffer(d, (size_t)p->clusters * p->width * sizeof(float));
    d->membership = new_buffer(d, p->n * sizeof(int));
    d->sums = new_buffer(d, (size_t)p->clusters * p->width * sizeof(float));
    d->counts = new_buffer(d, p->clusters * sizeof(int));

    fail_if(clEnqueueWriteBuffer(d->queue, d->points, CL_TRUE, 0, cells * sizeof(float), p->points, 0, NULL, NULL), "write");
    clSetKernelArg(kernel, 0, sizeof(cl_mem), (void *)&d->points);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), (void *)&d->features);
    clSetKernelArg(kernel, 2, sizeof(cl_int), (void *)&p->n);
    clSetKernelArg(kernel, 3, sizeof(cl_int), (void *)&p->width);
    fail_if(clEnqueueNDRangeKernel(d->queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "transpose");
}

static void assign_points(device_t *d, problem_t *p)
{
    size_t centres_bytes = (size_t)p->clusters * p->width * sizeof(float);
    size_t group = ASSIGN_GROUP;
    size_t items = p->n;
    cl_kernel kernel = d->kernels[KERNEL_ASSIGN];

    if (items % group != 0)
        items += group - (items % group);
    fail_if(clEnqueueWriteBuffer(d->queue, d->centres, CL_TRUE, 0, centres_bytes, p->centres, 0, NULL, NULL), "write");
    clSetKernelArg(kernel, 0, sizeof(cl_mem), (void *)&d->features);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), (void *)&d->centres);
    clSetKernelArg(kernel, 2, centres_bytes, NULL);
    clSetKernelArg(kernel, 3, sizeof(cl_mem), (void *)&d->membership);
    clSetKernelArg(kernel, 4, sizeof(cl_int), (void *)&p->n);
    clSetKernelArg(kernel, 5, sizeof(cl_int), (void *)&p->width);
    clSetKernelArg(kernel, 6, sizeof(cl_int), (void *)&p->clusters);
    fail_if(clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), "assign");
    fail_if(clEnqueueReadBuffer(d->queue, d->membership, CL_TRUE, 0, p->n * sizeof(int), p->membership, 0, NULL, NULL), "read");
}

static void sum_clusters(device_t *d, const problem_t *p, float *sums, int *counts)
{
    size_t global[3] = {(size_t)p->clusters * SUM_GROUP, p->width, 1};
    size_t local[3] = {SUM_GROUP, 1, 1};
    cl_kernel kernel = d->kernels[KERNEL_SUMS];

    clSetKernelArg(kernel, 0, sizeof(cl_mem), (void *)&d->features);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), (void *)&d->membership);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), (void *)&d->sums);
    clSetKernelArg(kernel, 3, sizeof(cl_mem), (void *)&d->counts);
    clSetKernelArg(kernel, 4, sizeof(cl_int), (void *)&p->n);
    clSetKernelArg(kernel, 5, sizeof(cl_int), (void *)&p->width);
    fail_if(clEnqueueNDRangeKernel(d->queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "cluster_sums");
    fail_if(clEnqueueReadBuffer(d->queue, d->sums, CL_TRUE, 0, (size_t)p->clusters * p->width * sizeof(float), sums, 0, NULL, NULL), "read");
    fail_if(clEnqueueReadBuffer(d->queue, d->counts, CL_TRUE, 0, p->clusters * sizeof(int), counts, 0, NULL, NULL), "read");
}

static void close_device(device_t *d)
{
    clReleaseMemObject(d->points);
    clReleaseMemObject(d->features);
    clReleaseMemObject(d->centres);
    clReleaseMemObject(d->membership);
    clReleaseMemObject(d->sums);
    clReleaseMemObject(d->counts);
    for (int i = 0; i < KERNEL_COUNT; i++)
        clReleaseKernel(d->kernels[i]);
    clReleaseProgram(d->program);
    clReleaseCommandQueue(d->queue);
    clReleaseContext(d->context);
}

/* Numbers up to the first column that is none; lines that start with no number are skipped. */
static void read_table(const char *path, problem_t *p)
{
    char line[1024];
    int capacity = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    p->n = 0;
    p->width = 0;
    p->points = NULL;
    while (fgets(line, sizeof(line), file) != NULL) {
        float row[MAX_FEATURES];
        int width = 0;
        char *at = line;
        while (width < MAX_FEATURES) {
            char *end;
            float value = strtof(at, &end);
            if (end == at)
                break;
            row[width++] = value;
            if (*end != ',')
                break;
            at = end + 1;
        }
        if (width == 0)
            continue;
        if (p->width != 0 && width != p->width) {
            fprintf(stderr, "%s: row %d has %d numbers, the first has %d\n", path, p->n + 1, width, p->width);
            exit(2);
        }
        p->width = width;
        if (p->n == capacity) {
            capacity = capacity == 0 ? 64 : 2 * capacity;
            p->points = (float *)realloc(p->points, sizeof(float) * capacity * width);
        }
        memcpy(p->points + (size_t)p->n * width, row, sizeof(float) * width);
        p->n++;
    }
    fclose(file);
    if (p->n == 0) {
        fprintf(stderr, "%s: no numbers\n", path);
        exit(2);
    }
}

static void generate(problem_t *p, int n, int width, unsigned seed)
{
    lcg_t lcg = lcg_seed(seed);
    float middle[MAX_FEATURES][8];
    p->n = n;
    p->width = width;
    p->points = (float *)malloc(sizeof(float) * n * width);
    for (int f = 0; f < width; f++)
        for (int c = 0; c < 8; c++)
            middle[f][c] = 10.0f * lcg_unit(&lcg);
    for (int i = 0; i < n; i++) {
        int cloud = lcg_between(&lcg, 0, 7);
        for (int f = 0; f < width; f++)
            p->points[i * width + f] = middle[f][cloud] + lcg_unit(&lcg) + lcg_unit(&lcg) - 1.0f;
    }
}

static int nearest_reference(const problem_t *p, int point, double *margin)
{
    double least = HUGE_VAL, second = HUGE_VAL;
    int nearest = 0;
    for (int c = 0; c < p->clusters; c++) {
        double distance = 0.0;
        for (int f = 0; f < p->width; f++) {
            double difference = (double)p->points[point * p->width + f] - p->centres[c * p->width + f];
            distance += difference * difference;
        }
        if (distance < least) {
            second = least;
            least = distance;
            nearest = c;
        } else if (distance < second) {
            second = distance;
        }
    }
    *margin = (second - least) / (second + 1e-30);
    return nearest;
}

/* One iteration against the host: a membership may differ only where two centres are equally far
 * to float precision; sums are those of the device's own memberships. */
static double check_iteration(const problem_t *p, const float *sums, const int *counts)
{
    double error = 0.0;
    for (int i = 0; i < p->n; i++) {
        double margin;
        int nearest = nearest_reference(p, i, &margin);
        if (nearest != p->membership[i] && margin > 1e-5)
            error = HUGE_VAL;
    }
    for (int c = 0; c < p->clusters; c++) {
        int members = 0;
        for (int i = 0; i < p->n; i++)
            members += p->membership[i] == c;
        if (members != counts[c])
            error = HUGE_VAL;
        for (int f = 0; f < p->width; f++) {
            double sum = 0.0;
            for (int i = 0; i < p->n; i++)
                if (p->membership[i] == c)
                    sum += p->points[i * p->width + f];
            error = worse(error, error_against(sums[c * p->width + f], sum, 1.0));
        }
    }
    return error;
}

int main(int argc, char **argv)
{
    const char *input = "../data/iris.csv";
    const char *kernel_file = "kmeans.cl";
    const char *dump = NULL;
    const char *text;
    int iterations = 20, generated = 0, width = 8, seed = 3, integers = 0;
    problem_t p;
    device_t d;

    p.clusters = 3;
    for (int i = 1; i < argc; i++) {
        if ((text = option_value(argc, argv, &i, "--input")) != NULL)
            input = text;
        else if ((text = option_value(argc, argv, &i, "--clusters")) != NULL)
            p.clusters = option_count(argv[0], text, 1, 1024);
        else if ((text = option_value(argc, argv, &i, "--iterations")) != NULL)
            iterations = option_count(argv[0], text, 1, 100000);
        else if ((text = option_value(argc, argv, &i, "--points")) != NULL)
            generated = option_count(argv[0], text, 1, 1 << 24);
        else if ((text = option_value(argc, argv, &i, "--features")) != NULL)
            width = option_count(argv[0], text, 1, MAX_FEATURES);
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

    if (generated > 0)
        generate(&p, generated, width, (unsigned)seed);
    else
        read_table(input, &p);
    if (p.clusters > p.n) {
        fprintf(stderr, "%s: %d clusters of %d points\n", argv[0], p.clusters, p.n);
        return 2;
    }
    if (integers)
        for (int i = 0; i < p.n * p.width; i++)
            p.points[i] = rintf(10.0f * p.points[i]);

    /* The first centres: points spread evenly over the table. */
    int cells = p.clusters * p.width;
    p.centres = (float *)malloc(sizeof(float) * cells);
    p.membership = (int *)malloc(sizeof(int) * p.n);
    for (int c = 0; c < p.clusters; c++)
        memcpy(p.centres + c * p.width, p.points + (size_t)((long)c * p.n / p.clusters) * p.width, sizeof(float) * p.width);

    float *sums = (float *)malloc(sizeof(float) * cells);
    int *counts = (int *)malloc(sizeof(int) * p.clusters);
    int *previous = (int *)malloc(sizeof(int) * p.n);
    for (int i = 0; i < p.n; i++)
        previous[i] = -1;

    open_device(&d, kernel_file);
    upload(&d, &p);
    readbacks_t log = readbacks_open(dump);
    double error = 0.0;
    int done = 0;
    while (done < iterations) {
        assign_points(&d, &p);
        sum_clusters(&d, &p, sums, counts);
        readbacks_i32(&log, "membership", p.membership, p.n);
        readbacks_f32(&log, "sums", sums, cells);
        readbacks_i32(&log, "counts", counts, p.clusters);
        error = worse(error, check_iteration(&p, sums, counts));
        done++;

        if (memcmp(previous, p.membership, sizeof(int) * p.n) == 0)
            break;
        memcpy(previous, p.membership, sizeof(int) * p.n);
        for (int c = 0; c < p.clusters; c++) {
            if (counts[c] == 0)
                continue; /* An empty cluster keeps its centre. */
            for (int f = 0; f < p.width; f++) {
                float mean = sums[c * p.width + f] / (float)counts[c];
                p.centres[c * p.width + f] = integers ? rintf(mean) : mean;
            }
        }
    }
    close_device(&d);

    printf("%d points, %d features, %d iterations; clusters of", p.n, p.width, done);
    for (int c = 0; c < p.clusters; c++)
        printf(" %d", counts[c]);
    printf("\n");
    readbacks_close(&log);

    free(p.points);
    free(p.centres);
    free(p.membership);
    free(sums);
    free(counts);
    free(previous);
    return verdict(error, 1e-5);
}
