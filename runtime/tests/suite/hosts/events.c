/* events: wait lists, profiling, an out-of-order queue, tasks. */
#include "ocl.h"

static cl_command_type type_of(cl_event event)
{
    cl_command_type type = 0;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), "type");
    return type;
}

static cl_int state_of(cl_event event)
{
    cl_int state = 99;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
          "state");
    return state;
}

static int in_order(cl_event event)
{
    const cl_profiling_info names[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                        CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong times[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++)
        check(clGetEventProfilingInfo(event, names[i], sizeof times[i], &times[i], NULL),
              "clGetEventProfilingInfo");
    return times[0] > 0 && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3];
}

static void CL_CALLBACK completed(cl_event event, cl_int state, void *user_data)
{
    (void)event;
    *(volatile int *)user_data = state == CL_COMPLETE ? 1 : -1;
}

int main(void)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_GPU,
                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    const char *text = read_file("fill.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    cl_kernel fill = clCreateKernel(program, "fill", &error);
    cl_kernel twice = clCreateKernel(program, "twice", &error);
    check(error, "clCreateKernel");
    cl_mem out = buffer(12);
    check(clSetKernelArg(fill, 0, sizeof out, &out), "fill");
    check(clSetKernelArg(twice, 0, sizeof out, &out), "twice");
    size_t global = 3, one = 1;
    cl_event gate = clCreateUserEvent(context, &error), events[4];
    check(error, "clCreateUserEvent");

    /* Without a wait list, nothing orders the commands of this queue. */
    check(clEnqueueNDRangeKernel(queue, fill, 1, NULL, &global, &one, 1, &gate, &events[0]),
          "fill");
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 1, &events[0], &events[1]),
          "twice");
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 1, &events[1], &events[2]),
          "twice");
    check(clEnqueueTask(queue, twice, 1, &events[2], &events[3]), "task");
    volatile int done = 0;
    check(clSetEventCallback(events[2], CL_COMPLETE, completed, (void *)&done), "callback");
    printf("held %d\n", state_of(events[0]) > CL_COMPLETE && state_of(events[3]) > CL_COMPLETE);
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    check(clFlush(queue), "clFlush");
    check(clWaitForEvents(4, events), "clWaitForEvents");
    for (long i = 0; done == 0 && i < 2000000000; i++)
        continue;
    printf("done %d\n", done);
    print_ints(out, 3);
    for (int i = 0; i < 4; i++) {
        printf("%x %d %d\n", type_of(events[i]), state_of(events[i]), in_order(events[i]));
        check(clReleaseEvent(events[i]), "clReleaseEvent");
    }
    printf("errors %d %d %d %d\n",
           clEnqueueNDRangeKernel(queue, fill, 1, NULL, &global, NULL, 1, NULL, NULL),
           clEnqueueTask(queue, fill, 0, &gate, NULL),
           clEnqueueNDRangeKernel(NULL, fill, 1, NULL, &global, NULL, 0, NULL, NULL),
           clEnqueueTask(NULL, fill, 0, NULL, NULL));
    check(clFinish(queue), "clFinish");
    return 0;
}
