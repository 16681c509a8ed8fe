// Arguments that helpers with parameter packs set: by fold expressions, in braces, by recursion, and through lambdas.
#include "common.h"

template <typename T> static void set_one(cl_kernel kernel, cl_uint index, const T &value)
{
    clSetKernelArg(kernel, index, sizeof(T), &value);
}

template <typename... T> static void set_folded(cl_kernel kernel, const T &...values)
{
    cl_uint index = 0;
    (clSetKernelArg(kernel, index++, sizeof(values), &values), ...);
}

template <typename... T> static void set_in_braces(cl_kernel kernel, T... values)
{
    cl_uint index = 0;
    int order[] = {(set_one(kernel, index++, values), 0)...};
    (void)order;
}

static void set_rest(cl_kernel, cl_uint)
{
}

template <typename First, typename... Rest>
static void set_rest(cl_kernel kernel, cl_uint index, First first, Rest... rest)
{
    clSetKernelArg(kernel, index, sizeof(First), &first);
    set_rest(kernel, index + 1, rest...);
}

template <typename... T> static void set_by_lambda(cl_kernel kernel, T &&...values)
{
    cl_uint index = 0;
    auto one = [&](auto value) { clSetKernelArg(kernel, index++, sizeof value, &value); };
    (one(values), ...);
}

struct Kernel {
    cl_kernel handle;

    template <typename... T> void run(cl_command_queue queue, size_t global, T... values)
    {
        set_rest(handle, 0, values...);
        size_t local = sizeof...(values) * 16;
        // launch: kernel=scale; dim=1; global=4096; local=48; 0=main::data; 1=256; 2=2.5f
        clEnqueueNDRangeKernel(queue, handle, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    }
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", nullptr);
    cl_mem data = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, nullptr, nullptr);
    size_t global = 1024, local = 64;
    int n = 1000;
    unsigned char few = 7;
    set_folded(kernel, data, n, few);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=main::data; 1=1000; 2=7
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    set_in_braces(kernel, data, n + 1, few);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=main::data; 1=1001; 2=7
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    set_rest(kernel, 0, data, n + 2, few);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=main::data; 1=1002; 2=7
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    set_by_lambda(kernel, data, n + 3, few);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=main::data; 1=1003; 2=7
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    Kernel own = {kernel};
    own.run(queue, 4096, data, 256, 2.5f);
    // Said, not deduced.
    set_one<float>(kernel, 1, 3);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=main::data; 1=? 3
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    return 0;
}
