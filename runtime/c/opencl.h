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

/* Linked into an executable, the library replaces functions by name. As a layer of the ICD loader
 * (FPGACC_LAYER, for programs that cannot be linked again) it gets OpenCL as pointers. */
#ifdef FPGACC_LAYER
#define FPGACC_WEAK
#define FPGACC_REAL(type, name) extern type(*__real_##name)
#define FPGACC_TARGET(name) extern __typeof__(&name) fpgacc_target_##name
FPGACC_TARGET(clGetCommandQueueInfo);
FPGACC_TARGET(clGetContextInfo);
FPGACC_TARGET(clGetImageInfo);
FPGACC_TARGET(clGetMemObjectInfo);
FPGACC_TARGET(clGetPlatformInfo);
FPGACC_TARGET(clReleaseEvent);
FPGACC_TARGET(clReleaseMemObject);
FPGACC_TARGET(clRetainEvent);
FPGACC_TARGET(clRetainMemObject);
#define clGetCommandQueueInfo fpgacc_target_clGetCommandQueueInfo
#define clGetContextInfo fpgacc_target_clGetContextInfo
#define clGetImageInfo fpgacc_target_clGetImageInfo
#define clGetMemObjectInfo fpgacc_target_clGetMemObjectInfo
#define clGetPlatformInfo fpgacc_target_clGetPlatformInfo
#define clReleaseEvent fpgacc_target_clReleaseEvent
#define clReleaseMemObject fpgacc_target_clReleaseMemObject
#define clRetainEvent fpgacc_target_clRetainEvent
#define clRetainMemObject fpgacc_target_clRetainMemObject
#else
#define FPGACC_WEAK __attribute__((weak))
#define FPGACC_REAL(type, name) type __real_##name
#endif

/* Of OpenCL 2.0: memory that a kernel reaches without an argument. */
#define FPGACC_EXEC_INFO_SVM_PTRS 0x11B6
#define FPGACC_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM 0x11B7

typedef void(CL_CALLBACK *fpgacc_notify)(cl_program program, void *user_data);
typedef void(CL_CALLBACK *fpgacc_event_notify)(cl_event event, cl_int status, void *user_data);
typedef void(CL_CALLBACK *fpgacc_context_notify)(const char *error, const void *info, size_t size,
                                                 void *user_data);

typedef void(CL_CALLBACK *fpgacc_svm_free)(cl_command_queue queue, cl_uint count, void **memory,
                                           void *user_data);

FPGACC_REAL(cl_int, clGetPlatformIDs)(cl_uint num_entries, cl_platform_id *platforms,
                                      cl_uint *count);
FPGACC_REAL(cl_int, clGetDeviceIDs)(cl_platform_id platform, cl_device_type type,
                                    cl_uint num_entries, cl_device_id *devices, cl_uint *count);
FPGACC_REAL(cl_int, clGetDeviceInfo)(cl_device_id device, cl_device_info name, size_t size,
                                     void *value, size_t *size_ret);
FPGACC_REAL(cl_context, clCreateContextFromType)(const cl_context_properties *properties,
                                                 cl_device_type type, fpgacc_context_notify notify,
                                                 void *user_data, cl_int *errcode_ret);

FPGACC_REAL(void *, clGetExtensionFunctionAddress)(const char *name);
FPGACC_WEAK FPGACC_REAL(void *, clGetExtensionFunctionAddressForPlatform)(cl_platform_id platform,
                                                                          const char *name);

FPGACC_REAL(cl_program, clCreateProgramWithSource)(cl_context context, cl_uint count,
                                                   const char **strings, const size_t *lengths,
                                                   cl_int *errcode_ret);
FPGACC_REAL(cl_program, clCreateProgramWithBinary)(cl_context context, cl_uint num_devices,
                                                   const cl_device_id *devices,
                                                   const size_t *lengths,
                                                   const unsigned char **binaries, cl_int *status,
                                                   cl_int *errcode_ret);
FPGACC_REAL(cl_int, clRetainProgram)(cl_program program);
FPGACC_REAL(cl_int, clReleaseProgram)(cl_program program);
FPGACC_REAL(cl_int, clBuildProgram)(cl_program program, cl_uint num_devices,
                                    const cl_device_id *devices, const char *options,
                                    fpgacc_notify notify, void *user_data);
FPGACC_WEAK FPGACC_REAL(cl_int, clCompileProgram)(cl_program program, cl_uint num_devices,
                                                  const cl_device_id *devices, const char *options,
                                                  cl_uint num_headers, const cl_program *headers,
                                                  const char **header_names, fpgacc_notify notify,
                                                  void *user_data);
