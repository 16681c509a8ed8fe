/* The calls that the recorder listens to. Without FPGACC_RECORD each is the real one. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#define CALLER __builtin_return_address(0)

/* What a new buffer is to hold that the host gives no data for, so that another run shows what
 * depends on memory that nobody wrote (FPGACC_FILL). NULL: whatever is there. */
static void *fill_for(cl_mem_flags flags, size_t size, const void *host)
{
    void *fill;
    if (host || (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) || !fpgacc_recording() ||
        !fpgacc_environment("FPGACC_FILL"))
        return NULL;
    fill = malloc(size);
    return fill ? memset(fill, 0xa5, size) : NULL;
}

cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                             cl_int *errcode_ret)
{
    void *fill = fill_for(flags, size, host);
    cl_mem_flags copied = fill ? flags | CL_MEM_COPY_HOST_PTR : flags;
    cl_mem buffer =
        __real_clCreateBuffer(context, copied, size, fill ? fill : host, errcode_ret);
    free(fill);
    if (buffer && fpgacc_recording())
        fpgacc_record_buffer(buffer);
    return buffer;
}

cl_mem __wrap_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                const void *info, cl_int *errcode_ret)
{
    cl_mem part = __real_clCreateSubBuffer(buffer, flags, type, info, errcode_ret);
    if (part && fpgacc_recording())
        fpgacc_record_buffer(part);
    return part;
}

/* Where the real call puts its event: for a read-back that does not block and whose event the host
 * does not want, into `own`. */
static cl_event *event_for(cl_bool blocking, cl_event *host, cl_event *own)
{
    return fpgacc_recording() && !blocking && !host ? own : host;
}

/* After the real call: records it. */
static void record(const struct fpgacc_readback *readback, cl_bool blocking,
                   const cl_event *host, cl_event own)
{
    cl_event event = own;
    if (!fpgacc_recording())
        return;
    if (!blocking && readback->error == CL_SUCCESS && host) {
        event = *host;
        clRetainEvent(event);
    }
    fpgacc_record_readback(readback, blocking ? NULL : event);
}

static struct fpgacc_region bytes(const void *data, size_t size)
{
    struct fpgacc_region region = {data, size, 1, 0, 1, 0};
    return region;
}

cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                  size_t offset, size_t size, void *to, cl_uint num_events,
                                  const cl_event *wait_list, cl_event *event)
{
    cl_int put_off = fpgacc_settle();
    if (put_off != CL_SUCCESS)
        return put_off;
    cl_event own = NULL;
    cl_int error =
        __real_clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to, num_events,
                                   wait_list, event_for(blocking, event, &own));
    struct fpgacc_readback readback = {"clEnqueueReadBuffer", CALLER, buffer, offset, error,
                                       bytes(to, size)};
    record(&readback, blocking, event, own);
    return error;
}

/* A pitch that the host left to OpenCL. */
static size_t pitch(size_t given, size_t least)
{
    return given ? given : least;
}

cl_int __wrap_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                      const size_t *buffer_origin, const size_t *host_origin,
                                      const size_t *region, size_t buffer_row_pitch,
                                      size_t buffer_slice_pitch, size_t host_row_pitch,
                                      size_t host_slice_pitch, void *to, cl_uint num_events,
                                      const cl_event *wait_list, cl_event *event)
{
    cl_int put_off = fpgacc_settle();
    if (put_off != CL_SUCCESS)
        return put_off;
    cl_event own = NULL;
    cl_int error = __real_clEnqueueReadBufferRect(
        queue, buffer, blocking, buffer_origin, host_origin, region, buffer_row_pitch,
        buffer_slice_pitch, host_row_pitch, host_slice_pitch, to, num_events, wait_list,
        event_for(blocking, event, &own));
    struct fpgacc_readback readback = {"clEnqueueReadBufferRect", CALLER, buffer, 0, error,
                                       bytes(NULL, 0)};
    if (error == CL_SUCCESS) {
        size_t row = pitch(host_row_pitch, region[0]);
        size_t slice = pitch(host_slice_pitch, region[1] * row);
        size_t start = host_origin[2] * slice + host_origin[1] * row + host_origin[0];
        size_t from = pitch(buffer_row_pitch, region[0]);
        readback.offset = buffer_origin[2] * pitch(buffer_slice_pitch, region[1] * from) +
                          buffer_origin[1] * from + buffer_origin[0];
        readback.region = (struct fpgacc_region){(char *)to + start, region[0], region[1],
                                                 row, region[2], slice};
    }
    record(&readback, blocking, event, own);
    return error;
}

