//! Random loops through `reduction`: whatever it does to them, every byte stays.

use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::run::Platform;
use fpgacc_tests::seeds::{fail, seeds};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::reduced::{reduced, small_integers};

/// Kernels in one program: building costs more than running.
const BATCH: usize = 20;

/// What is reduced into.
#[derive(Clone, Copy, Debug)]
enum Target {
    Scalar(u8),
    Element(u8),
    Private,
    Vector,
}

impl Target {
    fn text(self) -> String {
        match self {
            Target::Scalar(number) => format!("s{number}"),
            Target::Element(number) => format!("out[{}]", 8 + number),
            Target::Private => "v[1]".to_string(),
            Target::Vector => "q.z".to_string(),
        }
    }
}

/// A value to reduce, over the iteration `at`.
#[derive(Clone, Copy, Debug)]
enum Operand {
    A,
    B,
    Sign,
    Int,
    Constant(i8),
    Sum,
    Product,
    /// Uses another place: that place must stay.
    Scalar(u8),
}

impl Operand {
    fn text(self) -> String {
        match self {
            Operand::A => "a[at]".to_string(),
            Operand::B => "b[at + 1]".to_string(),
            Operand::Sign => "sign[at]".to_string(),
            Operand::Int => "c[at]".to_string(),
            Operand::Constant(value) => format!("({value}.0f)"),
            Operand::Sum => "(a[at] + b[at])".to_string(),
            Operand::Product => "a[at] * sign[at]".to_string(),
            Operand::Scalar(number) => format!("s{number}"),
        }
    }
}

#[derive(Clone, Debug)]
enum Line {
    /// A form of `place += operand` or `-=`.
    Sum(u8, Target, Operand, Operand),
    Product(u8, Target),
    Extreme(u8, Target, Operand),
    If(u8, Vec<Line>),
    Continue(u8),
    Break(u8),
    Store(Operand),
    /// Looks at a place: that place must stay.
    Look(Target),
}

fn condition(kind: u8) -> &'static str {
    [
        "c[at] > 2",
        "at % 3 == 0",
        "a[at] > b[at]",
        "at == 11",
        "n == 9",
        "s0 > 5.0f",
        "s1 < out[8]",
    ][usize::from(kind) % 7]
}

impl Line {
    fn write(&self, out: &mut String) {
        let line = match self {
            Line::Sum(form, place, x, y) => {
                let (p, x, y) = (place.text(), x.text(), y.text());
                match form % 8 {
                    0 => format!("{p} += {x};"),
                    1 => format!("{p} -= {x};"),
                    2 => format!("{p} = {p} + {x};"),
                    3 => format!("{p} = {x} + {p};"),
                    4 => format!("{p} = {p} - {x} + {y};"),
                    5 => format!("{p} = {x} + ({p} - {y});"),
                    6 => format!("{p} = fma(sign[at], {x}, {p});"),
                    _ => format!("{p} = {x} - {p};"),
                }
            }
            Line::Product(form, place) => {
                let p = place.text();
                match form % 3 {
                    0 => format!("{p} *= sign[at];"),
                    1 => format!("{p} = sign[at] * {p};"),
                    _ => format!("{p} = sign[at] * {p} * sign[at + 1];"),
                }
            }
            Line::Extreme(form, place, x) => {
                let (p, x) = (place.text(), x.text());
                match form % 7 {
                    0 => format!("{p} = fmin({p}, (float){x});"),
                    1 => format!("{p} = fmax((float){x}, {p});"),
                    2 => format!("{p} = {x} < {p} ? {x} : {p};"),
                    3 => format!("if ({p} <= {x}) {p} = {x};"),
                    4 => format!("if ({x} < {p}) {{ {p} = {x}; }}"),
                    5 => format!("{p} = max({p}, (float){x});"),
                    _ => format!("{p} = {p} < {x} ? {p} : {x};"),
                }
            }
            Line::If(kind, lines) => {
                out.push_str(&format!("if ({}) {{\n", condition(*kind)));
                for line in lines {
                    line.write(out);
                }
                "}".to_string()
            }
            Line::Continue(kind) => format!("if ({}) continue;", condition(*kind)),
            Line::Break(kind) => format!("if ({}) break;", condition(*kind)),
            Line::Look(place) => format!("w[at % 4] = {};", place.text()),
            Line::Store(x) => format!("w[at % 4] = {};", x.text()),
        };
        out.push_str(&line);
        out.push('\n');
    }
}

/// A kernel's loop.
#[derive(Clone, Debug)]
struct Loop {
    shape: u8,
    lines: Vec<Line>,
}

impl Loop {
    fn kernel(&self, number: usize) -> String {
        let mut body = String::new();
        for line in &self.lines {
            line.write(&mut body);
        }
        let whole = match self.shape % 8 {
            0 => format!("for (int at = 0; at < n; at++) {{\n{body}}}"),
            1 => format!("for (int at = n - 1; at >= 0; --at) {{\n{body}}}"),
            2 => format!("int i = 0; while (i < n) {{ int at = i++;\n{body}}}"),
            3 => format!("int i = 0; do {{ int at = i++;\n{body}}} while (i < n);"),
            4 => format!("for (int at = 2; at < 12; at += 1) {{\n{body}}}"),
            5 => format!("int at; for (s0 = 3.0f, at = 0; at < n; at++) {{\n{body}}}"),
            6 => format!("int i = 0; while (i++ < n) {{ int at = i - 1;\n{body}}}"),
            _ => format!("for (int at = 0; ; at++) {{ if (at >= n) break;\n{body}}}"),
        };
        format!(
            "__kernel void k{number}(__global const float *restrict a, __global const float *b,\n\
             __global const float *sign, __global const int *c, int n, __global float *restrict out)\n\
             {{\nfloat s0 = out[0], s1 = out[1], s2 = out[2];\nfloat v[2] = {{out[3], out[4]}}, w[4] = \
             {{0.0f}};\nfloat4 q = (float4)(out[5]);\n{whole}\nout[0] = s0; out[1] = s1; out[2] = s2;\n\
             out[3] = v[0]; out[4] = v[1]; out[5] = q.x; out[6] = q.z; out[7] = w[0] + w[3];\n}}\n"
        )
    }
}

