// Transient temperature of a three-dimensional chip stack. The grid is stepped in slabs of layers,
// one launch with a global offset a slab, with two buffers that change places after each step.
//
//   hotspot3d [--nx N] [--ny N] [--layers N] [--steps N] [--seed S] [--dump FILE] [--kernels FILE]
//
// Input: a power map of random blocks on every layer and a warm start, from the generator of
// workload.h.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "workload.h"

#define TILE_X 16
#define TILE_Y 4
#define SLAB_LAYERS 3

struct Grid {
    int nx, ny, nz;
    size_t cells() const { return (size_t)nx * ny * nz; }
};

struct Weights {
    float x, y, z, power, ambient;
};

static const float AMBIENT = 45.0f;

// Owns the OpenCL objects of one device.
class Chip {
public:
    Chip(const Grid &grid, const std::string &kernelFile);
    ~Chip();
    void run(const std::vector<float> &power, std::vector<float> &temperature, const Weights &weights,
             int steps);

private:
    void step(cl_mem before, cl_mem after);
    void check(cl_int status, const char *what) const;

    Grid grid_;
    cl_context context_;
    cl_device_id device_;
    cl_command_queue queue_;
    cl_program program_;
    cl_kernel kernel_;
};

void Chip::check(cl_int status, const char *what) const
{
    if (status == CL_SUCCESS)
        return;
    std::cerr << "hotspot3d: " << what << ": OpenCL error " << status << std::endl;
    std::exit(2);
}

static std::string readText(const std::string &path)
{
    std::ifstream file(path.c_str(), std::ios::binary);
    if (!file) {
        std::cerr << "hotspot3d: cannot open " << path << std::endl;
        std::exit(2);
    }
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

Chip::Chip(const Grid &grid, const std::string &kernelFile) : grid_(grid)
{
    cl_int status;
    cl_uint platforms = 0;
    check(clGetPlatformIDs(0, NULL, &platforms), "platforms");
    std::vector<cl_platform_id> ids(platforms);
    check(clGetPlatformIDs(platforms, ids.data(), NULL), "platforms");
    check(clGetDeviceIDs(ids[0], CL_DEVICE_TYPE_ALL, 1, &device_, NULL), "devices");

    char name[256];
    clGetDeviceInfo(device_, CL_DEVICE_NAME, sizeof(name), name, NULL);
    std::cout << "device: " << name << std::endl;

    context_ = clCreateContext(NULL, 1, &device_, NULL, NULL, &status);
    check(status, "context");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "queue");

    const std::string text = readText(kernelFile);
    const char *pointer = text.c_str();
    const size_t length = text.size();
    program_ = clCreateProgramWithSource(context_, 1, &pointer, &length, &status);
    check(status, "program");

    char options[128];
    sprintf(options, "-DTILE_X=%d -DTILE_Y=%d", TILE_X, TILE_Y);
    status = clBuildProgram(program_, 1, &device_, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        std::vector<char> log(16384);
        clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size(), &log[0], NULL);
        std::cerr << &log[0] << std::endl;
        check(status, "build");
    }
    kernel_ = clCreateKernel(program_, "heat_step", &status);
    check(status, "kernel");
}

Chip::~Chip()
{
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
}

void Chip::step(cl_mem before, cl_mem after)
{
    check(clSetKernelArg(kernel_, 1, sizeof(cl_mem), &before), "argument");
    check(clSetKernelArg(kernel_, 2, sizeof(cl_mem), &after), "argument");

    for (int z = 0; z < grid_.nz; z += SLAB_LAYERS) {
        size_t layers = std::min(SLAB_LAYERS, grid_.nz - z);
        size_t offset[3] = {0, 0, (size_t)z};
        size_t global[3] = {(size_t)(grid_.nx + TILE_X - 1) / TILE_X * TILE_X,
                            (size_t)(grid_.ny + TILE_Y - 1) / TILE_Y * TILE_Y, layers};
        size_t local[3] = {TILE_X, TILE_Y, 1};
        check(clEnqueueNDRangeKernel(queue_, kernel_, 3, offset, global, local, 0, NULL, NULL),
              "launch");
    }
}

void Chip::run(const std::vector<float> &power, std::vector<float> &temperature,
               const Weights &weights, int steps)
{
    cl_int status;
    const size_t bytes = grid_.cells() * sizeof(float);
    cl_mem powerBuffer = clCreateBuffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                                        const_cast<float *>(&power[0]), &status);
    check(status, "power buffer");
    cl_mem now = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, NULL, &status);
    check(status, "buffer");
    cl_mem next = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, NULL, &status);
    check(status, "buffer");
    check(clEnqueueWriteBuffer(queue_, now, CL_TRUE, 0, bytes, &temperature[0], 0, NULL, NULL),
          "write");

    cl_uint argument = 0;
    check(clSetKernelArg(kernel_, argument++, sizeof(cl_mem), &powerBuffer), "argument");
    argument += 2;
    check(clSetKernelArg(kernel_, argument++, sizeof(int), &grid_.nx), "argument");
    check(clSetKernelArg(kernel_, argument++, sizeof(int), &grid_.ny), "argument");
    check(clSetKernelArg(kernel_, argument++, sizeof(int), &grid_.nz), "argument");
    check(clSetKernelArg(kernel_, argument++, sizeof(float), &weights.x), "argument");
    check(clSetKernelArg(kernel_, argument++, sizeof(float), &weights.y), "argument");
    check(clSetKernelArg(kernel_, argument++, sizeof(float), &weights.z), "argument");
    check(clSetKernelArg(kernel_, argument++, sizeof(float), &weights.power), "argument");
    check(clSetKernelArg(kernel_, argument++, sizeof(float), &weights.ambient), "argument");
    check(clSetKernelArg(kernel_, argument++, sizeof(float), &AMBIENT), "argument");

    for (int i = 0; i < steps; i++) {
        step(now, next);
        std::swap(now, next);
    }
    check(clFinish(queue_), "finish");
    check(clEnqueueReadBuffer(queue_, now, CL_TRUE, 0, bytes, &temperature[0], 0, NULL, NULL),
          "read");
    clReleaseMemObject(powerBuffer);
    clReleaseMemObject(now);
    clReleaseMemObject(next);
}

