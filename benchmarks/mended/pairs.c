/* Times kernels beside others that do the same, interleaved, and compares all that they leave in memory.
 *
 *     cc -O2 pairs.c -o pairs -lOpenCL && ./pairs PLAN [DEVICE'S NAME]
 *
 * PLAN (see ../geometry/plan.h) has each kernel right before the one that it is compared with; `fpgacc-bench counters
 * --kernels benchmarks/mended/kernels.yaml --data large --checkouts DIR` writes it. A time is the median of ROUNDS. */

#include <math.h>

#include "../geometry/device.h"

enum { ROUNDS = 11 };

struct side {
    struct job job;
    cl_kernel kernel;
    cl_mem buffers[MAX_ARGS];
    size_t bytes[MAX_ARGS];
    double times[ROUNDS];
};

static struct side sides[2];
static int known; /* sides that were read */

static cl_kernel kernel_of(const struct job *job)
{
    cl_program program = built(job, "", NULL);
    if (!program)
        fail(job->file, 0);
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, job->name, &code);
    check(code, job->name);
    clReleaseProgram(program);
    return kernel;
}

/* The side of a square matrix that is stored transposed, or 0. */
static size_t turned(const struct side *side, int i)
{
    const char *at = strstr(side->job.args[i], "turned ");
    return at ? strtoul(at + strlen("turned "), NULL, 10) : 0;
}

static void transpose(float *matrix, size_t size)
{
    for (size_t y = 0; y < size; y++)
        for (size_t x = 0; x < y; x++) {
            float kept = matrix[y * size + x];
            matrix[y * size + x] = matrix[x * size + y];
            matrix[x * size + y] = kept;
        }
}

/* What buffers held last, in their order: many kernels in a row are launched with the same. */
static struct {
    char arg[256];
    char *memory;
    uint64_t seed; /* behind it */
} held[MAX_ARGS];

static void forget_from(int buffer)
{
    for (; buffer < MAX_ARGS && held[buffer].memory; buffer++) {
        free(held[buffer].memory);
        held[buffer].memory = NULL;
    }
}

/* What a buffer, argument `i`, holds at first, which depends on the buffers before it. */
static char *memory_for(const struct side *side, int i, int buffer, const struct data *data)
{
    const char *arg = side->job.args[i];
    if (!held[buffer].memory || strcmp(held[buffer].arg, arg)) {
        forget_from(buffer);
        seed = buffer ? held[buffer - 1].seed : SEED;
        snprintf(held[buffer].arg, sizeof held[buffer].arg, "%s", arg);
        held[buffer].memory = made_for(data);
        held[buffer].seed = seed;
        transpose((float *)held[buffer].memory, turned(side, i));
    }
    return held[buffer].memory;
}

/* Sets all arguments; buffers hold the same each time. */
static void set(struct side *side)
{
    int buffer = 0;
    for (int i = 0; i < side->job.count; i++) {
        struct data data = described(side->job.args[i]);
        size_t bytes = data.count * data.size;
        cl_int code;
        if (data.is_scalar) {
            code = clSetKernelArg(side->kernel, i, data.size, data.value);
        } else if (data.is_local) {
            code = clSetKernelArg(side->kernel, i, bytes, NULL);
        } else {
            if (!side->buffers[i])
                side->buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
            side->bytes[i] = bytes;
            char *memory = memory_for(side, i, buffer++, &data);
            check(clEnqueueWriteBuffer(queue, side->buffers[i], CL_TRUE, 0, bytes, memory, 0, NULL, NULL), "write");
            code = clSetKernelArg(side->kernel, i, sizeof side->buffers[i], &side->buffers[i]);
        }
        check(code, "clSetKernelArg");
    }
}

static double launch(struct side *side)
{
    cl_event event;
    cl_ulong from = 0, to = 0;
    const size_t *local = side->job.author_null ? NULL : side->job.author;
    check(clEnqueueNDRangeKernel(queue, side->kernel, side->job.dims, NULL, side->job.global, local, 0, NULL, &event),
          side->job.name);
    check(clFinish(queue), side->job.name);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    clReleaseEvent(event);
    return (double)(to - from) * 1e-3;
}

static int holds_floats(const char *arg) { return !strncmp(arg, "floats", strlen("floats")); }

/* The largest difference of floats in what both left in a buffer, as a part of the largest number in it; infinite if
 * anything else differs. */
static double difference(void)
{
    double worst = 0;
    for (int i = 0; i < sides[0].job.count; i++) {
        size_t bytes = sides[0].bytes[i];
        if (!bytes)
            continue;
        float *left = malloc(bytes), *right = malloc(bytes);
        check(clEnqueueReadBuffer(queue, sides[0].buffers[i], CL_TRUE, 0, bytes, left, 0, NULL, NULL), "read");
        check(clEnqueueReadBuffer(queue, sides[1].buffers[i], CL_TRUE, 0, bytes, right, 0, NULL, NULL), "read");
        transpose(right, turned(&sides[1], i));
        if (!holds_floats(sides[0].job.args[i]) && memcmp(left, right, bytes))
            worst = INFINITY;
        double apart = 0, largest = 0;
        for (size_t k = 0; holds_floats(sides[0].job.args[i]) && k < bytes / sizeof *left; k++) {
            double own = memcmp(&left[k], &right[k], sizeof *left) ? fabs(left[k] - right[k]) : 0;
            apart = isnan(own) || own > apart ? own : apart;
            largest = fabs(left[k]) > largest ? fabs(left[k]) : largest;
        }
        double part = apart > 0 || isnan(apart) ? apart / largest : 0;
        worst = isnan(part) || part > worst ? part : worst;
        free(left);
        free(right);
    }
    return worst;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(void)
{
    for (int s = 0; s < 2; s++) {
        sides[s].kernel = kernel_of(&sides[s].job);
        set(&sides[s]);
        launch(&sides[s]);
    }
    double apart = difference();
    for (int round = 0; round < ROUNDS; round++)
        for (int s = 0; s < 2; s++)
            sides[s].times[round] = launch(&sides[s]);
    for (int s = 0; s < 2; s++)
        qsort(sides[s].times, ROUNDS, sizeof(double), by_value);
    double before = sides[0].times[ROUNDS / 2], after = sides[1].times[ROUNDS / 2];
    printf("%s,%s,%.1f,%.1f,%.2f,%g\n", sides[0].job.program, sides[0].job.name, before, after, before / after, apart);
    fflush(stdout);
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < MAX_ARGS; i++)
            if (sides[s].buffers[i])
                clReleaseMemObject(sides[s].buffers[i]);
        clReleaseKernel(sides[s].kernel);
    }
    memset(sides, 0, sizeof sides);
}

static void take(const struct job *job)
{
    sides[known].job = *job;
    known = (known + 1) % 2;
    if (known == 0)
        measure();
}

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage: pairs PLAN [DEVICE]", 0);
    open_device(argc > 2 ? argv[2] : NULL);
    printf("program,kernel,before_us,after_us,gain,difference\n");
    read_plan(argv[1], take);
    return 0;
}
