//! What every host begins with, and the functions that its scenes share.

/// Functions that scenes call, in the order in which they stand.
pub const HELPERS: [(&str, &str); 37] = [
    (
        "same_number",
        "static int same_number(int n) { return n + 1 - 1; }",
    ),
    (
        "make_buffer",
        "static cl_mem make_buffer(cl_mem_flags flags, size_t words, unsigned seed) {
    cl_uint *data = (cl_uint *)malloc(words * sizeof(cl_uint));
    fill(data, words, seed);
    cl_mem made = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, words * sizeof(cl_uint), data, NULL);
    free(data);
    return made;
}",
    ),
    (
        "new_buffer",
        "static void new_buffer(cl_mem *made, size_t words, unsigned seed, cl_mem_flags flags) {
    std_uints data = make_data(words, seed);
    *made = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, words * sizeof(cl_uint), data, NULL);
    free(data);
}",
    ),
    (
        "write_buffer",
        "static cl_int write_buffer(cl_mem buffer, unsigned seed) {
    size_t bytes = 0;
    clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    cl_uint *data = make_data(bytes / sizeof(cl_uint), seed);
    cl_int e = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    free(data);
    return e;
}",
    ),
    (
        "part_of",
        "static cl_mem part_of(cl_mem whole, size_t origin, size_t words) {
    cl_buffer_region region;
    region.origin = origin * sizeof(cl_uint);
    region.size = words * sizeof(cl_uint);
    return clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
}",
    ),
    (
        "swap_buffers",
        "static void swap_buffers(cl_mem *a, cl_mem *b) {
    cl_mem other = *a;
    *a = *b;
    *b = other;
}",
    ),
    (
        "define_option",
        "static void define_option(char *to, const char *head, const char *name, int value) {
    strcpy(to, head);
    strcat(to, \" -D\");
    sprintf(to + strlen(to), \"%s=%d\", name, value);
}",
    ),
    (
        "build_file",
        "static cl_program build_file(const char *name, const char *options) {
    char *text = read_file(name, NULL);
    cl_int e;
    cl_program made = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &e);
    free(text);
    e = clBuildProgram(made, 0, NULL, options, NULL, NULL);
    if (e != CL_SUCCESS) {
        printf(\"build of %s: %d\\n\", name, (int)e);
        exit(1);
    }
    return made;
}",
    ),
    (
        "kernel_named",
        "static cl_kernel kernel_named(cl_program program, const char *name) {
    cl_int e;
    cl_kernel made = clCreateKernel(program, name, &e);
    if (e != CL_SUCCESS) printf(\"kernel %s: %d\\n\", name, (int)e);
    return made;
}",
    ),
    (
        "set_mem",
        "static cl_int set_mem(cl_kernel kernel, cl_uint at, cl_mem buffer) {
    return clSetKernelArg(kernel, at, sizeof buffer, &buffer);
}",
    ),
    (
        "set_any",
        "static cl_int set_any(cl_kernel kernel, cl_uint at, size_t size, const void *value) {
    return clSetKernelArg(kernel, at, size, value);
}",
    ),
    (
        "set_int",
        "static cl_int set_int(cl_kernel kernel, cl_uint at, int value) {
    return clSetKernelArg(kernel, at, sizeof(int), &value);
}",
    ),
    (
        "launch_line",
        "static cl_int launch_line(cl_kernel kernel, size_t global, size_t local) {
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL);
}",
    ),
    (
        "launch_any",
        "static cl_int launch_any(cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
                         const size_t *local) {
    cl_event event;
    cl_int e = clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, 0, NULL, &event);
    if (e != CL_SUCCESS) return e;
    clWaitForEvents(1, &event);
    return clReleaseEvent(event);
}",
    ),
    (
        "threads",
        "#include <pthread.h>",
    ),
    (
        "saved",
        "static cl_program saved(cl_program from, const char *file) {
    size_t size = 0;
    clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    unsigned char *bytes = (unsigned char *)malloc(size);
    clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    if (file) {
        FILE *out = fopen(file, \"wb\");
        if (!out || fwrite(bytes, 1, size, out) != size) exit(1);
        fclose(out);
        free(bytes);
        bytes = (unsigned char *)read_file(file, &size);
    }
    cl_int e, status;
    cl_program made =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, &status, &e);
    free(bytes);
    if (e == CL_SUCCESS) e = clBuildProgram(made, 1, &device, NULL, NULL, NULL);
    if (e != CL_SUCCESS) printf(\"saved: %d\\n\", (int)e);
    return made;
}",
    ),
    (
        "write_header",
        "#include <sys/stat.h>
static void write_header(const char *folder, int a, int b) {
    char name[100];
    mkdir(folder, 0777);
    sprintf(name, \"%s/conf.h\", folder);
    FILE *out = fopen(name, \"w\");
    if (!out) exit(1);
    fprintf(out, \"#define KA %d\\n#define KB %d\\n\", a, b);
    fclose(out);
}",
    ),
    // PoCL takes blanks off the front of options.
    (
        "ask",
        "static void ask(cl_kernel kernel) {
    char name[64] = \"\", options[256] = \"\", *names;
    cl_uint args = 0;
    size_t count = 0, size = 0, fixed[3] = { 9, 9, 9 };
    cl_program program = NULL;
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof args, &args, NULL);
    clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size);
    names = (char *)calloc(1, size + 1);
    clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names, NULL);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed, fixed, NULL);
    printf(\"%s %u args, %u kernels, %u bytes of names, [%s], %u %u %u\\n\", name, (unsigned)args, (unsigned)count,
           (unsigned)size, options + strspn(options, \" \"), (unsigned)fixed[0], (unsigned)fixed[1], (unsigned)fixed[2]);
    free(names);
}",
    ),
    (
        "show_mapped",
        "static void show_mapped(const char *name, cl_mem buffer) {
    size_t bytes = 0;
    cl_int e = 0;
    clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    cl_uint *data = (cl_uint *)clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &e);
    unsigned hash = 2166136261u;
    for (size_t i = 0; e == CL_SUCCESS && i < bytes / sizeof(cl_uint); i++) hash = (hash ^ data[i]) * 16777619u;
    printf(\"%s mapped: %d %08x\\n\", name, (int)e, hash);
    fflush(stdout);
    if (e == CL_SUCCESS) clEnqueueUnmapMemObject(queue, buffer, data, 0, NULL, NULL);
    clFinish(queue);
}",
    ),
    (
        "kernel_of_all",
        "static cl_kernel kernel_of_all(cl_program program, const char *name) {
    cl_kernel all[16], found = NULL;
    cl_uint count = 0;
    if (clCreateKernelsInProgram(program, 16, all, &count) != CL_SUCCESS) return NULL;
    for (cl_uint i = 0; i < count; i++) {
        char own[64] = \"\";
        clGetKernelInfo(all[i], CL_KERNEL_FUNCTION_NAME, sizeof own, own, NULL);
        if (!strcmp(own, name)) found = all[i];
        else clReleaseKernel(all[i]);
    }
    return found;
}",
    ),
    (
        "compile_and_link",
        "static cl_program compile_and_link(cl_program program, const char *options) {
    cl_int e = clCompileProgram(program, 1, &device, options, 0, NULL, NULL, NULL, NULL);
    if (e != CL_SUCCESS) printf(\"compile: %d\\n\", (int)e);
    cl_program linked = clLinkProgram(context, 1, &device, NULL, 1, &program, NULL, NULL, &e);
    if (e != CL_SUCCESS) printf(\"link: %d\\n\", (int)e);
    clReleaseProgram(program);
    return linked;
}",
    ),
    (
        "set_one",
        "template <class T> static cl_int set_one(cl_kernel kernel, cl_uint at, const T &value) {
    return clSetKernelArg(kernel, at, sizeof(T), &value);
}",
    ),
    (
        "setter",
        "static cl_int (*setter)(cl_kernel, cl_uint, size_t, const void *) = clSetKernelArg;",
    ),
    (
        "launcher",
        "static cl_int (*launcher)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
                          cl_uint, const cl_event *, cl_event *) = clEnqueueNDRangeKernel;",
    ),
    (
        "other_queue",
        "static cl_int on_other_queue(cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
                             const size_t *local) {
    cl_int e;
    cl_command_queue other = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &e);
    if (e != CL_SUCCESS) other = clCreateCommandQueue(context, device, 0, &e);
    cl_event before, after;
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &before);
    clFlush(queue);
    e = clEnqueueNDRangeKernel(other, kernel, dims, offset, global, local, 1, &before, &after);
    if (e == CL_SUCCESS) clWaitForEvents(1, &after);
    if (e == CL_SUCCESS) clReleaseEvent(after);
    clReleaseEvent(before);
    clFinish(other);
    clReleaseCommandQueue(other);
    return e;
}",
    ),
    (
        "callbacks",
        "#include <unistd.h>
static volatile int called;
static volatile cl_int called_with = 99;
static void CL_CALLBACK when_built(cl_program program, void *data) {
    (void)program;
    *(volatile int *)data += 1;
}
static void CL_CALLBACK when_done(cl_event event, cl_int status, void *data) {
    (void)event;
    called_with = status;
    *(volatile int *)data += 1;
}
static void wait_for(int calls) {
    for (int i = 0; called < calls && i < 50000; i++) usleep(200);
    printf(\"called: %d, %d\\n\", called, (int)called_with);
    called = 0;
}",
    ),
    (
        "unordered_queue",
        "static cl_command_queue unordered_queue(void) {
    cl_int e;
    cl_command_queue made = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &e);
    return e == CL_SUCCESS ? made : clCreateCommandQueue(context, device, 0, &e);
}",
    ),
    (
        "kept_program",
        "static cl_program kept_program(const char *file, const char *text, const char *options) {
    cl_int e;
    cl_program made;
    FILE *kept = fopen(file, \"rb\");
    if (kept) {
        size_t size = 0;
        fclose(kept);
        unsigned char *bytes = (unsigned char *)read_file(file, &size);
        made = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, NULL, &e);
        free(bytes);
        printf(\"kept: %d\\n\", (int)e);
        if (e == CL_SUCCESS && clBuildProgram(made, 1, &device, options, NULL, NULL) == CL_SUCCESS) return made;
    }
    made = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    if (clBuildProgram(made, 1, &device, options, NULL, NULL) != CL_SUCCESS) exit(1);
    size_t size = 0;
    clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    unsigned char *bytes = (unsigned char *)malloc(size);
    clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    kept = fopen(file, \"wb\");
    if (!kept || fwrite(bytes, 1, size, kept) != size) exit(1);
    fclose(kept);
    free(bytes);
    return made;
}",
    ),
    (
        "svm_filled",
        "static cl_uint *svm_filled(size_t words, unsigned seed) {
    cl_uint *made = (cl_uint *)clSVMAlloc(context, CL_MEM_READ_WRITE, words * sizeof(cl_uint), 0);
    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, made, words * sizeof(cl_uint), 0, NULL, NULL);
    fill(made, words, seed);
    clEnqueueSVMUnmap(queue, made, 0, NULL, NULL);
    clFinish(queue);
    return made;
}",
    ),
    (
        "show_svm",
        "static void show_svm(const char *name, cl_uint *data, size_t words) {
    cl_int e = clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, data, words * sizeof(cl_uint), 0, NULL, NULL);
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < words; i++) hash = (hash ^ data[i]) * 16777619u;
    printf(\"%s shared: %d %08x: %u %u\\n\", name, (int)e, hash, data[0], data[8]);
    fflush(stdout);
    clEnqueueSVMUnmap(queue, data, 0, NULL, NULL);
    clFinish(queue);
}",
    ),
    (
        "worlds",
        "static cl_context first_context;
static cl_command_queue first_queue;
static cl_device_id first_device;
static void other_world(int by_type) {
    cl_platform_id platforms[4];
    cl_device_id devices[4];
    cl_uint count = 0;
    cl_int e;
    first_context = context;
    first_queue = queue;
    first_device = device;
    clGetPlatformIDs(4, platforms, &count);
    clGetDeviceIDs(platforms[0], DEVICE_TYPE, 4, devices, &count);
    cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM, (cl_context_properties)platforms[0], 0 };
    if (by_type) {
        context = clCreateContextFromType(properties, DEVICE_TYPE, NULL, NULL, &e);
        clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL);
    } else {
        context = clCreateContext(properties, 1, devices, NULL, NULL, &e);
    }
    if (e != CL_SUCCESS) { printf(\"other context: %d\\n\", (int)e); exit(1); }
    device = devices[0];
    printf(\"the same device: %d\\n\", device == first_device);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &e);
    if (e != CL_SUCCESS) { printf(\"other queue: %d\\n\", (int)e); exit(1); }
}
static void first_world(void) {
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    context = first_context;
    queue = first_queue;
    device = first_device;
}",
    ),
    (
        "wrapped_set",
        "static cl_int wrapped_set(cl_kernel kernel, cl_uint at, cl_mem buffer) {
    return cl::Kernel(kernel, true).setArg(at, cl::Buffer(buffer, true));
}",
    ),
    (
        "wrapped_number",
        "template <class T> static cl_int wrapped_number(cl_kernel kernel, cl_uint at, const T &value) {
    return cl::Kernel(kernel, true).setArg(at, value);
}",
    ),
    (
        "wrapped_local",
        "static cl_int wrapped_local(cl_kernel kernel, cl_uint at, size_t bytes) {
    return cl::Kernel(kernel, true).setArg(at, cl::Local(bytes));
}",
    ),
    (
        "wrapped_launch",
        "static cl::NDRange range_of(cl_uint dims, const size_t *sizes) {
    if (!sizes) return cl::NullRange;
    if (dims == 1) return cl::NDRange(sizes[0]);
    return dims == 2 ? cl::NDRange(sizes[0], sizes[1]) : cl::NDRange(sizes[0], sizes[1], sizes[2]);
}
static cl_int wrapped_launch(cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
                             const size_t *local) {
    cl::Event event;
    cl_int e = cl::CommandQueue(queue, true).enqueueNDRangeKernel(cl::Kernel(kernel, true), range_of(dims, offset),
                                                                  range_of(dims, global), range_of(dims, local), NULL, &event);
    return e == CL_SUCCESS ? event.wait() : e;
}",
    ),
    (
        "wrapped_program",
        "static cl_program wrapped_program(const char *text, const char *options) {
    cl::Program made(cl::Context(context, true), std::string(text));
    std::vector<cl::Device> devices(1, cl::Device(device, true));
    if (made.build(devices, options ? options : \"\") != CL_SUCCESS) exit(1);
    clRetainProgram(made());
    return made();
}",
    ),
    (
        "wrapped_kernel",
        "static cl_kernel wrapped_kernel(cl_program program, const char *name) {
    cl::Kernel made(cl::Program(program, true), name);
    clRetainKernel(made());
    return made();
}",
    ),
];

