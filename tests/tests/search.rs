//! What the search for forms finds: each of its steps is taken by some kernel, and pays there.

use fpgacc_tests::command::Workshop;
use serde_json::Value;

/// Launches `k` as `GLOBAL` and `LOCAL` say, with the arguments `ARGS` after two buffers.
const HOST: &str = r#"
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    static char text[20000];
    FILE *file = fopen("k.cl", "r");
    fread(text, 1, sizeof text - 1, file);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel k = clCreateKernel(program, "k", NULL);
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 26, NULL, NULL);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 26, NULL, NULL);
    cl_mem table = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 16, NULL, NULL);
    int n = N;
    clSetKernelArg(k, 0, sizeof in, &in);
    clSetKernelArg(k, 1, sizeof out, &out);
    clSetKernelArg(k, 2, sizeof table, &table);
    clSetKernelArg(k, 3, sizeof n, &n);
    size_t global[] = { GLOBAL }, local[] = { LOCAL };
    clEnqueueNDRangeKernel(queue, k, DIMS, NULL, global, local, 0, NULL, NULL);
    return clFinish(queue);
}
"#;

/// A step, by the word of it in a form's name.
struct Case {
    pass: &'static str,
    label: &'static str,
    global: &'static [u64],
    local: &'static [u64],
    body: &'static str,
    /// What does the same otherwise, and is left out.
    others: &'static str,
}

const SAXPY: &str = "int i = get_global_id(0); out[i] += 3.0f * in[i];";

const PRODUCT: &str = "int j = get_global_id(0), i = get_global_id(1);\n\
    for (int k = 0; k < n; k++) out[i * n + j] += in[i * n + k] * in[j * n + k];";

