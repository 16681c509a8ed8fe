//! Zeros of both signs and NaNs in minima, maxima and sums: with `--strict-fp` a program gives the bits that it gives
//! without fpgacc.

use fpgacc_tests::command::{Workshop, implementations};

/// What does not depend on the order of operations only as long as all are numbers and no zero has a sign.
const KERNELS: &str = r"
__kernel void largest(__global const float *a, __global float *out, int n) {
    int row = get_global_id(0);
    float m = a[row * n];
    for (int i = 1; i < n; i++)
        if (a[row * n + i] > m) m = a[row * n + i];
    out[row] = m;
}
__kernel void smallest(__global const float *a, __global float *out, int n) {
    int row = get_global_id(0);
    float m = a[row * n];
    for (int i = 1; i < n; i++) m = a[row * n + i] < m ? a[row * n + i] : m;
    out[row] = m;
}
__kernel void sums(__global const float *a, __global float *out, int n) {
    int row = get_global_id(0);
    float sum = -0.0f;
    for (int i = 0; i < n; i++) sum += a[row * n + i];
    out[row] = sum;
}
__kernel void in_place(__global const float *a, __global float *out, int n) {
    int row = get_global_id(0);
    for (int i = 0; i < n; i++)
        if (!(out[row] >= a[row * n + i])) out[row] = a[row * n + i];
}
";

const HOST: &str = r#"
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { ROWS = 64, N = 24 };
static char text[65536];
static float a[ROWS * N], out[ROWS];
int main(void) {
    static const char *names[] = {"largest", "smallest", "sums", "in_place"};
    const float special[] = {0.0f, -0.0f, NAN, -1.5f, INFINITY, 0.0f, -0.0f, 2.25f};
    uint32_t seed = 12345;
    for (int i = 0; i < ROWS * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        // Rows of zeros only, of zeros and NaNs, of everything.
        int kinds = i / N % 4 == 0 ? 2 : i / N % 4 == 1 ? 3 : 8;
        a[i] = special[(seed >> 16) % kinds];
    }
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    FILE *file = fopen("k.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 1;
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    for (int k = 0; k < 4; k++) {
        cl_kernel kernel = clCreateKernel(program, names[k], &error);
        int n = N;
        size_t global = ROWS, local = 16;
        memset(out, 0, sizeof out);
        clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        clSetKernelArg(kernel, 0, sizeof in, &in);
        clSetKernelArg(kernel, 1, sizeof made, &made);
        clSetKernelArg(kernel, 2, sizeof n, &n);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, made, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        printf("%s:", names[k]);
        for (int i = 0; i < ROWS; i++) {
            uint32_t bits;
            memcpy(&bits, &out[i], sizeof bits);
            // OpenCL does not say which NaN an operation makes.
            isnan(out[i]) ? printf(" nan") : printf(" %08x", (unsigned)bits);
        }
        printf("\n");
    }
    return 0;
}
"#;

#[test]
fn strict_fp_keeps_signs_of_zeros_and_nans() {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    shop.sh("cc -w host.c -o plain -lOpenCL -lm").success();
    for (name, choice) in implementations() {
        let plain = shop.sh(&format!("{choice} ./plain")).success().stdout;
        assert!(
            plain.contains("80000000") && plain.contains("nan"),
            "{plain}"
        );
        let line = format!(
            "--platform={name} -fexecution-model=swi --strict-fp -Rpass host.c k.cl -o app -lm"
        );
        let built = shop.fpgacc(&line).success().stderr;
        assert_eq!(
            built.matches("[-Rpass=ndrange-to-loop]").count(),
            4,
            "{built}"
        );
        assert!(!built.contains("[-Rpass=reduction]"), "{built}");
        assert_eq!(shop.sh("./app").success().stdout, plain, "{name}");
    }
}

/// Without it, the same program shows that this is no promise of the others: the sums above are in another order.
#[test]
fn without_it_reductions_are_told() {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    let line = "-fexecution-model=swi -Rpass --emit=kernels host.c k.cl -o k.out";
    let told = shop.fpgacc(line).success().stderr;
    assert!(told.contains("[-Rpass=reduction]"), "{told}");
}
