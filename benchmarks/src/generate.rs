//! Programs of any length, for measuring how fpgacc's own cost grows with its input.
//!
//! The texts look like real ones: kernels with guards, loops, reductions, local memory and
//! barriers; a host with buffers, arguments and a launch for each kernel. They depend on nothing
//! but the length asked for.

use std::fmt::Write;

/// A kernel file and its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The kernel file, `generated.cl`.
    pub kernels: String,
    /// The host, in C.
    pub host: String,
}

/// A program whose kernel file has exactly this many lines, at least one.
pub fn program(lines: usize) -> Generated {
    let mut kernels = String::new();
    let mut names = Vec::new();
    let mut left = lines.max(1);
    while left > 0 {
        let index = names.len();
        let (name, text) = kernel(index, left);
        left -= text.lines().count();
        kernels.push_str(&text);
        names.push(name);
    }
    Generated {
        kernels,
        host: host(&names),
    }
}

/// The kernel of an index, of a shape that fits into the lines left.
fn kernel(index: usize, left: usize) -> (String, String) {
    let shapes = [stencil, reduction, tile];
    let (name, text) = shapes[index % shapes.len()](index);
    match text.lines().count() <= left {
        true => (name, text),
        false => one_line(index),
    }
}

fn one_line(index: usize) -> (String, String) {
    let name = format!("add_{index}");
    let text = format!(
        "__kernel void {name}(__global float *a, __global float *b, int n) {{ int i = \
         get_global_id(0); if (i < n) a[i] = b[i] + {index}.0f; }}\n"
    );
    (name, text)
}

fn stencil(index: usize) -> (String, String) {
    let name = format!("stencil_{index}");
    let text = format!(
        "/* Weighs each cell against its neighbours. */
__kernel void {name}(__global float *after, __global const float *before, int n)
{{
    int x = get_global_id(0);
    if (x >= n)
        return;

    int west = x > 0 ? x - 1 : x;
    int east = x < n - 1 ? x + 1 : x;
    float sum = 0.5f * before[x];
    sum += 0.25f * (before[west] + before[east]);
    for (int k = 0; k < {steps}; k++) {{
        float drop = sum - before[(x + k) % n];
        if (drop > {index}.5f)
            sum -= 0.125f * drop;
        else if (drop < -1.0f)
            continue;
        sum = fmax(sum, 0.0f) * 0.5f;
    }}
    after[x] = sum;
}}

",
        steps = 2 + index % 7,
    );
    (name, text)
}

fn reduction(index: usize) -> (String, String) {
    let name = format!("reduction_{index}");
    let text = format!(
        "__kernel void {name}(__global float *result, __global const float *values, int n)
{{
    int row = get_global_id(0);
    if (row >= n)
        return;
    float sum = {index}.0f;
    float largest = -INFINITY;
    for (int column = 0; column < n; column++) {{
        float value = values[row * n + column];
        sum += value * value;
        largest = fmax(largest, value);
    }}
    result[row] = sum / (1.0f + fabs(largest));
}}

"
    );
    (name, text)
}

fn tile(index: usize) -> (String, String) {
    let name = format!("tile_{index}");
    let text = format!(
        "#define TILE_{index} 64
__kernel void {name}(__global float *out, __global const float *in, int n)
{{
    __local float part[TILE_{index}];
    int lane = get_local_id(0);
    int x = get_global_id(0);
    float own = (x < n) ? in[x] : 0.0f;
    part[lane] = own;
    barrier(CLK_LOCAL_MEM_FENCE);

    float other = part[(lane + {shift}) % TILE_{index}];
    barrier(CLK_LOCAL_MEM_FENCE);
    part[lane] = own - other;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lane == 0) {{
        float total = 0.0f;
        for (int i = 0; i < TILE_{index}; i++)
            total += part[i];
        out[get_group_id(0)] = total;
    }}
}}

",
        shift = 1 + index % 63,
    );
    (name, text)
}

fn host(kernels: &[String]) -> String {
    let mut text = String::from(
        "#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define GROUP 64

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static char source[1 << 24];

static void build(cl_device_id device)
{
    const char *text = source;
    cl_int status;
    FILE *file = fopen(\"generated.cl\", \"r\");
    source[fread(source, 1, sizeof(source) - 1, file)] = 0;
    fclose(file);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (status != CL_SUCCESS || clBuildProgram(program, 1, &device, \"\", NULL, NULL) != CL_SUCCESS)
        exit(2);
}
",
    );
    for name in kernels {
        launch_function(&mut text, name);
    }
    text.push_str(
        "
int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    build(device);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_ONLY, (size_t)n * n * sizeof(float), NULL, NULL);
",
    );
    for name in kernels {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    launch_{name}(a, b, n);");
    }
    text.push_str("    clFinish(queue);\n    return 0;\n}\n");
    text
}

fn launch_function(text: &mut String, name: &str) {
    let _ = write!(
        text,
        "
static void launch_{name}(cl_mem a, cl_mem b, int n)
{{
    size_t local = GROUP;
    size_t global = (size_t)(n + GROUP - 1) / GROUP * GROUP;
    cl_kernel kernel = clCreateKernel(program, \"{name}\", NULL);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &a);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &b);
    clSetKernelArg(kernel, 2, sizeof(int), &n);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    clReleaseKernel(kernel);
}}
"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_many_as_asked_for() {
        for lines in [1, 2, 10, 25, 100, 1000, 100_000] {
            let generated = program(lines);
            assert_eq!(generated.kernels.lines().count(), lines);
            let launches = generated.host.matches("clEnqueueNDRangeKernel").count();
            assert_eq!(launches, generated.kernels.matches("__kernel").count());
        }
    }

    #[test]
    fn all_shapes_occur() {
        let generated = program(100);
        for shape in ["add_", "stencil_", "reduction_", "tile_"] {
            assert!(
                generated
                    .kernels
                    .contains(&format!("__kernel void {shape}"))
            );
        }
    }
}
