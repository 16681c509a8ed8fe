/* Times kernels with all local sizes and shapes that their launches allow, interleaved, on any OpenCL device.
 *
 *     runner PLAN [DEVICE'S NAME] > times.csv
 *
 * `fpgacc-bench geometry plan` writes the plan. A kernel in it:
 *
 *     kernel PROGRAM NAME FILE
 *     options TEXT
 *     global X [Y [Z]]
 *     local X [Y [Z]]          the author's; `local null` where the author leaves it open
 *     arg KIND ..              in their order; see kernels.yaml
 *     run
 *
 * A row of times is the median of ROUNDS rounds, each of which launches every shape. A kernel that is short is
 * launched several times in a row, and the time is from the first start to the last end, over their number.
 * A row whose shape is `info` tells what the device's compiler says of the kernel. */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 11, MAX_ARGS = 24, MAX_SHAPES = 256, MAX_BATCH = 16, CHUNK = 1 << 20, MOST_SECONDS = 60 };
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

struct job {
    char program[128], name[128], file[512], options[512];
    cl_uint dims;
    size_t global[3], author[3];
    int author_null, count;
    char args[MAX_ARGS][256];
};

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static uint64_t seed;

static void fail(const char *what, int code)
{
    fprintf(stderr, "runner: %s (%d)\n", what, code);
    exit(1);
}

static uint32_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20);
}

static double unit(void) { return 0.1 + draw() % 1000000 * 1e-6; }

/* Fills memory with what an argument asks for; `from` is the index of the first element. */
static void fill(char *to, const char *kind, const unsigned long *n, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = from + i;
        if (!strcmp(kind, "floats"))
            ((float *)to)[i] = (float)unit();
        else if (!strcmp(kind, "doubles"))
            ((double *)to)[i] = unit();
        else if (!strcmp(kind, "ints"))
            ((int32_t *)to)[i] = (int32_t)(draw() % n[1]);
        else if (!strcmp(kind, "at"))
            ((int32_t *)to)[i] = (int32_t)n[1];
        else if (!strcmp(kind, "chars"))
            to[i] = (char)(draw() % n[1]);
        else if (!strcmp(kind, "ramp"))
            ((int32_t *)to)[i] = (int32_t)(at * n[1]);
        else if (!strcmp(kind, "nodes"))
            ((int32_t *)to)[i] = (int32_t)(at % 2 ? n[1] : at / 2 * n[1]);
        else if (!strcmp(kind, "near")) {
            long value = (long)(at % n[1]) + (long)(draw() % (2 * n[2] + 1)) - (long)n[2];
            long last = (long)n[1] - 1;
            ((int32_t *)to)[i] = (int32_t)(value < 0 ? 0 : value > last ? last : value);
        } else
            to[i] = 0;
    }
}

static void shuffle(int32_t *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        all[i] = (int32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = draw() % (i + 1);
        int32_t kept = all[i];
        all[i] = all[j];
        all[j] = kept;
    }
}

static cl_mem allocate(size_t bytes)
{
    cl_int code;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code)
        fail("clCreateBuffer", code);
    return memory;
}

static void write_chunks(struct arg *arg, const char *kind, const unsigned long *n, size_t count, size_t size)
{
    size_t chunk = count < CHUNK ? count : CHUNK;
    char *memory = malloc(chunk * size);
    int same = !strcmp(kind, "floats") || !strcmp(kind, "doubles"); /* random values may repeat */
    for (size_t from = 0; from < count; from += chunk) {
        size_t part = count - from < chunk ? count - from : chunk;
        if (!same || from == 0)
            fill(memory, kind, n, from, part);
        cl_int code = clEnqueueWriteBuffer(queue, arg->buffer, CL_TRUE, from * size, part * size, memory, 0, NULL, NULL);
        if (code)
            fail("clEnqueueWriteBuffer", code);
    }
    free(memory);
}

static int set_scalar(cl_kernel kernel, cl_uint index, const char *kind, const char *text)
{
    union { cl_int i; cl_long l; cl_short s; cl_float f; cl_double d; } value;
    size_t size = 4;
    if (!strcmp(kind, "int") || !strcmp(kind, "uint"))
        value.i = (cl_int)strtoll(text, NULL, 0);
    else if (!strcmp(kind, "long"))
        value.l = strtoll(text, NULL, 0), size = 8;
    else if (!strcmp(kind, "short"))
        value.s = (cl_short)strtol(text, NULL, 0), size = 2;
    else if (!strcmp(kind, "float"))
        value.f = strtof(text, NULL);
    else if (!strcmp(kind, "double"))
        value.d = strtod(text, NULL), size = 8;
    else
        return 0;
    cl_int code = clSetKernelArg(kernel, index, size, &value);
    if (code)
        fail("clSetKernelArg of a scalar", code);
    return 1;
}

