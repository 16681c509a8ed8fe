//! Buffers that change places in a loop of unknown length: two arguments are never the same buffer, or may be.

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::analyse;
use fpgacc_host_analysis::syntax::{HostFile, Language};
use fpgacc_launch_facts::{Facts, Launch};

/// A host with buffers `a`, `b` and `c`, and `way[0]` and `way[1]`; `what` are its last statements.
fn facts(what: &str) -> Facts {
    let text = format!(
        "typedef unsigned long size_t;\n\
         static void change(cl_mem *x, cl_mem *y) {{ cl_mem z = *x; *x = *y; *y = z; }}\n\
         int main(int argc, char **argv) {{\n\
         cl_kernel k = clCreateKernel(p, \"f\", 0); cl_command_queue q = clCreateCommandQueue(d, e, 0, 0);\n\
         cl_mem a = clCreateBuffer(d, 0, 64, 0, 0), b = clCreateBuffer(d, 0, 64, 0, 0);\n\
         cl_mem c = clCreateBuffer(d, 0, 64, 0, 0);\n\
         cl_mem way[2]; way[0] = clCreateBuffer(d, 0, 64, 0, 0); way[1] = clCreateBuffer(d, 0, 64, 0, 0);\n\
         size_t g = 64; int from = 0, to = 1, now = 0, i; cl_mem *x = &a, *y = &b;\n{what}\n}}"
    );
    let mut sources = SourceMap::new();
    let file = sources.add("h.cpp", text);
    let hosts = [HostFile::parse(&sources, file, &[], None, Language::Cpp)];
    analyse(&hosts, &sources).facts
}

/// The last launch of a host with a loop that passes two values as arguments, launches, and goes on.
fn launch(x: &str, y: &str, then: &str) -> Launch {
    let what = format!(
        "for (i = 0; i < argc; i++) {{\n\
         clSetKernelArg(k, 0, sizeof(cl_mem), {x});\nclSetKernelArg(k, 1, sizeof(cl_mem), {y});\n\
         clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);\n{then}\n}}"
    );
    let mut launches = facts(&what).launches;
    launches.pop().expect("a launch")
}

#[test]
fn buffers_that_change_places_are_apart() {
    for (x, y, then) in [
        ("&a", "&b", "cl_mem h = a; a = b; b = h;"),
        ("&a", "&b", "std::swap(a, b);"),
        ("&a", "&b", "change(&a, &b);"),
        ("&a", "&b", "cl_mem h = a; a = b; b = c; c = h;"),
        ("&a", "&b", "if (argc == 9) break; std::swap(a, b);"),
        (
            "&a",
            "&b",
            "if (argc == 9) return 1; std::swap(a, b); if (i == argc) continue; now = i;",
        ),
        ("&way[from]", "&way[to]", "int h = from; from = to; to = h;"),
        ("&way[now]", "&way[1 - now]", "now = 1 - now;"),
        ("&way[now]", "&way[1 - now]", "now ^= 1;"),
        ("&way[now]", "&way[!now]", "now = !now;"),
        ("x", "y", "cl_mem *h = x; x = y; y = h;"),
    ] {
        let launch = launch(x, y, then);
        assert_eq!(launch.apart, [(0, 1)], "{then}: {launch:?}");
        assert!(launch.same.is_empty(), "{then}");
        let changes = launch.within.map(|within| within.changes.len());
        assert_eq!(changes, Some(2), "{then}");
    }
}

#[test]
fn buffers_that_may_meet_are_not() {
    for (x, y, then) in [
        ("&a", "&b", "a = b;"),
        ("&a", "&b", "if (i == 7) a = b; else std::swap(a, b);"),
        ("&a", "&b", "std::swap(a, b); if (i == 7) std::swap(b, c);"),
        ("&a", "&b", "cl_mem h = a; a = b; b = c; c = a;"),
        ("&a", "&b", "std::swap(a, b); other(&a);"),
        (
            "&way[from]",
            "&way[to]",
            "int h = from; from = to; to = h; if (i == 7) to = from;",
        ),
        ("&way[now]", "&way[1]", "now = 1 - now;"),
        ("x", "y", "cl_mem *h = x; x = y; y = h; if (i == 7) b = a;"),
        (
            "&a",
            "&b",
            "for (int j = 0; j < i; j++) { cl_mem h = a; a = b; b = c; c = h; b = c; }",
        ),
    ] {
        let launch = launch(x, y, then);
        assert!(launch.apart.is_empty(), "{then}: {launch:?}");
    }
    // Behind the loop it is not known how often they changed places.
    let last = "for (i = 0; i < argc; i++) std::swap(a, b);\n\
                clSetKernelArg(k, 0, sizeof a, &a); clSetKernelArg(k, 1, sizeof a, &c);\n\
                clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);";
    let launch = facts(last).launches.pop().expect("a launch");
    assert_eq!(launch.args.len(), 2);
    assert!(launch.apart.is_empty(), "{launch:?}");
}

#[test]
fn launches_in_a_row_exchange_buffers_and_nothing_else() {
    let swap = "std::swap(a, b);";
    assert!(launch("&a", "&b", swap).exchanges(1, 0));
    for then in [
        "clFinish(q);",
        "clEnqueueReadBuffer(q, a, 1, 0, 64, x, 0, 0, 0);",
        "if (argc == 3) clWaitForEvents(1, 0);",
        "cl_event event; clEnqueueTask(q, k, 0, 0, &event);",
        "clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);",
        "clSetKernelArg(k, 2, sizeof i, &i);",
        "g++;",
    ] {
        let launch = launch("&a", "&b", &format!("{swap} {then}"));
        assert!(!launch.exchanges(0, 1), "{then}: {launch:?}");
    }
    let sorted = "if (argc == 5) std::swap(a, b);";
    assert!(!launch("&a", "&c", sorted).exchanges(0, 1));
}
