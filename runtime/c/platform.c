/* Which OpenCL implementation the host meets. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the project's setup puts the emulator, relative to the user's cache folder. */
#define EMULATOR_IN_CACHE "fpgacc/intel-emu/lib/libintelocl_emu.so"

const char *fpgacc_target_name(void)
{
    switch (fpgacc_manifest.target) {
    case FPGACC_TARGET_INTEL_EMULATOR:
        return "the Intel FPGA emulator";
    case FPGACC_TARGET_POCL:
        return "PoCL";
    case FPGACC_TARGET_NVIDIA:
        return "NVIDIA's OpenCL";
    default:
        return "the Intel FPGA SDK";
    }
}

static const char *target_remedy(void)
{
    switch (fpgacc_manifest.target) {
    case FPGACC_TARGET_INTEL_EMULATOR:
        return "install it with `pip install intel-opencl-rt==2023.2.4 intel-cmplr-lib-rt==2023.2.4`"
               " (`fpgacc doctor` says where), or name its libintelocl_emu.so in OCL_ICD_FILENAMES"
               " and OCL_ICD_VENDORS";
    case FPGACC_TARGET_POCL:
        return "install the package pocl-opencl-icd";
    case FPGACC_TARGET_NVIDIA:
        return "name its driver, libnvidia-opencl.so.1, in a file of /etc/OpenCL/vendors";
    default:
        return "source the SDK's init_opencl.sh";
    }
}

#ifndef FPGACC_LAYER /* a layer is loaded by the implementation's loader: too late */
/* The emulator's path, in memory of its own; NULL if there is none. */
static char *emulator_library(void)
{
    const char *given = fpgacc_manifest.library;
    if (given && access(given, R_OK) == 0)
        return strdup(given);
    /* The executable may have moved to another user's machine: look at the agreed place there. */
    struct fpgacc_text path = {0};
    const char *cache = fpgacc_environment("XDG_CACHE_HOME");
    const char *home = fpgacc_environment("HOME");
    if (cache)
        fpgacc_text_add(&path, "%s/%s", cache, EMULATOR_IN_CACHE);
    else if (home)
        fpgacc_text_add(&path, "%s/.cache/%s", home, EMULATOR_IN_CACHE);
    if (path.data && access(path.data, R_OK) == 0)
        return path.data;
    fpgacc_text_free(&path);
    return NULL;
}

/* Points the ICD loader at the emulator. ocl-icd (up to 2.3.1) takes a library's path in
 * OCL_ICD_VENDORS and does not know OCL_ICD_FILENAMES; the Khronos loader takes the path in
 * OCL_ICD_FILENAMES, and a value of OCL_ICD_VENDORS that is no folder hides all else. So both are
 * set, unless the user's environment chooses. */
static void choose_implementation(void)
{
    if (fpgacc_manifest.target != FPGACC_TARGET_INTEL_EMULATOR || !fpgacc_manifest.library)
        return;
    if (fpgacc_environment("OCL_ICD_VENDORS") || fpgacc_environment("OCL_ICD_FILENAMES") ||
        fpgacc_environment("OPENCL_VENDOR_PATH"))
        return;
    char *library = emulator_library();
    if (!library)
        return;
    setenv("OCL_ICD_VENDORS", library, 1);
    setenv("OCL_ICD_FILENAMES", library, 1);
    fpgacc_trace("OpenCL implementation: %s", library);
    free(library);
}

/* Left to itself, the emulator miscompiles on some CPUs that are younger (docs/runtime.md): it is
 * given the widest instruction set that both know, unless the user's environment names one. */
static void choose_instruction_set(void)
{
    if (fpgacc_manifest.target != FPGACC_TARGET_INTEL_EMULATOR)
        return;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const char *name = "corei7";
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        name = "skx";
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        name = "core-avx2";
    else if (__builtin_cpu_supports("avx"))
        name = "corei7-avx";
    setenv("CL_CONFIG_CPU_TARGET_ARCH", name, 0);
    /* Its vectors of 8 work-items are wrong across barriers, which it makes without AVX-512. */
    if (strcmp(name, "skx") != 0)
        setenv("CL_CONFIG_CPU_VECTORIZER_MODE", "16", 0);
#endif
}

