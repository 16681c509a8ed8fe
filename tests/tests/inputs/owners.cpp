// Handles in owning pointers of classes in a namespace; options and sizes in containers.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

static auto text = R"(
kernel void fill(global int *x) { x[get_global_id(0)] = N * get_group_id(0); }
)";

namespace owners {
class Device {
    cl_device_id id;

  public:
    explicit Device(size_t number) {
        cl_platform_id platform;
        clGetPlatformIDs(1, &platform, nullptr);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr);
        (void)number;
    }
    const cl_device_id &operator()() const { return id; }
};

class Context {
    std::shared_ptr<cl_context> own;

  public:
    explicit Context(const Device &device)
        : own(new cl_context, [](cl_context *context) {
              if (*context) clReleaseContext(*context);
              delete context;
          }) {
        const cl_device_id id = device();
        *own = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
    }
    const cl_context &operator()() const { return *own; }
};

class Program {
    std::shared_ptr<cl_program> own;

  public:
    Program() = default;
    explicit Program(const Context &context, const std::string &source)
        : own(new cl_program, [](cl_program *program) {
              if (*program) clReleaseProgram(*program);
              delete program;
          }) {
        const char *start = &source[0];
        const auto length = source.length();
        *own = clCreateProgramWithSource(context(), 1, &start, &length, nullptr);
    }
    void build(const Device &device, std::vector<std::string> &options) {
        options.push_back("-DN=5");
        auto all = std::accumulate(options.begin(), options.end(), std::string{" "});
        const cl_device_id id = device();
        clBuildProgram(*own, 1, &id, all.c_str(), nullptr, nullptr);
    }
    const cl_program &operator()() const { return *own; }
};

class Kernel {
    std::shared_ptr<cl_kernel> own;

  public:
    explicit Kernel(const Program &program, const std::string &name)
        : own(new cl_kernel, [](cl_kernel *kernel) {
              if (*kernel) clReleaseKernel(*kernel);
              delete kernel;
          }) {
        *own = clCreateKernel(program(), name.c_str(), nullptr);
    }
    void launch(cl_command_queue queue, cl_mem memory, const std::vector<size_t> &global,
                const std::vector<size_t> &local) {
        clSetKernelArg(*own, 0, sizeof memory, &memory);
        clEnqueueNDRangeKernel(queue, *own, static_cast<cl_uint>(global.size()), nullptr,
                               global.data(), local.data(), 0, nullptr, nullptr);
    }
};
}  // namespace owners

int main() {
    auto device = owners::Device(0);
    auto context = owners::Context(device);
    auto program = owners::Program(context, text);
    auto options = std::vector<std::string>{};
    program.build(device, options);
    auto kernel = owners::Kernel(program, "fill");
    constexpr auto elements = size_t{64};
    auto queue = std::make_shared<cl_command_queue>(
        clCreateCommandQueue(context(), device(), 0, nullptr));
    auto result = std::vector<int>(elements, -1);
    cl_mem memory = clCreateBuffer(context(), CL_MEM_READ_WRITE, elements * sizeof(int), nullptr, nullptr);
    kernel.launch(*queue, memory, {elements}, {16});
    clEnqueueReadBuffer(*queue, memory, CL_TRUE, 0, elements * sizeof(int), result.data(), 0, nullptr, nullptr);
    std::printf("%d %d %d\n", result[0], result[16], result[63]);
    clReleaseMemObject(memory);
    clReleaseCommandQueue(*queue);
}