/* Pixels in the host's memory. */
static struct fpgacc_region pixels(cl_mem image, const void *data, const size_t *region,
                                   size_t row_pitch, size_t slice_pitch)
{
    size_t size = 0;
    if (clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL) != CL_SUCCESS)
        return bytes(NULL, 0);
    size_t row = size * region[0];
    size_t distance = pitch(row_pitch, row);
    struct fpgacc_region all = {data,     row,       region[1],
                                distance, region[2], pitch(slice_pitch, region[1] * distance)};
    return all;
}

cl_int __wrap_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                 const size_t *origin, const size_t *region, size_t row_pitch,
                                 size_t slice_pitch, void *to, cl_uint num_events,
                                 const cl_event *wait_list, cl_event *event)
{
    cl_int put_off = fpgacc_settle();
    if (put_off != CL_SUCCESS)
        return put_off;
    cl_event own = NULL;
    cl_int error = __real_clEnqueueReadImage(queue, image, blocking, origin, region, row_pitch,
                                             slice_pitch, to, num_events, wait_list,
                                             event_for(blocking, event, &own));
    struct fpgacc_readback readback = {"clEnqueueReadImage", CALLER, image, 0, error,
                                       bytes(NULL, 0)};
    if (error == CL_SUCCESS && fpgacc_recording())
        readback.region = pixels(image, to, region, row_pitch, slice_pitch);
    record(&readback, blocking, event, own);
    return error;
}

/* A region that is mapped only to be written is no read-back. */
static int is_read(cl_map_flags flags)
{
    return (flags & CL_MAP_READ) != 0;
}

void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                cl_map_flags flags, size_t offset, size_t size,
                                cl_uint num_events, const cl_event *wait_list, cl_event *event,
                                cl_int *errcode_ret)
{
    fpgacc_settle();
    cl_event own = NULL;
    cl_int error = CL_SUCCESS;
    cl_event *wanted = is_read(flags) ? event_for(blocking, event, &own) : event;
    void *data = __real_clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size,
                                           num_events, wait_list, wanted, &error);
    struct fpgacc_readback readback = {"clEnqueueMapBuffer", CALLER, buffer, offset, error,
                                       bytes(data, size)};
    if (is_read(flags))
        record(&readback, blocking, event, own);
    else if (blocking)
        fpgacc_record_complete();
    if (errcode_ret)
        *errcode_ret = error;
    return data;
}

void *__wrap_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                               cl_map_flags flags, const size_t *origin, const size_t *region,
                               size_t *row_pitch, size_t *slice_pitch, cl_uint num_events,
                               const cl_event *wait_list, cl_event *event, cl_int *errcode_ret)
{
    fpgacc_settle();
    cl_event own = NULL;
    cl_int error = CL_SUCCESS;
    cl_event *wanted = is_read(flags) ? event_for(blocking, event, &own) : event;
    void *data =
        __real_clEnqueueMapImage(queue, image, blocking, flags, origin, region, row_pitch,
                                 slice_pitch, num_events, wait_list, wanted, &error);
    struct fpgacc_readback readback = {"clEnqueueMapImage", CALLER, image, 0, error,
                                       bytes(NULL, 0)};
    if (error == CL_SUCCESS && fpgacc_recording())
        readback.region =
            pixels(image, data, region, *row_pitch, slice_pitch ? *slice_pitch : 0);
    if (is_read(flags))
        record(&readback, blocking, event, own);
    else if (blocking)
        fpgacc_record_complete();
    if (errcode_ret)
        *errcode_ret = error;
    return data;
}

