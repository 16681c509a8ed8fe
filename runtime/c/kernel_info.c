/* What a host asks about its kernels is answered as for the original kernel. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static cl_int answer_string(const char *string, size_t size, void *value, size_t *size_ret)
{
    return fpgacc_answer(string, strlen(string) + 1, size, value, size_ret);
}

static cl_int answer_attributes(const struct fpgacc_kernel *info, size_t size, void *value,
                                size_t *size_ret)
{
    struct fpgacc_text text = {0};
    const uint64_t *sizes = info->reqd_work_group_size;
    if (sizes)
        fpgacc_text_add(&text, "reqd_work_group_size(%llu,%llu,%llu)",
                        (unsigned long long)sizes[0], (unsigned long long)sizes[1],
                        (unsigned long long)sizes[2]);
    cl_int error = answer_string(text.data ? text.data : "", size, value, size_ret);
    fpgacc_text_free(&text);
    return error;
}

cl_int __wrap_clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                              size_t *size_ret)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    if (!tracked)
        return __real_clGetKernelInfo(kernel, name, size, value, size_ret);
    if (name == CL_KERNEL_PROGRAM)
        return fpgacc_answer(&tracked->program->handle, sizeof tracked->program->handle, size,
                             value, size_ret);
    if (tracked->info && name == CL_KERNEL_NUM_ARGS) {
        cl_uint count = tracked->info->param_count;
        return fpgacc_answer(&count, sizeof count, size, value, size_ret);
    }
    if (tracked->info && name == CL_KERNEL_ATTRIBUTES)
        return answer_attributes(tracked->info, size, value, size_ret);
    return __real_clGetKernelInfo(kernel, name, size, value, size_ret);
}

static cl_uint address_qualifier(enum fpgacc_param_kind kind)
{
    switch (kind) {
    case FPGACC_PARAM_GLOBAL:
    case FPGACC_PARAM_IMAGE:
    case FPGACC_PARAM_PIPE:
        return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case FPGACC_PARAM_CONSTANT:
        return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case FPGACC_PARAM_LOCAL:
        return CL_KERNEL_ARG_ADDRESS_LOCAL;
    default:
        return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    }
}

static cl_bitfield type_qualifier(const struct fpgacc_param *param)
{
    cl_bitfield qualifier = CL_KERNEL_ARG_TYPE_NONE;
    if (param->is_const || param->kind == FPGACC_PARAM_CONSTANT)
        qualifier |= CL_KERNEL_ARG_TYPE_CONST;
    if (param->is_volatile)
        qualifier |= CL_KERNEL_ARG_TYPE_VOLATILE;
    if (param->is_restrict)
        qualifier |= CL_KERNEL_ARG_TYPE_RESTRICT;
    return qualifier;
}

cl_int __wrap_clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_uint name, size_t size,
                                 void *value, size_t *size_ret)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    if (!tracked || !tracked->info) {
        if (!__real_clGetKernelArgInfo)
            return CL_INVALID_OPERATION;
        return __real_clGetKernelArgInfo(kernel, index, name, size, value, size_ret);
    }
    if (index >= tracked->info->param_count)
        return CL_INVALID_ARG_INDEX;
    const struct fpgacc_param *param = &tracked->info->params[index];
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
        cl_uint qualifier = address_qualifier(param->kind);
        return fpgacc_answer(&qualifier, sizeof qualifier, size, value, size_ret);
    }
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: {
        cl_uint qualifier = CL_KERNEL_ARG_ACCESS_NONE;
        if (param->kind == FPGACC_PARAM_IMAGE || param->kind == FPGACC_PARAM_PIPE)
            break;
        return fpgacc_answer(&qualifier, sizeof qualifier, size, value, size_ret);
    }
    case CL_KERNEL_ARG_TYPE_NAME:
        return answer_string(param->type_name, size, value, size_ret);
    case CL_KERNEL_ARG_TYPE_QUALIFIER: {
        cl_bitfield qualifier = type_qualifier(param);
        return fpgacc_answer(&qualifier, sizeof qualifier, size, value, size_ret);
    }
    case CL_KERNEL_ARG_NAME:
        return answer_string(param->name, size, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
    if (!__real_clGetKernelArgInfo)
        return CL_INVALID_OPERATION;
    return __real_clGetKernelArgInfo(kernel, index, name, size, value, size_ret);
}

/* The largest group that the host may launch, in whatever version, where the device takes `most`: a task
 * kernel itself runs one work-item. */
static size_t largest_group(const struct fpgacc_kernel *info, size_t most)
{
    size_t largest = 0;
    for (uint32_t i = 0; i <= info->other_count; i++) {
        const struct fpgacc_kernel *version = i ? &info->others[i - 1] : info;
        size_t own = most;
        if (version->max_group_size && version->max_group_size < own)
            own = (size_t)version->max_group_size;
        largest = own > largest ? own : largest;
    }
    return largest;
}

/* A recorded run of the original kernels is given what a run of the rewritten ones is given, so that a host
 * that launches groups as large as it may launches the same ones, and `fpgacc --verify` compares kernels. */
