/* Compression of integers on the device: RLBD, the format of the thesis's chapter 7, and tiles, a
 * format without chains. README.md describes both.
 *
 *   rlbd [--data NAME] [--bytes N] [--seed S] [--platform N] [--measure [--repeat N]] [--dump FILE]
 *
 * Compresses generated data (all kinds, or one) and decompresses them again, with both formats.
 * Every byte is compared with the reference on the CPU. With --measure, times of kernels are taken
 * from events: medians of N repetitions, in each of which every kernel and a copy run once. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "workload.h"
#include "format.h"

#ifndef GROUP_PARTITIONS
#define GROUP_PARTITIONS 4
#endif
#define PLAIN_GROUP 64
#define COMPRESS_GROUP 32
#define SCAN_GROUP 256
#define COPY_GROUP 256
#define ROW_BYTES 64
#define GROUP_TILES 4

/* So much of a measured input is also compressed on the CPU. */
#define REFERENCE_BYTES ((size_t)16 << 20)

enum { MOST_REPEATS = 101 };

/* What is timed: one or several kernels. */
enum { JOB_COPY, JOB_COMPRESS, JOB_PLAIN, JOB_FAST, JOB_TILE_COMPRESS, JOB_TILE, JOBS };

static const char *const job_names[JOBS] = {"copy", "rlbd compress", "rlbd decompress, plain",
                                            "rlbd decompress", "tile compress", "tile decompress"};

typedef struct {
    cl_kernel measure, sums, offsets, pack, decompress, rows, runs, copy;
} tile_kernels_t;

typedef struct {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_program programs[4];
    cl_kernel compress, sums, directory, gather, plain, fast;
    cl_kernel rows; /* NULL on a GPU: one work-item, with megabytes of its own */
    tile_kernels_t tile4, tile8;
    int profiling;
} device_t;

/* One input and its buffers. Sizes in bytes. */
typedef struct {
    const char *name;
    uint8_t *input, *output;
    size_t size, room; /* room: whole pieces of 16 bytes */
    int width;
    cl_uint partitions, scan_groups;
    cl_ulong words, frames_size;
    cl_ulong values;
    cl_uint tiles, tile_groups;
    size_t payload_size;
    cl_mem data, restored, slots, sizes, sums, stream, total;
    cl_mem headers, payload;
    double milliseconds[JOBS][MOST_REPEATS];
} problem_t;

static void fail_if(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "rlbd: %s failed with OpenCL error %d\n", what, (int)status);
    exit(2);
}

