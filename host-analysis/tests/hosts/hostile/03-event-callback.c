// A callback changes a size when an event happens.
#include "common.h"

static void CL_CALLBACK done(cl_event event, cl_int status, void *data)
{
    *(size_t *)data = 32;
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local;
    cl_event event;
    clEnqueueMarker(queue, &event);
    clSetEventCallback(event, CL_COMPLETE, done, &local);
    local = 64;
    clFinish(queue);
    // launch: kernel=scale; dim=1; global=1024; local=? clSetEventCallback
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
