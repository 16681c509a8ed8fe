//! What counters of loops lie between, and how often loops go round: held against loops that are run here.

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::analyse;
use fpgacc_host_analysis::syntax::{HostFile, Language};
use fpgacc_launch_facts::{Launch, Symbolic, Value};

/// Most rounds of a loop that is run here.
const MOST_ROUNDS: usize = 3000;

/// The first launch of a host with these statements.
fn launch(what: &str) -> Launch {
    let text = format!(
        "typedef unsigned long size_t;\n\
         int main(int argc, char **argv) {{\n\
         cl_kernel k = clCreateKernel(p, \"f\", 0); cl_command_queue q = clCreateCommandQueue(d, e, 0, 0);\n\
         int n = atoi(argv[1]);\n{what}\n}}"
    );
    let mut sources = SourceMap::new();
    let file = sources.add("h.c", text);
    let hosts = [HostFile::parse(&sources, file, &[], None, Language::C)];
    let mut launches = analyse(&hosts, &sources).facts.launches;
    launches.remove(0)
}

/// The launch in a loop with this head, of `i + shift` work-items, where the body ends with `then`.
fn counted(head: &str, shift: i64, then: &str) -> Launch {
    launch(&format!(
        "for ({head}) {{\nsize_t g = (size_t)(i + {shift});\n\
         clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);\n{then}\n}}"
    ))
}

fn bounds(launch: &Launch) -> (Option<u64>, Option<u64>) {
    match &launch.global[0] {
        Value::Symbolic(symbolic) => (symbolic.min, symbolic.max),
        other => panic!("{other:?}"),
    }
}

#[test]
fn counters_lie_between_their_first_value_and_the_limit() {
    for (head, shift, expected, times) in [
        ("int i = 1; i <= 180; i++", 0, (1, 180), Some(180)),
        ("int i = 0; i < 1000; i += 16", 16, (16, 1008), None),
        ("int i = 0; 2000 > i; i += 16", 16, (16, 2000), Some(125)),
        ("unsigned i = 1000; i > 0; i -= 8", 0, (8, 1000), Some(125)),
        ("unsigned i = 1000; i; i = i - 8", 8, (16, 1008), None),
        ("size_t i = 100; i != 500; i++", 0, (100, 499), Some(400)),
        (
            "int i = 100, j = 9; i < 500; i++, j--",
            0,
            (100, 499),
            Some(400),
        ),
        ("int i = 100; argc < 9 && i < 500; ++i", 0, (100, 499), None),
    ] {
        let launch = counted(head, shift, "");
        let (min, max) = match &launch.global[0] {
            Value::Range { min, max, .. } => (Some(*min), Some(*max)),
            _ => bounds(&launch),
        };
        if expected != (0, 0) {
            assert_eq!((min, max), (Some(expected.0), Some(expected.1)), "{head}");
        }
        if times.is_some() {
            assert_eq!(launch.times, times, "{head}");
        }
    }
}

#[test]
fn a_body_that_changes_the_counter_says_nothing() {
    for then in [
        "if (argc > 3) i += 3;",
        "if (argc > 3) { i = -5; continue; }",
        "scanf(\"%d\", &i);",
        "int *p = &i; *p = 7;",
        "other(&i);",
    ] {
        let launch = counted("int i = 1; i <= 180; i++", 0, then);
        assert_eq!(bounds(&launch), (None, None), "{then}");
        assert_eq!(launch.times, None, "{then}");
    }
    for then in [
        "if (argc > 3) break;",
        "if (argc > 3) continue; n++;",
        "int j = i; j++;",
    ] {
        let launch = counted("int i = 1; i <= 180; i++", 0, then);
        assert_eq!(bounds(&launch), (Some(1), Some(180)), "{then}");
    }
}

