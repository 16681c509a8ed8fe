/* Preloaded into originals: the device of the platform, whatever type a program asks for, and the
 * type that it asked for when it looks, or that FPGACC_DEVICE_TYPE names. fpgacc's runtime does the same
 * for what it builds. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static cl_device_type asked = 0;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static cl_device_type noted(cl_device_type type) {
    if (type == CL_DEVICE_TYPE_GPU || type == CL_DEVICE_TYPE_CPU || type == CL_DEVICE_TYPE_ACCELERATOR)
        asked = type;
    return CL_DEVICE_TYPE_ALL;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id *devices,
                      cl_uint *count) {
    return REAL(clGetDeviceIDs)(platform, noted(type), most, devices, count);
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                   void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                   void *data, cl_int *error) {
    return REAL(clCreateContextFromType)(properties, noted(type), notify, data, error);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed) {
    cl_int error = REAL(clGetDeviceInfo)(device, what, size, value, needed);
    const char *preset = getenv("FPGACC_DEVICE_TYPE");
    if (preset && !strcmp(preset, "gpu"))
        asked = CL_DEVICE_TYPE_GPU;
    if (preset && !strcmp(preset, "cpu"))
        asked = CL_DEVICE_TYPE_CPU;
    if (preset && !strcmp(preset, "accelerator"))
        asked = CL_DEVICE_TYPE_ACCELERATOR;
    if (error == CL_SUCCESS && what == CL_DEVICE_TYPE && value && asked)
        *(cl_device_type *)value = asked;
    return error;
}
