/* Other runtimes of the process, and which of them a call is for. See peers.h. */
#ifndef FPGACC_LAYER
#define _GNU_SOURCE /* dl_iterate_phdr */
#define FPGACC_PEERS_C
#include "runtime.h"
#define FPGACC_RUNTIME
#include "fpgacc_rt.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* Changes with struct fpgacc_peer: runtimes of other versions are not talked to. */
#define PEER_VERSION 1

/* Calls by the handle that decides: name, result, parameters, arguments. */
#define KERNEL_CALLS(X) \
    X(clCloneKernel, cl_kernel, (cl_kernel kernel, cl_int *error), (kernel, error)) \
    X(clRetainKernel, cl_int, (cl_kernel kernel), (kernel)) \
    X(clReleaseKernel, cl_int, (cl_kernel kernel), (kernel)) \
    X(clSetKernelArg, cl_int, \
      (cl_kernel kernel, cl_uint index, size_t size, const void *value), \
      (kernel, index, size, value)) \
    X(clSetKernelArgSVMPointer, cl_int, (cl_kernel kernel, cl_uint index, const void *value), \
      (kernel, index, value)) \
    X(clSetKernelExecInfo, cl_int, \
      (cl_kernel kernel, cl_uint name, size_t size, const void *value), \
      (kernel, name, size, value)) \
    X(clGetKernelInfo, cl_int, \
      (cl_kernel kernel, cl_kernel_info name, size_t size, void *value, size_t *size_ret), \
      (kernel, name, size, value, size_ret)) \
    X(clGetKernelArgInfo, cl_int, \
      (cl_kernel kernel, cl_uint index, cl_uint name, size_t size, void *value, \
       size_t *size_ret), \
      (kernel, index, name, size, value, size_ret)) \
    X(clGetKernelWorkGroupInfo, cl_int, \
      (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size, \
       void *value, size_t *size_ret), \
      (kernel, device, name, size, value, size_ret)) \
    X(clEnqueueNDRangeKernel, cl_int, \
      (cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t *offset, \
       const size_t *global, const size_t *local, cl_uint num_events, \
       const cl_event *wait_list, cl_event *event), \
      (queue, kernel, work_dim, offset, global, local, num_events, wait_list, event)) \
    X(clEnqueueTask, cl_int, \
      (cl_command_queue queue, cl_kernel kernel, cl_uint num_events, \
       const cl_event *wait_list, cl_event *event), \
      (queue, kernel, num_events, wait_list, event))

#define PROGRAM_CALLS(X) \
    X(clBuildProgram, cl_int, \
      (cl_program program, cl_uint num_devices, const cl_device_id *devices, \
       const char *options, fpgacc_notify notify, void *user_data), \
      (program, num_devices, devices, options, notify, user_data)) \
    X(clCompileProgram, cl_int, \
      (cl_program program, cl_uint num_devices, const cl_device_id *devices, \
       const char *options, cl_uint num_headers, const cl_program *headers, const char **names, \
       fpgacc_notify notify, void *user_data), \
      (program, num_devices, devices, options, num_headers, headers, names, notify, user_data)) \
    X(clCreateKernel, cl_kernel, (cl_program program, const char *name, cl_int *error), \
      (program, name, error)) \
    X(clCreateKernelsInProgram, cl_int, \
      (cl_program program, cl_uint num_kernels, cl_kernel *kernels, cl_uint *count), \
      (program, num_kernels, kernels, count)) \
    X(clGetProgramInfo, cl_int, \
      (cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret), \
      (program, name, size, value, size_ret)) \
    X(clGetProgramBuildInfo, cl_int, \
      (cl_program program, cl_device_id device, cl_program_build_info name, size_t size, \
       void *value, size_t *size_ret), \
      (program, device, name, size, value, size_ret)) \
    X(clRetainProgram, cl_int, (cl_program program), (program)) \
    X(clReleaseProgram, cl_int, (cl_program program), (program))

/* Calls that make programs, and one that has several. */
#define OTHER_CALLS(X) \
    X(clLinkProgram, cl_program, \
      (cl_context context, cl_uint num_devices, const cl_device_id *devices, \
       const char *options, cl_uint num_programs, const cl_program *programs, \
       fpgacc_notify notify, void *user_data, cl_int *error), \
      (context, num_devices, devices, options, num_programs, programs, notify, user_data, \
       error)) \
    X(clCreateProgramWithSource, cl_program, \
      (cl_context context, cl_uint count, const char **strings, const size_t *lengths, \
       cl_int *error), \
      (context, count, strings, lengths, error)) \
    X(clCreateProgramWithBinary, cl_program, \
      (cl_context context, cl_uint num_devices, const cl_device_id *devices, \
       const size_t *lengths, const unsigned char **binaries, cl_int *status, cl_int *error), \
      (context, num_devices, devices, lengths, binaries, status, error))

