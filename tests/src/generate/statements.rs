//! Statements without barriers in them.

use super::choices::State;
use super::maker::{Context, Maker};

/// Values of each work-item that a kernel leaves behind.
pub(super) const OUTPUTS: usize = 4;

/// What atomic functions on global memory begin with; each element has one function.
pub(super) const ATOMICS: [i32; 12] = [100, 5000, 0, 0, -1, 0, -1, -3, 3, 0, 7, 9];

impl Maker {
    /// A simple statement.
    pub(super) fn plain(&mut self, context: &Context) -> String {
        for _ in 0..3 {
            let made = match self.s.below(17) {
                0..=4 => Some(self.assignment()),
                5 | 6 => self.shared_statement(),
                7 => self.array_write(),
                8 => self.pointer_statement(),
                9 => self.float_statement(),
                10 => self.output(),
                11 => self.global_atomic(),
                12 if context.uniform => self.uniform_assignment(),
                13 => self.declaration(),
                14 => self.vector_statement(),
                15 => self.s.chance(60).then(|| self.fence()),
                _ => self.shared_statement(),
            };
            if let Some(made) = made {
                return made;
            }
        }
        self.assignment()
    }

    fn assignment(&mut self) -> String {
        let names = self.scope.varying.len();
        let place = self.scope.varying[self.s.below(names)].clone();
        let value = self.value(2);
        let op = self.s.pick(&["=", "=", "+=", "^=", "-=", "|=", "&="]);
        match self.s.below(12) {
            0 => format!("{place}++;"),
            1 => format!("--{place};"),
            _ => format!("{place} {op} {value};"),
        }
    }

    fn uniform_assignment(&mut self) -> Option<String> {
        let names = self.scope.uniform.len();
        if names == 0 {
            return None;
        }
        let place = self.scope.uniform[self.s.below(names)].clone();
        let value = self.uniform_value(2);
        let op = self.s.pick(&["=", "=", "+=", "^="]);
        Some(format!("{place} {op} {value};"))
    }

    fn array_write(&mut self) -> Option<String> {
        let names = self.scope.arrays.len();
        if names == 0 {
            return None;
        }
        let array = self.scope.arrays[self.s.below(names)].clone();
        let index = match self.s.chance(50) {
            true => self.s.below(4).to_string(),
            false => format!("({}) & 3", self.value(1)),
        };
        let value = self.value(2);
        let op = self.s.pick(&["=", "+=", "^="]);
        Some(format!("{array}[{index}] {op} {value};"))
    }

    fn pointer_statement(&mut self) -> Option<String> {
        let names = self.scope.pointers.len();
        if names == 0 {
            return None;
        }
        let pointer = self.scope.pointers[self.s.below(names)].clone();
        let value = self.value(1);
        if self.s.chance(60) || self.scope.in_function {
            let op = self.s.pick(&["=", "+=", "^="]);
            return Some(format!("*{pointer} {op} {value};"));
        }
        let target = |maker: &mut Maker| match (maker.s.below(3), maker.scope.arrays.first()) {
            (0, Some(array)) => format!("&{array}[({value}) & 3]"),
            (1, Some(array)) => format!("{array} + 2"),
            _ => "&b".to_string(),
        };
        let (x, y) = (target(self), target(self));
        let condition = self.condition();
        Some(match self.s.chance(50) {
            true => format!("{pointer} = {x};"),
            false => format!("{pointer} = ({condition}) ? {x} : {y};"),
        })
    }

    fn float_statement(&mut self) -> Option<String> {
        let names = self.scope.floats.len();
        if names == 0 {
            return None;
        }
        let f = self.scope.floats[self.s.below(names)].clone();
        let value = self.value(1);
        Some(match self.s.below(7) {
            0 => format!("{f} = (float)(({value}) & 1023);"),
            1 => format!("{f} -= (float)(({value}) & 63);"),
            2 => format!("{f} = fmax({f}, (float)(({value}) & 255));"),
            3 if !self.scope.in_function => {
                let (j, trips) = (self.name("j"), 2 + self.s.below(20));
                let step = self.s.pick(&["+ at", "* 3", "+ (int)n"]);
                format!(
                    "for (int {j} = 0; {j} < {trips}; {j}++) {{\n{f} += fin[({j} {step}) & 63];\n}}"
                )
            }
            4 if !self.scope.in_function => format!("fout[at] = {f};"),
            5 => {
                let place = self.scope.varying[0].clone();
                format!("{place} += (uint)(int){f};")
            }
            _ => format!("{f} += (float)(({value}) & 63);"),
        })
    }

    /// A write to the work-item's own outputs.
    pub(super) fn output(&mut self) -> Option<String> {
        if self.scope.in_function {
            return None;
        }
        let at = self.flat_global();
        let array = match self.has_other && self.s.chance(40) {
            true => "other",
            false => "out",
        };
        let slot = self.s.below(OUTPUTS);
        let value = self.value(2);
        let op = self.s.pick(&["=", "+=", "^="]);
        Some(match self.s.below(4) {
            0 => {
                let from = if array == "out" && self.has_other {
                    "other"
                } else {
                    "out"
                };
                format!(
                    "{array}[{at} * {OUTPUTS} + {slot}] = {from}[{at} * {OUTPUTS} + {slot}] + {value};"
                )
            }
            _ => format!("{array}[{at} * {OUTPUTS} + {slot}] {op} {value};"),
        })
    }

