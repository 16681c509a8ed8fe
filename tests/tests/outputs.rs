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

/// Inputs by name, by links and by other paths to them, headers, and files that the program reads.
#[test]
fn no_output_is_an_input() {
    let shop = Workshop::new();
    let inputs = ["host.c", "k.cl", "facts.yaml", "more.h"];
    shop.write(
        "host.c",
        format!("#include \"more.h\"\n{}", host(&["k.cl"])),
    );
    shop.write("k.cl", kernel(1));
    shop.write("facts.yaml", "version: 1\n");
    shop.write("more.h", "/* none */\n");
    shop.sh(
        "ln -s k.cl link.cl && ln host.c hard.c && mkdir sub && cc -w host.c -o plain -lOpenCL",
    )
    .success();
    let read = || inputs.map(|name| std::fs::read(shop.path(name)).expect("it is there"));
    let before = read();
    for line in [
        "host.c k.cl -o k.cl",
        "host.c k.cl -o link.cl",
        "host.c k.cl -o sub/../host.c",
        "host.c k.cl -o hard.c",
        "host.c k.cl -o more.h",
        "-c k.cl -o k.cl",
        "-E host.c -o host.c",
        "-E host.c -o more.h",
        "-S host.c -o host.c",
        "host.c k.cl -Wl,-Map=k.cl -o app",
        "host.c k.cl -Xlinker -Map -Xlinker k.cl -o app",
        "-MD -MF host.c host.c k.cl -o app",
        "-MD -MF more.h host.c k.cl -o app",
        "--emit=kernels host.c k.cl -o k.cl",
        "--emit=facts host.c k.cl -o host.c",
        "--facts=facts.yaml --emit=facts host.c k.cl -o facts.yaml",
        "report host.c k.cl -o k.cl",
        "report --html host.c k.cl -o host.c",
        "check host.c k.cl -o k.cl",
        "--verify host.c k.cl -o k.cl",
        "-foptimization-record-file=k.cl host.c k.cl -o app",
        "trace -o k.cl -- ./plain",
        "trace -o plain -- ./plain",
        "trace -o facts.yaml --merge facts.yaml facts.yaml",
    ] {
        let refused = shop.fpgacc(line).failure();
        let is_told = refused.stderr.contains("is the same as output file");
        assert!(is_told, "{line}: {}", refused.stderr);
        assert_eq!(refused.code, Some(1), "{line}");
        assert_eq!(read(), before, "{line}");
    }
    let refused = shop.fpgacc("-MD -MF app host.c k.cl -o app").failure();
    assert!(refused.stderr.contains("two outputs have the same file"));
}
