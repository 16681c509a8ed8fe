/* What a patched host calls instead of OpenCL: the same functions, with the place of the call.
 *
 * This header stands before the host's own text, so it includes nothing and defines no macro
 * that the host could meet: the host's feature-test macros and its choice of an OpenCL version
 * must still be the first thing that its own headers see. The types are those that <CL/cl.h>
 * gives its names to. */
#ifndef FPGACC_RT_H
#define FPGACC_RT_H

#ifdef __cplusplus
extern "C" {
#endif

struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_event;
struct _cl_kernel;
struct _cl_program;

__INT32_TYPE__ fpgacc_clEnqueueNDRangeKernel(
    const char *file, int line, struct _cl_command_queue *queue, struct _cl_kernel *kernel,
    __UINT32_TYPE__ work_dim, const __SIZE_TYPE__ *global_work_offset,
    const __SIZE_TYPE__ *global_work_size, const __SIZE_TYPE__ *local_work_size,
    __UINT32_TYPE__ num_events, struct _cl_event *const *wait_list, struct _cl_event **event);

__INT32_TYPE__ fpgacc_clEnqueueTask(const char *file, int line, struct _cl_command_queue *queue,
                                    struct _cl_kernel *kernel, __UINT32_TYPE__ num_events,
                                    struct _cl_event *const *wait_list, struct _cl_event **event);

struct _cl_program *fpgacc_clCreateProgramWithSource(const char *file, int line,
                                                     struct _cl_context *context,
                                                     __UINT32_TYPE__ count, const char **strings,
                                                     const __SIZE_TYPE__ *lengths,
                                                     __INT32_TYPE__ *errcode_ret);

__INT32_TYPE__ fpgacc_clBuildProgram(const char *file, int line, struct _cl_program *program,
                                     __UINT32_TYPE__ num_devices,
                                     struct _cl_device_id *const *device_list, const char *options,
                                     void (*pfn_notify)(struct _cl_program *program,
                                                        void *user_data),
                                     void *user_data);

#ifdef __cplusplus
}
#endif

#endif
