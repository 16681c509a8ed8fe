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

/// A loop over groups, where their starts limit a kernel; other devices; the same as data and in the page.
#[test]
fn the_report_has_it_as_data_and_in_the_page() {
    let text = report("--geometry --json").success().stdout;
    let report_of: serde_json::Value = serde_json::from_str(&text).unwrap();
    let geometry = &report_of["geometry"];
    assert_eq!(geometry["device"], "h200");
    let kernels = geometry["kernels"].as_array().unwrap();
    let copy = &kernels[0]["launches"][0];
    assert_eq!(copy["global"], serde_json::json!([1 << 24, 1, 1]));
    assert_eq!(copy["own"], serde_json::json!([32, 1, 1]));
    assert_eq!(copy["chosen"], copy["shapes"][0]["local"]);
    assert!(copy["rounds"]["factor"].as_u64() >= Some(2), "{copy}");
    assert!(kernels[0]["launches"][1]["global"].is_null());
    assert_eq!(kernels[1]["observed"]["what"], "get_local_id");
    let text = report("--geometry=pocl --html").success().stdout;
    for part in [
        "Sizes of work-groups",
        "PoCL on a CPU",
        "<th scope=\"col\" class=\"n\">cores",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let cores = std::thread::available_parallelism()
        .expect("a number")
        .get();
    let text = report("--geometry=pocl").success().stdout;
    let title = format!("On PoCL on a CPU with AVX-512, {cores} cores:");
    assert!(text.contains(&title) && !text.contains("-0.0"), "{text}");
    let text = report("--geometry=fpga").success().stdout;
    assert!(text.contains("lanes") && text.contains(" 256 "), "{text}");
    assert!(!report("--json").success().stdout.contains("\"geometry\""));
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

#[test]
fn a_device_file_may_say_only_what_differs() {
    let report_of = |file: &str| {
        let shop = Workshop::new();
        shop.write("host.c", HOST);
        shop.write("k.cl", KERNELS);
        shop.write("mine.yaml", file);
        shop.fpgacc("report host.c k.cl --geometry=mine.yaml")
    };
    let done = report_of("extends: pocl\nname: mine\ncores: {count: 64}\n").success();
    assert!(
        done.stdout.starts_with("On PoCL on a CPU with AVX-512:"),
        "{}",
        done.stdout
    );
    let done = report_of("extends: pcl\nname: mine\n");
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr
            .contains("mine.yaml: extends: no device is called 'pcl'"),
        "{}",
        done.stderr
    );
}

/// A program that launches `scale` thrice and `tiles` once; the size of its last launch is an argument.
const APP: &str = r#"
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
static float a[1 << 20];
int main(int argc, char **argv)
{
    static char text[4096];
    const char *begin = text;
    size_t global[2] = {1024, 1024}, local[2] = {1, 16}, line = 4096, few = 16, last[2] = {8, 64}, odd[1];
    cl_platform_id platform;
    cl_device_id device;
    odd[0] = strtoul(argv[1], NULL, 0);
    FILE *file = fopen("k.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(c, 1, &begin, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel scale = clCreateKernel(program, "scale", NULL), tiles = clCreateKernel(program, "tiles", NULL);
    for (int i = 0; i < 1 << 20; i++)
        a[i] = i % 97;
    cl_mem m = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof a, a, NULL);
    clSetKernelArg(scale, 0, sizeof m, &m);
    clSetKernelArg(tiles, 0, sizeof m, &m);
    clEnqueueNDRangeKernel(q, scale, 2, NULL, global, local, 0, NULL, NULL);
    clEnqueueNDRangeKernel(q, scale, 2, NULL, last, NULL, 0, NULL, NULL);
    clEnqueueNDRangeKernel(q, tiles, 1, NULL, &line, &few, 0, NULL, NULL);
    clEnqueueNDRangeKernel(q, scale, 1, NULL, odd, odd, 0, NULL, NULL);
    clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL);
    double sum = 0;
    for (int i = 0; i < 1 << 20; i++)
        sum += a[i] * i;
    printf("%.17g\n", sum);
    return 0;
}
"#;

