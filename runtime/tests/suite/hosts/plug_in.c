/* plug_in: a shared library that was linked without the runtime. It hands a function to the host as it is loaded. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

typedef int (*reader)(cl_command_queue queue, cl_mem memory);

void plug_in(reader read);

static int second(cl_command_queue queue, cl_mem memory)
{
    int values[2] = {0, 0};
    __typeof__(&clEnqueueReadBuffer) read;
#ifdef LOOK_UP
    read = (__typeof__(read))dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), "clEnqueueReadBuffer");
#else
    read = clEnqueueReadBuffer;
#endif
    read(queue, memory, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
    return values[1];
}

__attribute__((constructor)) static void load(void)
{
    plug_in(second);
}