#define ALL_CALLS(X) KERNEL_CALLS(X) PROGRAM_CALLS(X) OTHER_CALLS(X)

/* What one runtime offers the others. */
struct fpgacc_peer {
    int (*has_kernel)(cl_kernel kernel);
    int (*has_program)(cl_program program);
    int (*knows_text)(uint64_t hash);
    int (*knows_binary)(const unsigned char *data, size_t size);
#define MEMBER(name, type, parameters, arguments) type(*name) parameters;
    ALL_CALLS(MEMBER)
#undef MEMBER
    __typeof__(&fpgacc_clBuildProgram) placed_build;
    __typeof__(&fpgacc_clCreateProgramWithSource) placed_create;
    __typeof__(&fpgacc_clEnqueueNDRangeKernel) placed_enqueue;
    __typeof__(&fpgacc_clEnqueueTask) placed_task;
};

#define OWN(name, type, parameters, arguments) type fpgacc_own_##name parameters;
ALL_CALLS(OWN)
#undef OWN
__typeof__(fpgacc_clBuildProgram) fpgacc_own_placed_clBuildProgram;
__typeof__(fpgacc_clCreateProgramWithSource) fpgacc_own_placed_clCreateProgramWithSource;
__typeof__(fpgacc_clEnqueueNDRangeKernel) fpgacc_own_placed_clEnqueueNDRangeKernel;
__typeof__(fpgacc_clEnqueueTask) fpgacc_own_placed_clEnqueueTask;

static int has_kernel(cl_kernel kernel)
{
    return fpgacc_find_kernel(kernel) != NULL;
}

static int has_program(cl_program program)
{
    return fpgacc_find_program(program) != NULL;
}

static int knows_text(uint64_t hash)
{
    for (uint32_t i = 0; i < fpgacc_manifest.program_count; i++)
        if (fpgacc_manifest.programs[i].source_hash == hash)
            return 1;
    return 0;
}

__attribute__((visibility("hidden"))) const struct fpgacc_peer fpgacc_own_peer = {
    .has_kernel = has_kernel,
    .has_program = has_program,
    .knows_text = knows_text,
    .knows_binary = fpgacc_knows_binary,
#define INITIAL(name, type, parameters, arguments) .name = fpgacc_own_##name,
    ALL_CALLS(INITIAL)
#undef INITIAL
    .placed_build = fpgacc_own_placed_clBuildProgram,
    .placed_create = fpgacc_own_placed_clCreateProgramWithSource,
    .placed_enqueue = fpgacc_own_placed_clEnqueueNDRangeKernel,
    .placed_task = fpgacc_own_placed_clEnqueueTask,
};

/* How the others find it, in executables and in libraries that export nothing: a note of the program
 * headers, with the distance from there. Its name has 7 bytes with the zero, its type is PEER_VERSION. */
__asm__(".pushsection .note.fpgacc,\"a\",%note\n"
        "    .balign 4\n"
        "    .long 7, 4, 1\n"
        "    .asciz \"fpgacc\"\n"
        "    .balign 4\n"
        "9:  .long fpgacc_own_peer - 9b\n"
        "    .popsection\n");

/* What is asked of the others, and which of them says yes. */
struct question {
    cl_kernel kernel;
    cl_program program;
    uint64_t hash;
    const unsigned char *data;
    size_t size;
    const struct fpgacc_peer *found;
};

static int says_yes(const struct fpgacc_peer *peer, const struct question *question)
{
    if (question->kernel)
        return peer->has_kernel(question->kernel);
    if (question->program)
        return peer->has_program(question->program);
    if (question->data)
        return peer->knows_binary(question->data, question->size);
    return peer->knows_text(question->hash);
}

static int try_note(const ElfW(Nhdr) *note, struct question *question)
{
    const char *name = (const char *)(note + 1);
    if (note->n_namesz != 7 || note->n_descsz != 4 || note->n_type != PEER_VERSION ||
        memcmp(name, "fpgacc", 7) != 0)
        return 0;
    const char *place = name + 8;
    int32_t distance;
    memcpy(&distance, place, sizeof distance);
    const struct fpgacc_peer *peer = (const struct fpgacc_peer *)(const void *)(place + distance);
    if (peer == &fpgacc_own_peer || !says_yes(peer, question))
        return 0;
    question->found = peer;
    return 1;
}