static cl_int answer_recorded(cl_kernel kernel, cl_device_id device, size_t size, void *value,
                              size_t *size_ret)
{
    size_t most = 0;
    char name[256] = "";
    cl_int error = __real_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                                   sizeof most, &most, NULL);
    if (error != CL_SUCCESS)
        return error;
    __real_clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    for (uint32_t i = 0; i < fpgacc_manifest.program_count; i++) {
        const struct fpgacc_program *program = &fpgacc_manifest.programs[i];
        for (uint32_t j = 0; j < program->kernel_count; j++) {
            const struct fpgacc_kernel *info = &program->kernels[j];
            if (info->form == FPGACC_TASK && strcmp(info->name, name) == 0)
                most = largest_group(info, most);
        }
    }
    return fpgacc_answer(&most, sizeof most, size, value, size_ret);
}

/* The device of the question; the only device if the host gives none. */
static cl_int question_device(const struct fpgacc_tracked *kernel, cl_device_id *device)
{
    if (*device)
        return CL_SUCCESS;
    cl_uint count;
    cl_device_id *devices = fpgacc_context_devices(kernel->program->context, &count);
    if (count == 1)
        *device = devices[0];
    free(devices);
    return count == 1 ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* Whether the kernel's attributes ask for a local size that those of the original do not. */
static int has_local_size(const struct fpgacc_kernel *info)
{
    if (info->form == FPGACC_COARSENED)
        return 1;
    for (uint32_t i = 0; i < info->guard_count; i++)
        if (info->guards[i].kind == FPGACC_GUARD_LOCAL_SIZE)
            return 1;
    return 0;
}

/* The largest group that the host may launch of a kernel whose local sizes were chosen for it. Its attributes
 * may fix one of them, and some implementations report that. */
static cl_int answer_chosen(cl_kernel kernel, cl_device_id device, size_t size, void *value,
                            size_t *size_ret)
{
    size_t most = 0, fixed[3] = {0, 0, 0};
    struct fpgacc_limits limits = {0};
    cl_int error = __real_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                                   sizeof most, &most, NULL);
    if (error == CL_SUCCESS)
        error = __real_clGetKernelWorkGroupInfo(
            kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed, fixed, NULL);
    if (error == CL_SUCCESS)
        error = fpgacc_device_limits(device, &limits);
    if (error != CL_SUCCESS)
        return error;
    if (most == fixed[0] * fixed[1] * fixed[2])
        most = limits.max_group_size;
    return fpgacc_answer(&most, sizeof most, size, value, size_ret);
}

/* The largest group that the host may launch of a coarsened kernel. Some implementations report the size
 * that its attributes fix, which is that of its own, smaller groups. */
static cl_int answer_coarsened(cl_kernel kernel, const struct fpgacc_kernel *info,
                               cl_device_id device, size_t size, void *value, size_t *size_ret)
{
    size_t most = 0, fixed[3] = {0, 0, 0};
    cl_int error = __real_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                                   sizeof most, &most, NULL);
    if (error == CL_SUCCESS)
        error = __real_clGetKernelWorkGroupInfo(
            kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed, fixed, NULL);
    if (error != CL_SUCCESS)
        return error;
    if (most == fixed[0] * fixed[1] * fixed[2])
        most *= info->coarsened.lanes * (info->coarsened.merges_items ? info->coarsened.factor : 1);
    return fpgacc_answer(&most, sizeof most, size, value, size_ret);
}

cl_int __wrap_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                       cl_kernel_work_group_info name, size_t size, void *value,
                                       size_t *size_ret)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    const struct fpgacc_kernel *info = tracked ? tracked->info : NULL;
    int is_task = info && info->form == FPGACC_TASK;
    int is_coarsened = info && info->form == FPGACC_COARSENED;
    int is_chosen = info && info->chosen_count > 0;
    int answered = ((is_task || is_coarsened || is_chosen) && name == CL_KERNEL_WORK_GROUP_SIZE) ||
                   (info && name == CL_KERNEL_COMPILE_WORK_GROUP_SIZE &&
                    (is_task || has_local_size(info)));
    if (!tracked && name == CL_KERNEL_WORK_GROUP_SIZE && fpgacc_recording())
        return answer_recorded(kernel, device, size, value, size_ret);
    /* The implementation judges the device. */
    cl_int error = __real_clGetKernelWorkGroupInfo(kernel, device, name, answered ? 0 : size,
                                                   answered ? NULL : value, size_ret);
    if (!answered || error != CL_SUCCESS)
        return error;
    if (name == CL_KERNEL_COMPILE_WORK_GROUP_SIZE) {
        size_t sizes[3] = {0, 0, 0};
        for (size_t i = 0; info->reqd_work_group_size && i < 3; i++)
            sizes[i] = (size_t)info->reqd_work_group_size[i];
        return fpgacc_answer(sizes, sizeof sizes, size, value, size_ret);
    }
    if (is_coarsened && !is_chosen)
        return answer_coarsened(kernel, info, device, size, value, size_ret);
    error = question_device(tracked, &device);
    if (error == CL_SUCCESS && is_chosen)
        return answer_chosen(kernel, device, size, value, size_ret);
    struct fpgacc_limits limits;
    if (error == CL_SUCCESS)
        error = fpgacc_device_limits(device, &limits);
    if (error != CL_SUCCESS)
        return error;
    size_t most = largest_group(tracked->info, limits.max_group_size);
    return fpgacc_answer(&most, sizeof most, size, value, size_ret);
}