// Blocks of 4 x 4 cells, each a core that is idle or busy.
static void generate(const Grid &grid, unsigned seed, std::vector<float> &power,
                     std::vector<float> &temperature)
{
    lcg_t lcg = lcg_seed(seed);
    const int blocksX = (grid.nx + 3) / 4, blocksY = (grid.ny + 3) / 4;
    std::vector<float> blocks((size_t)blocksX * blocksY * grid.nz);
    for (size_t i = 0; i < blocks.size(); i++)
        blocks[i] = lcg_between(&lcg, 0, 3) == 0 ? 2.0f * lcg_unit(&lcg) : 0.05f;
    for (int z = 0; z < grid.nz; z++)
        for (int y = 0; y < grid.ny; y++)
            for (int x = 0; x < grid.nx; x++) {
                size_t cell = ((size_t)z * grid.ny + y) * grid.nx + x;
                power[cell] = blocks[((size_t)z * blocksY + y / 4) * blocksX + x / 4];
                temperature[cell] = 60.0f + 5.0f * lcg_unit(&lcg);
            }
}

// The same steps in double precision.
static std::vector<double> reference(const Grid &grid, const std::vector<float> &power,
                                     const std::vector<float> &start, const Weights &w, int steps)
{
    std::vector<double> now(start.begin(), start.end()), next(now.size());
    const int plane = grid.nx * grid.ny;
    for (int i = 0; i < steps; i++) {
        for (int z = 0; z < grid.nz; z++)
            for (int y = 0; y < grid.ny; y++)
                for (int x = 0; x < grid.nx; x++) {
                    const int c = x + y * grid.nx + z * plane;
                    const double t = now[c];
                    const double west = x > 0 ? now[c - 1] : t;
                    const double east = x < grid.nx - 1 ? now[c + 1] : t;
                    const double north = y > 0 ? now[c - grid.nx] : t;
                    const double south = y < grid.ny - 1 ? now[c + grid.nx] : t;
                    const double below = z > 0 ? now[c - plane] : t;
                    const double above = z < grid.nz - 1 ? now[c + plane] : t;
                    next[c] = t + w.power * power[c] + w.x * (west + east - 2 * t)
                              + w.y * (north + south - 2 * t) + w.z * (below + above - 2 * t)
                              + w.ambient * (AMBIENT - t);
                }
        now.swap(next);
    }
    return now;
}

int main(int argc, char **argv)
{
    Grid grid = {40, 36, 8};
    int steps = 20;
    int seed = 2;
    const char *dump = NULL;
    std::string kernelFile = "hotspot3d.cl";
    const char *text;

    for (int i = 1; i < argc; i++) {
        if ((text = option_value(argc, argv, &i, "--nx")))
            grid.nx = option_count(argv[0], text, 1, 4096);
        else if ((text = option_value(argc, argv, &i, "--ny")))
            grid.ny = option_count(argv[0], text, 1, 4096);
        else if ((text = option_value(argc, argv, &i, "--layers")))
            grid.nz = option_count(argv[0], text, 1, 64);
        else if ((text = option_value(argc, argv, &i, "--steps")))
            steps = option_count(argv[0], text, 0, 1000000);
        else if ((text = option_value(argc, argv, &i, "--seed")))
            seed = option_count(argv[0], text, 0, 1 << 30);
        else if ((text = option_value(argc, argv, &i, "--dump")))
            dump = text;
        else if ((text = option_value(argc, argv, &i, "--kernels")))
            kernelFile = text;
        else {
            std::cerr << argv[0] << ": unknown option " << argv[i] << std::endl;
            return 2;
        }
    }

    std::vector<float> power(grid.cells()), temperature(grid.cells());
    generate(grid, (unsigned)seed, power, temperature);
    const std::vector<float> start = temperature;
    // Stable: the weights of the six neighbours and the ambient sum to less than one.
    const Weights weights = {0.11f, 0.13f, 0.17f, 0.9f, 0.015f};

    Chip chip(grid, kernelFile);
    chip.run(power, temperature, weights, steps);

    readbacks_t log = readbacks_open(dump);
    readbacks_f32(&log, "temperature", &temperature[0], temperature.size());
    readbacks_close(&log);

    const std::vector<double> expected = reference(grid, power, start, weights, steps);
    double error = 0.0, hottest = 0.0;
    for (size_t i = 0; i < expected.size(); i++) {
        error = worse(error, error_against(temperature[i], expected[i], 1.0));
        hottest = std::max(hottest, expected[i]);
    }
    std::cout << "hottest cell: " << hottest << " C" << std::endl;
    return verdict(error, 1e-5);
}