#[test]
fn a_step_that_changes_the_counter_in_another_way_says_nothing() {
    for (before, head) in [
        ("int i, *p = &i;", "i = 200; i < 300; i++, *p -= 20"),
        ("int i, *p = &i;", "i = 200; i < 300; *p -= 20, i++"),
        ("int i, k = 0;", "i = 300; i < n; i++, k % 3 || (i -= 50)"),
        ("int i, k = 0;", "i = 200; i < 300; i++, k = (i -= 20)"),
        ("int i;", "i = 200; i < 300; i++, dec(&i)"),
        ("int i; unsigned s = -30;", "i = 200; i < n; i += s"),
        ("int i;", "i = 200; i < n; i += 4294967266u"),
        ("signed char i;", "i = 100; i < 200; i++"),
        ("short i;", "i = 100; i < 40000; i += 7"),
    ] {
        let launch = launch(&format!(
            "{before} int k2 = 0; for ({head}) {{ size_t g = (size_t)i;\n\
             clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0); if (++k2 > n) break; }}"
        ));
        let says = match &launch.global[0] {
            Value::Symbolic(symbolic) => symbolic.min.is_some() || symbolic.max.is_some(),
            other => panic!("{head}: {other:?}"),
        };
        assert!(!says && launch.times.is_none(), "{head}: {launch:?}");
    }
}

#[test]
fn while_loops_count_too() {
    for (first, test, step, expected, times) in [
        (1, "i <= 180", "i++;", Some((1, 180)), Some(180)),
        (900, "i", "i -= 3;", Some((3, 900)), Some(300)),
        (1, "i < 1000", "i = i + 1;", Some((1, 999)), Some(999)),
        (1, "i <= 180", "i++; if (argc == i) i = 900;", None, None),
        (1, "i <= 180", "if (argc == i) continue; i++;", None, None),
        (
            1,
            "i <= 180",
            "if (argc == i) break; i++;",
            Some((1, 180)),
            Some(180),
        ),
        (1, "i <= 180", "i++; i++;", None, None),
        (1, "i <= 180", "i += by; by += 2;", None, None),
        (1, "i <= 180", "i += by;", Some((1, 180)), Some(180)),
    ] {
        let found = launch(&format!(
            "int i = {first}, by = 1; while ({test}) {{ size_t g = i;\n\
             clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);\n{step} }}"
        ));
        let expected = expected.map(|(min, max)| (Some(min), Some(max)));
        assert_eq!(
            bounds(&found),
            expected.unwrap_or_default(),
            "{test} {step}"
        );
        assert_eq!(found.times, times, "{test} {step}");
    }
    let halved = launch(
        "size_t g = 512; while (g > 0) { clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0); g >>= 1; }",
    );
    assert!(matches!(&halved.global[0], Value::OneOf(all) if all.len() == 10));
}

#[test]
fn a_counter_is_known_inside_of_its_loop_only() {
    let after = launch(
        "int i; for (i = 1; i <= 180; i++) if (argc == i) break;\n\
         size_t g = i; clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);",
    );
    assert_eq!(bounds(&after).1, None);
    assert_eq!(after.times, None);
    // The last round leaves its arguments.
    let argument = launch(
        "for (int i = 1; i <= 180; i++) clSetKernelArg(k, 0, sizeof(int), &i);\n\
         size_t g = 64; clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);",
    );
    assert_eq!(argument.times, None);
}

#[test]
fn loops_in_loops_multiply() {
    for (loops, times) in [
        (
            "for (int r = 0; r < 10; r++) for (int t = 0; t < 300; t++)",
            Some(3000),
        ),
        (
            "for (int a = 0; a < 100; a++) for (int b = a; b < 100; b++)",
            Some(5050),
        ),
        (
            "for (int a = 0; a < 100; a++) for (int b = 0; b <= a; b++)",
            Some(5050),
        ),
        (
            "for (int a = 0; a < n; a++) for (int b = 0; b < 100; b++)",
            None,
        ),
        ("for (int a = 0; a < 3; a++)", Some(3)),
        ("for (int a = 1; a < 1000; a *= 2)", Some(10)),
        ("for (int a = 512; a; a >>= 1)", Some(10)),
        ("while (n--)", None),
        ("int a = 0; while (a < 300) if (a++ >= 0)", None),
        (
            "int m = argc > 1 ? n : 50; for (int a = 0; a < m; a++)",
            Some(50),
        ),
    ] {
        let found = launch(&format!(
            "size_t g = 64; {loops} {{ clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0); }}"
        ));
        assert_eq!(found.times, times, "{loops}");
    }
}

