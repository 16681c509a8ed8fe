//! Random hosts that launch a stencil again and again: how they step, wait and look.

use std::fmt::Write as _;

use crate::random::Random;

/// The kernels: one that writes all but a column of another buffer, and one that also reads what it writes.
pub const KERNELS: &str = "__attribute__((reqd_work_group_size(12, 12, 1)))
__kernel void heat(__global const int *restrict a, __global int *restrict b, int n)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * 12 + x;
    int sum = a[i] * n + (x > 0 ? a[i - 1] : 1) - (x < 11 ? a[i + 1] : a[i])
              + (y > 0 ? a[i - 12] : 2) - (y < 11 ? a[i + 12] : a[i]);
    if (x < 11)
        b[i] = sum;
}

__attribute__((reqd_work_group_size(12, 12, 1)))
__kernel void wave(__global const int *restrict a, __global int *restrict b, int n)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * 12 + x;
    b[i] = a[i] * n + (x > 0 ? a[i - 1] : 1) + (y < 11 ? a[i + 12] : 3) - b[i];
}
";

/// How the buffers change places in a round: what stands before the launch, and behind it. `A` and `B` are set with
/// SET.
const STEPS: [(&str, &str); 12] = [
    ("SET(a, b)", "cl_mem h = a; a = b; b = h;"),
    ("SET(way[now], way[1 - now])", "now = 1 - now;"),
    ("SET(way[now], way[!now])", "now ^= 1;"),
    ("SET(way[ROUND % 2], way[(ROUND + 1) % 2])", ""),
    ("SET(way[ROUND & 1], way[1 - (ROUND & 1)])", ""),
    (
        "cl_mem s = ROUND % 2 ? a : b, t = ROUND % 2 ? b : a; SET(s, t)",
        "",
    ),
    ("if (ROUND % 2 == 0) { SET(a, b) } else { SET(b, a) }", ""),
    ("SET(a, b) LAUNCH(k) SET(b, a)", ""),
    ("SET(a, b) TWIN(b, a) LAUNCH(k)", "LAUNCH(twin)"),
    (
        "SET(a, b) TWIN(b, a) if (ROUND & 1) { LAUNCH(twin) } else",
        "",
    ),
    ("SET(a, b)", "cl_mem h = a; a = b; b = c; c = h;"),
    (
        "SET(a, b)",
        "if (ROUND != 3) { cl_mem h = a; a = b; b = h; }",
    ),
];

/// What the host does between the launches.
const BETWEEN: [&str; 14] = [
    "",
    "",
    "CHECK(clFinish(queue));",
    "CHECK(clFinish(queue));",
    "CHECK(clFinish(queue)); /* again */ CHECK(clFinish(queue));",
    "CHECK(clFlush(queue));",
    "if (ROUND % 3 == 2) CHECK(clFinish(queue));",
    "CHECK(clFinish(other));",
    "if (ROUND % 4 == 3) look(b);",
    "if (ROUND == 5) { n = 2; SCALARS }",
    "if (ROUND == 6) break;",
    "if (look(a) % 7 == 3) break;",
    "if (ROUND == 4) { CHECK(clFinish(queue)); look(a); look(b); }",
    "if (ROUND == 2) continue;",
];

/// How launches are waited for by events.
const EVENTS: [&str; 4] = [
    "",
    "",
    "",
    "cl_event e; CHECK(clEnqueueNDRangeKernel(queue, k, 2, NULL, size, size, 0, NULL, &e)); \
     CHECK(clWaitForEvents(1, &e)); clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, 8, &end, NULL); \
     clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, 8, &start, NULL); \
     total += end - start; CHECK(clReleaseEvent(e));",
];

/// Heads of loops, for `COUNT` rounds of `ROUND`.
const HEADS: [&str; 7] = [
    "for (int ROUND = 0; ROUND < COUNT; ROUND++)",
    "for (int ROUND = 1; ROUND <= COUNT; ++ROUND)",
    "for (int ROUND = many + 20; ROUND > many + 20 - COUNT; ROUND--)",
    "for (int ROUND = 0; ROUND < 2 * COUNT; ROUND += 2)",
    "for (int ROUND = 0; ROUND < COUNT && many; ROUND++)",
    "for (unsigned ROUND = 0; ROUND < (unsigned)COUNT * 3; ROUND += 3)",
    "for (int ROUND = -1; ++ROUND < COUNT;)",
];

/// A host with so many loops; each prints what its buffers hold in the end.
pub fn host(random: &mut Random, loops: usize) -> String {
    let mut calls = String::new();
    let mut functions = String::new();
    for at in 0..loops {
        let _ = writeln!(calls, "    loop_{at}(argc + {});", random.below(14));
        functions += &one_loop(random, at);
    }
    FRAME
        .replace("/* loops */", &functions)
        .replace("/* calls */", &calls)
}

fn one_loop(random: &mut Random, at: usize) -> String {
    let kernel = random.copy(&["heat", "heat", "wave"]);
    let (before, after) = random.copy(&STEPS);
    let (first, second, third) = (
        random.copy(&BETWEEN),
        random.copy(&BETWEEN),
        random.copy(&EVENTS),
    );
    let head = random.copy(&HEADS);
    let count = random.copy(&["many", "many", "12", "(many + 1)", "many / 2"]);
    let places = random.below(2);
    let (early, late) = if places == 0 {
        (first, second)
    } else {
        ("", first)
    };
    let launch = match third {
        "" => "LAUNCH(k)".to_string(),
        event => format!("{{ {event} }}"),
    };
    let body = format!("{early}\n{before}\n{launch}\n{late}\n{after}\n");
    let head = head.replace("COUNT", count);
    format!(
        "static void loop_{at}(int many)\n{{\n    BEGIN(\"{kernel}\");\n    {head}\n    {{\n{body}    }}\n    END\n}}\n\n"
    )
    .replace("LAUNCH(k)", &launched("k"))
    .replace("LAUNCH(twin)", &launched("twin"))
    .replace("ROUND", random.copy(&["i", "round_"]))
}

/// A launch as hosts spell it: macros that launch are none that loops are announced for.
fn launched(kernel: &str) -> String {
    format!("CHECK(clEnqueueNDRangeKernel(queue, {kernel}, 2, NULL, size, size, 0, NULL, NULL));")
}

const FRAME: &str = include_str!("time_loops.c");
