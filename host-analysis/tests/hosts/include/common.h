/* What the hosts share: headers, and functions of a library that is not given. */
#ifndef COMMON_H
#define COMMON_H

#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
cl_context make_context(void);
cl_device_id first_device(void);
cl_program make_program(cl_context context);
cl_command_queue make_queue(cl_context context);
#ifdef __cplusplus
}
#endif

#endif
