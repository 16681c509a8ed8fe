/* Functions that a host fetches by name while it runs: those that the runtime replaces are the runtime's.
 * Libraries that it loads. */
#define _GNU_SOURCE /* RTLD_NEXT */
#define FPGACC_PEERS_C /* a call of the host's may be for another runtime: see peers.h */
#include "runtime.h"

#include <dlfcn.h>
#include <string.h>

typedef void (*function)(void);

static const struct replacement {
    const char *name;
    function ours;
} replacements[] = {
#define REPLACEMENT(name) {#name, (function)__wrap_##name},
    FPGACC_REPLACED(REPLACEMENT)
};

/* Of Intel's unified shared memory: it sets kernel arguments, so the versions of a kernel get them too. */
static fpgacc_set_pointer real_set_mem_pointer;

static cl_int CL_CALLBACK set_mem_pointer(cl_kernel kernel, cl_uint index, const void *value)
{
    return fpgacc_set_shared(kernel, index, value, real_set_mem_pointer);
}

static void *as_data(function ours)
{
    void *data;
    memcpy(&data, &ours, sizeof data);
    return data;
}

/* What a host gets that asks for a function and would have found `found`. */
static void *replace(const char *name, void *found)
{
    /* A function of a library may call OpenCL past the runtime. */
    fpgacc_settle();
    if (!found || strncmp(name, "cl", 2) != 0)
        return found;
    for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i++)
        if (strcmp(replacements[i].name, name) == 0)
            return as_data(replacements[i].ours);
    if (strcmp(name, "clSetKernelArgMemPointerINTEL") != 0) {
        fpgacc_note_lookup(name);
        return found;
    }
    memcpy(&real_set_mem_pointer, &found, sizeof found);
    return as_data((function)set_mem_pointer);
}

void *__wrap_clGetExtensionFunctionAddress(const char *name)
{
    return replace(name, __real_clGetExtensionFunctionAddress(name));
}

void *__wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    if (!__real_clGetExtensionFunctionAddressForPlatform)
        return NULL;
    return replace(name, __real_clGetExtensionFunctionAddressForPlatform(platform, name));
}

#ifndef FPGACC_LAYER /* the loader calls a layer, wherever the host has the functions from */
void *__real_dlsym(void *handle, const char *name);
void *__real_dlvsym(void *handle, const char *name, const char *version);
void *__wrap_dlsym(void *handle, const char *name);
void *__wrap_dlvsym(void *handle, const char *name, const char *version);
void *__real_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode);

/* Whether the program has a function of this name itself, which stands before the library's: what it asks for
 * then is the library's, which it hands on to. The runtime calls that function, and must not be called by it. */
static int is_own(const char *name, const void *found)
{
    const void *first = __real_dlsym(RTLD_DEFAULT, name);
    return first && first != found && first != __real_dlsym(RTLD_NEXT, name);
}

static void *replace_unless_own(const char *name, void *found)
{
    void *ours = replace(name, found);
    return ours != found && is_own(name, found) ? found : ours;
}

void *__wrap_dlsym(void *handle, const char *name)
{
    return replace_unless_own(name, __real_dlsym(handle, name));
}

void *__wrap_dlvsym(void *handle, const char *name, const char *version)
{
    return replace_unless_own(name, __real_dlvsym(handle, name, version));
}

/* What a library does as it is loaded, and functions that it hands to the host then, may call OpenCL past the
 * runtime. */
void *__wrap_dlopen(const char *file, int mode)
{
    fpgacc_settle();
    return __real_dlopen(file, mode);
}
#endif
