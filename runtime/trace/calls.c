/* The calls that this layer listens to. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cl_icd_dispatch next;

/* ---- queues ----------------------------------------------------------------------------------- */

/* Kernel times need a queue that measures; the program is not informed. */
static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties,
                                                 cl_int *errcode_ret)
{
    int has = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    cl_int error = CL_SUCCESS;
    cl_command_queue queue = next.clCreateCommandQueue(
        context, device, properties | CL_QUEUE_PROFILING_ENABLE, &error);
    int added = !has && queue;
    if (!queue && !has)
        queue = next.clCreateCommandQueue(context, device, properties, &error);
    if (queue) {
        queues_add(queue, (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0, has, added);
        write_device(device);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return queue;
}

/* The properties with profiling, to free; NULL: they cannot be changed. */
static cl_queue_properties *with_profiling(const cl_queue_properties *properties)
{
    size_t count = 0;
    size_t at = SIZE_MAX;
    for (; properties && properties[count]; count += 2)
        if (properties[count] == CL_QUEUE_PROPERTIES)
            at = count + 1;
    if (at != SIZE_MAX && (properties[at] & CL_QUEUE_ON_DEVICE))
        return NULL;
    cl_queue_properties *out = calloc(count + 3, sizeof *out);
    if (!out)
        return NULL;
    if (count)
        memcpy(out, properties, count * sizeof *out);
    if (at == SIZE_MAX) {
        out[count] = CL_QUEUE_PROPERTIES;
        at = count + 1;
    }
    out[at] |= CL_QUEUE_PROFILING_ENABLE;
    return out;
}

static cl_queue_properties bits_of(const cl_queue_properties *properties)
{
    cl_queue_properties bits = 0;
    for (size_t i = 0; properties && properties[i]; i += 2)
        if (properties[i] == CL_QUEUE_PROPERTIES)
            bits = properties[i + 1];
    return bits;
}

static cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
                                                      const cl_queue_properties *properties,
                                                      cl_int *errcode_ret)
{
    cl_queue_properties bits = bits_of(properties);
    int has = (bits & CL_QUEUE_PROFILING_ENABLE) != 0;
    cl_int error = CL_SUCCESS;
    cl_queue_properties *own = has ? NULL : with_profiling(properties);
    cl_command_queue queue =
        own ? next.clCreateCommandQueueWithProperties(context, device, own, &error) : NULL;
    int added = queue != NULL;
    free(own);
    if (!queue)
        queue = next.clCreateCommandQueueWithProperties(context, device, properties, &error);
    if (queue) {
        queues_add(queue, (bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0, has, added);
        write_device(device);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return queue;
}

static cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info name,
                                     size_t size, void *value, size_t *size_ret)
{
    cl_int error = next.clGetCommandQueueInfo(queue, name, size, value, size_ret);
    if (error == CL_SUCCESS && value && name == CL_QUEUE_PROPERTIES &&
        queues_hides_profiling(queue)) {
        cl_command_queue_properties properties;
        memcpy(&properties, value, sizeof properties);
        properties &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
        memcpy(value, &properties, sizeof properties);
    }
    return error;
}

static cl_int CL_API_CALL event_times(cl_event event, cl_profiling_info name, size_t size,
                                      void *value, size_t *size_ret)
{
    cl_command_queue queue = NULL;
    if (next.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) ==
            CL_SUCCESS &&
        queue && queues_hides_profiling(queue))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return next.clGetEventProfilingInfo(event, name, size, value, size_ret);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                                        void *host, cl_int *errcode_ret)
{
    cl_mem memory = next.clCreateBuffer(context, flags, size, host, errcode_ret);
    struct site site;
    if (memory) {
        site_here(&site);
        memory_add(memory, "clCreateBuffer", flags, size, host, &site);
    }
    return memory;
}

static cl_mem CL_API_CALL create_buffer_with(cl_context context, const cl_mem_properties *properties,
                                             cl_mem_flags flags, size_t size, void *host,
                                             cl_int *errcode_ret)
{
    cl_mem memory =
        next.clCreateBufferWithProperties(context, properties, flags, size, host, errcode_ret);
    struct site site;
    if (memory) {
        site_here(&site);
        memory_add(memory, "clCreateBufferWithProperties", flags, size, host, &site);
    }
    return memory;
}

static cl_mem CL_API_CALL create_part(cl_mem parent, cl_mem_flags flags,
                                      cl_buffer_create_type type, const void *info,
                                      cl_int *errcode_ret)
{
    cl_mem memory = next.clCreateSubBuffer(parent, flags, type, info, errcode_ret);
    struct site site;
    if (memory && type == CL_BUFFER_CREATE_TYPE_REGION) {
        const cl_buffer_region *region = info;
        site_here(&site);
        memory_add_part(memory, parent, flags, region->origin, region->size, &site);
    }
    return memory;
}

static void add_image(cl_mem image, const char *call, cl_mem_flags flags, const void *host)
{
    size_t size = 0;
    struct site site;
    if (!image)
        return;
    next.clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof size, &size, NULL);
    site_here(&site);
    memory_add(image, call, flags, size, host, &site);
}

static cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                       const cl_image_format *format, const cl_image_desc *desc,
                                       void *host, cl_int *errcode_ret)
{
    cl_mem image = next.clCreateImage(context, flags, format, desc, host, errcode_ret);
    add_image(image, "clCreateImage", flags, host);
    return image;
}

static cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags,
                                          const cl_image_format *format, size_t width,
                                          size_t height, size_t pitch, void *host,
                                          cl_int *errcode_ret)
{
    cl_mem image =
        next.clCreateImage2D(context, flags, format, width, height, pitch, host, errcode_ret);
    add_image(image, "clCreateImage2D", flags, host);
    return image;
}

static cl_int CL_API_CALL release_memory(cl_mem memory)
{
    cl_uint references = 0;
    cl_int error = next.clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof references,
                                           &references, NULL);
    /* Forgotten before it is released: its handle may be given out again at once. */
    if (error == CL_SUCCESS && references == 1)
        memory_forget(memory);
    return next.clReleaseMemObject(memory);
}

/* ---- programs and kernels --------------------------------------------------------------------- */

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count,
                                             const char **strings, const size_t *lengths,
                                             cl_int *errcode_ret)
{
    cl_program program =
        next.clCreateProgramWithSource(context, count, strings, lengths, errcode_ret);
    struct site site;
    if (program) {
        site_here(&site);
        programs_add(program, count, strings, lengths, &site);
    }
    return program;
}

static cl_program CL_API_CALL create_from_binary(cl_context context, cl_uint count,
                                                 const cl_device_id *devices,
                                                 const size_t *lengths,
                                                 const unsigned char **binaries, cl_int *status,
                                                 cl_int *errcode_ret)
{
    cl_program program = next.clCreateProgramWithBinary(context, count, devices, lengths, binaries,
                                                        status, errcode_ret);
    struct site site;
    if (program) {
        site_here(&site);
        programs_add(program, 0, NULL, NULL, &site);
    }
    return program;
}

static cl_program CL_API_CALL create_from_il(cl_context context, const void *il, size_t length,
                                             cl_int *errcode_ret)
{
    cl_program program = next.clCreateProgramWithIL(context, il, length, errcode_ret);
    struct site site;
    if (program) {
        site_here(&site);
        programs_add(program, 0, NULL, NULL, &site);
    }
    return program;
}

/* Some implementations report the types of arguments only when asked to; the program is not informed. */
#define ARGUMENT_INFO " -cl-kernel-arg-info"