const SCALED: &str = "\
__kernel void scale(__global float *a) {
    int x = get_global_id(0), y = get_global_id(1);
    a[y * get_global_size(0) + x] *= 1.5f;
}
__kernel void tiles(__global float *a) {
    a[get_global_id(0)] += get_local_id(0);
}
";

/// Stands before the ICD loader, and writes down what it is asked for.
const SPY: &str = r#"
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                              cl_event *event)
{
    cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                   const cl_event *, cl_event *) = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    char name[64] = "";
    clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    fprintf(stderr, "%s", name);
    for (cl_uint d = 0; d < dims; d++)
        fprintf(stderr, "%s%zu", d ? "x" : " ", global[d]);
    for (cl_uint d = 0; d < dims; d++)
        fprintf(stderr, "%s%zu", d ? "x" : " ", local ? local[d] : 0);
    fprintf(stderr, "\n");
    return next(q, k, dims, offset, global, local, n, wait, event);
}
"#;

/// The local size that a kernel is launched with over a global size, as the spy has it.
fn local_of<'t>(output: &'t str, kernel: &str, global: &str) -> &'t str {
    let line = format!("{kernel} {global} ");
    let found = output
        .lines()
        .find_map(|one| one.strip_prefix(line.as_str()));
    found.unwrap_or_else(|| panic!("no launch of {line}in:\n{output}"))
}

/// What PoCL is asked for, in place of what the host asks for.
#[test]
fn launches_have_the_size_that_was_chosen() {
    let shop = Workshop::new();
    shop.write("host.c", APP);
    shop.write("k.cl", SCALED);
    shop.write("spy.c", SPY);
    shop.sh("cc -shared -fPIC spy.c -o spy.so -ldl").success();
    let build = "host.c k.cl --platform=pocl -fexecution-model=ndrange -Rpass=geometry \
                 -Rpass-missed=geometry -fno-specialise";
    shop.fpgacc(&format!("{build} -o plain")).success();
    let line = format!("{build} -fgeometry=h200 -o app");
    let output = shop.fpgacc(&line).success().stderr;
    for part in [
        "launched over 1024 x 1024 x 1 in work-groups of ",
        "by the model",
        "may see the size of its work-groups by get_local_id",
        "keeps its local size: its global size is not known",
    ] {
        assert!(output.contains(part), "{output}");
    }
    for last in ["12", "3"] {
        let [plain, app] = ["plain", "app"].map(|name| {
            let line = format!("LD_PRELOAD=$PWD/spy.so ./{name} {last}");
            shop.sh(&line).success()
        });
        assert_eq!(plain.stdout, app.stdout);
        let [before, after] = [plain.stderr, app.stderr];
        assert_eq!(local_of(&before, "scale", "1024x1024"), "1x16");
        assert_eq!(local_of(&before, "scale", "8x64"), "0x0");
        let chosen = local_of(&after, "scale", "1024x1024");
        let rows = chosen.split('x').next().and_then(|x| x.parse::<u64>().ok());
        assert!(rows >= Some(32), "{after}");
        assert_ne!(local_of(&after, "scale", "8x64"), "0x0");
        // Nothing that was chosen divides it, and `tiles` sees its groups.
        assert_eq!(local_of(&after, "scale", last), last);
        assert_eq!(local_of(&after, "tiles", "4096"), "16");
    }
}

#[test]
fn the_last_word_on_sizes_counts() {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    let text = |options: &str| {
        let line = format!("host.c k.cl --emit=kernels -fexecution-model=ndrange {options}");
        shop.fpgacc(&line).success().stdout
    };
    let has = |options: &str| text(options).contains("geometry: launched over");
    assert!(has("-fgeometry"));
    assert!(has("-fno-geometry -fgeometry=h200"));
    assert!(!has("-fgeometry -fno-geometry"));
    let done = shop.fpgacc("host.c k.cl -fgeometry=h20 --emit=kernels");
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("nothing is known of the device 'h20'"));
}
