/* What a host asks about its programs is answered as for the original text. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static cl_int answer_string(const char *string, size_t size, void *value, size_t *size_ret)
{
    const char *text = string ? string : "";
    return fpgacc_answer(text, strlen(text) + 1, size, value, size_ret);
}

static cl_int kernel_names(const struct fpgacc_program *variant, size_t size, void *value,
                           size_t *size_ret)
{
    struct fpgacc_text names = {0};
    for (uint32_t i = 0; i < variant->kernel_count; i++)
        fpgacc_text_add(&names, "%s%s", i ? ";" : "", variant->kernels[i].name);
    cl_int error = answer_string(names.data, size, value, size_ret);
    fpgacc_text_free(&names);
    return error;
}

static cl_int kernel_count(const struct fpgacc_program *variant, size_t size, void *value,
                           size_t *size_ret)
{
    size_t count = variant->kernel_count;
    return fpgacc_answer(&count, sizeof count, size, value, size_ret);
}

/* The .aocx with its seal, so that binaries that a host keeps are recognised when it loads them
 * again, also by another build of the host. */
static cl_int binaries(const struct fpgacc_loaded *loaded, cl_program_info name, size_t size,
                       void *value, size_t *size_ret)
{
    cl_uint count = 0;
    cl_int error = __real_clGetProgramInfo(loaded->actual, CL_PROGRAM_NUM_DEVICES, sizeof count,
                                           &count, NULL);
    struct fpgacc_text ignored = {0};
    const struct fpgacc_aocx *aocx = fpgacc_aocx(loaded->variant, &ignored);
    fpgacc_text_free(&ignored);
    if (error != CL_SUCCESS || !aocx)
        return __real_clGetProgramInfo(loaded->actual, name, size, value, size_ret);
    size_t each = name == CL_PROGRAM_BINARIES ? sizeof aocx->data : sizeof aocx->size;
    if (value && size < count * each)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; value && i < count; i++) {
        if (name == CL_PROGRAM_BINARY_SIZES)
            ((size_t *)value)[i] = aocx->size;
        else if (((unsigned char **)value)[i])
            memcpy(((unsigned char **)value)[i], aocx->data, aocx->size);
    }
    if (size_ret)
        *size_ret = count * each;
    return CL_SUCCESS;
}

cl_int __wrap_clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value,
                               size_t *size_ret)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    if (!loaded || !loaded->is_known)
        return __real_clGetProgramInfo(program, name, size, value, size_ret);
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return fpgacc_answer(&loaded->references, sizeof loaded->references, size, value,
                             size_ret);
    case CL_PROGRAM_SOURCE:
        if (loaded->source)
            return answer_string(loaded->source, size, value, size_ret);
        break;
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES:
        if (loaded->variant)
            return binaries(loaded, name, size, value, size_ret);
        break;
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
        if (loaded->state != FPGACC_BUILT)
            return CL_INVALID_PROGRAM_EXECUTABLE;
        if (!fpgacc_describes_kernels(loaded))
            break;
        if (name == CL_PROGRAM_KERNEL_NAMES)
            return kernel_names(loaded->variant, size, value, size_ret);
        return kernel_count(loaded->variant, size, value, size_ret);
    default:
        break;
    }
    return __real_clGetProgramInfo(loaded->actual, name, size, value, size_ret);
}

static cl_int build_status(const struct fpgacc_loaded *loaded, cl_build_status *status)
{
    if (loaded->state == FPGACC_CREATED)
        *status = CL_BUILD_NONE;
    else if (loaded->state == FPGACC_FAILED)
        *status = CL_BUILD_ERROR;
    else
        *status = CL_BUILD_SUCCESS;
    return CL_SUCCESS;
}

/* Hosts print the log though nothing is wrong. It is asked for twice: size and text. */
static const char *log_of_original(struct fpgacc_loaded *loaded, cl_device_id device)
{
    if (fpgacc_recording())
        return NULL;
    pthread_mutex_lock(&fpgacc_lock);
    const char *known = loaded->device_log;
    pthread_mutex_unlock(&fpgacc_lock);
    if (known)
        return known;
    char *log = fpgacc_original_log(loaded, device);
    if (!log)
        log = calloc(1, 1);
    pthread_mutex_lock(&fpgacc_lock);
    if (loaded->device_log)
        free(log);
    else
        loaded->device_log = log;
    known = loaded->device_log;
    pthread_mutex_unlock(&fpgacc_lock);
    return known;
}

cl_int __wrap_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                    cl_program_build_info name, size_t size, void *value,
                                    size_t *size_ret)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    cl_build_status status = CL_BUILD_NONE;
    if (!loaded || !loaded->is_known) {
        /* What is built otherwise is not what a comparison of two runs is about. */
        if (name == CL_PROGRAM_BUILD_LOG && fpgacc_recording() &&
            __real_clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status,
                                         &status, NULL) == CL_SUCCESS &&
            status == CL_BUILD_SUCCESS)
            return answer_string(NULL, size, value, size_ret);
        return __real_clGetProgramBuildInfo(program, device, name, size, value, size_ret);
    }
    /* The implementation judges the device. */
    cl_int error = __real_clGetProgramBuildInfo(loaded->actual, device, CL_PROGRAM_BUILD_STATUS,
                                                sizeof status, &status, NULL);
    if (error != CL_SUCCESS)
        return error;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        build_status(loaded, &status);
        return fpgacc_answer(&status, sizeof status, size, value, size_ret);
    case CL_PROGRAM_BUILD_OPTIONS:
        return answer_string(loaded->options, size, value, size_ret);
    case CL_PROGRAM_BUILD_LOG:
        if (loaded->log || loaded->state == FPGACC_CREATED)
            return answer_string(loaded->log, size, value, size_ret);
        /* What a device may say of a rewritten kernel is nothing that its user can change. */
        if (loaded->variant && loaded->state != FPGACC_FAILED)
            return answer_string(log_of_original(loaded, device), size, value, size_ret);
        break;
    case CL_PROGRAM_BINARY_TYPE: {
        cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
        if (loaded->state == FPGACC_COMPILED)
            type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        if (loaded->state == FPGACC_BUILT)
            type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        return fpgacc_answer(&type, sizeof type, size, value, size_ret);
    }
    default:
        break;
    }
    return __real_clGetProgramBuildInfo(loaded->actual, device, name, size, value, size_ret);
}
