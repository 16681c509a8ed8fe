// Texts in `std::string_view` and in literals with suffixes of the standard library.
// flags: -std=c++17
#include <string>
#include <string_view>
#include "common.h"
using namespace std::literals;

static constexpr std::string_view helper{R"CLC(int twice(int x) { return 2 * x; }
)CLC"sv};
static constexpr std::string_view kernels =
    "__kernel void fill(__global int *p) { p[get_global_id(0)] = twice(4); }";

int main()
{
    cl_context context = make_context();
    const char *texts[] = {helper.data(), kernels.data()};
    size_t lengths[] = {helper.length(), kernels.size()};
    auto options = "-DN=8"s;
    // program: options=-DN=8 -w; kernels=fill;
    //   sources="int twice(int x) { return 2 * x; }\n__kernel void fill(__global int *p) { p[get_global_id(0)] = twice(4); }"
    cl_program program = clCreateProgramWithSource(context, 2, texts, lengths, nullptr);
    clBuildProgram(program, 0, nullptr, (options + " -w").c_str(), nullptr, nullptr);
    cl_kernel kernel = clCreateKernel(program, "fill", nullptr);
    size_t global = 64;
    // launch: kernel=fill; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr);
    return 0;
}