FPGACC_WEAK FPGACC_REAL(cl_program, clLinkProgram)(cl_context context, cl_uint num_devices,
                                                   const cl_device_id *devices,
                                                   const char *options, cl_uint num_programs,
                                                   const cl_program *programs,
                                                   fpgacc_notify notify, void *user_data,
                                                   cl_int *errcode_ret);
FPGACC_REAL(cl_int, clGetProgramInfo)(cl_program program, cl_program_info name, size_t size,
                                      void *value, size_t *size_ret);
FPGACC_REAL(cl_int, clGetProgramBuildInfo)(cl_program program, cl_device_id device,
                                           cl_program_build_info name, size_t size, void *value,
                                           size_t *size_ret);

FPGACC_REAL(cl_kernel, clCreateKernel)(cl_program program, const char *name, cl_int *errcode_ret);
FPGACC_REAL(cl_int, clCreateKernelsInProgram)(cl_program program, cl_uint num_kernels,
                                              cl_kernel *kernels, cl_uint *count);
FPGACC_WEAK FPGACC_REAL(cl_kernel, clCloneKernel)(cl_kernel kernel, cl_int *errcode_ret);
FPGACC_REAL(cl_int, clRetainKernel)(cl_kernel kernel);
FPGACC_REAL(cl_int, clReleaseKernel)(cl_kernel kernel);
FPGACC_REAL(cl_int, clSetKernelArg)(cl_kernel kernel, cl_uint index, size_t size,
                                    const void *value);
FPGACC_WEAK FPGACC_REAL(cl_int, clSetKernelArgSVMPointer)(cl_kernel kernel, cl_uint index,
                                                          const void *value);
FPGACC_WEAK FPGACC_REAL(void *, clSVMAlloc)(cl_context context, cl_bitfield flags, size_t size,
                                            cl_uint alignment);
FPGACC_WEAK FPGACC_REAL(void, clSVMFree)(cl_context context, void *memory);
FPGACC_WEAK FPGACC_REAL(cl_int, clEnqueueSVMFree)(cl_command_queue queue, cl_uint count,
                                                  void **memory, fpgacc_svm_free free_memory,
                                                  void *user_data, cl_uint num_events,
                                                  const cl_event *wait_list, cl_event *event);
FPGACC_WEAK FPGACC_REAL(cl_int, clSetKernelExecInfo)(cl_kernel kernel, cl_uint name, size_t size,
                                                     const void *value);
FPGACC_REAL(cl_int, clGetKernelInfo)(cl_kernel kernel, cl_kernel_info name, size_t size,
                                     void *value, size_t *size_ret);
FPGACC_WEAK FPGACC_REAL(cl_int, clGetKernelArgInfo)(cl_kernel kernel, cl_uint index, cl_uint name,
                                                    size_t size, void *value, size_t *size_ret);
FPGACC_REAL(cl_int, clGetKernelWorkGroupInfo)(cl_kernel kernel, cl_device_id device,
                                              cl_kernel_work_group_info name, size_t size,
                                              void *value, size_t *size_ret);

FPGACC_REAL(cl_int, clEnqueueNDRangeKernel)(cl_command_queue queue, cl_kernel kernel,
                                            cl_uint work_dim, const size_t *offset,
                                            const size_t *global, const size_t *local,
                                            cl_uint num_events, const cl_event *wait_list,
                                            cl_event *event);
FPGACC_REAL(cl_int, clEnqueueTask)(cl_command_queue queue, cl_kernel kernel, cl_uint num_events,
                                   const cl_event *wait_list, cl_event *event);

/* What the recorder listens to. */
FPGACC_REAL(cl_mem, clCreateBuffer)(cl_context context, cl_mem_flags flags, size_t size,
                                    void *host, cl_int *errcode_ret);
FPGACC_REAL(cl_mem, clCreateSubBuffer)(cl_mem buffer, cl_mem_flags flags,
                                       cl_buffer_create_type type, const void *info,
                                       cl_int *errcode_ret);
FPGACC_REAL(cl_int, clEnqueueReadBuffer)(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                         size_t offset, size_t size, void *to, cl_uint num_events,
                                         const cl_event *wait_list, cl_event *event);
FPGACC_REAL(cl_int, clEnqueueReadBufferRect)(cl_command_queue queue, cl_mem buffer,
                                             cl_bool blocking, const size_t *buffer_origin,
                                             const size_t *host_origin, const size_t *region,
                                             size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                             size_t host_row_pitch, size_t host_slice_pitch,
                                             void *to, cl_uint num_events,
                                             const cl_event *wait_list, cl_event *event);
