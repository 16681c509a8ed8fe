/* To be preloaded: devices that have no compiler, as FPGA boards. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                       size_t *size_ret)
{
    cl_int (*real)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    cl_int error = real(device, name, size, value, size_ret);
    if (error == CL_SUCCESS && name == CL_DEVICE_COMPILER_AVAILABLE && value)
        *(cl_bool *)value = CL_FALSE;
    return error;
}
