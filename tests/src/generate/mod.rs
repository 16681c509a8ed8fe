//! Random kernels that are legal OpenCL C 1.2, have no races, and give the same results everywhere.
//!
//! A seed makes a kernel's meaning, a second seed its spelling: ids, dead code, conditions that
//! change nothing, peeled loops. Twins differ in the second only, so what they compute is the same.
//!
//! What keeps kernels legal: barriers stand where a whole group comes (`maker::Context::uniform`);
//! between two barriers an array of the group is in one `shared::State`; a work-item writes only
//! its own outputs; integers are unsigned; floats hold integers below 2^24.

mod choices;
mod control;
mod copies;
mod functions;
mod gathering;
mod idioms;
mod ids;
mod maker;
mod plain;
mod reuse;
mod shape;
mod shared;
mod single;
mod statements;
mod values;

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;
use crate::rewrite::Knowledge;

pub use choices::Focus;
use choices::{Home, Layout, Shared, State};
use maker::{Context, Maker, Scope};
use shape::Shape;

/// A generated kernel of a [`Batch`].
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its name.
    pub name: String,
    /// What the passes know of its launch.
    pub knowledge: Knowledge,
    /// The kernel of the batch that computes the same.
    pub twin: Option<usize>,
    /// The buffers that only it writes.
    pub own: Vec<usize>,
    /// Barriers in it.
    pub barriers: usize,
    /// Where its text stands in the program's.
    pub text: std::ops::Range<usize>,
}

/// A program of generated kernels, each launched once.
#[derive(Clone, Debug)]
pub struct Batch {
    /// What to run.
    pub job: Job,
    /// Its kernels, in the order of their launches.
    pub kernels: Vec<Generated>,
    /// What stands before them.
    functions: String,
}

impl Batch {
    /// One kernel, its helpers and its launch.
    pub fn only(&self, kernel: usize) -> Job {
        let text = &self.job.source[self.kernels[kernel].text.clone()];
        let mut job = self.job.with_source(format!("{}{text}", self.functions));
        job.launches = vec![self.job.launches[kernel].clone()];
        job
    }
}

/// The buffers that all kernels read.
#[derive(Clone)]
struct Inputs {
    ints: Arg,
    uniform: Arg,
    same: Arg,
    floats: Arg,
    /// The index before each, and the one after, of a row.
    tables: [Arg; 2],
    /// Integers and floats in rows.
    rows: [Arg; 2],
}

impl Inputs {
    /// Where kernels read rows.
    fn of_rows(&self) -> Self {
        let [ints, floats] = self.rows.clone();
        Inputs {
            ints,
            floats,
            ..self.clone()
        }
    }
}

/// The program of a seed.
pub fn batch(seed: u64, count: usize, focus: Focus) -> Batch {
    let mut random = Random::new(seed);
    if matches!(focus, Focus::Reuse | Focus::Tables) {
        return batch_of_reuse(&mut random, count, focus);
    }
    let mut job = Job::new(ids::FUNCTIONS);
    let small: Vec<f32> = (0..64).map(|_| random.below(17) as f32 - 8.0).collect();
    let last = single::ROW as i32 - 1;
    let tables = [-1, 1].map(|by| {
        let table: Vec<i32> = (0..=last).map(|at| (at + by).clamp(0, last)).collect();
        job.input(4 * single::ROW, Fill::of_ints(&table))
    });
    let inputs = Inputs {
        tables,
        rows: [
            job.input(1024, Fill::ints(random.bits(), 0, 1000)),
            job.input(1024, Fill::of_floats(&small)),
        ],
        ints: job.input(256, Fill::ints(random.bits(), 0, 1000)),
        uniform: job.input(64, Fill::ints(random.bits(), 0, 9)),
        same: job.input(64, Fill::of_ints(&[3])),
        floats: job.input(256, Fill::of_floats(&small)),
    };
    let mut kernels: Vec<Generated> = Vec::new();
    let mut meaning = 0;
    for number in 0..count {
        let before = kernels.last().filter(|before| before.twin.is_none());
        let twin = (before.is_some() && random.chance(20)).then(|| number - 1);
        if twin.is_none() {
            meaning = random.bits();
        }
        let spelling = random.bits();
        let start = job.source.len();
        let random = [meaning, spelling].map(Random::new);
        let mut kernel = one(&mut job, number, focus, random, &inputs);
        kernel.text = start..job.source.len();
        kernel.twin = twin;
        kernels.push(kernel);
    }
    Batch {
        job,
        kernels,
        functions: ids::FUNCTIONS.to_string(),
    }
}

