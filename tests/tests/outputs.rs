//! Output files: executables in one folder keep their kernels apart.

use fpgacc_tests::command::Workshop;

/// A host that runs the kernel `f` of each file that is named, and prints the number that it writes.
fn host(files: &[&str]) -> String {
    let names: Vec<String> = files.iter().map(|name| format!("\"{name}\"")).collect();
    let runs: Vec<String> = names
        .iter()
        .map(|name| format!("    run({name});\n"))
        .collect();
    format!(
        r#"#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
static void run(const char *name)
{{
    static char text[4096];
    FILE *file = fopen(name, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *source = text;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    size_t global = 16;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    int number = -1;
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, 4, &number, 0, NULL, NULL);
    printf("%d\n", number);
}}
int main(void)
{{
{}    return 0;
}}
"#,
        runs.concat()
    )
}

fn kernel(number: u32) -> String {
    format!("kernel void f(global int *a) {{ a[get_global_id(0)] = {number}; }}\n")
}

#[test]
fn executables_with_different_names_have_kernels_with_different_names() {
    let shop = Workshop::new();
    shop.write("two.c", host(&["a.cl", "b.cl"]));
    for (file, number) in [("a", 1), ("b", 2), ("c", 3)] {
        shop.write(format!("{file}.cl"), kernel(number));
    }
    shop.write("one.c", host(&["c.cl"]));
    shop.fpgacc("two.c a.cl b.cl -o app").success();
    let others = ["app.a", "app@a", "app@@a", "app@"];
    for name in others {
        shop.fpgacc(&format!("one.c c.cl -o {name}")).success();
    }
    shop.fpgacc("two.c a.cl b.cl -o app@").success();
    for (name, printed) in [("app", "1\n2\n"), ("app@", "1\n2\n"), ("app.a", "3\n")] {
        let outcome = shop.sh(&format!("./{name}")).success();
        assert_eq!(
            (outcome.stdout.as_str(), outcome.stderr.as_str()),
            (printed, ""),
            "{name}"
        );
    }
    for name in ["app@a", "app@@a"] {
        assert_eq!(
            shop.sh(&format!("./{name}")).success().stdout,
            "3\n",
            "{name}"
        );
    }
    let kernels: Vec<String> = shop.entries();
    let kernels = kernels.iter().filter(|name| name.ends_with(".aocx"));
    assert_eq!(
        kernels.collect::<Vec<_>>(),
        [
            "app.a.aocx",
            "app@@.aocx",
            "app@@@@a.aocx",
            "app@@@a.aocx",
            "app@@@b.aocx",
            "app@@a.aocx",
            "app@a.aocx",
            "app@b.aocx",
        ]
    );
}
