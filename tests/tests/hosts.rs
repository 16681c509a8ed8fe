//! A few random hosts, the same each time.

use fpgacc_tests::command::Workshop;
use fpgacc_tests::hosts::{Bench, Counts, Plan, check};

/// Built by the system's compiler and by fpgacc, they do the same.
#[test]
fn random_hosts_do_the_same_when_fpgacc_builds_them() {
    let plan = Plan {
        seed: 3,
        intel_every: 1,
        pocl_every: 3,
        originals_every: 1,
    };
    let bench = Bench::new();
    let mut counts = Counts::default();
    for index in 0..6 {
        let found = check(&bench, &plan, index).unwrap_or_else(|e| panic!("host {index}: {e}"));
        counts.add(&found.counts);
        for failure in &found.kept {
            println!("host {index}: {:?}", failure.trial.verdict);
        }
    }
    println!("{counts}");
    assert_eq!((counts.failures, counts.originals), (0, 0), "{counts}");
    assert!(counts.same.values().sum::<u64>() >= 4, "{counts}");
}

/// A host whose header gives a name of OpenCL's another meaning.
const COUNTING: &str = r#"
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
static int launches;
static cl_int counted(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g, const size_t *l,
                      cl_uint n, const cl_event *w, cl_event *e) {
    launches++;
    return clEnqueueNDRangeKernel(q, k, d, o, g, l, n, w, e);
}
#include "counted.h"
int main(void) {
    const char *text = "__kernel void k(__global int *a) { a[get_global_id(0)] = 7; }";
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    size_t global = 16;
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clFinish(queue);
    printf("%d, %d launches\n", (int)error, launches);
    return 0;
}
"#;

/// The macro's function is called, and the launch in it is fpgacc's.
#[test]
fn a_macro_of_a_header_keeps_its_meaning() {
    let shop = Workshop::new();
    shop.write("counted.h", "#define clEnqueueNDRangeKernel counted\n");
    shop.write("host.c", COUNTING);
    shop.fpgacc("-w host.c -o app").success();
    let ran = shop.sh("FPGACC_VERBOSE=1 ./app").success();
    assert_eq!(ran.stdout, "0, 1 launches\n");
    assert!(ran.stderr.contains("kernel `k`"), "{}", ran.stderr);
}
