//! The parts of a random host, and the functions that its scenes share.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::random::Random;

use super::style::Style;
use super::texts::{Constants, Text};

/// A program in the making.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Macros and enumerations.
    pub defines: String,
    /// Variables.
    pub globals: String,
    /// Functions of scenes.
    pub functions: String,
    /// Calls of scenes.
    pub main: String,
    /// Helpers that are called.
    needed: BTreeSet<&'static str>,
    /// Kernel files: name and text.
    pub files: BTreeMap<String, String>,
    /// Kernel files that do not build without options.
    pub needs_options: BTreeSet<String>,
    /// Texts that stand in the host.
    literals: BTreeMap<String, String>,
}

/// Functions that scenes call, in the order in which they stand.
const HELPERS: [(&str, &str); 25] = [
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
];

/// What every host begins with.
const COMMON: &str = "\
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef DEVICE_TYPE
#define DEVICE_TYPE CL_DEVICE_TYPE_ALL
#endif

typedef struct { cl_int a; cl_short b; cl_float c; } pair_t;
typedef cl_uint *std_uints;

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

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

impl Parts {
    /// A helper is called.
    pub fn need(&mut self, name: &'static str) {
        self.needed.insert(name);
    }

    /// Whether a text stands in the host, and not in a file; the first scene that asks decides.
    pub fn is_literal(&mut self, text: &Text, r: &mut Random) -> bool {
        if self.files.contains_key(&text.stem) {
            return false;
        }
        if self.literals.contains_key(&text.stem) {
            return true;
        }
        let literal = r.chance(30);
        if matches!(text.constants, Constants::Required | Constants::Header) {
            self.needs_options.insert(format!("{}.cl", text.stem));
        }
        let texts = match literal {
            true => &mut self.literals,
            false => &mut self.files,
        };
        texts.insert(text.stem.clone(), text.body.clone());
        literal
    }

    /// The host.
    pub fn host(&self, style: Style) -> String {
        // Not without need: it costs each of three compilers a quarter of a second.
        let headers = match self.needed.contains("vector") {
            true => "#include <vector>\n",
            false => "",
        };
        let mut out = format!(
            "{headers}{COMMON}\n{}\n{}\n{}",
            style.definition(),
            self.defines,
            self.globals
        );
        for (stem, text) in &self.literals {
            let _ = writeln!(out, "static const char *text_{stem} =");
            for line in text.lines() {
                let line = line.replace('\\', "\\\\").replace('"', "\\\"");
                let _ = writeln!(out, "    \"{line}\\n\"");
            }
            out.push_str("    ;\n");
        }
        for (name, text) in HELPERS {
            if self.needed.contains(name) {
                let _ = writeln!(out, "\n{text}");
            }
        }
        let _ = write!(
            out,
            "{}\nint main(int argc, char **argv) {{\n    setup();\n{}    printf(\"end\\n\");\n    \
             return 0;\n}}\n",
            self.functions, self.main
        );
        out
    }
}