/// What every host begins with.
pub const COMMON: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef DEVICE_TYPE
#define DEVICE_TYPE CL_DEVICE_TYPE_ALL
#endif

typedef struct { cl_int a; cl_short b; cl_float c; } pair_t;
typedef cl_uint *std_uints;

static void fill(cl_uint *data, size_t words, unsigned seed) {
    unsigned x = seed * 2654435761u + 12345u;
    for (size_t i = 0; i < words; i++) {
        x = x * 1664525u + 1013904223u;
        data[i] = x >> 8;
    }
}

static cl_uint *make_data(size_t words, unsigned seed) {
    cl_uint *data = (cl_uint *)malloc(words * sizeof(cl_uint));
    fill(data, words, seed);
    return data;
}

static char *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, \"rb\");
    if (!file) { printf(\"no file %s\\n\", name); exit(1); }
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = (char *)malloc(length + 1);
    if (fread(text, 1, length, file) != length) exit(1);
    text[length] = 0;
    fclose(file);
    if (size) *size = length;
    return text;
}

static void show(const char *name, cl_mem buffer) {
    size_t bytes = 0;
    clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    cl_uint *data = (cl_uint *)calloc(1, bytes + 64);
    cl_int e = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < bytes / sizeof(cl_uint); i++) hash = (hash ^ data[i]) * 16777619u;
    printf(\"%s: %d %08x: %u %u %u %u\\n\", name, (int)e, hash, data[0], data[1], data[2], data[8]);
    fflush(stdout);
    free(data);
}

static void setup(void) {
    cl_platform_id platform;
    cl_int err = clGetPlatformIDs(1, &platform, NULL);
    if (err != CL_SUCCESS) { printf(\"no platform\\n\"); exit(2); }
    err = clGetDeviceIDs(platform, DEVICE_TYPE, 1, &device, NULL);
    if (err != CL_SUCCESS) { printf(\"no device\\n\"); exit(2); }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = clCreateCommandQueue(context, device, 0, &err);
    if (err != CL_SUCCESS) { printf(\"no queue\\n\"); exit(2); }
}
";
