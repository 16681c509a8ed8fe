/* Times kernels with all local sizes and shapes that their launches allow, interleaved, on any OpenCL device.
 *
 *     runner PLAN [DEVICE'S NAME] > times.csv
 *
 * `fpgacc-bench geometry` writes the plan (see plan.h).
 *
 * A row of times is the median of ROUNDS rounds, each of which launches every shape. A kernel that is short is
 * launched several times in a row, and the time is from the first start to the last end, over their number.
 * A row whose shape is `info` reports what the device's compiler says of the kernel. */

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device.h"

#ifndef ROUNDS
#define ROUNDS 11
#endif

enum { MAX_SHAPES = 256, MAX_BATCH = 16, CHUNK = 1 << 20, MOST_SECONDS = 60 };
/* A shape that is so much slower than the best is timed in fewer rounds: it is no candidate. */
static const double HOPELESS = 6.0;
static const double BATCH_SECONDS = 100e-6;

struct arg {
    cl_mem buffer, first; /* `first`: what `buffer` holds before each launch, or NULL */
    size_t bytes;
};

struct shape {
    size_t local[3];
    int is_null;
    int rounds;
    double times[ROUNDS];
};

static const char *wanted; /* part of the device's name, or NULL */

static cl_mem allocate(size_t bytes)
{
    cl_int code;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    check(code, "clCreateBuffer");
    return memory;
}

static void write_chunks(struct arg *arg, const struct data *data)
{
    size_t chunk = data->count < CHUNK ? data->count : CHUNK, size = data->size;
    char *memory = malloc(chunk * size);
    /* Random values may repeat. */
    int same = !strcmp(data->kind, "floats") || !strcmp(data->kind, "doubles");
    for (size_t from = 0; from < data->count; from += chunk) {
        size_t part = data->count - from < chunk ? data->count - from : chunk;
        if (!same || from == 0)
            fill(memory, data, from, part);
        cl_int code = clEnqueueWriteBuffer(queue, arg->buffer, CL_TRUE, from * size, part * size, memory, 0, NULL, NULL);
        check(code, "clEnqueueWriteBuffer");
    }
    free(memory);
}

static void set_argument(cl_kernel kernel, cl_uint index, const char *text, struct arg *arg)
{
    struct data data = described(text);
    arg->buffer = arg->first = NULL;
    if (data.is_scalar || data.is_local) {
        size_t size = data.is_local ? data.count : data.size;
        cl_int code = clSetKernelArg(kernel, index, size, data.is_local ? NULL : data.value);
        check(code, "clSetKernelArg of a scalar or of local memory");
        return;
    }
    arg->bytes = data.count * data.size;
    arg->buffer = allocate(arg->bytes);
    if (!strcmp(data.kind, "order")) {
        int32_t *all = malloc(arg->bytes);
        shuffle(all, data.count);
        clEnqueueWriteBuffer(queue, arg->buffer, CL_TRUE, 0, arg->bytes, all, 0, NULL, NULL);
        free(all);
    } else {
        write_chunks(arg, &data);
    }
    if (data.resets) {
        arg->first = allocate(arg->bytes);
        clEnqueueCopyBuffer(queue, arg->buffer, arg->first, 0, 0, arg->bytes, 0, NULL, NULL);
    }
    cl_int code = clSetKernelArg(kernel, index, sizeof arg->buffer, &arg->buffer);
    check(code, "clSetKernelArg of a buffer");
}

static cl_ulong stamp(cl_event event, cl_profiling_info which)
{
    cl_ulong at = 0;
    clGetEventProfilingInfo(event, which, sizeof at, &at, NULL);
    return at;
}

/* Seconds of a launch, on average over `batch`; negative if OpenCL refuses it. */
static double launch(cl_kernel kernel, const struct job *job, const struct shape *shape, struct arg *args, int batch)
{
    cl_event events[MAX_BATCH];
    for (int i = 0; i < job->count; i++)
        if (args[i].first)
            clEnqueueCopyBuffer(queue, args[i].first, args[i].buffer, 0, 0, args[i].bytes, 0, NULL, NULL);
    clFinish(queue);
    for (int i = 0; i < batch; i++) {
        const size_t *local = shape->is_null ? NULL : shape->local;
        cl_int code = clEnqueueNDRangeKernel(queue, kernel, job->dims, NULL, job->global, local, 0, NULL, &events[i]);
        if (code) {
            clFinish(queue);
            return -1.0;
        }
    }
    cl_int code = clFinish(queue);
    check(code, job->name);
    double seconds = (double)(stamp(events[batch - 1], CL_PROFILING_COMMAND_END)
                              - stamp(events[0], CL_PROFILING_COMMAND_START)) * 1e-9 / batch;
    for (int i = 0; i < batch; i++)
        clReleaseEvent(events[i]);
    return seconds;
}

static int is_power(size_t n) { return (n & (n - 1)) == 0; }

static int is_listed(const struct shape *shapes, int count, const size_t *local)
{
    for (int i = 0; i < count; i++)
        if (!shapes[i].is_null && !memcmp(shapes[i].local, local, sizeof shapes[i].local))
            return 1;
    return 0;
}