/// A program of kernels that read again. None has a twin.
fn batch_of_reuse(random: &mut Random, count: usize, focus: Focus) -> Batch {
    use Knowledge::{All, Local, Nothing};
    let functions = reuse::functions();
    let mut job = Job::new(functions.as_str());
    let mut kernels = Vec::new();
    for number in 0..count {
        let start = job.source.len();
        let mut random = Random::new(random.bits());
        let knowledge = random.copy(&[Nothing, Local, All, All, All, All, All, All]);
        let mut kernel = reuse::kernel(&mut job, number, &mut random, (knowledge, focus));
        kernel.text = start..job.source.len();
        kernels.push(kernel);
    }
    Batch {
        job,
        kernels,
        functions,
    }
}

/// Appends a kernel and its launch.
fn one(
    job: &mut Job,
    number: usize,
    focus: Focus,
    [mut s, mut v]: [Random; 2],
    inputs: &Inputs,
) -> Generated {
    use Knowledge::{All, Local, Nothing};
    let knowledge = match focus {
        Focus::Barriers => v.copy(&[Nothing, Local, All]),
        _ => v.copy(&[Nothing, Local, Local, Local, All, All, All, All]),
    };
    if s.chance(14) {
        return single_work_item(job, number, s, v, inputs);
    }
    let plain = match focus {
        Focus::Barriers => 8,
        _ => 35,
    };
    if s.chance(plain) {
        return plain_work_items(job, number, s, v, inputs);
    }
    let shape = Shape::new(&mut s);
    let mut maker = Maker {
        focus,
        shape,
        out: String::new(),
        functions: String::new(),
        helpers: Vec::new(),
        shared: Vec::new(),
        state: Vec::new(),
        scope: Scope::default(),
        hidden_uniformity: s.chance(20),
        has_other: s.chance(25),
        back: None,
        pair_of_events: false,
        number,
        fresh: 0,
        barriers: 0,
        escaped: false,
        budget: 22,
        s,
        v,
    };
    if !maker.shape.null_local && maker.s.chance(25) {
        maker.back = Some(maker.s.copy(&[Layout::Pieces, Layout::Interleaved]));
    }
    let arrays = maker.kernel();
    let params = Params {
        other: maker.has_other,
        alias: maker.has_other && maker.s.chance(30),
        n: maker.s.copy(&[0, 1, 3, 5, 8, 13, 64]),
        m: maker.s.below(7) as i32,
        items: maker.shape.items() as usize,
        mem: maker
            .shared
            .iter()
            .any(|shared| shared.home == Home::Global),
        back: maker.back.is_some(),
        dynamic: maker
            .shared
            .iter()
            .any(|shared| shared.home == Home::Parameter)
            .then(|| maker.shape.group_size() as usize * 4),
    };
    let name = format!("k{number}");
    let attribute = match !maker.shape.null_local && maker.v.chance(10) {
        true => {
            let [x, y, z] = maker.shape.local;
            format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))\n")
        }
        false => String::new(),
    };
    let constant = maker.v.pick(&["__constant uint", "__global const uint"]);
    job.source.push_str(&format!(
        "{}{attribute}__kernel void {name}({}) {{\n{arrays}{}}}\n",
        maker.functions,
        params.text(constant),
        maker.out
    ));
    let (args, own) = params.args(job, inputs);
    job.launch(&name, maker.shape.geometry(), args);
    Generated {
        name,
        knowledge,
        twin: None,
        own,
        barriers: maker.barriers,
        text: 0..0,
    }
}

