// Members of class templates that stand outside of their class; for some arguments there are others, and which
// are meant is not followed: both may be.
#include "common.h"
#include <memory>

template <class T> class Stream {
    size_t n, group;

public:
    cl_kernel kernel;
    Stream(cl_context context, size_t n);
    size_t local() const;
    size_t global() const;
    void run(cl_command_queue queue);
};

template <class T> Stream<T>::Stream(cl_context context, size_t n) : n(n), group(16)
{
    kernel = clCreateKernel(make_program(context), "stream", NULL);
}

template <class T> size_t Stream<T>::local() const
{
    return group;
}

template <class T> size_t Stream<T>::global() const
{
    return n;
}

template <class T> void Stream<T>::run(cl_command_queue queue)
{
    size_t size = 4 * local(), group = local();
    // launch: kernel=stream; dim=1; global=64; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &group, 0, NULL, NULL);
}

template <> size_t Stream<char>::global() const
{
    return 32;
}

template <class T> class Last;
template <> class Last<int> {
public:
    size_t n;
    Last() : n(8) {}
};

template <class T, int N> struct Pair {
    size_t n;
    Pair();
};
template <class T, int N> Pair<T, N>::Pair() : n(128) {}
template <> Pair<int, 2>::Pair() : n(256) {}

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    auto stream = std::make_unique<Stream<float>>(context, 64);
    stream->run(queue);
    Stream<char> few(context, 1024);
    size_t size = few.global();
    // launch: kernel=stream; dim=1; global=32 or 1024; local=NULL
    clEnqueueNDRangeKernel(queue, few.kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    Last<int> last;
    // launch: kernel=stream; dim=1; global=8; local=NULL
    clEnqueueNDRangeKernel(queue, few.kernel, 1, NULL, &last.n, NULL, 0, NULL, NULL);
    Pair<int, 2> pair;
    // launch: kernel=stream; dim=1; global=128 or 256; local=NULL
    clEnqueueNDRangeKernel(queue, few.kernel, 1, NULL, &pair.n, NULL, 0, NULL, NULL);
    return 0;
}
