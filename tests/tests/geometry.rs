//! `fpgacc report --geometry`: which sizes of work-groups it proposes, and of which kernels it says that theirs
//! cannot change.

use fpgacc_tests::command::Workshop;

const KERNELS: &str = "\
__kernel void copy(__global const float *a, __global float *b) {
    int i = get_global_id(0);
    b[i] = a[i];
}
int own(void) { return get_local_id(0); }
__kernel void tiles(__global float *a) {
    a[get_global_id(0)] = own();
}
__kernel void shares(__global float *a, __local float *t) {
    t[0] = a[get_global_id(0)];
}
__kernel void waits(__global float *a) {
    a[get_global_id(0)] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fixed(__global float *a) {
    a[get_global_id(0)] = 1;
}
";

const HOST: &str = r#"
#include <CL/cl.h>
void run(cl_context c, cl_command_queue q, cl_device_id d, size_t n, cl_mem a, cl_mem b)
{
    const char *names[] = {"tiles", "shares", "waits", "fixed"};
    extern const char *text;
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, NULL);
    clBuildProgram(p, 1, &d, "", NULL, NULL);
    cl_kernel k = clCreateKernel(p, "copy", NULL);
    clSetKernelArg(k, 0, sizeof a, &a);
    clSetKernelArg(k, 1, sizeof b, &b);
    size_t known = 1 << 24, local = 32;
    clEnqueueNDRangeKernel(q, k, 1, NULL, &known, &local, 0, NULL, NULL);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL);
    (void)names;
}
"#;

fn report(options: &str) -> fpgacc_tests::command::Outcome {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    shop.fpgacc(&format!("report host.c k.cl {options}"))
}

#[test]
fn sizes_are_ranked_where_nothing_observes_them() {
    let text = report("--geometry").success().stdout;
    insta::assert_snapshot!(text);
}

#[test]
fn a_device_that_nobody_knows_is_refused() {
    let done = report("--geometry=h20");
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("nothing is known of the device 'h20'"));
    let done = report("--geometry=warp32");
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("has no units"), "{}", done.stderr);
}
