//! Divisions stay behind their conditions where the emulator's compiler would evaluate them before: a
//! divisor of 0, or the least integer divided by -1, ends the process.

use fpgacc_tests::command::{Workshop, implementations};

/// Launches a kernel with an argument, and prints what it writes.
const HOST: &str = r#"
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
static char text[65536];
int main(int argc, char **argv) {
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
    if (clBuildProgram(program, 1, &device, NULL, NULL, NULL)) return 2;
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL, &error);
    size_t global = 64, local = 8;
    for (int i = 1; i < argc; i++) {
        char name[] = {argv[i][0], 0};
        int n = atoi(argv[i] + 1), values[64];
        cl_kernel kernel = clCreateKernel(program, name, &error);
        clSetKernelArg(kernel, 0, sizeof out, &out);
        clSetKernelArg(kernel, 1, sizeof n, &n);
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL)) return 3;
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
        printf("%s:", argv[i]);
        for (int j = 0; j < 64; j++) printf(" %d", values[j]);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
"#;

/// `a`: a branch. `b`: a loop. `c`: the least integer by -1. `d`: a helper, `?:`, `%`. `e`: vectors. `f`:
/// assignments and narrow types. `g`: what the emulator does right by itself.
const KERNELS: &str = "
__kernel void a(__global int *o, int n) {
    int l = get_local_id(0), u = 7;
    if (l < n) u = 100 / n;
    o[get_global_id(0)] = u;
}
__kernel void b(__global int *o, int n) {
    int g = get_global_id(0);
    o[g] = 0;
    for (int i = 0; i < n; i++) o[g] += 100 / n;
}
__kernel void c(__global int *o, int n) {
    int m = (n + 1) * 2 + 0x7fffffff + 1;
    o[get_global_id(0)] = 9;
    if (n != -1) o[get_global_id(0)] = m / n;
}
int quotient(int a, int n) { if (n == 0) return 3; return a / n; }
__kernel void d(__global int *o, int n) {
    o[get_global_id(0)] = quotient(100, n) + (n ? n % n : 5);
}
__kernel void e(__global int *o, int n) {
    int4 w = (int4)(4);
    if (n > 0) { w = (int4)(100) / (int4)(n); w /= n; }
    o[get_global_id(0)] = w.x + w.w;
}
__kernel void f(__global int *o, int n) {
    int g = get_global_id(0);
    uint u = n;
    char t = n;
    o[g] = 1;
    if (g < u) { u = 50; u %= n; o[g] = u / t + g / n; }
}
__kernel void g(__global int *o, int n) {
    int g = get_global_id(0);
    if (g < n) o[g] = g / n + g % n + n / 3;
    else o[g] = 2;
}
";

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    shop
}

#[test]
fn divisions_stay_behind_their_conditions() {
    let shop = workshop();
    shop.sh("cc host.c -o plain -lOpenCL").success();
    let all = "a0 a7 a-1 b0 b7 b-1 c-1 c7 d0 d7 d-1 e0 e7 e-1 f0 f7 f-1 g0 g7 g-1";
    // The same original faults on the emulator, too, in some forms.
    let plain = shop.sh(&format!("./plain {all}")).success().stdout;
    for (name, _) in implementations() {
        let words = format!("-w -fexecution-model=swi --platform={name} host.c k.cl -o app");
        shop.fpgacc(&words).success();
        let app = shop.sh(&format!("FPGACC_VERBOSE=1 ./app {all}"));
        assert_eq!(app.stdout, plain, "{name}: {}", app.stderr);
        let tasks = app.stderr.matches("as one work-item").count();
        assert_eq!(tasks, all.split(' ').count(), "{}", app.stderr);
    }
}

#[test]
fn only_the_emulator_gets_divisors_that_are_not_constants() {
    let shop = workshop();
    let emit = "-w -fexecution-model=swi host.c k.cl --emit=kernels";
    let kernels = |platform: &str| shop.fpgacc(&format!("{emit} {platform}")).success().stdout;
    let emulator = kernels("--platform=intel");
    assert!(emulator.contains("u = 100 / (n + zero);"), "{emulator}");
    assert!(emulator.contains("g / n + g % n + n / 3"), "{emulator}");
    assert!(!kernels("--platform=pocl").contains("volatile"));
    let shop = workshop();
    shop.fpgacc("-w -fexecution-model=swi --target=source host.c k.cl -o out")
        .success();
    assert!(!shop.text("out/k.fpga.cl").contains("volatile"));
}
