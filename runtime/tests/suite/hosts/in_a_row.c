/* in_a_row SCRIPTS..: launches `next` again and again, with its buffers exchanged, and does what the letters of
 * each script say in between. Prints what the buffers hold. */
#include "ocl.h"

#ifndef FPGACC_LOOP /* the original */
#define FPGACC_LOOP(from, to, slack, by, launches)
#endif

enum { COUNT = 6 };

static cl_mem from, to, other;
static cl_program program;
static cl_kernel kernel, twin;
static cl_event events[64];
static int event_count;
static int n;
static size_t global;

static void set(cl_uint index, size_t size, const void *value)
{
    check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static void exchange(void)
{
    cl_mem one = from;
    from = to;
    to = one;
}

static void launch_one(cl_kernel one, cl_event *event)
{
    check(clSetKernelArg(one, 0, sizeof from, &from), "clSetKernelArg");
    check(clSetKernelArg(one, 1, sizeof to, &to), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, one, 1, NULL, &global, NULL, 0, NULL, event),
          "clEnqueueNDRangeKernel");
}

static void launch(cl_event *event)
{
    launch_one(kernel, event);
}

static void map(cl_mem memory)
{
    cl_int error;
    int *values = clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                     COUNT * sizeof(int), 0, NULL, NULL, &error);
    check(error, "clEnqueueMapBuffer");
    printf("mapped %d\n", values[1]);
    values[2]++;
    check(clEnqueueUnmapMemObject(queue, memory, values, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

/* Through another queue, which waits for nothing. */
static void read_elsewhere(void)
{
    int values[COUNT];
    cl_int error;
    cl_command_queue another = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    check(clEnqueueReadBuffer(another, from, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    printf("elsewhere %d\n", values[1]);
    check(clReleaseCommandQueue(another), "clReleaseCommandQueue");
}

static void act(char letter)
{
    static const int numbers[COUNT] = {5, 4, 3, 2, 1, 0};
    int seven = 7;
    size_t bytes = COUNT * sizeof(int);
    switch (letter) {
    case 'L':
        launch(NULL);
        exchange();
        break;
    case 'l':
        launch(NULL);
        break;
    case 'T':
        launch_one(twin, NULL);
        exchange();
        break;
    case 't':
        check(clSetKernelArg(twin, 2, sizeof n, &n), "clSetKernelArg");
        break;
    case 'k':
        /* Another object in the place of one that a launch may wait for. */
        check(clReleaseKernel(twin), "clReleaseKernel");
        twin = clCreateKernel(program, "next", NULL);
        act('t');
        break;
    case 'e':
        launch(&events[event_count++]);
        exchange();
        break;
    case 'n':
        n++;
        /* falls through */
    case 'N':
        set(2, sizeof n, &n);
        break;
    case 'p':
        print_ints(from, COUNT);
        break;
    case 'q':
        read_elsewhere();
        break;
    case 'c':
        check(clEnqueueCopyBuffer(queue, from, other, 0, 0, bytes, 0, NULL, NULL),
              "clEnqueueCopyBuffer");
        print_ints(other, COUNT);
        break;
    case 'f':
        check(clEnqueueFillBuffer(queue, to, &seven, sizeof seven, 0, bytes, 0, NULL, NULL),
              "clEnqueueFillBuffer");
        break;
    case 'w':
        check(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, bytes, numbers, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
        break;
    case 'm':
        map(from);
        break;
    case 'F':
        check(clFinish(queue), "clFinish");
        break;
    case 'u':
        check(clFlush(queue), "clFlush");
        break;
    case 'g':
        global = global == COUNT ? COUNT - 2 : COUNT;
        break;
    case 'r':
        /* A new buffer in the place of one that a launch may wait for. */
        check(clReleaseMemObject(to), "clReleaseMemObject");
        to = buffer(bytes);
        break;
    case 'x':
        exchange();
        break;
    case 'b':
        check(clReleaseMemObject(other), "clReleaseMemObject");
        other = buffer(bytes);
        break;
    default:
        /* past */
        break;
    }
}

/* Acts as the letters up to `]` say, `more` rounds more or fewer than are announced. */
static const char *repeat(const char *letters, int rounds, int more)
{
    const char *end = strchr(letters, ']');
    int launches = 0;
    for (const char *at = letters; at < end; at++)
        launches += strchr("LlTe", *at) != NULL;
    FPGACC_LOOP(0, rounds, 0, 1, launches)
    for (int i = 0; i < rounds + more; i++)
        for (const char *at = letters; at < end; at++)
            act(*at);
    return end + 1;
}

/* What `[5LF]` and the like say, with `+` or `-` behind the number where there is a round more or fewer. */
static const char *loop(const char *script)
{
    int more = script[1] == '+' ? 1 : script[1] == '-' ? -1 : 0;
    return repeat(script + (more ? 2 : 1), *script - '0', more);
}

static void run(const char *script)
{
    cl_int error;
    from = buffer(COUNT * sizeof(int));
    to = buffer(COUNT * sizeof(int));
    other = buffer(COUNT * sizeof(int));
    kernel = clCreateKernel(program, "next", &error);
    check(error, "clCreateKernel");
    twin = clCreateKernel(program, "next", &error);
    check(error, "clCreateKernel");
    global = COUNT;
    n = 1;
    act('w');
    act('n');
    act('t');
    while (*script) {
        char letter = *script++;
        if (letter == '[')
            script = loop(script);
        else
            act(letter);
    }
    print_ints(from, COUNT);
    print_ints(to, COUNT);
    if (event_count)
        check(clWaitForEvents(event_count, events), "clWaitForEvents");
    while (event_count)
        clReleaseEvent(events[--event_count]);
    act('L');
    /* What is put off keeps what it needs. */
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseKernel(twin), "clReleaseKernel");
    check(clReleaseMemObject(to), "clReleaseMemObject");
    print_ints(from, COUNT);
    check(clReleaseMemObject(from), "clReleaseMemObject");
    check(clReleaseMemObject(other), "clReleaseMemObject");
}

int main(int argc, char **argv)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_GPU, 0);
    const char *text = read_file("next.cl", NULL);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    check(clReleaseProgram(program), "clReleaseProgram");
    close_device();
    return 0;
}
