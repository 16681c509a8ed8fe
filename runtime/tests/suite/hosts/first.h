/* The host's own choices come after the runtime's header, and must still be the first. */
#if defined(CL_TARGET_OPENCL_VERSION) || defined(_FEATURES_H) || defined(__OPENCL_CL_H)
#error "a header was read before the host's own text"
#endif
#ifndef _GNU_SOURCE /* a C++ compiler sets it */
#define _GNU_SOURCE
#endif
#define CL_TARGET_OPENCL_VERSION 110
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#include <CL/cl.h>
#include <string.h>
#ifdef CL_VERSION_1_2
#error "the host asked for OpenCL 1.1"
#endif
