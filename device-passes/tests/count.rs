//! Kernels that count: what they look like. What they count is tested on devices (`tests/trace.rs`).

use fpgacc_device_passes::instrumentation::count::{Counting, Kind, count};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, LineDirectives, parse, print, validate};
use fpgacc_frontend::source::SourceMap;

/// The module that counts, validated and printed.
fn counted(source: &str) -> (String, Counting, Vec<u32>) {
    let mut sources = SourceMap::new();
    sources.add("k.cl", source);
    let preprocessed = format!("# 1 \"k.cl\"\n{source}");
    let input = Input::new("k.cl", &preprocessed, Dialect::Cl12);
    let mut module = parse(&input, &mut sources).expect("the text is right");
    let counting = count(&mut module);
    let valid = validate(&module).expect("what was made is right");
    let text = print(&valid, &sources, LineDirectives::None);
    let line = |span| sources.location(span).line;
    let lines = counting
        .sites
        .iter()
        .map(|site| line(site.span.expect("a position")));
    let lines = lines.collect();
    (text, counting, lines)
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

#[test]
fn counters_are_added_wherever_a_kernel_ends() {
    let (text, counting, lines) = counted(
        "__kernel void k(__global int *a, int n) {\n\
         #pragma unroll 4\n\
         for (int i = 0; i < n; i++) {\n\
         if (a[i]++ > 3)\n\
         return;\n\
         else if (a[i] < 2)\n\
         continue;\n\
         }\n\
         }\n",
    );
    assert_eq!(lines, [3, 4, 6]);
    assert_eq!(counting.counters, 6);
    has(
        &text,
        &[
            "__global uint *fpgacc_counters)",
            "ulong fpgacc_n5 = 0;",
            "fpgacc_n0++;\n    #pragma unroll 4\n    for (int i = 0; i < n; i++) {\n        fpgacc_n1++;",
            "fpgacc_count(fpgacc_counters, 10, fpgacc_n5);\n            return;",
            "fpgacc_count(fpgacc_counters, 10, fpgacc_n5);\n}",
        ],
    );
    assert_eq!(text.matches("a[i]++").count(), 1);
}

#[test]
fn memory_is_handed_down_to_functions_that_count() {
    let (text, counting, _) = counted(
        "int plain(int x) { return x + 1; }\n\
         int loops(int n);\n\
         int between(int n) { return plain(n) + loops(n); }\n\
         int loops(int n) { int s = 0; while (n-- > 0) s += n; return s; }\n\
         __kernel void k(__global int *a) { a[0] = between(plain(a[1])); }\n",
    );
    assert_eq!(counting.sites.len(), 1);
    assert_eq!(counting.sites[0].function, "loops");
    has(
        &text,
        &[
            "int plain(int x)",
            "int loops(int n, __global uint *fpgacc_counters);",
            "plain(n) + loops(n, fpgacc_counters)",
            "between(plain(a[1]), fpgacc_counters)",
            "__kernel void k(__global int *a, __global uint *fpgacc_counters)",
        ],
    );
}

#[test]
fn cases_count_what_reaches_them() {
    let (text, counting, lines) = counted(
        "__kernel void k(__global int *a, int at) {\n\
         switch (a[0]) {\n\
         case 1:\n\
         a[1] = 2;\n\
         case 2: {\n\
         #pragma OPENCL FP_CONTRACT OFF\n\
         a[2] = 3; }\n\
         break;\n\
         default:\n\
         break;\n\
         }\n\
         }\n",
    );
    assert!(counting.sites.iter().all(|site| site.kind == Kind::Case));
    assert_eq!(lines, [3, 5, 10]);
    has(
        &text,
        &["fpgacc_n0++;\n    switch", "case 2:\n        fpgacc_n2++;"],
    );
}

#[test]
fn names_of_the_text_stay() {
    let (text, ..) = counted(
        "int fpgacc_count(int at) { if (at) return 1; return 0; }\n\
         __kernel void k(__global int *low, int fpgacc_counters) { low[0] = fpgacc_count(fpgacc_counters); }\n",
    );
    has(
        &text,
        &[
            "void fpgacc_count_2(",
            "__global uint *fpgacc_counters_2)",
            "fpgacc_count(fpgacc_counters, fpgacc_counters_2)",
        ],
    );
}