    fn global_atomic(&mut self) -> Option<String> {
        if self.scope.in_function {
            return None;
        }
        let value = self.value(1);
        let (function, slot) = self.s.copy(&[
            ("atomic_add", 0),
            ("atomic_sub", 1),
            ("atomic_xor", 2),
            ("atomic_or", 3),
            ("atomic_and", 4),
            ("atomic_max", 5),
            ("atomic_min", 6),
        ]);
        Some(match self.s.below(10) {
            0 => "atomic_inc(&acc[0]);".to_string(),
            1 => "atomic_dec(&acc[1]);".to_string(),
            3 => format!("atomic_max((volatile __global int *)&acc[7], (int)({value}));"),
            4 => format!("atomic_min((volatile __global int *)&acc[8], (int)({value}));"),
            5 => "atomic_xchg((volatile __global float *)&acc[9], 2.5f);".to_string(),
            6 => "atomic_xchg(&acc[10], 41u);".to_string(),
            // One of them comes first, whatever the order.
            7 => "atomic_cmpxchg(&acc[11], 9u, 4u);".to_string(),
            2 => format!("a += {function}(&acc[{slot}], (uint)({value})) & 0u;"),
            _ => format!("{function}(&acc[{slot}], (uint)({value}));"),
        })
    }

    fn declaration(&mut self) -> Option<String> {
        let name = self.name("t");
        let value = self.value(2);
        let constant = self.s.chance(40);
        if constant {
            self.scope.readable.push(name.clone());
            return Some(format!("const uint {name} = {value};"));
        }
        self.scope.varying.push(name.clone());
        Some(match self.s.chance(30) {
            true => format!("uint {name};\n{name} = {value};"),
            false => format!("uint {name} = {value};"),
        })
    }

    fn vector_statement(&mut self) -> Option<String> {
        if self.scope.in_function {
            return None;
        }
        let (a, b) = (self.value(1), self.value(1));
        let has = |name: &str| self.scope.varying.iter().any(|v| v == name);
        let (vector, record) = (has("v.x"), has("r.p"));
        Some(match self.s.below(4) {
            0 if vector => format!("v = v.yx + (uint2)(({a}), ({b}));"),
            1 if vector => format!("v ^= (uint2)({a});"),
            2 if record && vector => "r.q = v;".to_string(),
            3 if record => {
                let copy = self.name("c");
                format!("{{\nstruct pair {copy} = r;\n{copy}.p += {a};\nr = {copy};\n}}")
            }
            _ => return None,
        })
    }

    /// Variables that work-items have from the start.
    pub(super) fn prologue(&mut self) {
        let gid = "get_global_id(0)";
        self.line("uint at = flat_global_id();");
        match self.v.below(3) {
            0 => self.line(&format!("const int gx = {gid};")),
            1 => self.line(&format!("size_t gx = {gid};")),
            _ => self.line(&format!("int gx = {gid};")),
        }
        if !self.shape.null_local {
            let form = self.v.pick(&["uint l =", "const uint l =", "uint l;\nl ="]);
            self.line(&format!("{form} flat_local_id();"));
        }
        self.line("uint a = in[at & 63], b = in[(at + 7u) & 63];");
        self.scope.varying = vec!["a".to_string(), "b".to_string()];
        if self.s.chance(40) {
            self.line("uint2 v = (uint2)(a, at);");
            self.scope
                .varying
                .extend(["v.x".to_string(), "v.y".to_string()]);
        }
        if self.s.chance(35) {
            self.line("uint w[4] = { 1, 2, a };");
            self.scope.arrays.push("w".to_string());
            self.scope
                .varying
                .extend(["w[1]".to_string(), "w[a & 3]".to_string()]);
        }
        if self.s.chance(30) {
            self.line("struct pair r = { a, (uint2)(at, b) };");
            self.scope
                .varying
                .extend(["r.p".to_string(), "r.q.y".to_string()]);
        }
        if self.s.chance(30) {
            let target = match self.scope.arrays.first() {
                Some(_) => "(a & 1) ? &b : &w[2]",
                None => "&b",
            };
            self.line(&format!("uint *p = {target};"));
            self.scope.pointers.push("p".to_string());
            self.scope.varying.push("(*p)".to_string());
        }
        if self.s.chance(40) {
            self.line("float f = (float)(b & 15);");
            self.scope.floats.push("f".to_string());
        }
        for name in ["u0", "u1"] {
            if self.s.chance(60) {
                let value = self.uniform_value(2);
                self.line(&format!("uint {name} = {value};"));
                self.scope.uniform.push(name.to_string());
            }
        }
        // Nothing may be read of an array before all of it is written.
        let states = std::mem::replace(&mut self.state, vec![State::Atomic; self.shared.len()]);
        let l = self.flat_local();
        for array in 0..self.shared.len() {
            let place = self.element(array, &l);
            let value = self.value(1);
            match self.shared[array].float {
                true => self.line(&format!("{place} = (float)(({value}) & 127);")),
                false => self.line(&format!("{place} = {value};")),
            }
        }
        self.state = states;
    }

    /// Makes everything that is alive visible.
    pub(super) fn epilogue(&mut self) {
        let at = self.flat_global();
        let names: Vec<String> = self.scope.varying.clone();
        for (slot, chunk) in names.chunks(3).enumerate() {
            let sum = chunk.join(" + ");
            self.line(&format!(
                "out[{at} * {OUTPUTS} + {}] += {sum};",
                slot % OUTPUTS
            ));
        }
        let uniform = self.scope.uniform.clone();
        for name in uniform {
            self.line(&format!("out[{at} * {OUTPUTS} + 3] ^= {name};"));
        }
        if let Some(f) = self.scope.floats.first().cloned() {
            self.line(&format!("fout[{at}] += {f};"));
        }
        let l = self.flat_local();
        for array in self.arrays_in(State::Own) {
            let place = self.element(array, &l);
            self.line(&format!("out[{at} * {OUTPUTS} + 2] += (uint)(int){place};"));
        }
    }
}