/* To free; NULL: memory is short. */
char *with_argument_info(const char *options)
{
    size_t length = options ? strlen(options) : 0;
    char *out = malloc(length + sizeof ARGUMENT_INFO);
    if (!out)
        return NULL;
    if (length)
        memcpy(out, options, length);
    memcpy(out + length, ARGUMENT_INFO, sizeof ARGUMENT_INFO);
    return out;
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count,
                                        const cl_device_id *devices, const char *options,
                                        void(CL_CALLBACK *notify)(cl_program, void *),
                                        void *user_data)
{
    char *own = programs_is_source(program) ? with_argument_info(options) : NULL;
    cl_int error = CL_INVALID_BUILD_OPTIONS;
    programs_options(program, options);
    if (own)
        error = next.clBuildProgram(program, count, devices, own, notify, user_data);
    free(own);
    if (error == CL_INVALID_BUILD_OPTIONS)
        error = next.clBuildProgram(program, count, devices, options, notify, user_data);
    if (error == CL_SUCCESS)
        counts_built(program, options);
    return error;
}

/* The options as the program gave them. */
static cl_int build_options(cl_program program, cl_device_id device, size_t size, char *value,
                            size_t *size_ret)
{
    size_t length = 0;
    cl_int error = next.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, 0, NULL,
                                              &length);
    char *text = error == CL_SUCCESS ? calloc(1, length + 1) : NULL;
    if (!text)
        return error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error;
    error = next.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, length, text,
                                       NULL);
    char *added = strstr(text, ARGUMENT_INFO);
    for (char *more = added; more; more = strstr(more + 1, ARGUMENT_INFO))
        added = more;
    if (added && added[sizeof ARGUMENT_INFO - 1] == '\0')
        *added = '\0';
    length = strlen(text) + 1;
    if (error == CL_SUCCESS && value && size < length)
        error = CL_INVALID_VALUE;
    if (error == CL_SUCCESS && value)
        memcpy(value, text, length);
    if (error == CL_SUCCESS && size_ret)
        *size_ret = length;
    free(text);
    return error;
}

static cl_int CL_API_CALL build_info(cl_program program, cl_device_id device,
                                     cl_program_build_info name, size_t size, void *value,
                                     size_t *size_ret)
{
    if (name == CL_PROGRAM_BUILD_OPTIONS && programs_is_source(program))
        return build_options(program, device, size, value, size_ret);
    return next.clGetProgramBuildInfo(program, device, name, size, value, size_ret);
}

static cl_int CL_API_CALL compile_program(cl_program program, cl_uint count,
                                          const cl_device_id *devices, const char *options,
                                          cl_uint header_count, const cl_program *headers,
                                          const char **names,
                                          void(CL_CALLBACK *notify)(cl_program, void *),
                                          void *user_data)
{
    programs_options(program, options);
    return next.clCompileProgram(program, count, devices, options, header_count, headers, names,
                                 notify, user_data);
}

static cl_program CL_API_CALL link_program(cl_context context, cl_uint count,
                                           const cl_device_id *devices, const char *options,
                                           cl_uint program_count, const cl_program *programs,
                                           void(CL_CALLBACK *notify)(cl_program, void *),
                                           void *user_data, cl_int *errcode_ret)
{
    cl_program linked = next.clLinkProgram(context, count, devices, options, program_count,
                                           programs, notify, user_data, errcode_ret);
    struct site site;
    if (linked && program_count == 1) {
        programs_same(linked, programs[0]);
    } else if (linked) {
        site_here(&site);
        programs_add(linked, 0, NULL, NULL, &site);
    }
    return linked;
}

static void add_kernel(cl_kernel *kernel, cl_program program)
{
    struct counted *counted = counts_kernel(program, kernel);
    kernels_add(*kernel, program, counted);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
                                           cl_int *errcode_ret)
{
    cl_kernel kernel = next.clCreateKernel(program, name, errcode_ret);
    if (kernel)
        add_kernel(&kernel, program);
    return kernel;
}

static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint count, cl_kernel *kernels,
                                         cl_uint *count_ret)
{
    cl_uint found = 0;
    cl_int error = next.clCreateKernelsInProgram(program, count, kernels, &found);
    for (cl_uint i = 0; error == CL_SUCCESS && kernels && i < found; i++)
        add_kernel(&kernels[i], program);
    if (count_ret)
        *count_ret = found;
    return error;
}

