// Numbers where ranges are wanted: computed on both sides of a condition, by a lambda, and by a function
// that is not given. What is not known stays in its place.
#include <CL/opencl.hpp>
#include <cstdlib>

size_t measured(int n);
cl::EnqueueArgs chosen(int n);

int main(int argc, char **argv) {
    cl::Context context(CL_DEVICE_TYPE_DEFAULT);
    cl::Program program(context, "kernel void k(global int *a) { a[0] = 1; }", true);
    cl::CommandQueue queue(context);
    cl::KernelFunctor<cl::Buffer> k(program, "k");
    cl::Buffer a(context, CL_MEM_READ_WRITE, 64);
    size_t n = atoi(argv[1]);
    size_t group = argc > 2 ? 32 : 64;

    // launch: kernel=k; dim=1; global=1024; local=32 or 64
    k(cl::EnqueueArgs(queue, 1024, group), a);

    // launch: kernel=k; dim=1; global=128 or 256; local=64
    k(cl::EnqueueArgs(queue, argc > 3 ? 128 : 256, 64), a);

    auto groups = [=](size_t count) { return count / 64 + (count % 64 == 0 ? 0 : 1); };
    auto whole = [=](size_t count) { return groups(count) * 64; };
    // launch: kernel=k; dim=1; global=(n / 64) * 64 or ((n / 64) + 1) * 64; local=64
    k(cl::EnqueueArgs(queue, whole(n), 64), a);

    // launch: kernel=k; dim=1; global=measured(n); local=64
    k(cl::EnqueueArgs(queue, cl::NDRange(measured(n)), cl::NDRange(64)), a);

    // launch: kernel=k; dim=? dimensions; global=? EnqueueArgs, ? EnqueueArgs, ? EnqueueArgs; local=? EnqueueArgs
    k(cl::EnqueueArgs(queue, (size_t)argv[1], 64), a);
}