cl_int __wrap_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                              void *memory, size_t size, cl_uint num_events,
                              const cl_event *wait_list, cl_event *event)
{
    cl_int put_off = fpgacc_settle();
    if (put_off != CL_SUCCESS)
        return put_off;
    cl_event own = NULL;
    if (!__real_clEnqueueSVMMap)
        return CL_INVALID_OPERATION;
    cl_event *wanted = is_read(flags) ? event_for(blocking, event, &own) : event;
    cl_int error = __real_clEnqueueSVMMap(queue, blocking, flags, memory, size, num_events,
                                          wait_list, wanted);
    struct fpgacc_readback readback = {"clEnqueueSVMMap", CALLER, NULL, 0, error,
                                       bytes(memory, size)};
    if (is_read(flags))
        record(&readback, blocking, event, own);
    else if (blocking)
        fpgacc_record_complete();
    return error;
}

cl_int __wrap_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to,
                                 const void *from, size_t size, cl_uint num_events,
                                 const cl_event *wait_list, cl_event *event)
{
    cl_int put_off = fpgacc_settle();
    if (put_off != CL_SUCCESS)
        return put_off;
    cl_event own = NULL;
    if (!__real_clEnqueueSVMMemcpy)
        return CL_INVALID_OPERATION;
    cl_int error =
        __real_clEnqueueSVMMemcpy(queue, blocking, to, from, size, num_events, wait_list,
                                  event_for(blocking, event, &own));
    struct fpgacc_readback readback = {"clEnqueueSVMMemcpy", CALLER, NULL, 0, error,
                                       bytes(to, size)};
    record(&readback, blocking, event, own);
    return error;
}

cl_int __wrap_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped,
                                      cl_uint num_events, const cl_event *wait_list,
                                      cl_event *event)
{
    cl_int put_off = fpgacc_settle();
    if (put_off != CL_SUCCESS)
        return put_off;
    fpgacc_record_unmapped(mapped);
    return __real_clEnqueueUnmapMemObject(queue, memory, mapped, num_events, wait_list, event);
}

/* What follows shows the host that earlier commands are complete. */

cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                   size_t offset, size_t size, const void *from,
                                   cl_uint num_events, const cl_event *wait_list,
                                   cl_event *event)
{
    cl_int put_off = fpgacc_settle();
    if (put_off != CL_SUCCESS)
        return put_off;
    cl_int error = __real_clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, from,
                                               num_events, wait_list, event);
    if (blocking)
        fpgacc_record_complete();
    return error;
}

cl_int __wrap_clFinish(cl_command_queue queue)
{
    cl_int put_off = fpgacc_settle_queue(queue, FPGACC_FINISH);
    if (put_off != CL_SUCCESS)
        return put_off;
    cl_int error = __real_clFinish(queue);
    fpgacc_record_complete();
    return error;
}

cl_int __wrap_clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int error = __real_clWaitForEvents(count, events);
    fpgacc_record_complete();
    return error;
}

cl_int __wrap_clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value,
                             size_t *size_ret)
{
    cl_int error = __real_clGetEventInfo(event, name, size, value, size_ret);
    if (name == CL_EVENT_COMMAND_EXECUTION_STATUS)
        fpgacc_record_complete();
    return error;
}

struct callback {
    fpgacc_event_notify notify;
    void *user_data;
};

static void CL_CALLBACK call_back(cl_event event, cl_int status, void *user_data)
{
    struct callback callback = *(struct callback *)user_data;
    free(user_data);
    if (status <= CL_COMPLETE)
        fpgacc_record_complete();
    callback.notify(event, status, callback.user_data);
}

cl_int __wrap_clSetEventCallback(cl_event event, cl_int status, fpgacc_event_notify notify,
                                 void *user_data)
{
    struct callback *callback =
        fpgacc_recording() && notify ? malloc(sizeof *callback) : NULL;
    if (!callback)
        return __real_clSetEventCallback(event, status, notify, user_data);
    *callback = (struct callback){notify, user_data};
    cl_int error = __real_clSetEventCallback(event, status, call_back, callback);
    if (error != CL_SUCCESS)
        free(callback);
    return error;
}

cl_int __wrap_clReleaseCommandQueue(cl_command_queue queue)
{
    fpgacc_settle();
    cl_int error = __real_clReleaseCommandQueue(queue);
    fpgacc_record_complete();
    return error;
}