static cl_kernel CL_API_CALL clone_kernel(cl_kernel kernel, cl_int *errcode_ret)
{
    cl_kernel clone = next.clCloneKernel(kernel, errcode_ret);
    if (clone)
        kernels_copy(clone, kernel);
    return clone;
}

/* An argument's index below: those that this library added are not there for the program. */
static cl_uint index_below(cl_kernel kernel, cl_uint index)
{
    cl_uint first = 0;
    const struct counted *counted = kernels_counted(kernel, &first);
    cl_uint hidden = counted && index >= first ? counts_hidden(counted) : 0;
    return index > UINT32_MAX - hidden ? UINT32_MAX : index + hidden;
}

static cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_info name, size_t size,
                                      void *value, size_t *size_ret)
{
    cl_uint count = 0;
    const struct counted *counted = kernels_counted(kernel, &count);
    cl_int error = next.clGetKernelInfo(kernel, name, size, value, size_ret);
    if (error != CL_SUCCESS || !value || !counted)
        return error;
    if (name == CL_KERNEL_NUM_ARGS)
        memcpy(value, &count, sizeof count);
    if (name == CL_KERNEL_PROGRAM) {
        cl_program program = counts_user(counted);
        memcpy(value, &program, sizeof program);
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
                                        size_t size, void *value, size_t *size_ret)
{
    index = index_below(kernel, index);
    return next.clGetKernelArgInfo(kernel, index, name, size, value, size_ret);
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size,
                                       const void *value)
{
    cl_int error = next.clSetKernelArg(kernel, index_below(kernel, index), size, value);
    if (error == CL_SUCCESS)
        kernels_set(kernel, index, size, value, 0);
    return error;
}

static cl_int CL_API_CALL set_svm(cl_kernel kernel, cl_uint index, const void *value)
{
    cl_int error = next.clSetKernelArgSVMPointer(kernel, index_below(kernel, index), value);
    if (error == CL_SUCCESS)
        kernels_set(kernel, index, sizeof value, value, 1);
    return error;
}

/* ---- launches --------------------------------------------------------------------------------- */

/* After a launch that was enqueued: its times come with its event, `own` if the program wants
 * none. */
static void launched(struct launch *launch, const cl_event *wanted, cl_event own)
{
    cl_event event = wanted ? *wanted : own;
    if (wanted && event)
        next.clRetainEvent(event);
    if (launch && event)
        times_add(launch, event);
    else if (event)
        next.clReleaseEvent(event);
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint count, const cl_event *wait_list, cl_event *event)
{
    cl_event own = NULL;
    struct site site;
    site_here(&site);
    counts_launch(queue, kernel);
    cl_int error = next.clEnqueueNDRangeKernel(queue, kernel, work_dim, offset, global, local,
                                               count, wait_list, event ? event : &own);
    if (error != CL_SUCCESS || !global)
        return error;
    launched(launches_add(queue, kernel, work_dim, 0, offset, global, local, &site), event, own);
    return error;
}

static cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                       const cl_event *wait_list, cl_event *event)
{
    static const size_t one = 1;
    cl_event own = NULL;
    struct site site;
    site_here(&site);
    counts_launch(queue, kernel);
    cl_int error = next.clEnqueueTask(queue, kernel, count, wait_list, event ? event : &own);
    if (error != CL_SUCCESS)
        return error;
    launched(launches_add(queue, kernel, 1, 1, NULL, &one, &one, &site), event, own);
    return error;
}

/* ---- what shows that commands are complete ---------------------------------------------------- */

static void collect(void)
{
    counts_collect(times_collect());
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    cl_int error = next.clFinish(queue);
    collect();
    return error;
}