fn single_work_item(
    job: &mut Job,
    number: usize,
    mut s: Random,
    mut v: Random,
    inputs: &Inputs,
) -> Generated {
    let n = s.copy(&[0, 1, 9, 33, 64]);
    let params = Params::few(n, s.below(7) as i32, 16);
    let geometry = match v.chance(50) {
        true => Geometry::Task,
        false => Geometry::range(&[1], &[1]),
    };
    let knowledge = v.copy(&[Knowledge::Local, Knowledge::All]);
    let inputs = &inputs.of_rows();
    if s.chance(35) {
        let body = single::neighbours(&mut s, &mut v);
        let text = format!("({}) {{\n{body}}}\n", params.text("__global const int"));
        let table = s.copy(&[0, 1]);
        let inputs = &Inputs {
            uniform: inputs.tables[table].clone(),
            ..inputs.clone()
        };
        return few(job, (number, knowledge), &text, &params, geometry, inputs);
    }
    let body = single::body(&mut s, &mut v);
    let text = format!("({}) {{\n{body}}}\n", params.text("__global const uint"));
    few(job, (number, knowledge), &text, &params, geometry, inputs)
}

/// Work-items that know nothing of their groups.
fn plain_work_items(
    job: &mut Job,
    number: usize,
    mut s: Random,
    mut v: Random,
    inputs: &Inputs,
) -> Generated {
    let shape = plain::shape(&mut s);
    let n = s.copy(&[64, 64, 13, 5]);
    let params = Params::few(n, s.below(7) as i32, shape.items() as usize);
    let body = plain::body(&mut s, &mut v, &shape);
    let uni = v.pick(&["__constant uint", "__global const uint"]);
    let text = format!("({}) {{\n{body}}}\n", params.text(uni));
    let knowledge = v.copy(&[
        Knowledge::Local,
        Knowledge::All,
        Knowledge::All,
        Knowledge::All,
    ]);
    let (which, inputs) = ((number, knowledge), &inputs.of_rows());
    few(job, which, &text, &params, shape.geometry(), inputs)
}

/// Appends a kernel with no more than the usual parameters, and its launch.
fn few(
    job: &mut Job,
    (number, knowledge): (usize, Knowledge),
    text: &str,
    params: &Params,
    geometry: Geometry,
    inputs: &Inputs,
) -> Generated {
    let name = format!("k{number}");
    job.source.push_str(&format!("__kernel void {name}{text}"));
    let (args, own) = params.args(job, inputs);
    job.launch(&name, geometry, args);
    Generated {
        name,
        knowledge,
        twin: None,
        own,
        barriers: 0,
        text: 0..0,
    }
}

impl Maker {
    /// Writes the body; the result is the declarations before it.
    fn kernel(&mut self) -> String {
        let arrays = match self.shape.null_local {
            true => String::new(),
            false => self.arrays(),
        };
        for _ in 0..self.s.copy(&[0, 0, 1, 2]) {
            self.leaf_function();
        }
        self.prologue();
        let context = Context {
            uniform: true,
            ..Context::default()
        };
        if self.focus == Focus::Loops {
            self.gathering_loop(&context);
            self.reuse();
            self.recurrence();
            self.rows();
            self.elements();
            self.table();
            self.dynamic_table();
        }
        let count = 3 + self.s.below(6);
        self.block_open(&context, count);
        let tail = Context {
            last: true,
            ..Context::default()
        };
        let count = self.s.below(4);
        self.block_open(&tail, count);
        self.epilogue();
        arrays
    }

    /// Statements whose declarations stay visible.
    fn block_open(&mut self, context: &Context, count: usize) {
        for _ in 0..count {
            self.statement(context);
        }
    }