FPGACC_REAL(cl_int, clEnqueueReadImage)(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                        const size_t *origin, const size_t *region,
                                        size_t row_pitch, size_t slice_pitch, void *to,
                                        cl_uint num_events, const cl_event *wait_list,
                                        cl_event *event);
FPGACC_REAL(void *, clEnqueueMapBuffer)(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        cl_map_flags flags, size_t offset, size_t size,
                                        cl_uint num_events, const cl_event *wait_list,
                                        cl_event *event, cl_int *errcode_ret);
FPGACC_REAL(void *, clEnqueueMapImage)(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                       cl_map_flags flags, const size_t *origin,
                                       const size_t *region, size_t *row_pitch,
                                       size_t *slice_pitch, cl_uint num_events,
                                       const cl_event *wait_list, cl_event *event,
                                       cl_int *errcode_ret);
FPGACC_WEAK FPGACC_REAL(cl_int, clEnqueueSVMMap)(cl_command_queue queue, cl_bool blocking,
                                                 cl_map_flags flags, void *memory, size_t size,
                                                 cl_uint num_events, const cl_event *wait_list,
                                                 cl_event *event);
FPGACC_WEAK FPGACC_REAL(cl_int, clEnqueueSVMMemcpy)(cl_command_queue queue, cl_bool blocking,
                                                    void *to, const void *from, size_t size,
                                                    cl_uint num_events, const cl_event *wait_list,
                                                    cl_event *event);
FPGACC_REAL(cl_int, clEnqueueUnmapMemObject)(cl_command_queue queue, cl_mem memory, void *mapped,
                                             cl_uint num_events, const cl_event *wait_list,
                                             cl_event *event);
FPGACC_REAL(cl_int, clEnqueueWriteBuffer)(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                          size_t offset, size_t size, const void *from,
                                          cl_uint num_events, const cl_event *wait_list,
                                          cl_event *event);
FPGACC_REAL(cl_int, clFinish)(cl_command_queue queue);
FPGACC_REAL(cl_int, clWaitForEvents)(cl_uint count, const cl_event *events);
FPGACC_REAL(cl_int, clGetEventInfo)(cl_event event, cl_event_info name, size_t size, void *value,
                                    size_t *size_ret);
FPGACC_REAL(cl_int, clSetEventCallback)(cl_event event, cl_int status, fpgacc_event_notify notify,
                                        void *user_data);
FPGACC_REAL(cl_int, clReleaseCommandQueue)(cl_command_queue queue);

/* Before what launches that were put off are carried out. */
FPGACC_REAL(cl_int, clFlush)(cl_command_queue queue);
FPGACC_REAL(cl_int, clEnqueueCopyBuffer)(cl_command_queue queue, cl_mem from, cl_mem to,
                                         size_t from_offset, size_t to_offset, size_t size,
                                         cl_uint num_events, const cl_event *wait_list,
                                         cl_event *event);
FPGACC_WEAK FPGACC_REAL(cl_int, clEnqueueFillBuffer)(cl_command_queue queue, cl_mem buffer,
                                                     const void *pattern, size_t pattern_size,
                                                     size_t offset, size_t size,
                                                     cl_uint num_events,
                                                     const cl_event *wait_list, cl_event *event);

/* What the runtime replaces: as WRAPPED of runtime/src/lib.rs. */
#define FPGACC_REPLACED(X) \
    X(clBuildProgram) \
    X(clCloneKernel) \
    X(clCompileProgram) \
    X(clCreateBuffer) \
    X(clCreateContextFromType) \
    X(clCreateKernel) \
    X(clCreateKernelsInProgram) \
    X(clCreateProgramWithBinary) \
    X(clCreateProgramWithSource) \
    X(clCreateSubBuffer) \
    X(clEnqueueCopyBuffer) \
    X(clEnqueueFillBuffer) \
    X(clEnqueueMapBuffer) \
    X(clEnqueueMapImage) \
    X(clEnqueueNDRangeKernel) \
    X(clEnqueueReadBuffer) \
    X(clEnqueueReadBufferRect) \
    X(clEnqueueReadImage) \
    X(clEnqueueSVMFree) \
    X(clEnqueueSVMMap) \
    X(clEnqueueSVMMemcpy) \
    X(clEnqueueTask) \
    X(clEnqueueUnmapMemObject) \
    X(clEnqueueWriteBuffer) \
    X(clFinish) \
    X(clFlush) \
    X(clGetDeviceIDs) \
    X(clGetDeviceInfo) \
    X(clGetEventInfo) \
    X(clGetExtensionFunctionAddress) \
    X(clGetExtensionFunctionAddressForPlatform) \
    X(clGetKernelArgInfo) \
    X(clGetKernelInfo) \
    X(clGetKernelWorkGroupInfo) \
    X(clGetPlatformIDs) \
    X(clGetProgramBuildInfo) \
    X(clGetProgramInfo) \
    X(clLinkProgram) \
    X(clReleaseCommandQueue) \
    X(clReleaseKernel) \
    X(clReleaseProgram) \
    X(clRetainKernel) \
    X(clRetainProgram) \
    X(clSVMAlloc) \
    X(clSVMFree) \
    X(clSetEventCallback) \
    X(clSetKernelArg) \
    X(clSetKernelArgSVMPointer) \
    X(clSetKernelExecInfo) \
    X(clWaitForEvents)

