/* OpenCL as the runtime itself calls it.
 *
 * The link step passes --wrap for every function that the runtime replaces: the host's clX is
 * __wrap_clX here, and the library's is __real_clX. What is newer than OpenCL 1.1 is weak, so that
 * old ICD loaders still link; such a pointer may be NULL. */
#ifndef FPGACC_OPENCL_H
#define FPGACC_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#define FPGACC_WEAK __attribute__((weak))

typedef void(CL_CALLBACK *fpgacc_notify)(cl_program program, void *user_data);
typedef void(CL_CALLBACK *fpgacc_context_notify)(const char *error, const void *info, size_t size,
                                                 void *user_data);

cl_int __real_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *count);
cl_int __real_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                             cl_device_id *devices, cl_uint *count);
cl_int __real_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                              size_t *size_ret);
cl_context __real_clCreateContextFromType(const cl_context_properties *properties,
                                          cl_device_type type, fpgacc_context_notify notify,
                                          void *user_data, cl_int *errcode_ret);

cl_program __real_clCreateProgramWithSource(cl_context context, cl_uint count,
                                            const char **strings, const size_t *lengths,
                                            cl_int *errcode_ret);
cl_program __real_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                            const cl_device_id *devices, const size_t *lengths,
                                            const unsigned char **binaries, cl_int *status,
                                            cl_int *errcode_ret);
cl_int __real_clRetainProgram(cl_program program);
cl_int __real_clReleaseProgram(cl_program program);
cl_int __real_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                             const char *options, fpgacc_notify notify, void *user_data);
FPGACC_WEAK cl_int __real_clCompileProgram(cl_program program, cl_uint num_devices,
                                           const cl_device_id *devices, const char *options,
                                           cl_uint num_headers, const cl_program *headers,
                                           const char **header_names, fpgacc_notify notify,
                                           void *user_data);
FPGACC_WEAK cl_program __real_clLinkProgram(cl_context context, cl_uint num_devices,
                                            const cl_device_id *devices, const char *options,
                                            cl_uint num_programs, const cl_program *programs,
                                            fpgacc_notify notify, void *user_data,
                                            cl_int *errcode_ret);
cl_int __real_clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value,
                               size_t *size_ret);
cl_int __real_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                    cl_program_build_info name, size_t size, void *value,
                                    size_t *size_ret);

cl_kernel __real_clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret);
cl_int __real_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
                                       cl_kernel *kernels, cl_uint *count);
FPGACC_WEAK cl_kernel __real_clCloneKernel(cl_kernel kernel, cl_int *errcode_ret);
cl_int __real_clRetainKernel(cl_kernel kernel);
cl_int __real_clReleaseKernel(cl_kernel kernel);
cl_int __real_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value);
FPGACC_WEAK cl_int __real_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index,
                                                   const void *value);
cl_int __real_clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                              size_t *size_ret);
FPGACC_WEAK cl_int __real_clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_uint name,
                                             size_t size, void *value, size_t *size_ret);
cl_int __real_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                       cl_kernel_work_group_info name, size_t size, void *value,
                                       size_t *size_ret);

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                     const size_t *offset, const size_t *global,
                                     const size_t *local, cl_uint num_events,
                                     const cl_event *wait_list, cl_event *event);
cl_int __real_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint num_events,
                            const cl_event *wait_list, cl_event *event);

/* The runtime's side of the same functions. */
cl_int __wrap_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *count);
cl_int __wrap_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                             cl_device_id *devices, cl_uint *count);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                              size_t *size_ret);
cl_context __wrap_clCreateContextFromType(const cl_context_properties *properties,
                                          cl_device_type type, fpgacc_context_notify notify,
                                          void *user_data, cl_int *errcode_ret);
cl_program __wrap_clCreateProgramWithSource(cl_context context, cl_uint count,
                                            const char **strings, const size_t *lengths,
                                            cl_int *errcode_ret);
cl_program __wrap_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                            const cl_device_id *devices, const size_t *lengths,
                                            const unsigned char **binaries, cl_int *status,
                                            cl_int *errcode_ret);
cl_int __wrap_clRetainProgram(cl_program program);
cl_int __wrap_clReleaseProgram(cl_program program);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                             const char *options, fpgacc_notify notify, void *user_data);
cl_int __wrap_clCompileProgram(cl_program program, cl_uint num_devices,
                               const cl_device_id *devices, const char *options,
                               cl_uint num_headers, const cl_program *headers,
                               const char **header_names, fpgacc_notify notify, void *user_data);
cl_program __wrap_clLinkProgram(cl_context context, cl_uint num_devices,
                                const cl_device_id *devices, const char *options,
                                cl_uint num_programs, const cl_program *programs,
                                fpgacc_notify notify, void *user_data, cl_int *errcode_ret);
cl_int __wrap_clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value,
                               size_t *size_ret);
cl_int __wrap_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                    cl_program_build_info name, size_t size, void *value,
                                    size_t *size_ret);
cl_kernel __wrap_clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret);
cl_int __wrap_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
                                       cl_kernel *kernels, cl_uint *count);
cl_kernel __wrap_clCloneKernel(cl_kernel kernel, cl_int *errcode_ret);
cl_int __wrap_clRetainKernel(cl_kernel kernel);
cl_int __wrap_clReleaseKernel(cl_kernel kernel);
cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value);
cl_int __wrap_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value);
cl_int __wrap_clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                              size_t *size_ret);
cl_int __wrap_clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_uint name, size_t size,
                                 void *value, size_t *size_ret);
cl_int __wrap_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                       cl_kernel_work_group_info name, size_t size, void *value,
                                       size_t *size_ret);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                     const size_t *offset, const size_t *global,
                                     const size_t *local, cl_uint num_events,
                                     const cl_event *wait_list, cl_event *event);
cl_int __wrap_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint num_events,
                            const cl_event *wait_list, cl_event *event);

#endif