/* Before main, and so before the host's first OpenCL call and before it starts threads; before
 * C++ constructors of the host too, which run without a priority. */
__attribute__((constructor(101))) static void at_start(void)
{
    choose_implementation();
    choose_instruction_set();
}
#endif

int fpgacc_is_target_platform(cl_platform_id platform)
{
    char name[256] = "";
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL) != CL_SUCCESS)
        return 0;
    switch (fpgacc_manifest.target) {
    case FPGACC_TARGET_INTEL_EMULATOR:
        return strstr(name, "FPGA Emulation") != NULL;
    case FPGACC_TARGET_POCL:
        return strstr(name, "Portable Computing Language") != NULL;
    case FPGACC_TARGET_NVIDIA:
        return strstr(name, "NVIDIA") != NULL;
    default:
        return strstr(name, "FPGA") || strstr(name, "Altera");
    }
}

int fpgacc_is_target_device(cl_device_id device)
{
    cl_platform_id platform = NULL;
    return __real_clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
               CL_SUCCESS &&
           fpgacc_is_target_platform(platform);
}

static int contains(const cl_platform_id *platforms, cl_uint count, cl_platform_id platform)
{
    for (cl_uint i = 0; i < count; i++)
        if (platforms[i] == platform)
            return 1;
    return 0;
}

/* All platforms, those of the target only if there is one: an array to free. A loader that reads
 * both variables may list one platform twice. */
static cl_int visible_platforms(cl_platform_id **platforms, cl_uint *count)
{
    cl_uint all = 0;
    *platforms = NULL;
    *count = 0;
    cl_int error = __real_clGetPlatformIDs(0, NULL, &all);
    if (error != CL_SUCCESS || all == 0)
        return error;
    cl_platform_id *found = calloc(all, sizeof *found);
    if (!found)
        return CL_OUT_OF_HOST_MEMORY;
    error = __real_clGetPlatformIDs(all, found, NULL);
    if (error != CL_SUCCESS) {
        free(found);
        return error;
    }
    cl_uint kept = 0;
    for (cl_uint i = 0; i < all; i++)
        if (fpgacc_is_target_platform(found[i]) && !contains(found, kept, found[i]))
            found[kept++] = found[i];
    *platforms = found;
    *count = kept ? kept : all;
    return CL_SUCCESS;
}

cl_platform_id fpgacc_default_platform(void)
{
    cl_platform_id *platforms;
    cl_uint count;
    if (visible_platforms(&platforms, &count) != CL_SUCCESS || count == 0)
        return NULL;
    cl_platform_id first = fpgacc_is_target_platform(platforms[0]) ? platforms[0] : NULL;
    free(platforms);
    return first;
}

static void warn_without_target(void)
{
    fpgacc_report(FPGACC_WARNING, NULL,
                  "this program was compiled for %s, which is not here\n"
                  "help: %s",
                  fpgacc_target_name(), target_remedy());
}

cl_int __wrap_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *count)
{
    if ((num_entries == 0 && platforms) || (!platforms && !count))
        return CL_INVALID_VALUE;
    cl_platform_id *visible;
    cl_uint found;
    cl_int error = visible_platforms(&visible, &found);
    if (error != CL_SUCCESS || found == 0) {
        warn_without_target();
        if (count)
            *count = 0;
        return error;
    }
    if (!fpgacc_is_target_platform(visible[0]))
        warn_without_target();
    for (cl_uint i = 0; platforms && i < found && i < num_entries; i++)
        platforms[i] = visible[i];
    if (count)
        *count = found;
    free(visible);
    return CL_SUCCESS;
}
