//! The kernels that random hosts launch: small, and legal at every launch that keeps their rules.
//!
//! All buffers hold [`ELEMENTS`] 32-bit words at least, all launches have [`MOST_ITEMS`] work-items at
//! most, and no kernel touches more than eight words a work-item. So any kernel may get any buffer at
//! any launch, as far as [`Access`] allows it.

use std::fmt::Write as _;

use crate::random::Random;

/// Words in the smallest buffer or part of one.
pub const ELEMENTS: usize = 1024;
/// Work-items of the largest launch.
pub const MOST_ITEMS: usize = 128;
/// Work-items of the largest work-group.
pub const MOST_LOCAL: usize = 64;
/// How far a one-dimensional launch may be moved.
pub const MOST_OFFSET: usize = 64;

/// What a kernel does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A work-item reads its own words.
    ReadOwn,
    /// It reads and writes them.
    Own,
    /// It reads words of others: no other work-item may write them.
    Gather,
    /// All add to the same words, atomically.
    Atomic,
}

impl Access {
    /// Whether the kernel writes to it.
    pub fn writes(self) -> bool {
        matches!(self, Access::Own | Access::Atomic)
    }

    /// Whether work-items keep to words of their own.
    pub fn is_own(self) -> bool {
        matches!(self, Access::ReadOwn | Access::Own)
    }
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// A buffer of words.
    Buffer(Access),
    /// A number; any will do.
    Scalar(Scalar),
    /// An `int` from 0 to 8: how often a loop runs.
    Count,
    /// Local memory, a word for each work-item of the group.
    Local,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// 4 bytes.
    Int,
    /// 4 bytes.
    Uint,
    /// 2 bytes.
    Short,
    /// 1 byte.
    Uchar,
    /// 8 bytes.
    Ulong,
    /// 4 bytes; small whole numbers are passed.
    Float,
    /// Four ints.
    Int4,
    /// A struct of an int, a short and a float.
    Pair,
}

impl Scalar {
    const ALL: [Scalar; 8] = [
        Scalar::Int,
        Scalar::Uint,
        Scalar::Short,
        Scalar::Uchar,
        Scalar::Ulong,
        Scalar::Float,
        Scalar::Int4,
        Scalar::Pair,
    ];

    /// Its type in kernels.
    pub fn kernel_type(self) -> &'static str {
        match self {
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Short => "short",
            Scalar::Uchar => "uchar",
            Scalar::Ulong => "ulong",
            Scalar::Float => "float",
            Scalar::Int4 => "int4",
            Scalar::Pair => "pair_t",
        }
    }

    /// Its type in hosts.
    pub fn host_type(self) -> &'static str {
        match self {
            Scalar::Int => "cl_int",
            Scalar::Uint => "cl_uint",
            Scalar::Short => "cl_short",
            Scalar::Uchar => "cl_uchar",
            Scalar::Ulong => "cl_ulong",
            Scalar::Float => "cl_float",
            Scalar::Int4 => "cl_int4",
            Scalar::Pair => "pair_t",
        }
    }

    /// A word made of the parameter.
    fn word(self, name: &str) -> String {
        match self {
            Scalar::Int4 => {
                format!("(uint)({name}.x ^ {name}.y * 3 ^ {name}.z * 5 ^ {name}.w * 7)")
            }
            Scalar::Pair => format!("(uint)({name}.a * 31 + {name}.b * 7 + (int){name}.c)"),
            Scalar::Ulong => format!("(uint)({name} ^ ({name} >> 32))"),
            Scalar::Float => format!("(uint)(int){name}"),
            _ => format!("(uint){name}"),
        }
    }
}

/// The launches that a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shapes {
    /// All.
    Any,
    /// Of one dimension.
    Line,
    /// All with a local size that the host gives.
    Grouped,
    /// Of one work-item.
    Single,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The launches that it takes.
    pub shapes: Shapes,
    /// Its definition.
    pub text: String,
}

/// What stands before the kernels of each text.
pub const PRELUDE: &str = "\
typedef struct { int a; short b; float c; } pair_t;
uint mix_of(uint a, uint b) {
    return (a ^ (b * 0x9E3779B1u)) * 0x85EBCA6Bu + 0x27D4EB2Fu;
}
size_t item(void) {
    size_t x = get_global_id(0) - get_global_offset(0);
    size_t y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    return x + get_global_size(0) * (y + get_global_size(1) * z);
}
size_t local_item(void) {
    return get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
}
size_t group_items(void) {
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}
";

