//! Programs with functions of OpenCL's names of their own, which hand on to the library.

use fpgacc_tests::command::Workshop;

const KERNEL: &str = "__kernel void sum(__global const int *in, __global int *out, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += in[i] * (int)get_global_id(0);
    out[get_global_id(0)] = all;
}
";

/// Counts launches; `FETCH` is how it gets at the library's function.
const COUNTER: &str = "
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                       const size_t *global, const size_t *local, cl_uint count,
                       const cl_event *before, cl_event *event)
{
    static cl_int(CL_API_CALL *real)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                                     const size_t *, cl_uint, const cl_event *, cl_event *);
    static int launches;
    if (!real)
        *(void **)&real = FETCH;
    printf(\"launch %d\\n\", ++launches);
    return real(queue, kernel, dims, offset, global, local, count, before, event);
}
";

#[test]
fn functions_that_hand_on_are_called_once() {
    let shop = Workshop::new();
    let host = include_str!("inputs/spare.c").replace("BETWEEN", "");
    shop.write("host.c", host);
    shop.write("sum.cl", KERNEL);
    for fetch in [
        "dlsym(RTLD_NEXT, \"clEnqueueNDRangeKernel\")",
        "dlsym(dlopen(\"libOpenCL.so.1\", RTLD_NOW), \"clEnqueueNDRangeKernel\")",
    ] {
        shop.write("counter.c", COUNTER.replace("FETCH", fetch));
        for inputs in ["host.c counter.c", "counter.o host.c", "both.c"] {
            shop.sh("gcc -w -c counter.c && cat counter.c host.c >both.c")
                .success();
            for options in [
                "--platform pocl",
                "--platform intel",
                "--platform pocl -Xcc -no-pie",
            ] {
                let line = format!("-w {options} {inputs} sum.cl -o app -ldl");
                shop.fpgacc(&line).success();
                let ran = shop.sh("timeout 60 ./app").success();
                let printed = (ran.stdout.as_str(), ran.stderr.as_str());
                assert_eq!(printed, ("launch 1\n0: 2016 4032\n", ""), "{fetch} {line}");
            }
        }
    }
}
