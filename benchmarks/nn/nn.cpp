// Nearest neighbours: the places of a table that are closest to a position on the globe. The
// device computes the chord to every place and the closest place of each work-group; the host
// merges. The kernels are a string in this file.
//
//   nn [--input FILE] [--latitude D] [--longitude D] [--neighbours K] [--generated N] [--seed S]
//      [--dump FILE]
//
// Input: cities of the world, and N further places from the generator of workload.h.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "workload.h"

#define GROUP 64

static const char *kernelText = R"CLC(
#define GROUP 64

/* The chord from the unit vector `from` to each place. */
__kernel void chords(__global const float4 *places, __global float *chord, float4 from, int count)
{
    const int i = get_global_id(0);
    if (i >= count)
        return;
    const float4 way = places[i] - from;
    chord[i] = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
}

/* The closest place of each group that is farther than `beyond`, or the place itself, `last`, if
 * it comes later in the table: the next neighbour in order of distance. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void closest(__global const float *chord, __global float *best, __global int *place,
             float beyond, int last, int count)
{
    __local float near[GROUP];
    __local int where[GROUP];
    const size_t lane = get_local_id(0);
    const int i = get_global_id(0);

    float mine = INFINITY;
    int at = -1;
    if (i < count) {
        const float c = chord[i];
        if (c > beyond || (c == beyond && i > last)) {
            mine = c;
            at = i;
        }
    }
    near[lane] = mine;
    where[lane] = at;
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Pairs first, the first of two equals wins. */
    if (lane < GROUP / 2 && near[lane + GROUP / 2] < near[lane]) {
        near[lane] = near[lane + GROUP / 2];
        where[lane] = where[lane + GROUP / 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lane == 0) {
        float least = near[0];
        int index = where[0];
        for (int j = 1; j < GROUP / 2; j++) {
            if (near[j] < least || (near[j] == least && where[j] >= 0 && where[j] < index)) {
                least = near[j];
                index = where[j];
            }
        }
        best[get_group_id(0)] = least;
        place[get_group_id(0)] = index;
    }
}
)CLC";

#define OCL_SAFE(call)                                                                \
    do {                                                                              \
        const cl_int err__ = call;                                                    \
        if (err__ != CL_SUCCESS) {                                                    \
            std::cerr << #call << " failed with error " << err__ << " at " << __LINE__ \
                      << std::endl;                                                   \
            exit(2);                                                                  \
        }                                                                             \
    } while (0)

struct Place {
    std::string name;
    double latitude, longitude;
};

static cl_float4 unitVector(double latitude, double longitude)
{
    const double degree = std::acos(-1.0) / 180.0;
    cl_float4 v;
    v.s[0] = (float)(std::cos(latitude * degree) * std::cos(longitude * degree));
    v.s[1] = (float)(std::cos(latitude * degree) * std::sin(longitude * degree));
    v.s[2] = (float)std::sin(latitude * degree);
    v.s[3] = 0.0f;
    return v;
}

static double kilometres(double chord)
{
    return 2.0 * 6371.0 * std::asin(std::min(1.0, chord / 2.0));
}

static std::vector<Place> readPlaces(const std::string &path)
{
    std::ifstream file(path.c_str());
    if (!file) {
        std::cerr << "nn: cannot open " << path << std::endl;
        exit(2);
    }
    std::vector<Place> places;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        Place place;
        char comma;
        if (std::getline(fields, place.name, ',') && fields >> place.latitude >> comma
            && fields >> place.longitude)
            places.push_back(place);
    }
    return places;
}

// A GPU if there is one, else whatever the platform has.
static cl_device_id pickDevice()
{
    cl_platform_id platform;
    OCL_SAFE(clGetPlatformIDs(1, &platform, NULL));
    cl_device_id device;
    cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    if (status == CL_DEVICE_NOT_FOUND)
        status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    OCL_SAFE(status);
    return device;
}

