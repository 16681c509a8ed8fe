// Prefix sums of an array: blocks, their totals, and the totals added to the blocks.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

constexpr int N = 10000;
constexpr int BLOCK = 128;
constexpr int BLOCKS = (N + BLOCK - 1) / BLOCK;

static std::string read_text(const char *name)
{
    std::ifstream file(name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

static int run()
{
    std::vector<int> values(N), sums(N);
    unsigned seed = 7;
    for (int &value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<int>(seed >> 24) - 100;
    }

    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::Device device = context.getInfo<CL_CONTEXT_DEVICES>()[0];
    cl::CommandQueue queue(context, device);
    cl::Program program(context, read_text("scan.cl"));
    program.build();
    cl::Kernel scan(program, "scan_blocks"), add(program, "add_totals");

    cl::Buffer in(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, N * sizeof(int), values.data());
    cl::Buffer out(context, CL_MEM_READ_WRITE, N * sizeof(int));
    cl::Buffer totals(context, CL_MEM_READ_WRITE, BLOCKS * sizeof(int));
    cl::Buffer scanned(context, CL_MEM_READ_WRITE, BLOCKS * sizeof(int));
    cl::Buffer total(context, CL_MEM_READ_WRITE, sizeof(int));

    scan.setArg(0, in);
    scan.setArg(1, out);
    scan.setArg(2, totals);
    scan.setArg(3, cl::Local(BLOCK * sizeof(int)));
    scan.setArg(4, N);
    queue.enqueueNDRangeKernel(scan, cl::NullRange, cl::NDRange(BLOCKS * BLOCK),
                               cl::NDRange(BLOCK));
    // There are fewer blocks than work-items in a group: one group scans all totals.
    scan.setArg(0, totals);
    scan.setArg(1, scanned);
    scan.setArg(2, total);
    scan.setArg(4, BLOCKS);
    queue.enqueueNDRangeKernel(scan, cl::NullRange, cl::NDRange(BLOCK), cl::NDRange(BLOCK));
    add.setArg(0, out);
    add.setArg(1, scanned);
    add.setArg(2, N);
    queue.enqueueNDRangeKernel(add, cl::NullRange, cl::NDRange(BLOCKS * BLOCK),
                               cl::NDRange(BLOCK));
    queue.enqueueReadBuffer(out, CL_TRUE, 0, N * sizeof(int), sums.data());

    int wrong = 0, expected = 0;
    for (int i = 0; i < N; i++) {
        expected += values[i];
        wrong += sums[i] != expected;
    }
    std::printf("%d prefix sums, the last is %d: %d wrong\n", N, sums[N - 1], wrong);
    return wrong != 0;
}

int main()
{
    try {
        return run();
    } catch (const cl::Error &error) {
        std::fprintf(stderr, "%s: OpenCL error %d\n", error.what(), error.err());
        return 1;
    }
}