static void add(struct shape *shapes, int *count, size_t x, size_t y, size_t z)
{
    size_t local[3] = {x, y, z};
    if (*count == MAX_SHAPES || is_listed(shapes, *count, local))
        return;
    memcpy(shapes[(*count)++].local, local, sizeof local);
}

/* Powers of two, in one dimension also multiples of 32; the author's; none. */
static int list_shapes(const struct job *job, size_t most, struct shape *shapes)
{
    int count = 0;
    memset(shapes, 0, MAX_SHAPES * sizeof *shapes);
    shapes[count++].is_null = 1;
    if (!job->author_null)
        add(shapes, &count, job->author[0], job->author[1], job->author[2]);
    for (size_t z = 1; z <= 8 && job->global[2] % z == 0; z *= 2)
        for (size_t y = 1; y <= most && job->global[1] % y == 0; y *= 2)
            for (size_t x = 1; x * y * z <= most; x++) {
                int fits = job->global[0] % x == 0 && (is_power(x) || (job->dims == 1 && x % 32 == 0));
                if (fits && (job->dims < 3 || x * y * z >= 32))
                    add(shapes, &count, x, y, z);
            }
    return count;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const struct job *job, const struct shape *shape)
{
    double sorted[ROUNDS];
    memcpy(sorted, shape->times, sizeof sorted);
    qsort(sorted, shape->rounds, sizeof *sorted, by_value);
    char text[64] = "null";
    if (!shape->is_null)
        snprintf(text, sizeof text, "%zux%zux%zu", shape->local[0], shape->local[1], shape->local[2]);
    printf("%s,%s,%s,%.3f,%.3f,%d\n", job->program, job->name, text, sorted[shape->rounds / 2] * 1e6, sorted[0] * 1e6,
           shape->rounds);
}

/* The registers that the build log gives for a kernel, if it does (-cl-nv-verbose). */
static int registers(const char *log, const char *name)
{
    char entry[160];
    snprintf(entry, sizeof entry, "entry function '%s'", name);
    const char *at = strstr(log, entry);
    at = at ? strstr(at, "Used ") : NULL;
    return at ? atoi(at + 5) : 0;
}

static void measure(cl_kernel kernel, const struct job *job, struct arg *args, size_t most)
{
    static struct shape shapes[MAX_SHAPES];
    int count = list_shapes(job, most, shapes);
    double best = 1e9;
    for (int i = 0; i < count; i++) { /* warm up, and drop what OpenCL refuses */
        double seconds = launch(kernel, job, &shapes[i], args, 1);
        if (seconds < 0)
            shapes[i--] = shapes[--count];
        else if (seconds < best)
            best = seconds;
    }
    int resets = 0;
    for (int i = 0; i < job->count; i++)
        resets |= args[i].first != NULL;
    double wanted = BATCH_SECONDS / best;
    int batch = resets || wanted < 1 ? 1 : wanted > MAX_BATCH ? MAX_BATCH : (int)wanted;
    for (int round = 0; round < ROUNDS; round++) {
        double least = 1e9;
        for (int i = 0; i < count; i++) {
            struct shape *shape = &shapes[i];
            if (round >= 3 && shape->rounds == 3 && shape->times[0] > HOPELESS * best)
                continue;
            double seconds = launch(kernel, job, shape, args, batch);
            shape->times[shape->rounds++] = seconds;
            least = seconds < least ? seconds : least;
        }
        if (round == 0)
            best = least;
    }
    for (int i = 0; i < count; i++)
        print_row(job, &shapes[i]);
    fflush(stdout);
}

static void run(const struct job *job)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    seed = SEED;
    char *log = NULL;
    cl_int code;
    char vendor[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof vendor, vendor, NULL);
    cl_program program = built(job, strstr(vendor, "NVIDIA") ? "-cl-nv-verbose" : "", &log);
    cl_kernel kernel = program ? clCreateKernel(program, job->name, &code) : NULL;
    if (!kernel) {
        fprintf(stderr, "runner: no kernel %s of %s\n", job->name, job->file);
        return;
    }
    struct arg args[MAX_ARGS];
    for (int i = 0; i < job->count; i++)
        set_argument(kernel, (cl_uint)i, job->args[i], &args[i]);
    size_t most = 1;
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    most = most > 1024 ? 1024 : most;
    printf("%s,%s,info,%d,%zu,0\n", job->program, job->name, registers(log, job->name), most);
    measure(kernel, job, args, most);
    for (int i = 0; i < job->count; i++) {
        if (args[i].buffer)
            clReleaseMemObject(args[i].buffer);
        if (args[i].first)
            clReleaseMemObject(args[i].first);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    free(log);
    clock_gettime(CLOCK_MONOTONIC, &to);
    fprintf(stderr, "%s %s: %.1f s\n", job->program, job->name,
            (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);
}

/* A process each: what one kernel does wrong costs no other's times. */
static void run_apart(const struct job *job)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(MOST_SECONDS);
        open_device(wanted);
        run(job);
        fflush(stdout);
        _exit(0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        fprintf(stderr, "runner: %s %s ended with status %d\n", job->program, job->name, status);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage: runner PLAN [DEVICE]", 0);
    wanted = argc > 2 ? argv[2] : NULL;
    printf("program,kernel,local,median_us,least_us,rounds\n");
    read_plan(argv[1], run_apart);
    return 0;
}