/* ---- The device ---- */

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
    char *text = allocate((size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    text[size] = '\0';
    fclose(file);
    return text;
}

static cl_program build(device_t *d, const char *path, const char *options)
{
    cl_int status;
    char *text = load_text(path);
    cl_program program = clCreateProgramWithSource(d->context, 1, (const char **)&text, NULL, &status);
    fail_if(status, "clCreateProgramWithSource");
    status = clBuildProgram(program, 1, &d->id, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        size_t size = 0;
        clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
        char *log = allocate(size + 1);
        clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
        log[size] = '\0';
        fprintf(stderr, "%s\n", log);
        fail_if(status, path);
    }
    free(text);
    return program;
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    fail_if(status, name);
    return kernel;
}

static tile_kernels_t tile_kernels(cl_program program)
{
    tile_kernels_t kernels;
    kernels.measure = kernel_of(program, "tile_measure");
    kernels.sums = kernel_of(program, "tile_sums");
    kernels.offsets = kernel_of(program, "tile_offsets");
    kernels.pack = kernel_of(program, "tile_pack");
    kernels.decompress = kernel_of(program, "tile_decompress");
    kernels.rows = kernel_of(program, "tile_rows");
    kernels.runs = kernel_of(program, "tile_runs");
    kernels.copy = kernel_of(program, "copy");
    return kernels;
}

static void open_device(device_t *d, int platform_index, int profiling)
{
    cl_int status;
    cl_uint count = 0;
    cl_platform_id platforms[16];
    cl_device_type type = 0;
    char name[256], options[256];

    fail_if(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    if ((cl_uint)platform_index >= count) {
        fprintf(stderr, "rlbd: no platform %d, there are %u\n", platform_index, count);
        exit(2);
    }
    fail_if(clGetDeviceIDs(platforms[platform_index], CL_DEVICE_TYPE_ALL, 1, &d->id, NULL), "clGetDeviceIDs");
    fail_if(clGetDeviceInfo(d->id, CL_DEVICE_NAME, sizeof(name), name, NULL), "clGetDeviceInfo");
    fail_if(clGetDeviceInfo(d->id, CL_DEVICE_TYPE, sizeof(type), &type, NULL), "clGetDeviceInfo");
    printf("device: %s\n", name);

    d->profiling = profiling;
    d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &status);
    fail_if(status, "clCreateContext");
    d->queue = clCreateCommandQueue(d->context, d->id, profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
    fail_if(status, "clCreateCommandQueue");

    snprintf(options, sizeof(options),
             "-D PARTITION=%d -D SLOT=%d -D LOOKAHEAD=%d -D FRAME_DELTA_BYTES=%d -D GROUP_PARTITIONS=%d",
             PARTITION, SLOT, LOOKAHEAD, FRAME_DELTA_BYTES, GROUP_PARTITIONS);
    d->programs[0] = build(d, "rlbd.cl", options);
    d->programs[1] = build(d, "tile.cl", "-D TILE_BYTES=4");
    d->programs[2] = build(d, "tile.cl", "-D TILE_BYTES=8");
    d->programs[3] = NULL;
    d->rows = NULL;
    if (type != CL_DEVICE_TYPE_GPU) {
        d->programs[3] = build(d, "rlbd_rows.cl", options);
        d->rows = kernel_of(d->programs[3], "rlbd_rows");
    }
    d->compress = kernel_of(d->programs[0], "rlbd_compress");
    d->sums = kernel_of(d->programs[0], "rlbd_sums");
    d->directory = kernel_of(d->programs[0], "rlbd_directory");
    d->gather = kernel_of(d->programs[0], "rlbd_gather");
    d->plain = kernel_of(d->programs[0], "rlbd_decompress_plain");
    d->fast = kernel_of(d->programs[0], "rlbd_decompress");
    d->tile4 = tile_kernels(d->programs[1]);
    d->tile8 = tile_kernels(d->programs[2]);
}

static void release_tile_kernels(tile_kernels_t *kernels)
{
    clReleaseKernel(kernels->measure);
    clReleaseKernel(kernels->sums);
    clReleaseKernel(kernels->offsets);
    clReleaseKernel(kernels->pack);
    clReleaseKernel(kernels->decompress);
    clReleaseKernel(kernels->rows);
    clReleaseKernel(kernels->runs);
    clReleaseKernel(kernels->copy);
}

static void close_device(device_t *d)
{
    clReleaseKernel(d->compress);
    clReleaseKernel(d->sums);
    clReleaseKernel(d->directory);
    clReleaseKernel(d->gather);
    clReleaseKernel(d->plain);
    clReleaseKernel(d->fast);
    release_tile_kernels(&d->tile4);
    release_tile_kernels(&d->tile8);
    for (int i = 0; i < 3; i++)
        clReleaseProgram(d->programs[i]);
    if (d->rows != NULL) {
        clReleaseKernel(d->rows);
        clReleaseProgram(d->programs[3]);
    }
    clReleaseCommandQueue(d->queue);
    clReleaseContext(d->context);
}

/* ---- Buffers ---- */

static cl_mem new_buffer(device_t *d, size_t bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    fail_if(status, "clCreateBuffer");
    return buffer;
}

static void upload(device_t *d, cl_mem buffer, const void *data, size_t bytes)
{
    fail_if(clEnqueueWriteBuffer(d->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "write");
}

static void download(device_t *d, cl_mem buffer, void *data, size_t bytes)
{
    fail_if(clEnqueueReadBuffer(d->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "read");
}

/* What is not written by the next kernel shows. */
static void poison(device_t *d, cl_mem buffer, uint8_t *memory, size_t bytes)
{
    memset(memory, 0xa5, bytes);
    upload(d, buffer, memory, bytes);
}

static void set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    fail_if(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

/* What a stream may take: a slot a partition, and the directory; then whole rows. */
static size_t stream_room(const problem_t *p)
{
    return (size_t)p->partitions * (SLOT + sizeof(partition_t)) + ROW_BYTES;
}

static void prepare(device_t *d, problem_t *p)
{
    p->data = new_buffer(d, p->room);
    p->restored = new_buffer(d, p->tiles * tile_bound(p->width) + ROW_BYTES); /* whole tiles, and the tail */
    p->slots = new_buffer(d, (size_t)p->partitions * SLOT);
    p->sizes = new_buffer(d, sizeof(cl_uint) * (p->partitions > p->tiles ? p->partitions : p->tiles));
    p->sums = new_buffer(d, sizeof(cl_ulong) * (p->scan_groups > p->tile_groups ? p->scan_groups : p->tile_groups));
    p->stream = new_buffer(d, stream_room(p));
    p->total = new_buffer(d, sizeof(cl_ulong));
    p->headers = new_buffer(d, p->tiles * sizeof(tile_header_t));
    p->payload = new_buffer(d, p->tiles * tile_bound(p->width));
    upload(d, p->data, p->input, p->room);
}

static void release(problem_t *p)
{
    clReleaseMemObject(p->data);
    clReleaseMemObject(p->restored);
    clReleaseMemObject(p->slots);
    clReleaseMemObject(p->sizes);
    clReleaseMemObject(p->sums);
    clReleaseMemObject(p->stream);
    clReleaseMemObject(p->total);
    clReleaseMemObject(p->headers);
    clReleaseMemObject(p->payload);
}

/* ---- Launches: `first` and `last` are events, or NULL where nothing is measured ---- */

static void launch_compress(device_t *d, problem_t *p, cl_event *first, cl_event *last)
{
    size_t items = (size_t)p->partitions * COMPRESS_GROUP, group = COMPRESS_GROUP;
    set(d->compress, 0, sizeof(cl_mem), &p->data);
    set(d->compress, 1, sizeof(cl_ulong), &p->words);
    set(d->compress, 2, sizeof(cl_mem), &p->slots);
    set(d->compress, 3, sizeof(cl_mem), &p->sizes);
    fail_if(clEnqueueNDRangeKernel(d->queue, d->compress, 1, NULL, &items, &group, 0, NULL, first), "rlbd_compress");

    size_t scan_items = (size_t)p->scan_groups * SCAN_GROUP, scan_group = SCAN_GROUP;
    set(d->sums, 0, sizeof(cl_mem), &p->sizes);
    set(d->sums, 1, sizeof(cl_uint), &p->partitions);
    set(d->sums, 2, sizeof(cl_mem), &p->sums);
    fail_if(clEnqueueNDRangeKernel(d->queue, d->sums, 1, NULL, &scan_items, &scan_group, 0, NULL, NULL), "rlbd_sums");
    set(d->directory, 0, sizeof(cl_mem), &p->sizes);
    set(d->directory, 1, sizeof(cl_uint), &p->partitions);
    set(d->directory, 2, sizeof(cl_mem), &p->sums);
    set(d->directory, 3, sizeof(cl_uint), &p->scan_groups);
    set(d->directory, 4, sizeof(cl_mem), &p->stream);
    set(d->directory, 5, sizeof(cl_mem), &p->total);
    fail_if(clEnqueueNDRangeKernel(d->queue, d->directory, 1, NULL, &scan_items, &scan_group, 0, NULL, NULL),
            "rlbd_directory");

    size_t gather_items = (size_t)p->partitions * PLAIN_GROUP, gather_group = PLAIN_GROUP;
    set(d->gather, 0, sizeof(cl_mem), &p->slots);
    set(d->gather, 1, sizeof(cl_mem), &p->total);
    set(d->gather, 2, sizeof(cl_mem), &p->stream);
    fail_if(clEnqueueNDRangeKernel(d->queue, d->gather, 1, NULL, &gather_items, &gather_group, 0, NULL, last),
            "rlbd_gather");
}

static void launch_plain(device_t *d, problem_t *p, cl_ulong directory, cl_event *event)
{
    size_t items = (size_t)p->partitions * PLAIN_GROUP, group = PLAIN_GROUP;
    set(d->plain, 0, sizeof(cl_mem), &p->stream);
    set(d->plain, 1, sizeof(cl_ulong), &directory);
    set(d->plain, 2, sizeof(cl_uint), &p->partitions);
    set(d->plain, 3, sizeof(cl_ulong), &p->words);
    set(d->plain, 4, sizeof(cl_mem), &p->restored);
    fail_if(clEnqueueNDRangeKernel(d->queue, d->plain, 1, NULL, &items, &group, 0, NULL, event),
            "rlbd_decompress_plain");
}

static void launch_fast(device_t *d, problem_t *p, cl_event *event)
{
    size_t groups = ((size_t)p->partitions + GROUP_PARTITIONS - 1) / GROUP_PARTITIONS;
    size_t items[2] = {32, 0}, group[2] = {32, GROUP_PARTITIONS};
    items[1] = groups * GROUP_PARTITIONS;
    set(d->fast, 0, sizeof(cl_mem), &p->stream);
    set(d->fast, 1, sizeof(cl_ulong), &p->frames_size);
    set(d->fast, 2, sizeof(cl_uint), &p->partitions);
    set(d->fast, 3, sizeof(cl_ulong), &p->words);
    set(d->fast, 4, sizeof(cl_mem), &p->restored);
    fail_if(clEnqueueNDRangeKernel(d->queue, d->fast, 2, NULL, items, group, 0, NULL, event), "rlbd_decompress");
}

/* The one that is made for FPGAs. */
static void launch_rows(device_t *d, problem_t *p)
{
    set(d->rows, 0, sizeof(cl_mem), &p->stream);
    set(d->rows, 1, sizeof(cl_ulong), &p->frames_size);
    set(d->rows, 2, sizeof(cl_uint), &p->partitions);
    set(d->rows, 3, sizeof(cl_ulong), &p->words);
    set(d->rows, 4, sizeof(cl_mem), &p->restored);
    fail_if(clEnqueueTask(d->queue, d->rows, 0, NULL, NULL), "rlbd_rows");
}

static void launch_tile_compress(device_t *d, tile_kernels_t *k, problem_t *p, cl_event *first, cl_event *last)
{
    size_t items[2] = {TILE_LANES, 0}, group[2] = {TILE_LANES, GROUP_TILES};
    items[1] = ((size_t)p->tiles + GROUP_TILES - 1) / GROUP_TILES * GROUP_TILES;
    set(k->measure, 0, sizeof(cl_mem), &p->data);
    set(k->measure, 1, sizeof(cl_ulong), &p->values);
    set(k->measure, 2, sizeof(cl_uint), &p->tiles);
    set(k->measure, 3, sizeof(cl_mem), &p->headers);
    set(k->measure, 4, sizeof(cl_mem), &p->sizes);
    fail_if(clEnqueueNDRangeKernel(d->queue, k->measure, 2, NULL, items, group, 0, NULL, first), "tile_measure");

    size_t scan_items = (size_t)p->tile_groups * SCAN_GROUP, scan_group = SCAN_GROUP;
    set(k->sums, 0, sizeof(cl_mem), &p->sizes);
    set(k->sums, 1, sizeof(cl_uint), &p->tiles);
    set(k->sums, 2, sizeof(cl_mem), &p->sums);
    fail_if(clEnqueueNDRangeKernel(d->queue, k->sums, 1, NULL, &scan_items, &scan_group, 0, NULL, NULL), "tile_sums");
    set(k->offsets, 0, sizeof(cl_mem), &p->sizes);
    set(k->offsets, 1, sizeof(cl_uint), &p->tiles);
    set(k->offsets, 2, sizeof(cl_mem), &p->sums);
    set(k->offsets, 3, sizeof(cl_mem), &p->headers);
    fail_if(clEnqueueNDRangeKernel(d->queue, k->offsets, 1, NULL, &scan_items, &scan_group, 0, NULL, NULL),
            "tile_offsets");

    set(k->pack, 0, sizeof(cl_mem), &p->data);
    set(k->pack, 1, sizeof(cl_ulong), &p->values);
    set(k->pack, 2, sizeof(cl_uint), &p->tiles);
    set(k->pack, 3, sizeof(cl_mem), &p->headers);
    set(k->pack, 4, sizeof(cl_mem), &p->payload);
    fail_if(clEnqueueNDRangeKernel(d->queue, k->pack, 2, NULL, items, group, 0, NULL, last), "tile_pack");
}

static void launch_tile(device_t *d, tile_kernels_t *k, problem_t *p, cl_event *event)
{
    size_t items[2] = {TILE_LANES, 0}, group[2] = {TILE_LANES, GROUP_TILES};
    items[1] = ((size_t)p->tiles + GROUP_TILES - 1) / GROUP_TILES * GROUP_TILES;
    set(k->decompress, 0, sizeof(cl_mem), &p->payload);
    set(k->decompress, 1, sizeof(cl_mem), &p->headers);
    set(k->decompress, 2, sizeof(cl_uint), &p->tiles);
    set(k->decompress, 3, sizeof(cl_ulong), &p->values);
    set(k->decompress, 4, sizeof(cl_mem), &p->restored);
    fail_if(clEnqueueNDRangeKernel(d->queue, k->decompress, 2, NULL, items, group, 0, NULL, event), "tile_decompress");
}

/* The two that are made for FPGAs, in place of tile_decompress. */
static void launch_rows_and_runs(device_t *d, tile_kernels_t *k, problem_t *p)
{
    size_t rows_items = ((size_t)p->tiles + PLAIN_GROUP - 1) / PLAIN_GROUP * PLAIN_GROUP, rows_group = PLAIN_GROUP;
    set(k->rows, 0, sizeof(cl_mem), &p->payload);
    set(k->rows, 1, sizeof(cl_mem), &p->headers);
    set(k->rows, 2, sizeof(cl_uint), &p->tiles);
    set(k->rows, 3, sizeof(cl_mem), &p->restored);
    fail_if(clEnqueueNDRangeKernel(d->queue, k->rows, 1, NULL, &rows_items, &rows_group, 0, NULL, NULL), "tile_rows");

    size_t items[2] = {TILE_LANES, 0}, group[2] = {TILE_LANES, GROUP_TILES};
    items[1] = ((size_t)p->tiles + GROUP_TILES - 1) / GROUP_TILES * GROUP_TILES;
    set(k->runs, 0, sizeof(cl_mem), &p->payload);
    set(k->runs, 1, sizeof(cl_mem), &p->headers);
    set(k->runs, 2, sizeof(cl_uint), &p->tiles);
    set(k->runs, 3, sizeof(cl_ulong), &p->values);
    set(k->runs, 4, sizeof(cl_mem), &p->restored);
    fail_if(clEnqueueNDRangeKernel(d->queue, k->runs, 2, NULL, items, group, 0, NULL, NULL), "tile_runs");
}

static void launch_copy(device_t *d, tile_kernels_t *k, problem_t *p, cl_event *event)
{
    cl_ulong pieces = p->room / 16;
    size_t group = COPY_GROUP, items = ((size_t)pieces + COPY_GROUP - 1) / COPY_GROUP * COPY_GROUP;
    set(k->copy, 0, sizeof(cl_mem), &p->data);
    set(k->copy, 1, sizeof(cl_ulong), &pieces);
    set(k->copy, 2, sizeof(cl_mem), &p->restored);
    fail_if(clEnqueueNDRangeKernel(d->queue, k->copy, 1, NULL, &items, &group, 0, NULL, event), "copy");
}

/* ---- What must be equal ---- */

/* Counts an error and says where. */
static int same(const problem_t *p, const char *what, const void *got, const void *wanted, size_t bytes)
{
    if (memcmp(got, wanted, bytes) == 0)
        return 0;
    size_t at = 0;
    while (((const uint8_t *)got)[at] == ((const uint8_t *)wanted)[at])
        at++;
    fprintf(stderr, "rlbd: %s: %s differs from byte %zu of %zu on\n", p->name, what, at, bytes);
    return 1;
}

/* Nothing is recorded of what is measured: it is too much. */
static void record(readbacks_t *log, const char *name, const unsigned char *bytes, size_t count)
{
    if (log != NULL)
        readbacks_u8(log, name, bytes, count);
}

/* What was decompressed, against the input. */
static int restored(device_t *d, problem_t *p, const char *what, size_t bytes, readbacks_t *log)
{
    download(d, p->restored, p->output, p->room);
    record(log, what, p->output, bytes);
    return same(p, what, p->output, p->input, bytes);
}

static size_t checked_bytes(const problem_t *p)
{
    return p->size < REFERENCE_BYTES ? p->size : REFERENCE_BYTES;
}

static int check_rlbd_stream(device_t *d, problem_t *p, readbacks_t *log)
{
    size_t checked = checked_bytes(p);
    size_t directory_size = (size_t)p->partitions * sizeof(partition_t);
    size_t size = (size_t)p->frames_size + directory_size;
    uint8_t *bytes = allocate(size);
    download(d, p->stream, bytes, size);
    record(log, "stream", bytes, size);

    stream_t reference = rlbd_stream(p->input, checked, LOOKAHEAD);
    size_t entries = reference.count * sizeof(partition_t);
    int errors = same(p, "frames", bytes, reference.bytes, reference.size - entries);
    errors += same(p, "directory", bytes + p->frames_size, stream_directory(&reference), entries);
    if (checked == p->size && reference.size != size) {
        fprintf(stderr, "rlbd: %s: a stream of %zu bytes instead of %zu\n", p->name, size, reference.size);
        errors++;
    }
    stream_free(&reference);
    free(bytes);
    return errors;
}

/* Frames of one chain, which are read from the middle of frames on. */
static int check_serial_stream(device_t *d, problem_t *p, readbacks_t *log)
{
    stream_t serial = rlbd_serial_stream(p->input, p->size, LOOKAHEAD);
    int errors = 0;
    if (serial.size > stream_room(p)) {
        fprintf(stderr, "rlbd: %s: a chain of %zu bytes\n", p->name, serial.size);
        errors++;
    } else {
        upload(d, p->stream, serial.bytes, serial.size);
        poison(d, p->restored, p->output, p->room);
        launch_plain(d, p, serial.size - serial.count * sizeof(partition_t), NULL);
        errors += restored(d, p, "chain", p->size, log);
    }
    stream_free(&serial);
    return errors;
}

/* Frames as CPUs make them, which may be of two values: a row then takes several steps. */
static int check_short_frames(device_t *d, problem_t *p, readbacks_t *log)
{
    stream_t stream = rlbd_stream(p->input, p->size, 1);
    const partition_t *directory = stream_directory(&stream);
    int errors = 0, fits = d->rows != NULL && stream.size <= stream_room(p);
    for (size_t i = 0; i < stream.count; i++)
        fits &= directory[i].size <= SLOT;
    if (fits) {
        cl_ulong frames_size = p->frames_size;
        p->frames_size = stream.size - stream.count * sizeof(partition_t);
        upload(d, p->stream, stream.bytes, stream.size);
        poison(d, p->restored, p->output, p->room);
        launch_rows(d, p);
        errors = restored(d, p, "short", p->size, log);
        p->frames_size = frames_size;
    }
    stream_free(&stream);
    return errors;
}

static int check_rlbd(device_t *d, problem_t *p, readbacks_t *log)
{
    launch_compress(d, p, NULL, NULL);
    download(d, p->total, &p->frames_size, sizeof(p->frames_size));
    int errors = check_rlbd_stream(d, p, log);
    poison(d, p->restored, p->output, p->room);
    launch_plain(d, p, p->frames_size, NULL);
    errors += restored(d, p, "plain", p->size, log);
    poison(d, p->restored, p->output, p->room);
    launch_fast(d, p, NULL);
    errors += restored(d, p, "fast", p->size, log);
    if (d->rows == NULL)
        return errors;
    poison(d, p->restored, p->output, p->room);
    launch_rows(d, p);
    return errors + restored(d, p, "turns", p->size, log);
}

static int check_tiles(device_t *d, tile_kernels_t *k, problem_t *p, readbacks_t *log)
{
    poison(d, p->restored, p->output, p->room);
    launch_copy(d, k, p, NULL);
    int errors = restored(d, p, "copy", p->size, log);

    launch_tile_compress(d, k, p, NULL, NULL);
    tile_header_t *headers = allocate(p->tiles * sizeof(tile_header_t));
    download(d, p->headers, headers, p->tiles * sizeof(tile_header_t));
    record(log, "headers", (const unsigned char *)headers, p->tiles * sizeof(tile_header_t));
    p->payload_size = (size_t)(headers[p->tiles - 1].offset + (headers[p->tiles - 1].layout >> 32));
    if (p->payload_size > p->tiles * tile_bound(p->width)) {
        fprintf(stderr, "rlbd: %s: a payload of %zu bytes\n", p->name, p->payload_size);
        free(headers);
        return 1;
    }
    uint8_t *payload = allocate(p->payload_size);
    download(d, p->payload, payload, p->payload_size);
    record(log, "payload", payload, p->payload_size);

    tiles_t reference = tiles_compress(p->input, checked_bytes(p) / (size_t)p->width, p->width);
    errors += same(p, "headers", headers, reference.headers, reference.count * sizeof(tile_header_t));
    errors += same(p, "payload", payload, reference.payload, reference.payload_size);
    tiles_free(&reference);
    free(payload);
    free(headers);

    poison(d, p->restored, p->output, p->room);
    launch_tile(d, k, p, NULL);
    errors += restored(d, p, "tiles", (size_t)p->values * (size_t)p->width, log);

    poison(d, p->restored, p->output, p->room);
    launch_rows_and_runs(d, k, p);
    return errors + restored(d, p, "rows", (size_t)p->values * (size_t)p->width, log);
}

/* The thesis's example: 12 values of 96 bytes make 27. */
static int check_example(void)
{
    static const uint8_t wanted[27] = {0x00, 0x80, 0x00, 0x80, 0, 0, 0, 0, 0x01, 0x08, 11, 0, 0, 0, 0, 0, 0x08,
                                       0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50, 0x58};
    uint64_t values[12], again[12];
    for (int i = 0; i < 12; i++)
        values[i] = UINT64_C(0x80008000) + 8 * (uint64_t)i;
    uint8_t *frames = allocate(rlbd_bound(sizeof(values)));
    size_t size = rlbd_compress((const uint8_t *)values, sizeof(values), 1, frames);
    int wrong = size != sizeof(wanted) || memcmp(frames, wanted, size) != 0
                || rlbd_decompress(frames, size, 0, (uint8_t *)again, sizeof(again)) != 0
                || memcmp(again, values, sizeof(values)) != 0;
    printf("the thesis's example: %zu bytes become %zu\n", sizeof(values), size);
    free(frames);
    return wrong;
}

/* What the CPU compressed, on the CPU, with the lookahead of CPUs and that of GPUs. */
static int check_reference(const problem_t *p)
{
    int errors = 0;
    size_t size = checked_bytes(p);
    uint8_t *output = allocate(size);
    for (int lookahead = 1; lookahead <= LOOKAHEAD; lookahead += LOOKAHEAD - 1) {
        stream_t stream = rlbd_stream(p->input, size, lookahead);
        memset(output, 0xa5, size);
        errors += stream_decompress(&stream, output) != 0;
        errors += same(p, "reference", output, p->input, size);
        stream_free(&stream);
    }
    size_t values = size / (size_t)p->width;
    tiles_t tiles = tiles_compress(p->input, values, p->width);
    memset(output, 0xa5, size);
    tiles_decompress(&tiles, values, p->width, output);
    errors += same(p, "tile_reference", output, p->input, values * (size_t)p->width);
    tiles_free(&tiles);
    free(output);
    return errors;
}

/* ---- Times ---- */

static double milliseconds(cl_event first, cl_event last)
{
    cl_ulong start = 0, end = 0;
    fail_if(clWaitForEvents(1, &last), "clWaitForEvents");
    fail_if(clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL), "profiling");
    fail_if(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL), "profiling");
    clReleaseEvent(first);
    if (last != first)
        clReleaseEvent(last);
    return (double)(end - start) * 1e-6;
}

static double time_of_job(device_t *d, tile_kernels_t *k, problem_t *p, int job)
{
    cl_event first = NULL, last = NULL;
    if (job == JOB_COMPRESS) {
        launch_compress(d, p, &first, &last);
        return milliseconds(first, last);
    }
    if (job == JOB_TILE_COMPRESS) {
        launch_tile_compress(d, k, p, &first, &last);
        return milliseconds(first, last);
    }
    if (job == JOB_COPY)
        launch_copy(d, k, p, &last);
    else if (job == JOB_PLAIN)
        launch_plain(d, p, p->frames_size, &last);
    else if (job == JOB_FAST)
        launch_fast(d, p, &last);
    else
        launch_tile(d, k, p, &last);
    return milliseconds(last, last);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(double), by_value);
    return values[count / 2];
}

/* Bytes that a job must move, at least. */
static double traffic(const problem_t *p, int job)
{
    double whole = (double)p->size;
    double stream = (double)p->frames_size + (double)p->partitions * sizeof(partition_t);
    double tiles = (double)p->payload_size + (double)p->tiles * sizeof(tile_header_t);
    if (job == JOB_COPY)
        return 2.0 * whole;
    return whole + (job == JOB_TILE || job == JOB_TILE_COMPRESS ? tiles : stream);
}

static void measure(device_t *d, tile_kernels_t *k, problem_t *p, int repeats)
{
    launch_compress(d, p, NULL, NULL); /* the stream of the last check was another one */
    for (int job = 0; job < JOBS; job++)
        time_of_job(d, k, p, job);
    for (int i = 0; i < repeats; i++) {
        for (int job = 0; job < JOBS; job++)
            p->milliseconds[job][i] = time_of_job(d, k, p, job);
    }
    double copy_rate = 0;
    for (int job = 0; job < JOBS; job++) {
        double time = median(p->milliseconds[job], repeats);
        double rate = traffic(p, job) / time * 1e-6;
        if (job == JOB_COPY)
            copy_rate = rate;
        printf("%-8s %-24s %8.4f ms %8.1f GB/s  compressed to %.3f  %5.1f %% of the copy's traffic\n", p->name,
               job_names[job], time, (double)p->size / time * 1e-6, traffic(p, job) / (double)p->size - 1.0,
               100.0 * rate / copy_rate);
    }
}

/* ---- The program ---- */

static int run_problem(device_t *d, const char *name, size_t size, int seed, int repeats, readbacks_t *log)
{
    problem_t *p = allocate(sizeof(problem_t));
    memset(p, 0, sizeof(problem_t));
    p->name = name;
    p->size = size;
    p->room = (size + 15) / 16 * 16;
    p->input = allocate(p->room);
    p->output = allocate(p->room);
    memset(p->input, 0, p->room);
    p->width = generate_data(name, (uint64_t)seed, p->input, size);
    if (p->width == 0) {
        fprintf(stderr, "rlbd: no data are called '%s'; there are:", name);
        for (const char *const *known = data_names; *known != NULL; known++)
            fprintf(stderr, " %s", *known);
        fprintf(stderr, "\n");
        exit(2);
    }
    p->words = (size + 7) / 8 * 2;
    p->partitions = (cl_uint)((size + PARTITION - 1) / PARTITION);
    p->scan_groups = (p->partitions + SCAN_GROUP - 1) / SCAN_GROUP;
    p->values = size / (size_t)p->width;
    p->tiles = (cl_uint)((p->values + TILE_VALUES - 1) / TILE_VALUES);
    p->tile_groups = (p->tiles + SCAN_GROUP - 1) / SCAN_GROUP;

    tile_kernels_t *k = p->width == 8 ? &d->tile8 : &d->tile4;
    prepare(d, p);
    int errors = check_reference(p) + check_rlbd(d, p, log) + check_tiles(d, k, p, log);
    if (repeats > 0)
        measure(d, k, p, repeats);
    else
        errors += check_serial_stream(d, p, log) + check_short_frames(d, p, log);
    release(p);
    free(p->input);
    free(p->output);
    free(p);
    return errors;
}

int main(int argc, char **argv)
{
    int bytes = 20011, seed = 1, platform = 0, measured = 0, repeats = 11;
    const char *data = NULL, *dump = NULL, *text;
    device_t device;

    for (int i = 1; i < argc; i++) {
        if ((text = option_value(argc, argv, &i, "--data")) != NULL)
            data = text;
        else if ((text = option_value(argc, argv, &i, "--bytes")) != NULL)
            bytes = option_count(argv[0], text, 8, 1 << 30);
        else if ((text = option_value(argc, argv, &i, "--seed")) != NULL)
            seed = option_count(argv[0], text, 0, 1 << 30);
        else if ((text = option_value(argc, argv, &i, "--platform")) != NULL)
            platform = option_count(argv[0], text, 0, 15);
        else if ((text = option_value(argc, argv, &i, "--repeat")) != NULL)
            repeats = option_count(argv[0], text, 1, MOST_REPEATS);
        else if ((text = option_value(argc, argv, &i, "--dump")) != NULL)
            dump = text;
        else if (strcmp(argv[i], "--measure") == 0)
            measured = 1;
        else {
            fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[i]);
            return 2;
        }
    }

    int errors = check_example();
    open_device(&device, platform, measured);
    readbacks_t log = readbacks_open(dump);
    for (const char *const *name = data_names; *name != NULL; name++) {
        if (data == NULL)
            errors += run_problem(&device, *name, (size_t)bytes, seed, measured ? repeats : 0, measured ? NULL : &log);
    }
    if (data != NULL)
        errors += run_problem(&device, data, (size_t)bytes, seed, measured ? repeats : 0, measured ? NULL : &log);
    readbacks_close(&log);
    close_device(&device);
    return verdict(errors, 0.0);
}
