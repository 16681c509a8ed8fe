// Bodies that attract each other, for some steps in time; the host computes the same in double
// precision and compares.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

constexpr int BODIES = 512;
constexpr size_t GROUP = 64;
constexpr int STEPS = 5;
constexpr float STEP = 0.01f, SOFTENING = 0.05f;

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        std::fprintf(stderr, "%s: OpenCL error %d\n", what, static_cast<int>(error));
        std::exit(1);
    }
}

class Simulation {
  public:
    explicit Simulation(const std::vector<cl_float4> &bodies)
    {
        cl_int error;
        cl_platform_id platform;
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr),
              "clGetDeviceIDs");
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
        check(error, "clCreateContext");
        queue_ = clCreateCommandQueue(context_, device_, 0, &error);
        check(error, "clCreateCommandQueue");
        std::ifstream file("nbody.cl");
        std::stringstream stream;
        stream << file.rdbuf();
        const std::string text = stream.str();
        const char *texts = text.c_str();
        program_ = clCreateProgramWithSource(context_, 1, &texts, nullptr, &error);
        check(error, "clCreateProgramWithSource");
        check(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
        accelerate_ = clCreateKernel(program_, "accelerate", &error);
        check(error, "clCreateKernel");
        move_ = clCreateKernel(program_, "move", &error);
        check(error, "clCreateKernel");

        const size_t bytes = BODIES * sizeof(cl_float4);
        bodies_ = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &error);
        check(error, "clCreateBuffer");
        velocities_ = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &error);
        check(error, "clCreateBuffer");
        const std::vector<cl_float4> still(BODIES, cl_float4{{0, 0, 0, 0}});
        check(clEnqueueWriteBuffer(queue_, bodies_, CL_TRUE, 0, bytes, bodies.data(), 0, nullptr,
                                   nullptr),
              "clEnqueueWriteBuffer");
        check(clEnqueueWriteBuffer(queue_, velocities_, CL_TRUE, 0, bytes, still.data(), 0,
                                   nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }

    ~Simulation()
    {
        clReleaseMemObject(velocities_);
        clReleaseMemObject(bodies_);
        clReleaseKernel(move_);
        clReleaseKernel(accelerate_);
        clReleaseProgram(program_);
        clReleaseCommandQueue(queue_);
        clReleaseContext(context_);
    }

    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;

    void advance()
    {
        const int n = BODIES;
        const float step = STEP, softening = SOFTENING;
        const size_t global = BODIES, local = GROUP;
        check(clSetKernelArg(accelerate_, 0, sizeof(cl_mem), &bodies_), "clSetKernelArg");
        check(clSetKernelArg(accelerate_, 1, sizeof(cl_mem), &velocities_), "clSetKernelArg");
        check(clSetKernelArg(accelerate_, 2, sizeof(int), &n), "clSetKernelArg");
        check(clSetKernelArg(accelerate_, 3, sizeof(float), &step), "clSetKernelArg");
        check(clSetKernelArg(accelerate_, 4, sizeof(float), &softening), "clSetKernelArg");
        check(clSetKernelArg(accelerate_, 5, GROUP * sizeof(cl_float4), nullptr),
              "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue_, accelerate_, 1, nullptr, &global, &local, 0, nullptr,
                                     nullptr),
              "clEnqueueNDRangeKernel");
        check(clSetKernelArg(move_, 0, sizeof(cl_mem), &bodies_), "clSetKernelArg");
        check(clSetKernelArg(move_, 1, sizeof(cl_mem), &velocities_), "clSetKernelArg");
        check(clSetKernelArg(move_, 2, sizeof(int), &n), "clSetKernelArg");
        check(clSetKernelArg(move_, 3, sizeof(float), &step), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue_, move_, 1, nullptr, &global, &local, 0, nullptr,
                                     nullptr),
              "clEnqueueNDRangeKernel");
    }

    std::vector<cl_float4> bodies()
    {
        std::vector<cl_float4> read(BODIES);
        check(clEnqueueReadBuffer(queue_, bodies_, CL_TRUE, 0, BODIES * sizeof(cl_float4),
                                  read.data(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
        return read;
    }

  private:
    cl_device_id device_;
    cl_context context_;
    cl_command_queue queue_;
    cl_program program_;
    cl_kernel accelerate_, move_;
    cl_mem bodies_, velocities_;
};

// The same steps on the host: positions, three numbers a body.
static std::vector<double> expected(const std::vector<cl_float4> &bodies)
{
    std::vector<double> at(3 * BODIES), velocity(3 * BODIES, 0.0);
    for (int i = 0; i < BODIES; i++)
        for (int d = 0; d < 3; d++)
            at[3 * i + d] = bodies[i].s[d];
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BODIES; i++) {
            double sum[3] = {0, 0, 0};
            for (int k = 0; k < BODIES; k++) {
                double square = SOFTENING;
                for (int d = 0; d < 3; d++)
                    square += (at[3 * k + d] - at[3 * i + d]) * (at[3 * k + d] - at[3 * i + d]);
                for (int d = 0; d < 3; d++)
                    sum[d] += (at[3 * k + d] - at[3 * i + d]) * bodies[k].s[3] /
                              (square * std::sqrt(square));
            }
            for (int d = 0; d < 3; d++)
                velocity[3 * i + d] += STEP * sum[d];
        }
        for (int i = 0; i < 3 * BODIES; i++)
            at[i] += STEP * velocity[i];
    }
    return at;
}

int main()
{
    std::vector<cl_float4> bodies(BODIES);
    unsigned seed = 3;
    for (cl_float4 &body : bodies) {
        for (int d = 0; d < 4; d++) {
            seed = seed * 1664525u + 1013904223u;
            body.s[d] = static_cast<float>(seed >> 8) / 16777216.0f;
        }
        body.s[3] /= BODIES;
    }
    Simulation simulation(bodies);
    for (int step = 0; step < STEPS; step++)
        simulation.advance();
    const std::vector<cl_float4> moved = simulation.bodies();
    const std::vector<double> right = expected(bodies);
    double worst = 0.0;
    for (int i = 0; i < BODIES; i++)
        for (int d = 0; d < 3; d++)
            worst = std::max(worst, std::fabs(moved[i].s[d] - right[3 * i + d]));
    const bool is_right = worst < 1e-5;
    std::printf("%d bodies, %d steps: %s\n", BODIES, STEPS, is_right ? "right" : "wrong");
    return is_right ? 0 : 1;
}
