// Sizes are constexpr values and enumerators of a namespace.
#include "common.h"

namespace config {
constexpr size_t tile = 16;
constexpr size_t tiles_x = 8, tiles_y = 4;
enum : unsigned { depth = 1u << 3 };
} // namespace config

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    const size_t global[3] = {config::tile * config::tiles_x, config::tile * config::tiles_y, config::depth};
    const size_t local[3] = {config::tile, config::tile, 1};
    // launch: kernel=scale; dim=3; global=128, 64, 8; local=16, 16, 1
    clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr, nullptr);
    return 0;
}
