//! Buffers that change places in a loop of unknown length: two arguments are never the same buffer, or may be.

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::syntax::{HostFile, Language};
use fpgacc_host_analysis::{Analysis, analyse};
use fpgacc_launch_facts::{Facts, Launch};

/// A host with buffers `a`, `b` and `c`, and `way[0]` and `way[1]`; `what` are its last statements.
fn facts(what: &str) -> Facts {
    analysis(what).facts
}

fn analysis(what: &str) -> Analysis {
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
    analyse(&hosts, &sources)
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
        "clEnqueueReadBuffer(q, a, 1, 0, 64, x, 0, 0, 0);",
        "if (argc == 3) clWaitForEvents(1, 0);",
        "clFinish(q); clEnqueueReadBuffer(q, a, 1, 0, 64, x, 0, 0, 0);",
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

/// Launches of a loop whose head is given; `l` is another kernel object.
fn launches(head: &str, body: &str) -> Vec<Launch> {
    let what = format!(
        "cl_kernel l = clCreateKernel(p, \"f\", 0), other = clCreateKernel(p, \"g\", 0);\n\
         clSetKernelArg(l, 0, 8, &b); clSetKernelArg(l, 1, 8, &a);\n\
         clSetKernelArg(k, 0, 8, &a); clSetKernelArg(k, 1, 8, &b);\n\
         for ({head}) {{\n{body}\n}}"
    );
    facts(&what).launches
}

fn set(x: &str, y: &str) -> String {
    format!("clSetKernelArg(k, 0, 8, &{x}); clSetKernelArg(k, 1, 8, &{y});\n")
}

const GO: &str = "clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);\n";

#[test]
fn counters_choose_buffers_by_whether_they_are_even() {
    for body in [
        set("way[i % 2]", "way[(i + 1) % 2]") + GO,
        set("way[i & 1]", "way[1 - (i & 1)]") + GO,
        set("way[1 & i]", "way[!(i & 1)]") + GO,
        set("way[(3 * i + 1) % 2]", "way[(i + 2) % 2]") + GO,
        format!(
            "cl_mem s = way[i % 2], t = way[(i + 1) % 2];\n{}{GO}",
            set("s", "t")
        ),
        format!(
            "cl_mem s = i % 2 ? a : b, t = i % 2 == 0 ? a : b;\n{}{GO}",
            set("s", "t")
        ),
        format!(
            "if (i % 2 == 0) {{ {} }} else {{ {} }}\n{GO}",
            set("a", "b"),
            set("b", "a")
        ),
    ] {
        for head in [
            "i = 0; i < argc; i++",
            "i = 1; i <= 100; i += 3",
            "i = 100; i > 0; --i",
        ] {
            let all = launches(head, &body);
            assert_eq!(all.len(), 1);
            assert!(all[0].exchanges(0, 1), "{head} {body} {all:?}");
            assert!(all[0].same.is_empty(), "{head} {body}");
        }
    }
}

#[test]
fn counters_that_choose_otherwise_exchange_nothing() {
    let by_rest = set("way[i % 2]", "way[(i + 1) % 2]") + GO;
    for (head, body) in [
        ("i = 0; i < argc; i += 2", by_rest.clone()),
        ("i = 0; i < argc; i *= 3", by_rest.clone()),
        ("i = argc; i < 9; i++", by_rest.clone()),
        ("i = -argc; i < argc; i++", by_rest.clone()),
        (
            "i = 0; i < argc; i++",
            format!("{by_rest} if (argc == 7) i++;"),
        ),
        (
            "i = 0; i < argc; i++",
            format!("if (argc == 7) continue;\n{by_rest} i += argc;"),
        ),
        ("i = 0; i < argc; i++", set("way[i % 2]", "way[i / 2]") + GO),
        (
            "i = 0; i < argc; i++",
            set("way[i % 2]", "way[(i + 2) % 2]") + GO,
        ),
        (
            "i = 0; i < argc; i++",
            set("way[i % 2]", "way[(i + now) % 2]") + "now += argc;\n" + GO,
        ),
        (
            "i = 0; i < argc; i++",
            set("way[i % 2]", "way[i * argc % 2]") + GO,
        ),
    ] {
        for launch in launches(head, &body) {
            assert!(!launch.has_rows(), "{head} {body} {launch:?}");
        }
    }
}

#[test]
fn a_counter_of_a_function_is_not_another_ones() {
    let what = "struct s { static int at(int i) { return i % 2; } };\n\
        for (i = 0; i < argc; i++) { clSetKernelArg(k, 0, 8, &way[s::at(i)]);\n\
        clSetKernelArg(k, 1, 8, &way[1 - s::at(i)]); }\n\
        for (i = argc; i < 9; i++) { int h = i; clSetKernelArg(k, 0, 8, &way[s::at(h)]);\n\
        clSetKernelArg(k, 1, 8, &way[1 - s::at(h)]);\n";
    let launch = facts(&format!("{what}{GO}}}"))
        .launches
        .pop()
        .expect("a launch");
    assert!(!launch.has_rows(), "{launch:?}");
    assert!(
        launch
            .args
            .iter()
            .all(|arg| !matches!(arg.value, fpgacc_launch_facts::ArgValue::Memory(_)))
    );
}

#[test]
fn launches_of_a_loop_take_turns() {
    let other = GO.replace(", k,", ", l,");
    for body in [
        format!("{}{GO}{}{GO}", set("a", "b"), set("b", "a")),
        format!("{GO}{other}"),
        format!("if (i % 2) {{ {GO} }} else {{ {other} }}"),
        format!(
            "if (i & 1) {{ {}{GO} }} else {{ {}{GO} }}",
            set("a", "b"),
            set("b", "a")
        ),
    ] {
        for head in [
            "i = 0; i < argc; i++",
            "i = 0; i < 100; i++",
            "i = 0; i < 4; i++",
        ] {
            let all = launches(head, &body);
            assert_eq!(all.len(), 2);
            assert!(
                all.iter().all(|one| one.exchanges(0, 1)),
                "{head} {body} {all:?}"
            );
        }
    }
}

#[test]
fn launches_that_do_not_take_turns_are_watched() {
    let other = GO.replace(", k,", ", l,");
    for body in [
        format!("{GO}{GO}"),
        format!("{GO}{other}{GO}"),
        format!("{GO}{}", GO.replace(", k,", ", other,")),
        format!("{GO}{}", other.replace("&g", "&h")),
        format!("{GO}clSetKernelArg(l, 2, 4, &i);{other}"),
        format!("{GO}clEnqueueReadBuffer(q, a, 1, 0, 64, x, 0, 0, 0);{other}"),
        format!("{GO}for (int j = 0; j < argc; j++) {{ {other} }}"),
        format!("{}{GO}{}{GO}", set("a", "b"), set("b", "c")),
        format!("{}{GO}{}{GO}", set("a", "b"), set("c", "a")),
    ] {
        let body = format!("size_t h = 32;\n{body}");
        let all = launches("i = 0; i < argc; i++", &body);
        assert!(all.iter().all(|one| !one.has_rows()), "{body} {all:?}");
    }
}

#[test]
fn the_host_may_wait_in_loops_that_count() {
    let body = format!(
        "clFinish(q);\n{}{GO}clFlush(q); clFinish(q); std::swap(a, b);",
        set("a", "b")
    );
    for head in [
        "i = 0; i < argc; i++",
        "i = 1; i <= 100; i += 3",
        "int j = 100; j > 0; --j",
    ] {
        let all = launches(head, &body);
        assert!(all[0].exchanges(0, 1), "{head} {all:?}");
    }
    for head in [
        "i = 0; i < argc && now < 8; i++",
        "; now < argc; now++",
        "i = 0; i < f(3); i++",
    ] {
        let all = launches(head, &body);
        assert!(!all[0].has_rows(), "{head} {all:?}");
    }
    // The loop that counts is not the one that launches.
    for body in [
        format!("while (f(1)) {{ {body} }}"),
        format!("do {{ {body} }} while (f(1));"),
    ] {
        let all = launches("i = 0; i < argc; i++", &body);
        assert!(!all[0].has_rows(), "{body} {all:?}");
    }
}

/// What the remark says that names what keeps the launches of a loop from being done at once.
fn remark(head: &str, then: &str) -> Vec<String> {
    let body = format!("{}{GO}{then}", set("a", "b"));
    let all = analysis(&format!("{head} {{\n{body}\n}}")).diagnostics;
    let own = all.iter().filter(|one| one.message.contains("one by one"));
    own.flat_map(|one| one.notes.clone()).collect()
}

#[test]
fn remarks_say_what_keeps_launches_apart() {
    let counted = "for (i = 0; i < argc; i++)";
    let swap = "cl_mem h = a; a = b; b = h;";
    for (head, then, why) in [
        (
            counted,
            format!("clWaitForEvents(1, 0); {swap}"),
            "the host calls `clWaitForEvents` there",
        ),
        (
            "while (f(1))",
            format!("clFinish(q); {swap}"),
            "the host calls `clFinish` there, and the loop does not say how often it goes round",
        ),
        (
            counted,
            format!("cl_event e; clEnqueueTask(q, k, 0, 0, &e); {swap}"),
            "`clEnqueueTask` there has an event or a wait list",
        ),
        (
            counted,
            "cl_mem h = a; a = b; b = c; c = h;".to_string(),
            "more than two buffers take turns",
        ),
    ] {
        assert_eq!(remark(head, &then)[0], why, "{then}");
        let launch = launches(
            "i = 0; i < argc; i++",
            &format!("{}{GO}{then}", set("a", "b")),
        );
        assert!(then.contains("clFinish") || !launch[0].has_rows());
    }
    assert!(remark(counted, swap).is_empty());
    assert!(remark(counted, &format!("{swap} clFinish(q);")).is_empty());
}