/* The runtime's side of the same functions. */
cl_int __wrap_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *count);
cl_int __wrap_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                             cl_device_id *devices, cl_uint *count);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                              size_t *size_ret);
cl_context __wrap_clCreateContextFromType(const cl_context_properties *properties,
                                          cl_device_type type, fpgacc_context_notify notify,
                                          void *user_data, cl_int *errcode_ret);
void *__wrap_clGetExtensionFunctionAddress(const char *name);
void *__wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name);
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
void *__wrap_clSVMAlloc(cl_context context, cl_bitfield flags, size_t size, cl_uint alignment);
void __wrap_clSVMFree(cl_context context, void *memory);
cl_int __wrap_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void **memory,
                               fpgacc_svm_free free_memory, void *user_data, cl_uint num_events,
                               const cl_event *wait_list, cl_event *event);
cl_int __wrap_clSetKernelExecInfo(cl_kernel kernel, cl_uint name, size_t size, const void *value);
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
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                             cl_int *errcode_ret);
cl_mem __wrap_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                const void *info, cl_int *errcode_ret);
cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                  size_t offset, size_t size, void *to, cl_uint num_events,
                                  const cl_event *wait_list, cl_event *event);
cl_int __wrap_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                      const size_t *buffer_origin, const size_t *host_origin,
                                      const size_t *region, size_t buffer_row_pitch,
                                      size_t buffer_slice_pitch, size_t host_row_pitch,
                                      size_t host_slice_pitch, void *to, cl_uint num_events,
                                      const cl_event *wait_list, cl_event *event);
cl_int __wrap_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                 const size_t *origin, const size_t *region, size_t row_pitch,
                                 size_t slice_pitch, void *to, cl_uint num_events,
                                 const cl_event *wait_list, cl_event *event);
void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                cl_map_flags flags, size_t offset, size_t size,
                                cl_uint num_events, const cl_event *wait_list, cl_event *event,
                                cl_int *errcode_ret);
void *__wrap_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                               cl_map_flags flags, const size_t *origin, const size_t *region,
                               size_t *row_pitch, size_t *slice_pitch, cl_uint num_events,
                               const cl_event *wait_list, cl_event *event, cl_int *errcode_ret);
cl_int __wrap_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking,
                              cl_map_flags flags, void *memory, size_t size,
                              cl_uint num_events, const cl_event *wait_list,
                              cl_event *event);
cl_int __wrap_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to,
                                 const void *from, size_t size, cl_uint num_events,
                                 const cl_event *wait_list, cl_event *event);
cl_int __wrap_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped,
                                      cl_uint num_events, const cl_event *wait_list,
                                      cl_event *event);
cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                   size_t offset, size_t size, const void *from,
                                   cl_uint num_events, const cl_event *wait_list,
                                   cl_event *event);
cl_int __wrap_clFinish(cl_command_queue queue);
cl_int __wrap_clWaitForEvents(cl_uint count, const cl_event *events);
cl_int __wrap_clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value,
                             size_t *size_ret);
cl_int __wrap_clSetEventCallback(cl_event event, cl_int status, fpgacc_event_notify notify,
                                 void *user_data);
cl_int __wrap_clReleaseCommandQueue(cl_command_queue queue);
cl_int __wrap_clFlush(cl_command_queue queue);
cl_int __wrap_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                  size_t from_offset, size_t to_offset, size_t size,
                                  cl_uint num_events, const cl_event *wait_list, cl_event *event);
cl_int __wrap_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                  size_t pattern_size, size_t offset, size_t size,
                                  cl_uint num_events, const cl_event *wait_list, cl_event *event);

#endif