static cl_int CL_API_CALL wait_for(cl_uint count, const cl_event *events)
{
    cl_int error = next.clWaitForEvents(count, events);
    collect();
    return error;
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                      size_t offset, size_t size, void *to, cl_uint count,
                                      const cl_event *wait_list, cl_event *event)
{
    cl_int error = next.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to, count,
                                            wait_list, event);
    if (blocking)
        collect();
    return error;
}

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                    cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                    const cl_event *wait_list, cl_event *event,
                                    cl_int *errcode_ret)
{
    void *mapped = next.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, count,
                                           wait_list, event, errcode_ret);
    if (blocking)
        collect();
    return mapped;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
    collect();
    cl_int error = next.clReleaseCommandQueue(queue);
    collect();
    write_now();
    return error;
}

static cl_int CL_API_CALL release_context(cl_context context)
{
    collect();
    cl_int error = next.clReleaseContext(context);
    write_now();
    return error;
}

/* ---- the layer -------------------------------------------------------------------------------- */

#define VISIBLE __attribute__((visibility("default")))

static cl_icd_dispatch layer;
static pid_t owner;

/* At exit and quick_exit. A child without an own program has seen nothing by itself. */
__attribute__((destructor)) static void at_end(void)
{
    if (owner && getpid() == owner)
        write_now();
}

static void listen(void)
{
    layer.clCreateCommandQueue = create_queue;
    layer.clCreateCommandQueueWithProperties = create_queue_with;
    layer.clGetCommandQueueInfo = queue_info;
    layer.clGetEventProfilingInfo = event_times;
    layer.clCreateBuffer = create_buffer;
    layer.clCreateBufferWithProperties = create_buffer_with;
    layer.clCreateSubBuffer = create_part;
    layer.clCreateImage = create_image;
    layer.clCreateImage2D = create_image_2d;
    layer.clReleaseMemObject = release_memory;
    layer.clCreateProgramWithSource = create_program;
    layer.clCreateProgramWithBinary = create_from_binary;
    layer.clCreateProgramWithIL = create_from_il;
    layer.clBuildProgram = build_program;
    layer.clGetProgramBuildInfo = build_info;
    layer.clCompileProgram = compile_program;
    layer.clLinkProgram = link_program;
    layer.clCreateKernel = create_kernel;
    layer.clCreateKernelsInProgram = create_kernels;
    layer.clCloneKernel = clone_kernel;
    layer.clGetKernelInfo = kernel_info;
    layer.clGetKernelArgInfo = argument_info;
    layer.clSetKernelArg = set_argument;
    layer.clSetKernelArgSVMPointer = set_svm;
    layer.clEnqueueNDRangeKernel = enqueue;
    layer.clEnqueueTask = enqueue_task;
    layer.clFinish = finish;
    layer.clWaitForEvents = wait_for;
    layer.clEnqueueReadBuffer = read_buffer;
    layer.clEnqueueMapBuffer = map_buffer;
    layer.clReleaseCommandQueue = release_queue;
    layer.clReleaseContext = release_context;
}

VISIBLE cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const char *own_name = "fpgacc trace";
    const void *data = name == CL_LAYER_API_VERSION ? (const void *)&version : own_name;
    size_t needed = name == CL_LAYER_API_VERSION ? sizeof version : strlen(own_name) + 1;
    if (name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME)
        return CL_INVALID_VALUE;
    if (value && size < needed)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, data, needed);
    if (size_ret)
        *size_ret = needed;
    return CL_SUCCESS;
}

VISIBLE cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target, cl_uint *count_ret,
                               const cl_icd_dispatch **layer_ret)
{
    const size_t own = sizeof layer / sizeof(void *);
    if (!target || !count_ret || !layer_ret)
        return CL_INVALID_VALUE;
    size_t shared = (count < own ? count : own) * sizeof(void *);
    memcpy(&next, target, shared);
    memcpy(&layer, target, shared);
    listen();
    owner = getpid();
    write_meanwhile();
    write_now();
    at_quick_exit(at_end);
    *count_ret = (cl_uint)own;
    *layer_ret = &layer;
    return CL_SUCCESS;
}
