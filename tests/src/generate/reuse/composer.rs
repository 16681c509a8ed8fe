//! Kernels of parts: what surrounds them.

use std::fmt::Write;

use crate::job::Job;
use crate::random::Random;

use super::scene::Scene;

/// Names of coordinates.
pub(super) const COORDINATES: [&str; 3] = ["x", "y", "z"];

/// What a place is made of. Some passes want nothing else in a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Elements around it.
    Around,
    /// What tables of neighbours say.
    Tables,
    /// What work-items of a group share.
    Shared,
    /// Anything.
    Any,
}

/// A kernel in the making.
pub(super) struct Composer<'r> {
    pub random: &'r mut Random,
    pub scene: Scene,
    pub text: String,
    /// Names made so far.
    fresh: usize,
    /// Variables that a nest declared between its loops.
    between: Vec<String>,
    /// Some work-items have left, or stand in a branch: no barriers from here on.
    pub has_left: bool,
}

/// Appends one with this name and its launch.
pub(super) fn kernel(job: &mut Job, name: &str, random: &mut Random) {
    let scene = Scene::random(random);
    let restrict = random.chance(80);
    let geometry = scene.geometry(random);
    let args = scene.args(job, random, restrict);
    let params = scene.params(restrict);
    let mut composer = Composer {
        random,
        scene,
        text: String::new(),
        fresh: 0,
        between: Vec::new(),
        has_left: false,
    };
    match composer.scene.is_task {
        true => composer.nests(),
        false => composer.work_item(),
    }
    let attribute = composer.attribute();
    let text = composer.text;
    let _ = write!(
        job.source,
        "{attribute}__kernel void {name}({params}) {{\n{text}}}\n"
    );
    job.launch(name, geometry, args);
}

