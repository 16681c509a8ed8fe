// Heat that spreads over a plate: a stencil, many steps in time, two buffers that take turns. All
// numbers are multiples of a power of two that floats hold exactly for some steps, so that the host
// can compare every bit.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

constexpr int WIDTH = 120, HEIGHT = 80, STEPS = 6;
constexpr float RATE = 0.125f;

static std::string read_text(const char *name)
{
    std::ifstream file(name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

static std::vector<float> expected(std::vector<float> now)
{
    std::vector<float> next = now;
    for (int step = 0; step < STEPS; step++) {
        for (int y = 1; y < HEIGHT - 1; y++) {
            for (int x = 1; x < WIDTH - 1; x++) {
                const int at = y * WIDTH + x;
                const float around = now[at - 1] + now[at + 1] + now[at - WIDTH] + now[at + WIDTH];
                next[at] = now[at] + RATE * (around - 4.0f * now[at]);
            }
        }
        std::swap(now, next);
    }
    return now;
}

static int run()
{
    std::vector<float> plate(WIDTH * HEIGHT, 0.0f);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            plate[y * WIDTH + x] = (x / 8 + y / 8) % 2 == 0 ? 4.0f : 0.0f;
    const std::vector<float> right = expected(plate);

    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::Device device = context.getInfo<CL_CONTEXT_DEVICES>()[0];
    cl::CommandQueue queue(context, device);
    cl::Program program(context, read_text("heat.cl"));
    program.build();
    cl::Kernel heat(program, "heat"), rows(program, "rows");
    const size_t bytes = plate.size() * sizeof(float);
    cl::Buffer now(context, CL_MEM_READ_WRITE, bytes), next(context, CL_MEM_READ_WRITE, bytes);
    cl::Buffer sums(context, CL_MEM_WRITE_ONLY, HEIGHT * sizeof(float));
    queue.enqueueWriteBuffer(now, CL_TRUE, 0, bytes, plate.data());

    const cl::NDRange local(8, 8), global((WIDTH + 7) / 8 * 8, (HEIGHT + 7) / 8 * 8);
    for (int step = 0; step < STEPS; step++) {
        heat.setArg(0, now);
        heat.setArg(1, next);
        heat.setArg(2, WIDTH);
        heat.setArg(3, HEIGHT);
        heat.setArg(4, RATE);
        queue.enqueueNDRangeKernel(heat, cl::NullRange, global, local);
        std::swap(now, next);
    }
    rows.setArg(0, now);
    rows.setArg(1, sums);
    rows.setArg(2, WIDTH);
    rows.setArg(3, HEIGHT);
    queue.enqueueNDRangeKernel(rows, cl::NullRange, cl::NDRange(HEIGHT), cl::NDRange(16));
    std::vector<float> row_sums(HEIGHT);
    queue.enqueueReadBuffer(now, CL_TRUE, 0, bytes, plate.data());
    queue.enqueueReadBuffer(sums, CL_TRUE, 0, HEIGHT * sizeof(float), row_sums.data());

    int wrong = 0;
    float total = 0.0f;
    for (int y = 0; y < HEIGHT; y++) {
        float sum = 0.0f;
        for (int x = 0; x < WIDTH; x++) {
            sum += right[y * WIDTH + x];
            wrong += plate[y * WIDTH + x] != right[y * WIDTH + x];
        }
        wrong += row_sums[y] != sum;
        total += row_sums[y];
    }
    std::printf("plate of %d x %d after %d steps: heat %g, %d numbers wrong\n", WIDTH, HEIGHT,
                STEPS, total, wrong);
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