static void set_argument(cl_kernel kernel, cl_uint index, const char *text, struct arg *arg)
{
    char kind[32], word[32];
    unsigned long n[3] = {0, 1, 0};
    arg->buffer = arg->first = NULL;
    if (sscanf(text, "%31s %31s", kind, word) == 2 && set_scalar(kernel, index, kind, word))
        return;
    if (sscanf(text, "%31s %lu %*s %lu %*s %lu", kind, &n[0], &n[1], &n[2]) < 2)
        fail(text, 0);
    if (!strcmp(kind, "ints") && strstr(text, " at "))
        strcpy(kind, "at");
    int bytes = !strcmp(kind, "chars") || !strcmp(kind, "zeros");
    size_t size = bytes ? 1 : !strcmp(kind, "doubles") ? 8 : 4;
    size_t count = !strcmp(kind, "nodes") ? n[0] * 2 : n[0];
    arg->bytes = count * size;
    arg->buffer = allocate(arg->bytes);
    if (!strcmp(kind, "order")) {
        int32_t *all = malloc(arg->bytes);
        shuffle(all, count);
        clEnqueueWriteBuffer(queue, arg->buffer, CL_TRUE, 0, arg->bytes, all, 0, NULL, NULL);
        free(all);
    } else {
        write_chunks(arg, kind, n, count, size);
    }
    if (strstr(text, "reset")) {
        arg->first = allocate(arg->bytes);
        clEnqueueCopyBuffer(queue, arg->buffer, arg->first, 0, 0, arg->bytes, 0, NULL, NULL);
    }
    cl_int code = clSetKernelArg(kernel, index, sizeof arg->buffer, &arg->buffer);
    if (code)
        fail("clSetKernelArg of a buffer", code);
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
    if (code)
        fail(job->name, code);
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

static cl_program build(const struct job *job, char **log)
{
    FILE *file = fopen(job->file, "rb");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    if (!fread(text, 1, (1 << 20) - 1, file))
        fail(job->file, 0);
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, NULL);
    char options[1200], folder[512], vendor[256] = "";
    snprintf(folder, sizeof folder, "%s", job->file);
    char *slash = strrchr(folder, '/');
    *(slash ? slash : folder) = 0;
    clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof vendor, vendor, NULL);
    int is_nvidia = strstr(vendor, "NVIDIA") != NULL;
    snprintf(options, sizeof options, "-I%s %s%s", folder, job->options, is_nvidia ? " -cl-nv-verbose" : "");
    cl_int code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    *log = calloc(1, size + 1);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, *log, NULL);
    free(text);
    if (!code)
        return program;
    fprintf(stderr, "runner: %s does not build: %s\n", job->file, *log);
    return NULL;
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
    seed = 88172645463325252ull;
    char *log = NULL;
    cl_int code;
    cl_program program = build(job, &log);
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

static void open_device(const char *wanted)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[256] = "";
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            continue;
        clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
        if (wanted && !strstr(name, wanted))
            continue;
        cl_int code;
        context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
        queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
        if (code)
            fail("clCreateCommandQueue", code);
        return;
    }
    fail("no such device", 0);
}

/* A process each: what one kernel does wrong costs no other's times. */
static void run_apart(const struct job *job, const char *wanted)
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

static void sizes(const char *text, size_t *to)
{
    unsigned long n[3] = {1, 1, 1};
    sscanf(text, "%lu %lu %lu", &n[0], &n[1], &n[2]);
    for (int d = 0; d < 3; d++)
        to[d] = n[d];
}

int main(int argc, char **argv)
{
    FILE *plan = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!plan)
        fail("usage: runner PLAN [DEVICE]", 0);
    char line[1024], word[32];
    struct job job;
    memset(&job, 0, sizeof job);
    printf("program,kernel,local,median_us,least_us,rounds\n");
    while (fgets(line, sizeof line, plan)) {
        line[strcspn(line, "\n")] = 0;
        int at = 0;
        if (sscanf(line, "%31s %n", word, &at) < 1)
            continue;
        const char *rest = line + at;
        if (!strcmp(word, "kernel")) {
            memset(&job, 0, sizeof job);
            if (sscanf(rest, "%127s %127s %511s", job.program, job.name, job.file) != 3)
                fail(line, 0);
        } else if (!strcmp(word, "options")) {
            snprintf(job.options, sizeof job.options, "%s", rest);
        } else if (!strcmp(word, "global")) {
            sizes(rest, job.global);
            unsigned long unused;
            job.dims = (cl_uint)sscanf(rest, "%lu %lu %lu", &unused, &unused, &unused);
        } else if (!strcmp(word, "local")) {
            job.author_null = !strcmp(rest, "null");
            sizes(rest, job.author);
        } else if (!strcmp(word, "arg") && job.count < MAX_ARGS) {
            snprintf(job.args[job.count++], sizeof job.args[0], "%s", rest);
        } else if (!strcmp(word, "run")) {
            run_apart(&job, argc > 2 ? argv[2] : NULL);
        }
    }
    return 0;
}
