/* What a patched host calls instead of OpenCL: the same functions, with the place of the call.
 *
 * This header stands before the host's own text, so it includes nothing and defines no macro
 * that the host could meet, but FPGACC_LOOP and FPGACC_NUMBER: the host's feature-test macros and its choice of an
 * OpenCL version must still be the first thing that its own headers see. The types are those that
 * <CL/cl.h> gives its names to. */
#ifndef FPGACC_RT_H
#define FPGACC_RT_H

/* The options of the host's build on warnings are for the host. */
#pragma GCC system_header

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

/* Not negative: a loop of the host's follows, which launches so many kernels. Negative: whether it is still to be
 * run. It is, once. */
int fpgacc_loop(__INT64_TYPE__ launches);

/* Before `for (x = from; x < to; x += by)`, or with `<=` and `slack` = 1, that launches so many kernels a round. */
#define FPGACC_LOOP(from, to, slack, by, launches) \
    for (fpgacc_loop(fpgacc_launches(FPGACC_NUMBER(from), FPGACC_NUMBER(to), slack, by, launches)); \
         fpgacc_loop(-1);)

static __inline__ __attribute__((unused)) __INT64_TYPE__ fpgacc_launches(
    __INT64_TYPE__ from, __INT64_TYPE__ to, int slack, int by, int launches)
{
    __INT64_TYPE__ distance;
    /* Numbers that are no number of rounds: nothing is known. */
    if (__builtin_sub_overflow(to, from, &distance) || distance < 0 || distance > 0x7fffffff)
        return 0;
    return (distance + by - 1 + slack) / by * launches;
}

#ifndef FPGACC_RUNTIME

/* An object that another driver links has no runtime: it calls OpenCL's own functions then, and its kernels run as
 * they were written. The runtime's functions take the place of these. */

__INT32_TYPE__ fpgacc_plain_clEnqueueNDRangeKernel(
    struct _cl_command_queue *queue, struct _cl_kernel *kernel, __UINT32_TYPE__ work_dim,
    const __SIZE_TYPE__ *global_work_offset, const __SIZE_TYPE__ *global_work_size,
    const __SIZE_TYPE__ *local_work_size, __UINT32_TYPE__ num_events,
    struct _cl_event *const *wait_list,
    struct _cl_event **event) __asm__("clEnqueueNDRangeKernel");

__attribute__((weak, noinline)) __INT32_TYPE__ fpgacc_clEnqueueNDRangeKernel(
    const char *file, int line, struct _cl_command_queue *queue, struct _cl_kernel *kernel,
    __UINT32_TYPE__ work_dim, const __SIZE_TYPE__ *global_work_offset,
    const __SIZE_TYPE__ *global_work_size, const __SIZE_TYPE__ *local_work_size,
    __UINT32_TYPE__ num_events, struct _cl_event *const *wait_list, struct _cl_event **event)
{
    return fpgacc_plain_clEnqueueNDRangeKernel(queue, kernel, work_dim, global_work_offset,
                                               global_work_size, local_work_size, num_events,
                                               wait_list, event);
}

/* Not all that stands in for OpenCL's library has this one. */
__attribute__((weak)) __INT32_TYPE__ fpgacc_plain_clEnqueueTask(
    struct _cl_command_queue *queue, struct _cl_kernel *kernel, __UINT32_TYPE__ num_events,
    struct _cl_event *const *wait_list, struct _cl_event **event) __asm__("clEnqueueTask");

__attribute__((weak, noinline)) __INT32_TYPE__ fpgacc_clEnqueueTask(
    const char *file, int line, struct _cl_command_queue *queue, struct _cl_kernel *kernel,
    __UINT32_TYPE__ num_events, struct _cl_event *const *wait_list, struct _cl_event **event)
{
    return fpgacc_plain_clEnqueueTask(queue, kernel, num_events, wait_list, event);
}

struct _cl_program *fpgacc_plain_clCreateProgramWithSource(
    struct _cl_context *context, __UINT32_TYPE__ count, const char **strings,
    const __SIZE_TYPE__ *lengths, __INT32_TYPE__ *errcode_ret) __asm__("clCreateProgramWithSource");

__attribute__((weak, noinline)) struct _cl_program *fpgacc_clCreateProgramWithSource(
    const char *file, int line, struct _cl_context *context, __UINT32_TYPE__ count,
    const char **strings, const __SIZE_TYPE__ *lengths, __INT32_TYPE__ *errcode_ret)
{
    return fpgacc_plain_clCreateProgramWithSource(context, count, strings, lengths, errcode_ret);
}

__INT32_TYPE__ fpgacc_plain_clBuildProgram(
    struct _cl_program *program, __UINT32_TYPE__ num_devices,
    struct _cl_device_id *const *device_list, const char *options,
    void (*pfn_notify)(struct _cl_program *program, void *user_data),
    void *user_data) __asm__("clBuildProgram");

__attribute__((weak, noinline)) __INT32_TYPE__ fpgacc_clBuildProgram(
    const char *file, int line, struct _cl_program *program, __UINT32_TYPE__ num_devices,
    struct _cl_device_id *const *device_list, const char *options,
    void (*pfn_notify)(struct _cl_program *program, void *user_data), void *user_data)
{
    return fpgacc_plain_clBuildProgram(program, num_devices, device_list, options, pfn_notify,
                                       user_data);
}

__attribute__((weak, noinline)) int fpgacc_loop(__INT64_TYPE__ launches)
{
    static __thread int is_announced;
    int runs = launches >= 0 || is_announced;
    is_announced = launches >= 0;
    return runs;
}

#endif

#ifdef __cplusplus
}

/* Classes may count, too: of these nothing is known. */
template <class T>
inline __INT64_TYPE__ fpgacc_number(const T &)
{
    return 0;
}
#define FPGACC_NUMBER_OF(type) \
    inline __INT64_TYPE__ fpgacc_number(type number) \
    { \
        return (__INT64_TYPE__)number; \
    }
FPGACC_NUMBER_OF(short)
FPGACC_NUMBER_OF(unsigned short)
FPGACC_NUMBER_OF(int)
FPGACC_NUMBER_OF(unsigned)
FPGACC_NUMBER_OF(long)
FPGACC_NUMBER_OF(unsigned long)
FPGACC_NUMBER_OF(long long)
FPGACC_NUMBER_OF(unsigned long long)
#undef FPGACC_NUMBER_OF
#define FPGACC_NUMBER(number) fpgacc_number(number)
#else
#define FPGACC_NUMBER(number) ((__INT64_TYPE__)(number))
#endif

#endif
