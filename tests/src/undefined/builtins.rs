//! Functions of OpenCL C that kernels call, written in it: a C compiler that builds for the processor has none.

use std::fmt::Write;

const INTEGERS: [&str; 8] = [
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
];
const FLOATS: [&str; 2] = ["float", "double"];
const WIDTHS: [&str; 6] = ["", "2", "3", "4", "8", "16"];
const SPACES: [&str; 3] = ["__global", "__local", "__private"];

/// Work-item functions, numbered as launch.c has them.
const IDS: [&str; 7] = [
    "get_global_id",
    "get_global_size",
    "get_local_id",
    "get_local_size",
    "get_group_id",
    "get_num_groups",
    "get_global_offset",
];

/// Their definitions, to stand before a kernel file.
pub fn definitions() -> String {
    let mut text = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\
                    ulong fpgacc_id(uint what, uint dim);\nvoid fpgacc_barrier(void);\nevent_t fpgacc_leave(void);\n\
                    #define get_work_dim() ((uint)fpgacc_id(7, 0))\n\
                    #define barrier(fence) fpgacc_barrier()\n\
                    #define wait_group_events(count, events) ((void)0)\n\
                    #define async_work_group_copy(to, from, count, event) fpgacc_leave()\n\
                    #define mem_fence(fence) ((void)0)\n\
                    #define read_mem_fence(fence) ((void)0)\n\
                    #define write_mem_fence(fence) ((void)0)\n\
                    #define prefetch(from, count) ((void)0)\n"
        .to_string();
    for (number, name) in IDS.iter().enumerate() {
        let _ = writeln!(text, "#define {name}(dim) fpgacc_id({number}, dim)");
    }
    comparisons(&mut text);
    conversions(&mut text);
    vectors_in_memory(&mut text);
    atomics(&mut text);
    text
}

/// Adds functions, under names that no header declares, and macros that call them.
fn defined(text: &mut String, name: &str, all: impl Iterator<Item = String>) {
    for one in all {
        let _ = writeln!(text, "static __attribute__((overloadable, unused)) {one}");
    }
    let _ = writeln!(text, "#define {name} fpgacc_{name}");
}

fn comparisons(text: &mut String) {
    let numbers = INTEGERS.iter().chain(&FLOATS);
    let types = numbers.flat_map(|scalar| WIDTHS.map(|width| format!("{scalar}{width}")));
    let types: Vec<String> = types.collect();
    let two = |name: &str, sign: &str| {
        let one = |t: &String| {
            format!("{t} fpgacc_{name}({t} a, {t} b) {{ return a {sign} b ? a : b; }}")
        };
        types.iter().map(one).collect::<Vec<_>>()
    };
    defined(text, "max", two("max", ">").into_iter());
    defined(text, "min", two("min", "<").into_iter());
    let clamp = |t: &String| {
        format!("{t} fpgacc_clamp({t} a, {t} low, {t} high) {{ return min(max(a, low), high); }}")
    };
    defined(text, "clamp", types.iter().map(clamp));
    let _ = writeln!(text, "#define fmax max\n#define fmin min");
}

fn conversions(text: &mut String) {
    for scalar in INTEGERS.iter().chain(&FLOATS) {
        let _ = writeln!(text, "#define convert_{scalar}(value) (({scalar})(value))");
        for width in &WIDTHS[1..] {
            let vector = format!("{scalar}{width}");
            let _ = writeln!(
                text,
                "#define convert_{vector}(value) __builtin_convertvector(value, {vector})"
            );
        }
    }
}

fn vectors_in_memory(text: &mut String) {
    let numbers: Vec<_> = INTEGERS.iter().chain(&FLOATS).collect();
    let lanes = |width: &str| width.parse::<u32>().unwrap_or(1);
    for width in &WIDTHS[1..] {
        let spaces = SPACES.iter().chain(&["__constant"]);
        let loads = spaces.flat_map(|space| {
            let load = |t: &&&str| {
                let each: String = (0..lanes(width))
                    .map(|l| format!("v[{l}] = from[{l}]; "))
                    .collect();
                format!(
                    "{t}{width} fpgacc_vload{width}(size_t at, const {space} {t} *from) \
                     {{ {t}{width} v; from += at * {width}; {each}return v; }}"
                )
            };
            numbers.iter().map(load).collect::<Vec<_>>()
        });
        defined(text, &format!("vload{width}"), loads);
        let stores = SPACES.iter().flat_map(|space| {
            let store = |t: &&&str| {
                let each: String = (0..lanes(width))
                    .map(|l| format!("to[{l}] = v[{l}]; "))
                    .collect();
                format!(
                    "void fpgacc_vstore{width}({t}{width} v, size_t at, {space} {t} *to) \
                     {{ to += at * {width}; {each}}}"
                )
            };
            numbers.iter().map(store).collect::<Vec<_>>()
        });
        defined(text, &format!("vstore{width}"), stores);
    }
}

fn atomics(text: &mut String) {
    let updates = [
        ("add", "(uint)old + (uint)v"),
        ("sub", "(uint)old - (uint)v"),
        ("and", "old & v"),
        ("or", "old | v"),
        ("xor", "old ^ v"),
        ("min", "old < v ? old : v"),
        ("max", "old > v ? old : v"),
        ("xchg", "v"),
    ];
    let places = || {
        let spaces = ["__global", "__local"];
        spaces
            .into_iter()
            .flat_map(|space| ["int", "uint"].map(|t| (space, t)))
    };
    for (name, new) in updates {
        let floats = SPACES[..2].iter().map(|space| (*space, "float"));
        let floats = floats.filter(|_| name == "xchg");
        let each = places().chain(floats).map(|(space, t)| {
            format!(
                "{t} fpgacc_atomic_{name}(volatile {space} {t} *at, {t} v) \
                 {{ {t} old = *at; *at = {new}; return old; }}"
            )
        });
        defined(text, &format!("atomic_{name}"), each);
    }
    for (name, new) in [("inc", "(uint)old + 1"), ("dec", "(uint)old - 1")] {
        let each = places().map(|(space, t)| {
            format!(
                "{t} fpgacc_atomic_{name}(volatile {space} {t} *at) \
                 {{ {t} old = *at; *at = {new}; return old; }}"
            )
        });
        defined(text, &format!("atomic_{name}"), each);
    }
    let each = places().map(|(space, t)| {
        format!(
            "{t} fpgacc_atomic_cmpxchg(volatile {space} {t} *at, {t} is, {t} v) \
             {{ {t} old = *at; if (old == is) *at = v; return old; }}"
        )
    });
    defined(text, "atomic_cmpxchg", each);
}