impl Composer<'_> {
    /// Writes a line.
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A new name.
    pub(super) fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    /// Some kernels state their work-group size.
    fn attribute(&mut self) -> String {
        if self.scene.is_task || !self.random.chance(30) {
            return String::new();
        }
        let [x, y, z] = match self.scene.flat {
            true => [self.scene.local.iter().product(), 1, 1],
            false => self.scene.local,
        };
        format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))\n")
    }

    /// What a place gathers, and its number.
    fn start(&mut self) {
        let [w, h, _] = self.scene.size;
        let at = match self.scene.dims {
            1 => "x".to_string(),
            2 => format!("y * {w} + x"),
            _ => format!("(z * {h} + y) * {w} + x"),
        };
        let sum = match self.scene.is_float() {
            true => "float s = 1.0f;",
            false => "uint s = 1u;",
        };
        self.line(&format!("int at = {at};\n{sum}"));
    }

    /// Parts, and a store of what they gather.
    fn place(&mut self) {
        let few = 1 + self.random.below(2);
        let (kind, parts, more) = match (self.scene.is_task, self.random.below(10)) {
            (true, 0..=2) => (Kind::Around, few, 0),
            (true, 3..=6) => (Kind::Tables, few, 0),
            (true, _) => (Kind::Any, few, 0),
            (false, 0..=2) => (Kind::Around, few, 0),
            (false, 3..=5) => (Kind::Shared, few, self.random.below(4)),
            (false, _) => {
                self.part(Kind::Shared);
                self.keep();
                (Kind::Any, few, 1 + self.random.below(3))
            }
        };
        let kinds = std::iter::repeat_n(kind, parts).chain(std::iter::repeat_n(Kind::Any, more));
        for kind in kinds {
            self.part(kind);
            self.keep();
        }
        self.use_between();
        self.keep();
        let kept = self.kept();
        let store = match self.random.below(6) {
            0 => format!("if (n > 1) {{\nout[at] = {kept};\n}}"),
            1 => format!("out[at] = out[at] / 2 + {kept} / 2;"),
            _ => format!("out[at] = {kept};"),
        };
        self.line(&store);
    }

    /// Floats stay small integers.
    pub(super) fn keep(&mut self) {
        let text = self.keep_sum(127);
        self.text.push_str(&text);
    }

    /// The same, as text: at most so much.
    pub(super) fn keep_sum(&self, most: u32) -> String {
        match self.scene.is_float() {
            true => format!("s = (float)((uint)s & {most}u);\n"),
            false => String::new(),
        }
    }

    /// What is gathered, as an element.
    pub(super) fn kept(&self) -> String {
        let (ty, most) = (self.scene.ty, self.scene.most());
        match self.scene.is_float() {
            true => format!("(float)((uint)s & {most}u)"),
            false => format!("({ty})(s & {most}u)"),
        }
    }

    fn work_item(&mut self) {
        let id = self.scene.id;
        let [w, h, _] = self.scene.size;
        if self.random.chance(25) {
            let all: usize = self.scene.local.iter().product();
            self.line(&format!("__local uint tile[{all}];"));
        }
        match self.scene.flat {
            // Counts by all work-items, those without a place, too.
            true => {
                let width = self.scene.local[0] * self.scene.groups[0];
                self.line(&format!(
                    "{id} g = get_global_id(0);\n{id} x = g % {width}, y = g / {width};"
                ));
            }
            false => {
                for (dim, name) in COORDINATES.into_iter().enumerate().take(self.scene.dims) {
                    let value = self.global_id(dim);
                    self.line(&format!("{id} {name} = {value};"));
                }
            }
        }
        self.guard(w, h);
        self.start();
        self.place();
    }

    fn global_id(&mut self, dim: usize) -> String {
        match self.random.below(12) {
            0 => format!("get_group_id({dim}) * get_local_size({dim}) + get_local_id({dim})"),
            _ => format!("get_global_id({dim})"),
        }
    }

    /// Work-items without a place leave.
    fn guard(&mut self, w: usize, h: usize) {
        let is_cut = self.scene.is_cut();
        if !is_cut && !self.random.chance(60) {
            return;
        }
        self.has_left |= is_cut;
        let depth = self.scene.size[2];
        let all = [
            format!("x >= {w}"),
            format!("y >= {h}"),
            format!("z >= {depth}"),
        ];
        let all = all[..self.scene.dims].join(" || ");
        self.line(&format!("if ({all}) {{\nreturn;\n}}"));
    }

    /// Nests over all places, or most, one after another.
    fn nests(&mut self) {
        if self.random.chance(80) {
            self.at_once();
        }
        for _ in 0..2 + self.random.below(3) {
            let opened = match self.random.chance(30) {
                true => self.one_loop(),
                false => self.nest(),
            };
            self.start();
            self.place();
            self.line(&"}\n".repeat(opened));
        }
    }

    /// Loops of the first place alone.
    fn at_once(&mut self) {
        self.line("{\nint x = 0, y = 0, z = 0;");
        self.start();
        for _ in 0..2 + self.random.below(3) {
            self.any_part();
            self.keep();
        }
        let kept = self.kept();
        self.line(&format!("out[at] = {kept};\n}}"));
    }

    /// A loop for each dimension.
    fn nest(&mut self) -> usize {
        let id = self.scene.id;
        for dim in (0..self.scene.dims).rev() {
            let (name, size) = (COORDINATES[dim], self.scene.size[dim]);
            let head = match self.random.below(24) {
                0 => format!("for ({id} {name} = 1; {name} < {size} - 1; {name}++) {{"),
                1 if id == "int" || id == "long" => {
                    format!("for ({id} {name} = {size} - 1; {name} >= 0; {name}--) {{")
                }
                2 => format!("for ({id} {name} = 0; {name} != {size}; ++{name}) {{"),
                3 => format!("for ({id} {name} = 0; {name} <= {size} - 1; {name} += 1) {{"),
                4 => format!("for ({id} {name} = n & 1; {name} < {size}; {name}++) {{"),
                _ => format!("for ({id} {name} = 0; {name} < {size}; {name}++) {{"),
            };
            self.line(&head);
            if dim > 0 && self.random.chance(20) {
                let between = self.name("b");
                let first = self.random.pick(&["3u", "(uint)y", "(uint)n * 2u"]);
                let first = if dim == 2 { "3u" } else { first };
                self.line(&format!("uint {between} = {first};"));
                self.between.push(between);
            }
        }
        self.scene.dims
    }

    /// What nests declare between their loops: iterations find what those before them left, or do not.
    fn use_between(&mut self) {
        for name in std::mem::take(&mut self.between) {
            let sum = if self.scene.is_float() {
                "(uint)s"
            } else {
                "s"
            };
            let lines = match self.random.below(5) {
                0 => format!("s += {name} & 63u;"),
                1 => format!("{name} = (uint)x * 5u;\ns += {name};"),
                2 => format!("if ((x & 1) == 0) {{\n{name} = {sum};\n}}\ns += {name} & 63u;"),
                _ => format!("{name} = {name} * 3u + {sum};\ns += {name} & 63u;"),
            };
            self.line(&lines);
        }
    }

    /// One loop, whose counter is divided.
    fn one_loop(&mut self) -> usize {
        let id = self.scene.id;
        let [w, h, _] = self.scene.size;
        let all = self.scene.places_in_all() - self.random.below(2);
        self.line(&format!("for ({id} i = 0; i < {all}; i++) {{"));
        let lines = match self.scene.dims {
            1 => format!("{id} x = i;"),
            2 => format!("{id} x = i % {w}, y = i / {w};"),
            _ => format!("{id} x = i % {w}, y = (i / {w}) % {h}, z = i / {};", w * h),
        };
        self.line(&lines);
        1
    }

    /// Writes a barrier.
    pub(super) fn barrier(&mut self) {
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
    }

    /// The group shares memory, `tile`.
    pub(super) fn has_tile(&self) -> bool {
        self.text.starts_with("__local")
    }
}