static int try_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct question *question = data;
    (void)size;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        /* Notes of 8 bytes' alignment are the system's. */
        if (header->p_type != PT_NOTE || header->p_align > 4)
            continue;
        const char *at = (const char *)(info->dlpi_addr + header->p_vaddr);
        const char *end = at + header->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
            if (try_note(note, question))
                return 1;
            at += sizeof *note + ((note->n_namesz + 3) & ~3u) + ((note->n_descsz + 3) & ~3u);
        }
    }
    return 0;
}

/* The runtime that a call is for: this one, unless another one has what it is about. */
static const struct fpgacc_peer *answer(struct question question)
{
    if (says_yes(&fpgacc_own_peer, &question))
        return &fpgacc_own_peer;
    dl_iterate_phdr(try_module, &question);
    return question.found ? question.found : &fpgacc_own_peer;
}

static const struct fpgacc_peer *of_kernel(cl_kernel kernel)
{
    return kernel ? answer((struct question){.kernel = kernel}) : &fpgacc_own_peer;
}

static const struct fpgacc_peer *of_program(cl_program program)
{
    return program ? answer((struct question){.program = program}) : &fpgacc_own_peer;
}

static const struct fpgacc_peer *of_text(cl_uint count, const char **strings,
                                         const size_t *lengths)
{
    char *text = fpgacc_source_text(count, strings, lengths);
    if (!text)
        return &fpgacc_own_peer;
    struct question question = {.hash = fpgacc_source_hash(text)};
    free(text);
    return answer(question);
}

#define DISPATCH_KERNEL(name, type, parameters, arguments) \
    type __wrap_##name parameters { return of_kernel(kernel)->name arguments; }
KERNEL_CALLS(DISPATCH_KERNEL)

#define DISPATCH_PROGRAM(name, type, parameters, arguments) \
    type __wrap_##name parameters { return of_program(program)->name arguments; }
PROGRAM_CALLS(DISPATCH_PROGRAM)

cl_program __wrap_clLinkProgram(cl_context context, cl_uint num_devices,
                                const cl_device_id *devices, const char *options,
                                cl_uint num_programs, const cl_program *programs,
                                fpgacc_notify notify, void *user_data, cl_int *errcode_ret)
{
    cl_program first = num_programs > 0 && programs ? programs[0] : NULL;
    return of_program(first)->clLinkProgram(context, num_devices, devices, options, num_programs,
                                            programs, notify, user_data, errcode_ret);
}

cl_program __wrap_clCreateProgramWithSource(cl_context context, cl_uint count,
                                            const char **strings, const size_t *lengths,
                                            cl_int *errcode_ret)
{
    return of_text(count, strings, lengths)
        ->clCreateProgramWithSource(context, count, strings, lengths, errcode_ret);
}

cl_program __wrap_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                            const cl_device_id *devices, const size_t *lengths,
                                            const unsigned char **binaries, cl_int *status,
                                            cl_int *errcode_ret)
{
    int given = num_devices > 0 && lengths && binaries && binaries[0];
    const struct fpgacc_peer *peer =
        given ? answer((struct question){.data = binaries[0], .size = lengths[0]})
              : &fpgacc_own_peer;
    return peer->clCreateProgramWithBinary(context, num_devices, devices, lengths, binaries,
                                           status, errcode_ret);
}

cl_int fpgacc_clBuildProgram(const char *file, int line, cl_program program, cl_uint num_devices,
                             const cl_device_id *devices, const char *options,
                             fpgacc_notify notify, void *user_data)
{
    return of_program(program)->placed_build(file, line, program, num_devices, devices, options,
                                             notify, user_data);
}

cl_program fpgacc_clCreateProgramWithSource(const char *file, int line, cl_context context,
                                            cl_uint count, const char **strings,
                                            const size_t *lengths, cl_int *errcode_ret)
{
    return of_text(count, strings, lengths)
        ->placed_create(file, line, context, count, strings, lengths, errcode_ret);
}

cl_int fpgacc_clEnqueueNDRangeKernel(const char *file, int line, cl_command_queue queue,
                                     cl_kernel kernel, cl_uint work_dim, const size_t *offset,
                                     const size_t *global, const size_t *local,
                                     cl_uint num_events, const cl_event *wait_list,
                                     cl_event *event)
{
    return of_kernel(kernel)->placed_enqueue(file, line, queue, kernel, work_dim, offset, global,
                                             local, num_events, wait_list, event);
}

cl_int fpgacc_clEnqueueTask(const char *file, int line, cl_command_queue queue, cl_kernel kernel,
                            cl_uint num_events, const cl_event *wait_list, cl_event *event)
{
    return of_kernel(kernel)->placed_task(file, line, queue, kernel, num_events, wait_list, event);
}

#else
/* ISO C forbids an empty file. */
typedef int fpgacc_no_peers;
#endif