static double milliseconds(cl_event event)
{
    cl_ulong start = 0, end = 0;
    OCL_SAFE(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
    OCL_SAFE(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
    if (end < start) {
        std::cerr << "nn: a kernel ended before it started" << std::endl;
        exit(2);
    }
    return (double)(end - start) * 1e-6;
}

int main(int argc, char **argv)
{
    std::string input = "../data/cities.csv";
    double latitude = 48.86, longitude = 2.35;
    int neighbours = 8, generated = 4000, seed = 4;
    const char *dump = NULL;
    const char *text;

    for (int i = 1; i < argc; i++) {
        if ((text = option_value(argc, argv, &i, "--input")))
            input = text;
        else if ((text = option_value(argc, argv, &i, "--latitude")))
            latitude = atof(text);
        else if ((text = option_value(argc, argv, &i, "--longitude")))
            longitude = atof(text);
        else if ((text = option_value(argc, argv, &i, "--neighbours")))
            neighbours = option_count(argv[0], text, 1, 1000);
        else if ((text = option_value(argc, argv, &i, "--generated")))
            generated = option_count(argv[0], text, 0, 1 << 24);
        else if ((text = option_value(argc, argv, &i, "--seed")))
            seed = option_count(argv[0], text, 0, 1 << 30);
        else if ((text = option_value(argc, argv, &i, "--dump")))
            dump = text;
        else {
            std::cerr << argv[0] << ": unknown option " << argv[i] << std::endl;
            return 2;
        }
    }

    std::vector<Place> places = readPlaces(input);
    lcg_t lcg = lcg_seed((uint64_t)seed);
    for (int i = 0; i < generated; i++) {
        std::ostringstream name;
        name << "generated " << i;
        Place place;
        place.name = name.str();
        place.latitude = 180.0 * lcg_unit(&lcg) - 90.0;
        place.longitude = 360.0 * lcg_unit(&lcg) - 180.0;
        places.push_back(place);
    }
    const int count = (int)places.size();
    if (count == 0) {
        std::cerr << "nn: " << input << " has no places" << std::endl;
        return 2;
    }
    std::vector<cl_float4> vectors(count);
    for (int i = 0; i < count; i++)
        vectors[i] = unitVector(places[i].latitude, places[i].longitude);
    const cl_float4 from = unitVector(latitude, longitude);

    cl_device_id device = pickDevice();
    char deviceName[256];
    OCL_SAFE(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(deviceName), deviceName, NULL));
    std::cout << "device: " << deviceName << std::endl;

    cl_int status;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    OCL_SAFE(status);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    OCL_SAFE(status);
    cl_program program = clCreateProgramWithSource(context, 1, &kernelText, NULL, &status);
    OCL_SAFE(status);
    OCL_SAFE(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    cl_kernel chordsKernel = clCreateKernel(program, "chords", &status);
    OCL_SAFE(status);
    cl_kernel closestKernel = clCreateKernel(program, "closest", &status);
    OCL_SAFE(status);

    const size_t local = GROUP;
    const size_t global = ((size_t)count + GROUP - 1) / GROUP * GROUP;
    const int groups = (int)(global / GROUP);

    cl_mem placesBuffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                         count * sizeof(cl_float4), &vectors[0], &status);
    OCL_SAFE(status);
    cl_mem chordBuffer = clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof(float), NULL, &status);
    OCL_SAFE(status);
    cl_mem bestBuffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, groups * sizeof(float), NULL, &status);
    OCL_SAFE(status);
    cl_mem placeBuffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, groups * sizeof(int), NULL, &status);
    OCL_SAFE(status);

    OCL_SAFE(clSetKernelArg(chordsKernel, 0, sizeof(cl_mem), &placesBuffer));
    OCL_SAFE(clSetKernelArg(chordsKernel, 1, sizeof(cl_mem), &chordBuffer));
    OCL_SAFE(clSetKernelArg(chordsKernel, 2, sizeof(cl_float4), &from));
    OCL_SAFE(clSetKernelArg(chordsKernel, 3, sizeof(int), &count));
    cl_event chordsDone;
    OCL_SAFE(clEnqueueNDRangeKernel(queue, chordsKernel, 1, NULL, &global, &local, 0, NULL, &chordsDone));

    std::vector<float> chord(count);
    OCL_SAFE(clEnqueueReadBuffer(queue, chordBuffer, CL_TRUE, 0, count * sizeof(float), &chord[0], 1,
                                 &chordsDone, NULL));
    double deviceTime = milliseconds(chordsDone);

    readbacks_t log = readbacks_open(dump);
    readbacks_f32(&log, "chords", &chord[0], count);

    std::vector<float> best(groups);
    std::vector<int> place(groups), found;
    float beyond = -1.0f;
    int last = -1;
    while ((int)found.size() < std::min(neighbours, count)) {
        OCL_SAFE(clSetKernelArg(closestKernel, 0, sizeof(cl_mem), &chordBuffer));
        OCL_SAFE(clSetKernelArg(closestKernel, 1, sizeof(cl_mem), &bestBuffer));
        OCL_SAFE(clSetKernelArg(closestKernel, 2, sizeof(cl_mem), &placeBuffer));
        OCL_SAFE(clSetKernelArg(closestKernel, 3, sizeof(float), &beyond));
        OCL_SAFE(clSetKernelArg(closestKernel, 4, sizeof(int), &last));
        OCL_SAFE(clSetKernelArg(closestKernel, 5, sizeof(int), &count));
        cl_event closestDone, readDone[2];
        OCL_SAFE(clEnqueueNDRangeKernel(queue, closestKernel, 1, NULL, &global, &local, 1, &chordsDone,
                                        &closestDone));
        OCL_SAFE(clEnqueueReadBuffer(queue, bestBuffer, CL_FALSE, 0, groups * sizeof(float), &best[0], 1,
                                     &closestDone, &readDone[0]));
        OCL_SAFE(clEnqueueReadBuffer(queue, placeBuffer, CL_FALSE, 0, groups * sizeof(int), &place[0], 1,
                                     &closestDone, &readDone[1]));
        OCL_SAFE(clWaitForEvents(2, readDone));
        deviceTime += milliseconds(closestDone);
        clReleaseEvent(closestDone);
        clReleaseEvent(readDone[0]);
        clReleaseEvent(readDone[1]);
        readbacks_f32(&log, "best", &best[0], groups);
        readbacks_i32(&log, "place", &place[0], groups);

        int group = 0;
        for (int g = 1; g < groups; g++)
            if (best[g] < best[group])
                group = g;
        beyond = best[group];
        last = place[group];
        if (last < 0 || last >= count)
            break;
        found.push_back(last);
    }
    readbacks_close(&log);
    // Standard error: what differs from run to run.
    std::cerr << "kernels took " << deviceTime << " ms" << std::endl;

    for (size_t i = 0; i < found.size() && i < 8; i++) {
        const double km = kilometres(chord[found[i]]);
        std::cout << places[found[i]].name << ": " << (long)(km + 0.5) << " km" << std::endl;
    }

    // Chords against double precision; then the device's order against a sort of its chords.
    double error = 0.0;
    for (int i = 0; i < count; i++) {
        double square = 0.0;
        for (int d = 0; d < 3; d++)
            square += std::pow((double)vectors[i].s[d] - from.s[d], 2);
        error = worse(error, error_against(chord[i], std::sqrt(square), 1e-3));
    }
    std::vector<int> order(count);
    for (int i = 0; i < count; i++)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return chord[a] < chord[b]; });
    order.resize(std::min(neighbours, count));
    if (order != found) {
        std::cerr << "nn: the neighbours are not in order" << std::endl;
        error = HUGE_VAL;
    }

    clReleaseEvent(chordsDone);
    clReleaseMemObject(placesBuffer);
    clReleaseMemObject(chordBuffer);
    clReleaseMemObject(bestBuffer);
    clReleaseMemObject(placeBuffer);
    clReleaseKernel(chordsKernel);
    clReleaseKernel(closestKernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return verdict(error, 1e-5);
}