/// A type of C: its name, bits, and whether it has a sign.
type Type = (&'static str, u32, bool);

/// What a loop's counter holds in each round; `None`: it does not end, or overflows, which is not defined.
fn values(
    (_, bits, signed): Type,
    first: i128,
    limit: i128,
    compare: &str,
    step: (&str, i128),
) -> Option<Vec<i128>> {
    let least = if signed { -(1i128 << (bits - 1)) } else { 0 };
    let most = if signed {
        (1i128 << (bits - 1)) - 1
    } else {
        (1i128 << bits) - 1
    };
    let mut all = Vec::new();
    let mut now = first;
    loop {
        let goes_on = match compare {
            "<" => now < limit,
            "<=" => now <= limit,
            ">" => now > limit,
            ">=" => now >= limit,
            _ => now != limit,
        };
        if !goes_on {
            return Some(all);
        }
        all.push(now);
        now = match step {
            ("+=", by) => now + by,
            ("-=", by) => now - by,
            ("*=", by) => now * by,
            (_, by) => now / by,
        };
        if now < least || now > most {
            // Types below int wrap too, unlike int and long.
            if signed && bits >= 32 {
                return None;
            }
            now = (now - least).rem_euclid(most - least + 1) + least;
        }
        if all.len() > MOST_ROUNDS {
            return None;
        }
    }
}

#[test]
fn what_is_said_of_loops_holds_when_they_run() {
    let types: [Type; 5] = [
        ("int", 32, true),
        ("unsigned", 32, false),
        ("long", 64, true),
        ("short", 16, true),
        ("unsigned char", 8, false),
    ];
    let (mut told, mut times) = (0, 0);
    for ty in types {
        for (first, limit) in [
            (0, 200),
            (1, 255),
            (7, 250),
            (200, 0),
            (255, 3),
            (250, 1),
            (100, 100),
            (0, 2000),
        ] {
            for compare in ["<", "<=", ">", ">=", "!="] {
                for step in [
                    ("+=", 1),
                    ("+=", 3),
                    ("-=", 1),
                    ("-=", 2),
                    ("*=", 2),
                    ("/=", 2),
                ] {
                    let least = if ty.2 { i128::MIN } else { 0 };
                    let most = (1i128 << (ty.1 - u32::from(ty.2))) - 1;
                    if first > most || limit > most || first < least {
                        continue;
                    }
                    let Some(run) = values(ty, first, limit, compare, step) else {
                        continue;
                    };
                    let head = format!(
                        "{} i = {first}; i {compare} {limit}; i {} {}",
                        ty.0, step.0, step.1
                    );
                    if run.is_empty() {
                        continue;
                    }
                    // The sum keeps numbers from being negative, and hides no bound.
                    let found = counted(&head, 70000, "");
                    let Value::Symbolic(Symbolic { min, max, .. }) = &found.global[0] else {
                        continue;
                    };
                    let (min, max) = (min.map(i128::from), max.map(i128::from));
                    for value in &run {
                        let value = value + 70000;
                        assert!(
                            min.is_none_or(|min| min <= value),
                            "{head}: {value} < {min:?}"
                        );
                        assert!(
                            max.is_none_or(|max| max >= value),
                            "{head}: {value} > {max:?}"
                        );
                    }
                    told += usize::from(max.is_some_and(|max| max < 70000 + 2001));
                    if let Some(count) = found.times {
                        assert_eq!(count as usize, run.len(), "{head}");
                        times += 1;
                    }
                }
            }
        }
    }
    assert!(
        told > 60 && times > 60,
        "{told} loops with bounds, {times} with their rounds"
    );
}