/// A random kernel. `constants` are macros that it may use.
pub fn kernel(r: &mut Random, name: &str, constants: &[String]) -> Kernel {
    let mut maker = Maker {
        params: Vec::new(),
        heads: Vec::new(),
        body: String::new(),
        shapes: Shapes::Any,
        constants: constants.to_vec(),
    };
    let make = r.copy(&FAMILIES);
    make(&mut maker, r);
    let heads = maker.heads.join(", ");
    Kernel {
        text: format!("__kernel void {name}({heads}) {{\n{}}}\n", maker.body),
        name: name.to_string(),
        params: maker.params,
        shapes: maker.shapes,
    }
}

type Family = fn(&mut Maker, &mut Random);

const FAMILIES: [Family; 13] = [
    Maker::ids,
    Maker::ids,
    Maker::elements,
    Maker::elements,
    Maker::guarded,
    Maker::rows,
    Maker::rows,
    Maker::gather,
    Maker::reversed,
    Maker::summed,
    Maker::histogram,
    Maker::sequence,
    Maker::sequence,
];

struct Maker {
    params: Vec<Param>,
    heads: Vec<String>,
    body: String,
    shapes: Shapes,
    constants: Vec<String>,
}

impl Maker {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "    {text}");
    }

    fn buffer(&mut self, name: &str, access: Access) {
        let constant = if access.writes() { "" } else { "const " };
        self.heads.push(format!("__global {constant}uint *{name}"));
        self.params.push(Param::Buffer(access));
    }

    fn count(&mut self, name: &str) {
        self.heads.push(format!("int {name}"));
        self.params.push(Param::Count);
    }

    fn local(&mut self, name: &str) {
        self.heads.push(format!("__local uint *{name}"));
        self.params.push(Param::Local);
    }

    /// A parameter of any type, and its word.
    fn scalar(&mut self, r: &mut Random, name: &str) -> String {
        let kind = r.copy(&Scalar::ALL);
        self.heads.push(format!("{} {name}", kind.kernel_type()));
        self.params.push(Param::Scalar(kind));
        kind.word(name)
    }

    /// A number: one of the text's macros, if it has any.
    fn constant(&self, r: &mut Random) -> String {
        match self.constants.as_slice() {
            [] => format!("{}u", 1 + r.below(1000)),
            names if r.chance(70) => format!("(uint){}", names[r.below(names.len())]),
            _ => format!("{}u", 1 + r.below(1000)),
        }
    }

    /// The number of the work-item, as an index.
    fn index(&mut self, r: &mut Random) {
        if r.chance(50) {
            self.line("size_t i = item();");
        } else {
            self.shapes = Shapes::Line;
            let of = r.pick(&[
                "get_global_id(0)",
                "get_global_id(0) - get_global_offset(0)",
            ]);
            self.line(&format!("int i = {of};"));
        }
    }

    /// All that a work-item can ask about the launch.
    fn ids(&mut self, r: &mut Random) {
        self.buffer("out", Access::Own);
        let seed = self.scalar(r, "seed");
        self.line("size_t i = item();");
        self.line(&format!("uint h = {seed};"));
        let mut asks: Vec<String> = vec!["get_work_dim()".into()];
        let everywhere = ["get_global_id", "get_global_size", "get_global_offset"];
        let in_groups = [
            "get_local_id",
            "get_local_size",
            "get_group_id",
            "get_num_groups",
        ];
        for of in everywhere {
            asks.extend((0..3).map(|d| format!("{of}({d})")));
        }
        if r.chance(60) {
            self.shapes = Shapes::Grouped;
            for of in in_groups {
                asks.extend((0..3).map(|d| format!("{of}({d})")));
            }
        }
        for ask in asks {
            if r.chance(60) {
                self.line(&format!("h = mix_of(h, (uint){ask});"));
            }
        }
        let constant = self.constant(r);
        let by = r.pick(&["=", "+=", "^="]);
        self.line(&format!("out[i] {by} h + {constant};"));
    }

    /// Element by element.
    fn elements(&mut self, r: &mut Random) {
        self.buffer("out", Access::Own);
        let inputs = 1 + r.below(2);
        for input in 0..inputs {
            self.buffer(&format!("in{input}"), Access::ReadOwn);
        }
        let a = self.scalar(r, "a");
        let constant = self.constant(r);
        self.index(r);
        self.line(&format!("out[i] = out[i] * 3u + in0[i] + {a};"));
        self.line(&format!("out[i] ^= in{}[i] * {constant};", inputs - 1));
    }

    /// The usual guard.
    fn guarded(&mut self, r: &mut Random) {
        self.buffer("in", Access::ReadOwn);
        self.buffer("out", Access::Own);
        self.heads.push("int n".into());
        self.params.push(Param::Scalar(Scalar::Int));
        let constant = self.constant(r);
        self.index(r);
        match r.chance(50) {
            true => self.line("if ((int)i >= n) return;"),
            false => self.line("if ((int)i < n)"),
        }
        self.line(&format!("out[i] = mix_of(in[i], {constant} + (uint)n);"));
    }

    /// Each work-item has a row of up to eight words, of which it walks through some.
    fn rows(&mut self, r: &mut Random) {
        self.buffer("a", Access::Own);
        let second = r.copy(&[Access::ReadOwn, Access::Own]);
        self.buffer("b", second);
        self.count("w");
        self.line("size_t i = item() * 8;");
        let constant = self.constant(r);
        match r.below(4) {
            0 => self.line(&format!(
                "for (int j = 0; j < w; j++) a[i] += b[i + j] * {constant};"
            )),
            1 => self.line(&format!(
                "for (int j = 1; j < w; j++) a[i + j] = b[i + j - 1] + {constant};"
            )),
            2 => self.line(&format!(
                "for (int j = 0; j < w; j++) {{ a[i + j] = {constant}; a[i] = b[i + j] * 5u + a[i + j]; }}"
            )),
            _ => {
                self.line("uint first = b[i];");
                self.line("for (int j = 0; j < w; j++) { a[i + 7 - j] += first + b[i]; }");
            }
        }
        if second.writes() {
            self.line("b[i + 7] = a[i] ^ 1u;");
        }
    }

    /// What others have.
    fn gather(&mut self, r: &mut Random) {
        self.buffer("table", Access::Gather);
        self.buffer("in", Access::ReadOwn);
        self.buffer("out", Access::Own);
        let mask = r.copy(&[15, 63, 255, 1023]);
        let key = self.scalar(r, "key");
        self.index(r);
        let by = r.pick(&["=", "+="]);
        self.line(&format!("out[i] {by} table[(in[i] + {key}) & {mask}u];"));
    }

    /// A local array, read the other way round after a barrier.
    fn reversed(&mut self, r: &mut Random) {
        self.buffer("data", Access::Own);
        self.shapes = Shapes::Grouped;
        let constant = self.constant(r);
        self.line(&format!("__local uint tile[{MOST_LOCAL}];"));
        self.line("size_t i = item(), l = local_item(), n = group_items();");
        self.line("tile[l] = data[i];");
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        if r.chance(40) {
            self.line("if (tile[0] & 1u) return;");
        }
        self.line(&format!("data[i] = tile[n - 1 - l] + {constant};"));
    }

    /// Local memory that the host gives.
    fn summed(&mut self, r: &mut Random) {
        let later = r.chance(50);
        if later {
            self.local("scratch");
        }
        self.buffer("in", Access::ReadOwn);
        self.buffer("out", Access::Own);
        if !later {
            self.local("scratch");
        }
        self.shapes = Shapes::Grouped;
        let constant = self.constant(r);
        self.line("size_t i = item(), l = local_item(), n = group_items();");
        self.line(&format!("scratch[l] = in[i] + {constant};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.line("uint sum = 0;");
        self.line("for (size_t j = 0; j < n; j++) sum += scratch[j] * (uint)(j + 1);");
        self.line("out[i] = sum;");
    }

    /// Atomics.
    fn histogram(&mut self, r: &mut Random) {
        self.buffer("in", Access::ReadOwn);
        self.buffer("bins", Access::Atomic);
        let step = self.scalar(r, "step");
        self.index(r);
        self.line(&format!("atomic_add(&bins[in[i] & 15u], {step} & 255u);"));
    }

    /// One work-item, whose buffers may lie as they like.
    fn sequence(&mut self, r: &mut Random) {
        self.buffer("a", Access::Own);
        self.buffer("b", Access::Gather);
        self.shapes = Shapes::Single;
        let n = r.copy(&[7, 32, 100, 512]);
        let constant = self.constant(r);
        let far = 1 + r.below(9);
        match r.below(3) {
            0 => self.line(&format!(
                "for (int i = 0; i < {n}; i++) a[i + 1] = b[i] * 3u + {constant};"
            )),
            1 => self.line(&format!(
                "for (int i = 0; i < {n}; i++) a[0] += b[(i * {far}) & 511] ^ {constant};"
            )),
            _ => self.line(&format!(
                "for (int i = {n}; i >= 0; i--) {{ a[i] = b[i + {far}] + a[i + 2]; a[i + 3] = b[i] ^ {constant}; }}"
            )),
        }
    }
}
