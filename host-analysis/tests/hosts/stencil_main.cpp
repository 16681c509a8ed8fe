// A C++ host in two files: this one reads the grid and steps, stencil_gpu.cpp talks to OpenCL.
#include <cstdlib>
#include <iostream>
#include <vector>

void gpu_open(const char *file);
void gpu_step(int width, int height, int steps);

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::cerr << "usage: stencil width height" << std::endl;
        return 1;
    }
    gpu_open("stencil.cl");
    gpu_step(atoi(argv[1]), atoi(argv[2]), 10);
    return 0;
}