fn place() -> impl Strategy<Value = Target> {
    prop_oneof![
        6 => (0u8..3).prop_map(Target::Scalar),
        3 => (0u8..2).prop_map(Target::Element),
        1 => Just(Target::Private),
        1 => Just(Target::Vector),
    ]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        3 => Just(Operand::A),
        3 => Just(Operand::B),
        2 => Just(Operand::Sign),
        2 => Just(Operand::Int),
        1 => (-3i8..4).prop_map(Operand::Constant),
        1 => Just(Operand::Sum),
        1 => Just(Operand::Product),
        1 => (0u8..3).prop_map(Operand::Scalar),
    ]
}

/// Values that stay small whatever is done with them.
fn memory_operand() -> impl Strategy<Value = Operand> {
    operand().prop_filter("grows", |operand| !matches!(operand, Operand::Scalar(_)))
}

fn line() -> impl Strategy<Value = Line> {
    let plain = prop_oneof![
        // An operand that is itself a sum would grow beyond what floats hold exactly.
        6 => (0u8..8, place(), memory_operand(), memory_operand())
            .prop_map(|(form, place, x, y)| Line::Sum(form, place, x, y)),
        2 => (0u8..3, place()).prop_map(|(form, place)| Line::Product(form, place)),
        // A product may be -0.0: which zero is the less is nobody's business.
        3 => (0u8..7, place(), memory_operand().prop_filter("zero", |x| !matches!(x, Operand::Product)))
            .prop_map(|(form, place, x)| Line::Extreme(form, place, x)),
        1 => operand().prop_map(Line::Store),
        2 => place().prop_map(Line::Look),
    ];
    let plain = plain.boxed();
    prop_oneof![
        8 => plain.clone(),
        2 => (0u8..7, prop::collection::vec(plain, 1..3))
            .prop_map(|(kind, lines)| Line::If(kind, lines)),
        1 => (0u8..7).prop_map(Line::Continue),
        1 => (0u8..7).prop_map(Line::Break),
    ]
}

fn a_loop() -> impl Strategy<Value = Loop> {
    (0u8..8, prop::collection::vec(line(), 1..5)).prop_map(|(shape, lines)| Loop { shape, lines })
}

fn floats(seed: u32, count: usize, value: impl Fn(i32) -> f32) -> Fill {
    let values: Vec<f32> = small_integers(seed).take(count).map(value).collect();
    Fill::of_floats(&values)
}

fn job(loops: &[Loop]) -> Job {
    let kernels = loops.iter().enumerate();
    let source: String = kernels.map(|(number, l)| l.kernel(number)).collect();
    let mut job = Job::new(source);
    let a = job.buffer(256, floats(1, 64, |v| v as f32));
    let b = job.buffer(256, floats(2, 64, |v| v as f32));
    let sign = job.buffer(256, floats(3, 64, |v| if v < 0 { -1.0 } else { 1.0 }));
    let c = job.buffer(256, Fill::ints(4, -8, 8));
    for number in 0..loops.len() {
        for (trips, seed) in [0, 1, 7, 9, 33].into_iter().zip(10..) {
            let out = job.buffer(64, floats(seed, 16, |v| v as f32));
            let shared = [a.clone(), b.clone(), sign.clone(), c.clone()];
            let args = shared.into_iter().chain([Arg::int(trips), out]);
            let kernel = format!("k{number}");
            job.launch(&kernel, Geometry::range(&[1], &[1]), args);
        }
    }
    job
}

/// Compares kernels before and after; `None` if nothing is wrong.
fn fault(loops: &[Loop]) -> Option<String> {
    let original = job(loops);
    let rewritten = reduced(&original);
    certify(&original)
        .and_then(|()| certify(&rewritten))
        .and_then(|()| same(&original, &rewritten, &Platform::EMULATORS, &Bound::Exact))
        .err()
        .map(|error| error.to_string())
}

/// The strategies' values are a function of the seed.
fn batch(seed: u64) -> Vec<Loop> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let tree = prop::collection::vec(a_loop(), BATCH).new_tree(&mut runner);
    tree.expect("no strategy refuses so many values").current()
}

#[test]
fn random_loops_compute_the_same_bytes() {
    let name = "random_loops_compute_the_same_bytes";
    for seed in seeds(3) {
        let loops = batch(seed);
        let original = job(&loops);
        let source = &original.source;
        let has_registers = reduced(&original).source.contains("shift_reg");
        assert!(has_registers, "seed {seed}: {source}");
        let Some(why) = fault(&loops) else {
            continue;
        };
        // The first that fails alone too says more than twenty.
        let alone = loops
            .chunks(1)
            .find_map(|one| fault(one).map(|why| (one, why)));
        match alone {
            Some((one, why)) => fail(name, seed, &job(one).source, &why),
            None => fail(name, seed, source, &format!("only together: {why}")),
        }
    }
}