/// Local alignments (Smith and Waterman, 1981), of which each work-group makes one.
const ALIGNMENT: &str = "\
    __local int h[129][129];
    uint t = get_local_id(0);
    int best = 0;
    h[0][t + 1] = h[t + 1][0] = 0;
    if (t == 0) h[0][0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 0; d < 255; d++) {
        if (d >= t && d - t < 128) {
            uint i = d - t + 1;
            int v = h[i - 1][t] + (in[i] == in[get_global_id(0)] ? 3 : -3);
            v = max(max(v, 0), max(h[i - 1][t + 1], h[i][t]) - 2);
            h[i][t + 1] = v;
            if (v > best) best = v;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = best;";

const BODIES: &str = "int i = get_global_id(0); float own = in[i], sum = 0;\n\
    for (int j = 0; j < n; j++) { float d = in[j] - own; sum += d * rsqrt(d * d + 0.1f); }\n\
    out[i] = sum;";

const STENCIL: &str = "int x = get_global_id(0), y = get_global_id(1);\n\
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)\n\
    out[y * n + x] = in[y * n + x] + in[y * n + x - 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x];";

const LOOKED_UP: &str = "for (int i = 0; i < n * n; i++) { int x = i % n, y = i / n;\n\
    out[i] = in[i] + in[y * n + table[x]] + in[table[y] * n + x]; }";

const SORTED: &str = "float t[16][17];\n\
    for (int c = 0; c < n * n; c++) {\n\
    #pragma unroll\n\
    for (int r = 0; r < 16; r++) t[r][table[c & 1023] & 15] = in[c * 16 + r]; }\n\
    for (int r = 0; r < 16; r++) {\n\
    #pragma unroll\n\
    for (int c = 0; c < 16; c++) out[r * 16 + c] = t[r][c]; }";

const CASES: [Case; 16] = [
    Case {
        pass: "pad",
        label: "padded rows",
        global: &[1],
        local: &[1],
        body: SORTED,
        others: "-fexecution-model=swi",
    },
    Case {
        pass: "tile",
        label: "tiles in __local memory",
        global: &[1024, 1024],
        local: &[16, 16],
        body: PRODUCT,
        others: "",
    },
    Case {
        pass: "geometry",
        label: "launched in work-groups of 16 x 16 x 1",
        global: &[1024, 1024],
        local: &[],
        body: PRODUCT,
        others: "-fexecution-model=ndrange -fno-coarsen -fno-vectorise",
    },
    Case {
        pass: "window",
        label: "windows",
        global: &[1024, 1024],
        local: &[16, 16],
        body: STENCIL,
        others: "",
    },
    Case {
        pass: "delinearise",
        label: "nests over rows",
        global: &[1],
        local: &[1],
        body: LOOKED_UP,
        others: "",
    },
    Case {
        pass: "fuse",
        label: "loops fused",
        global: &[1],
        local: &[1],
        body: "for (int i = 0; i < n * n; i++) out[i] = in[i] * 3.0f;\n\
            for (int i = 0; i < n * n; i++) out[i + n * n] = out[i] + in[i];",
        others: "",
    },
    Case {
        pass: "neighbour-tables",
        label: "neighbours computed",
        global: &[1],
        local: &[1],
        body: LOOKED_UP,
        others: "",
    },
    Case {
        pass: "privatise",
        label: "counts on the chip",
        global: &[1 << 20],
        local: &[256],
        body: "atomic_inc(&table[(int)in[get_global_id(0)] & 255]);",
        others: "",
    },
    Case {
        pass: "promote",
        label: "elements loaded once",
        global: &[1024],
        local: &[64],
        body: "int i = get_global_id(0); float best = 1e9f;\n\
            for (int c = 0; c < n; c++) { float sum = 0;\n\
            for (int f = 0; f < 16; f++) sum += in[i * 16 + f] * in[c * 16 + f];\n\
            best = fmin(best, sum); }\nout[i] = best;",
        others: "",
    },
    Case {
        pass: "coarsen",
        label: "work-items become one",
        global: &[1 << 20],
        local: &[],
        body: SAXPY,
        others: "-fexecution-model=ndrange -fno-geometry -fno-vectorise",
    },
    Case {
        pass: "vectorise",
        label: "vectors of",
        global: &[1 << 20],
        local: &[],
        body: SAXPY,
        others: "-fexecution-model=ndrange -fno-geometry -fno-coarsen",
    },
    Case {
        pass: "vectorise-loops",
        label: "loops with vectors of",
        global: &[1],
        local: &[1],
        body: "for (int i = 0; i < n * n; i++) out[i] = 3.0f * in[i];",
        others: "-fno-unroll",
    },
    Case {
        pass: "replicate",
        label: "SIMD width",
        global: &[16384],
        local: &[256],
        body: BODIES,
        others: "-fno-coarsen",
    },
    Case {
        pass: "wavefront",
        label: "a wavefront in registers",
        global: &[12800],
        local: &[128],
        body: ALIGNMENT,
        others: "",
    },
    Case {
        pass: "lockstep",
        label: "'for y' at line 3 in lockstep",
        global: &[16384],
        local: &[128],
        body: "for (int y = 0; y < n; y++)\n\
            out[y * 16384 + get_global_id(0)] = in[y * 16384 + get_global_id(0)] * 3.0f;",
        others: "-fexecution-model=ndrange",
    },
    Case {
        pass: "unroll",
        label: "'for j' at line 4 unrolled",
        global: &[16384],
        local: &[256],
        body: BODIES,
        others: "",
    },
];

impl Case {
    /// The label and the predicted seconds of the form that is kept.
    fn kept(&self, options: &str) -> (String, f64) {
        let shop = Workshop::new();
        let list = |sizes: &[u64]| {
            let texts: Vec<String> = sizes.iter().map(u64::to_string).collect();
            texts.join(", ")
        };
        let host = HOST
            .replace("GLOBAL", &list(self.global))
            .replace("DIMS", &self.global.len().to_string())
            .replace("int n = N", "int n = 1024");
        let host = match self.local {
            [] => host.replace("global, local, 0", "global, NULL, 0"),
            local => host.replace("LOCAL", &list(local)),
        };
        shop.write("host.c", host.replace("LOCAL", "1"));
        let body = self.body;
        let text = format!(
            "__kernel void k(__global const float *in, __global float *out, __global int *table, int n)\n\
             {{\n{body}\n}}\n"
        );
        shop.write("k.cl", text);
        let command = format!(
            "report --json --kernel-opt=3 --search-time=0.2s {} {options} host.c k.cl",
            self.others
        );
        let report = shop.fpgacc(&command).success().stdout;
        chosen(&report)
    }
}

/// The label and the predicted seconds of the form that a report's kernel gets.
fn chosen(report: &str) -> (String, f64) {
    let report: Value = serde_json::from_str(report).expect("JSON");
    let kernel = &report["programs"][0]["kernels"][0];
    let chosen = kernel["chosen"].as_u64().expect("an index") as usize;
    let chosen = &kernel["candidates"][chosen];
    let label = chosen["label"].as_str().expect("a label");
    let seconds = chosen["seconds"]["value"].as_f64();
    (label.to_string(), seconds.expect("seconds"))
}

#[test]
fn each_step_of_the_search_pays_somewhere() {
    let mut wrong = Vec::new();
    for case in &CASES {
        let (label, with) = case.kept("");
        let (other, without) = case.kept(&format!("-fno-{}", case.pass));
        let gain = without / with;
        println!("{}: {gain:.2}x: {label}; without it: {other}", case.pass);
        if !label.contains(case.label) || gain < 1.02 {
            wrong.push(case.pass);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Two loops, of which unrolling the second one pays.
const TWO_LOOPS: &str = "\
__kernel void k(__global const float *in, __global float *out, __global int *table)
{
    int a = 1;
    for (int i = 0; i < 64; i++) a = table[a & 1023];
    for (int i = 0; i < 64; i++) out[i] = in[i] * 3.0f;
    out[64] = a;
}
";

#[test]
fn forms_that_unroll_different_loops_are_different() {
    let shop = Workshop::new();
    shop.write("k.cl", TWO_LOOPS);
    let report = shop.fpgacc("report --json --kernel-opt=3 k.cl").success();
    let (label, _) = chosen(&report.stdout);
    assert!(label.contains("line 5 unrolled"), "{label}");
    assert!(!label.contains("line 4 unrolled"), "{label}");
}

/// Work-items that sum what is around them, as far as a short nest goes: unrolled alone, its inner loop gains nothing.
const AROUND: &str = "\
__kernel void k(__global const float *in, __global float *out, __global int *table, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) sum += in[(y + i) * n + x + j] * table[i * 3 + j];
    out[y * n + x] = sum;
}
";

#[test]
fn short_nests_and_what_gains_beside_them_are_one_step() {
    let shop = Workshop::new();
    shop.write("k.cl", AROUND);
    let options = "-fexecution-model=ndrange -fno-coarsen -fno-vectorise --search-time=0.2s";
    let command = format!("report --json --kernel-opt=3 {options} k.cl");
    let report: Value =
        serde_json::from_str(&shop.fpgacc(&command).success().stdout).expect("JSON");
    let step = &report["programs"][0]["kernels"][0]["steps"][0];
    let what = step["what"].as_str().expect("a step");
    for part in [
        "2 compute units",
        "'for i' at line 5 unrolled 5 times",
        "'for j' at line 6 unrolled 3 times",
    ] {
        assert!(what.contains(part), "{what}");
    }
}

/// Tiles that are loaded and transposed. One nest that is unrolled gains nothing: the loop around both goes on only when the
/// other one is done.
const TILES: &str = "\
__kernel void k(__global const uchar *restrict in, __global uchar *restrict out)
{
    uchar t[12][12];
    for (int i = 0; i < 100000; i++) {
        for (int y = 0; y < 12; y++)
            for (int x = 0; x < 12; x++) t[y][x] = in[(i * 12 + y) * 12 + x];
        for (int v = 0; v < 12; v++)
            for (int u = 0; u < 12; u++) out[(i * 12 + v) * 12 + u] = t[u][v];
    }
}
";

#[test]
fn short_nests_that_follow_each_other_are_unrolled_in_one_step() {
    let shop = Workshop::new();
    shop.write("k.cl", TILES);
    let report = shop.fpgacc("report --json --kernel-opt=3 k.cl").success();
    let report: Value = serde_json::from_str(&report.stdout).expect("JSON");
    let step = &report["programs"][0]["kernels"][0]["steps"][0];
    let what = step["what"].as_str().expect("a step");
    for name in [
        "y' at line 5",
        "x' at line 6",
        "v' at line 7",
        "u' at line 8",
    ] {
        assert!(
            what.contains(&format!("'for {name} unrolled 12 times")),
            "{what}"
        );
    }
}

/// The form of a stencil whose host launches it again and again, and does this in between.
fn launched_often(between: &str) -> String {
    let shop = Workshop::new();
    let call = "clEnqueueNDRangeKernel(queue, k, DIMS, NULL, global, local, 0, NULL, NULL);";
    let exchanged = format!(
        "for (int i = 0; i < 50; i++) {{\n\
         clSetKernelArg(k, 0, sizeof in, &in);\nclSetKernelArg(k, 1, sizeof out, &out);\n{call}\n\
         cl_mem read = in; in = out; out = read;\n{between}\n}}"
    );
    let host = HOST
        .replace(call, &exchanged)
        .replace("GLOBAL", "1024, 1024");
    let host = host.replace("LOCAL", "16, 16").replace("DIMS", "2");
    shop.write("host.c", host.replace("int n = N", "int n = 1024"));
    let text = format!(
        "__kernel void k(__global const float *in, __global float *out, __global int *table, int n)\n\
         {{\n{STENCIL}\n}}\n"
    );
    shop.write("k.cl", text);
    let command = "report --json --kernel-opt=3 --search-time=0.2s host.c k.cl";
    chosen(&shop.fpgacc(command).success().stdout).0
}

#[test]
fn stencils_do_several_launches_in_a_row_where_nobody_looks() {
    for between in ["", "clFinish(queue);", "clFlush(queue); clFinish(queue);"] {
        let label = launched_often(between);
        assert!(label.contains("launches in a row"), "{between} {label}");
    }
    for between in [
        "clEnqueueReadBuffer(queue, in, CL_TRUE, 0, 4, &n, 0, NULL, NULL); if (n == 3) break;",
        "clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);",
        "n++; clSetKernelArg(k, 3, sizeof n, &n);",
    ] {
        let label = launched_often(between);
        assert!(!label.contains("launches in a row"), "{between} {label}");
    }
}
