//! Random kernels that walk through memory in ways in which compilers join accesses, and two launches of each
//! that do not pass memory at the same addresses.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Work-items of a launch.
const ITEMS: usize = 32;
/// Elements of an array: sixteen of each work-item, and as many after them.
const ELEMENTS: usize = 16 * ITEMS + 16;

/// Types of elements, and their bytes.
const SCALARS: [(&str, usize); 6] = [
    ("char", 1),
    ("uchar", 1),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("ulong", 8),
];
const VECTORS: [(&str, usize); 3] = [("uint2", 8), ("int4", 16), ("ushort8", 16)];

/// Reads of an array `@p` of elements `@T`, of which `@V` makes integers.
const READS: [&str; 8] = [
    "for (int j = 0; j < 16; j++) bits = bits * 3 + @V(@p[g * 16 + j]);",
    "for (int j = 0; j < 16; j++) bits += @V(@p[g * 16 + j + 1]);",
    "for (int j = 0; j < 4; j++) bits ^= @V(@p[4 * j]) + @V(@p[4 * j + 1]) + @V(@p[4 * j + 3]);",
    "for (int j = 15; j >= 0; j--) bits = bits * 5 + @V(@p[j]);",
    "{ __global const volatile @T *q = @p + g; bits += @V(q[0]) ^ @V(q[1]) ^ @V(q[2]); }",
    "bits += @V(@p[g]) + @V(@p[0]);",
    "bits += sum_@p(@p + 4 * g);",
    "if (g & 1) bits += @V(*@p++);",
];

/// The same by whole vectors.
const VECTOR_READS: [&str; 3] = [
    "{ @T4 v = vload4(g, @p) + vload4(g + 1, @p); bits += @V(v.x) ^ @V(v.w); }",
    "{ @T8 v = vload8(g, @p + 3); bits += @V(v.s0) ^ @V(v.s7); }",
    "{ @T16 v = vload16(g, @p); bits += @V(v.s1) ^ @V(v.se); }",
];

/// Changes of a work-item's own elements.
const WRITES: [&str; 5] = [
    "for (int j = 0; j < 16; j++) @p[g * 16 + j] = @p[g * 16 + j] * (@T)5 + (@T)1;",
    "for (int j = 0; j < 16; j++) @p[g * 16 + j] = (@T)(j);",
    "for (int j = 0; j < 8; j++) @p[16 * g + j + 8] = @p[16 * g + j] + (@T)3;",
    "{ @p[16 * g] = (@T)1; @p[16 * g + 1] = (@T)2; @p[16 * g + 2] = (@T)3; @p[16 * g + 3] = (@T)4; }",
    "{ __global @T *q = @p + g * 16; for (int j = 0; j < 16; j++) *q++ ^= (@T)(g + j); }",
];

/// The same by whole vectors.
const VECTOR_WRITES: [&str; 2] = [
    "vstore4(vload4(4 * g, @p) + (@T)3, 4 * g, @p);",
    "vstore16(vload16(g, @p) ^ (@T)6, g, @p);",
];

/// An array that a kernel reads or changes.
struct Array {
    name: String,
    ty: &'static str,
    /// Bytes of an element.
    size: usize,
    is_vector: bool,
    /// The qualifiers of its elements.
    quals: &'static str,
    is_written: bool,
}

impl Array {
    fn random(number: usize, random: &mut Random) -> Self {
        let is_vector = random.chance(30);
        let (ty, size) = match is_vector {
            true => random.copy(&VECTORS),
            false => random.copy(&SCALARS),
        };
        let is_written = random.chance(50);
        Array {
            name: format!("p{number}"),
            ty,
            size,
            is_vector,
            quals: match is_written {
                true => "",
                false => random.copy(&["const ", "const ", "", "const volatile "]),
            },
            is_written,
        }
    }

    fn param(&self) -> String {
        let Array {
            name, ty, quals, ..
        } = self;
        format!(", __global {quals}{ty} *{name}")
    }

    /// What statements about it need.
    fn definitions(&self) -> String {
        let component = if self.is_vector { ".x" } else { "" };
        self.spelled(&format!(
            "#define @V(e) ((ulong)(e){component})\nulong sum_@p(__global const volatile @T *p)\n{{\n    \
             return @V(p[0]) + @V(p[1]) + @V(p[2]) + @V(p[3]);\n}}\n"
        ))
    }

    fn statement(&self, random: &mut Random) -> String {
        let by_vectors = !self.is_vector && !self.quals.contains("volatile") && random.chance(40);
        self.spelled(match (self.is_written, by_vectors) {
            (true, true) => random.pick(&VECTOR_WRITES),
            (true, false) => random.pick(&WRITES),
            (false, true) => random.pick(&VECTOR_READS),
            (false, false) => random.pick(&READS),
        })
    }

    fn spelled(&self, text: &str) -> String {
        text.replace("@p", &self.name)
            .replace("@V", &format!("value_{}", self.name))
            .replace("@T", self.ty)
    }

    /// Memory for it, of the host at some address if that is wanted.
    fn buffer(&self, job: &mut Job, in_host: bool, random: &mut Random) -> Arg {
        let fill = Fill::Ints {
            seed: random.bits(),
            low: 0,
            high: 1 << 20,
        };
        let arg = job.buffer(ELEMENTS * self.size, fill);
        if in_host && let Some(buffer) = job.buffers.last_mut() {
            let elements = random.copy(&[0, 1, 2, 3, 4, 8, 64]);
            buffer.in_host = Some(elements * self.size);
        }
        arg
    }
}

/// A kernel `k` that reads and changes arrays, and two launches: the buffers of the second may be memory of
/// the host at any address that is right for their elements.
pub fn job(random: &mut Random) -> Job {
    let count = 1 + random.below(3);
    let arrays: Vec<_> = (0..count).map(|i| Array::random(i, random)).collect();
    let mut text: String = arrays.iter().map(Array::definitions).collect();
    let params: String = arrays.iter().map(Array::param).collect();
    text.push_str(&format!(
        "__kernel void k(__global ulong *out{params})\n{{\n    int g = get_global_id(0);\n    \
         ulong bits = g;\n"
    ));
    for array in &arrays {
        for _ in 0..1 + random.below(3) {
            text.push_str(&format!("    {}\n", array.statement(random)));
        }
    }
    text.push_str("    out[g] = bits;\n}\n");
    let mut job = Job::new(text);
    for percent in [10, 50] {
        let mut args = vec![job.buffer(ITEMS * 8, Fill::Zero)];
        for array in &arrays {
            let in_host = random.chance(percent);
            args.push(array.buffer(&mut job, in_host, random));
        }
        job.launch("k", Geometry::range(&[ITEMS as u64], &[8]), args);
    }
    job
}