    /// Arrays of the group, and their declarations.
    fn arrays(&mut self) -> String {
        let mut text = String::new();
        let (size, width) = (self.shape.group_size(), self.shape.local[0]);
        for number in 0..1 + self.s.below(3) {
            let float = self.s.chance(15);
            let homes = [
                Home::Local,
                Home::Local,
                Home::Rows,
                Home::Parameter,
                Home::Global,
            ];
            let mut home = match self.focus == Focus::Loops && number == 0 && self.s.chance(70) {
                true => Home::Parameter,
                false => self.s.copy(&homes),
            };
            let taken = |maker: &Maker| maker.shared.iter().any(|shared| shared.home == home);
            if matches!(home, Home::Parameter | Home::Global) && (float || taken(self)) {
                home = Home::Local;
            }
            let ty = if float { "float" } else { "uint" };
            let name = match home {
                Home::Parameter => "dyn".to_string(),
                Home::Global => "mem".to_string(),
                _ => format!("s{number}"),
            };
            match home {
                Home::Local => text.push_str(&format!("__local {ty} {name}[{size}];\n")),
                Home::Rows => {
                    let rows = size / width;
                    text.push_str(&format!("__local {ty} {name}[{rows}][{width}];\n"));
                }
                Home::Parameter | Home::Global => {}
            }
            let atomic = self.s.copy(&shared::ATOMICS);
            self.shared.push(Shared {
                name,
                home,
                atomic,
                float,
            });
            self.state.push(State::Own);
        }
        text
    }
}

/// A kernel's parameters and what is passed.
struct Params {
    other: bool,
    /// `other` is `out` itself.
    alias: bool,
    n: u32,
    m: i32,
    items: usize,
    mem: bool,
    /// A buffer that groups copy to.
    back: bool,
    /// Bytes of the `__local` parameter.
    dynamic: Option<usize>,
}

impl Params {
    /// Of a kernel that needs none of what only some have.
    fn few(n: u32, m: i32, items: usize) -> Self {
        Params {
            other: false,
            alias: false,
            n,
            m,
            items,
            mem: false,
            back: false,
            dynamic: None,
        }
    }

    /// `uni` is what this parameter points to.
    fn text(&self, uni: &str) -> String {
        let mut text = format!(
            "__global uint *out, __global const uint *in, {uni} *uni, \
             __global const uint *same, __global uint *acc, __global const float *fin, \
             __global float *fout, uint n, int m"
        );
        if self.other {
            text.push_str(", __global uint *other");
        }
        if self.mem {
            text.push_str(", __global uint *mem");
        }
        if self.back {
            text.push_str(", __global uint *back");
        }
        if self.dynamic.is_some() {
            text.push_str(", __local uint *dyn");
        }
        text
    }

    /// What is passed, and the buffers that only this kernel has.
    fn args(&self, job: &mut Job, inputs: &Inputs) -> (Vec<Arg>, Vec<usize>) {
        let first = job.buffers.len();
        let bytes = self.items * 4;
        let out = job.buffer(bytes * statements::OUTPUTS, Fill::Zero);
        let acc = job.buffer(48, Fill::of_ints(&statements::ATOMICS));
        let fout = job.buffer(bytes, Fill::of_floats(&[1.0, -2.0, 5.0]));
        let mut args = vec![
            out.clone(),
            inputs.ints.clone(),
            inputs.uniform.clone(),
            inputs.same.clone(),
            acc,
            inputs.floats.clone(),
            fout,
            Arg::uint(self.n),
            Arg::int(self.m),
        ];
        if self.alias {
            args.push(out);
        } else if self.other {
            args.push(job.buffer(bytes * statements::OUTPUTS, Fill::of_ints(&[11, 7])));
        }
        if self.mem {
            args.push(job.buffer(bytes, Fill::Zero));
        }
        if self.back {
            args.push(job.buffer(bytes, Fill::of_ints(&[21, 22, 23])));
        }
        args.extend(self.dynamic.map(Arg::Local));
        (args, (first..job.buffers.len()).collect())
    }
}
