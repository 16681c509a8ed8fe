/* Names behind the functions of peers.c.
 *
 * In a process each executable and each shared library that fpgacc linked has a runtime of its own. A
 * handle that one of them made may be passed to another: what the host calls is a function of
 * peers.c, which hands the call to the runtime that knows the handle. The functions that do the
 * work are called fpgacc_own_clX; this header gives them that name. */
#ifndef FPGACC_PEERS_H
#define FPGACC_PEERS_H

/* A layer of the ICD loader is the only one that a process has. */
#if !defined(FPGACC_LAYER) && !defined(FPGACC_PEERS_C)
#define __wrap_clBuildProgram fpgacc_own_clBuildProgram
#define __wrap_clCloneKernel fpgacc_own_clCloneKernel
#define __wrap_clCompileProgram fpgacc_own_clCompileProgram
#define __wrap_clCreateKernel fpgacc_own_clCreateKernel
#define __wrap_clCreateKernelsInProgram fpgacc_own_clCreateKernelsInProgram
#define __wrap_clCreateProgramWithBinary fpgacc_own_clCreateProgramWithBinary
#define __wrap_clCreateProgramWithSource fpgacc_own_clCreateProgramWithSource
#define __wrap_clEnqueueNDRangeKernel fpgacc_own_clEnqueueNDRangeKernel
#define __wrap_clEnqueueTask fpgacc_own_clEnqueueTask
#define __wrap_clGetKernelArgInfo fpgacc_own_clGetKernelArgInfo
#define __wrap_clGetKernelInfo fpgacc_own_clGetKernelInfo
#define __wrap_clGetKernelWorkGroupInfo fpgacc_own_clGetKernelWorkGroupInfo
#define __wrap_clGetProgramBuildInfo fpgacc_own_clGetProgramBuildInfo
#define __wrap_clGetProgramInfo fpgacc_own_clGetProgramInfo
#define __wrap_clLinkProgram fpgacc_own_clLinkProgram
#define __wrap_clReleaseKernel fpgacc_own_clReleaseKernel
#define __wrap_clReleaseProgram fpgacc_own_clReleaseProgram
#define __wrap_clRetainKernel fpgacc_own_clRetainKernel
#define __wrap_clRetainProgram fpgacc_own_clRetainProgram
#define __wrap_clSetKernelArg fpgacc_own_clSetKernelArg
#define __wrap_clSetKernelArgSVMPointer fpgacc_own_clSetKernelArgSVMPointer
#define __wrap_clSetKernelExecInfo fpgacc_own_clSetKernelExecInfo
/* The same, of calls that come with their line. */
#define fpgacc_clBuildProgram fpgacc_own_placed_clBuildProgram
#define fpgacc_clCreateProgramWithSource fpgacc_own_placed_clCreateProgramWithSource
#define fpgacc_clEnqueueNDRangeKernel fpgacc_own_placed_clEnqueueNDRangeKernel
#define fpgacc_clEnqueueTask fpgacc_own_placed_clEnqueueTask
#endif

#endif
