/* The runtime as a layer of the ICD loader (`fpgacc run`): for programs that cannot be linked again.
 * What the linker does otherwise, giving each replaced function the runtime's, the loader's table
 * does here. */
#define _GNU_SOURCE /* dladdr */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_layer.h>

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <string.h>

#include "runtime.h"

#undef clGetCommandQueueInfo
#undef clGetContextInfo
#undef clGetImageInfo
#undef clGetMemObjectInfo
#undef clGetPlatformInfo
#undef clReleaseEvent
#undef clReleaseMemObject
#undef clRetainEvent
#undef clRetainMemObject

#define VISIBLE __attribute__((visibility("default")))

/* Those that the runtime calls and does not replace. */
#define OTHERS(X) \
    X(clGetCommandQueueInfo) \
    X(clGetContextInfo) \
    X(clGetImageInfo) \
    X(clGetMemObjectInfo) \
    X(clGetPlatformInfo) \
    X(clReleaseEvent) \
    X(clReleaseMemObject) \
    X(clRetainEvent) \
    X(clRetainMemObject)

#define DEFINE_REAL(name) __typeof__(__real_##name) __real_##name;
FPGACC_REPLACED(DEFINE_REAL)

#define DEFINE_TARGET(name) __typeof__(fpgacc_target_##name) fpgacc_target_##name;
OTHERS(DEFINE_TARGET)

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

/* The innermost frame outside of this library and the ICD loader, as facts of `fpgacc trace` name
 * it. */
void fpgacc_add_caller(struct fpgacc_text *text)
{
    void *frames[16];
    Dl_info own = {0};
    dladdr((void *)clInitLayer, &own);
    int count = backtrace(frames, 16);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || info.dli_fbase == own.dli_fbase ||
            strncmp(base_name(info.dli_fname), "libOpenCL", 9) == 0)
            continue;
        const ElfW(Ehdr) *header = info.dli_fbase;
        uintptr_t offset = (uintptr_t)frames[i];
        if (header->e_type == ET_DYN)
            offset -= (uintptr_t)info.dli_fbase;
        fpgacc_text_add(text, "%s+0x%lx", base_name(info.dli_fname), (unsigned long)offset);
        return;
    }
    fpgacc_text_add(text, "unknown line");
}

static cl_icd_dispatch layer;

VISIBLE cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value,
                                          size_t *size_ret)
{
    static const char own_name[] = "fpgacc";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    switch (name) {
    case CL_LAYER_API_VERSION:
        return fpgacc_answer(&version, sizeof version, size, value, size_ret);
    case CL_LAYER_NAME:
        return fpgacc_answer(own_name, sizeof own_name, size, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Entries of the table may be typed as pointers to data where the headers are older. */
#define TAKE_REAL(name) memcpy(&__real_##name, &layer.name, sizeof(void *));
#define TAKE_TARGET(name) memcpy(&fpgacc_target_##name, &layer.name, sizeof(void *));
#define REPLACE(name)                                \
    {                                                \
        __typeof__(&__wrap_##name) ours = __wrap_##name; \
        memcpy(&layer.name, &ours, sizeof ours);     \
    }

VISIBLE cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                       cl_uint *count_ret, const cl_icd_dispatch **layer_ret)
{
    const size_t own = sizeof layer / sizeof(void *);
    if (!target || !count_ret || !layer_ret)
        return CL_INVALID_VALUE;
    memcpy(&layer, target, (count < own ? count : own) * sizeof(void *));
    FPGACC_REPLACED(TAKE_REAL)
    OTHERS(TAKE_TARGET)
    FPGACC_REPLACED(REPLACE)
    *count_ret = (cl_uint)own;
    *layer_ret = &layer;
    return CL_SUCCESS;
}
