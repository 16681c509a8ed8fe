//! Where it is said that a loop carries no dependence through an array: only where they never do.

mod common;

use std::collections::BTreeMap;

use common::{Rewritten, rewrite};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_launch_facts::Facts;

fn with_ivdep(text: &str) -> Rewritten {
    let pipeline = Pipeline {
        switches: BTreeMap::from([("ivdep".to_string(), true)]),
        ..Pipeline::default()
    };
    rewrite(text, &Facts::default(), &pipeline)
}

/// The loops of a kernel with these statements, by their counters, before which a pragma stands.
fn free(params: &str, body: &str) -> Vec<String> {
    let text = format!(
        "__attribute__((max_global_work_dim(0)))\n__kernel void k({params})\n{{\n    {body}\n}}\n"
    );
    let rewritten = with_ivdep(&text);
    let remarks = rewritten
        .remarks
        .iter()
        .filter(|text| text.contains("(proved)"));
    let text = rewritten.text;
    let asked = body.matches("#pragma ivdep").count();
    assert_eq!(
        remarks.count() + asked,
        text.matches("#pragma ivdep").count()
    );
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let pairs = lines.iter().zip(lines.iter().skip(1));
    pairs
        .filter(|(line, _)| line.starts_with("#pragma ivdep"))
        .map(|(line, next)| {
            let array = line.trim_start_matches("#pragma ivdep array(");
            let array = array.trim_end_matches(')');
            let counter = next.trim_start_matches("for (");
            let counter = counter
                .trim_start_matches("int ")
                .trim_start_matches("long ");
            let counter: String = counter
                .chars()
                .take_while(|c| c.is_alphanumeric())
                .collect();
            format!("{array} by {counter}")
        })
        .collect()
}

const ARRAYS: &str = "__global float *restrict a, __global float *restrict b, int n, int m";

#[test]
fn rows_that_are_as_long_as_the_inner_loop_are_apart() {
    let nest = |index: &str, inner: &str| {
        let body = format!(
            "for (int i = 0; i < m; i++)\n for (int j = {inner}; j++) {{ int at = {index}; a[at] = a[at] + b[j]; }}"
        );
        free(ARRAYS, &body)
    };
    let both = ["a by i", "a by j"];
    assert_eq!(nest("i * n + j", "0; j < n"), both);
    assert_eq!(nest("n * i + (j - 1)", "1; j <= n"), both);
    assert_eq!(nest("(i + 1) * n - j", "1; j <= n"), both);
    assert_eq!(nest("i * n + j + 1", "0; j < n - 1"), both);
    assert_eq!(nest("i * n + j - m", "-3; j < n - 3"), both);
    assert_eq!(nest("i * 16 + j", "0; j < 16"), both);
    // Longer than a row, or perhaps.
    assert_eq!(nest("i * n + j", "0; j <= n"), ["a by j"]);
    assert_eq!(nest("i * n + j", "0; j < m"), ["a by j"]);
    assert_eq!(nest("i * n + j", "-1; j < n"), ["a by j"]);
    assert_eq!(nest("i * n + j", "0; j != n"), ["a by j"]);
    assert_eq!(nest("i * 16 + j", "0; j < 17"), ["a by j"]);
    // Where the inner loop runs at all, rows are no shorter than one.
    assert_eq!(nest("i * n", "0; j < n"), ["a by i"]);
    assert_eq!(nest("i * n", "0; j < m"), ["a by i"; 0]);
    assert_eq!(nest("j * j", "0; j < n"), ["a by i"; 0]);
}

#[test]
fn cubes_are_rows_of_rows() {
    let body = "for (int z = 0; z < m; z++) for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) \
                { a[(z * m + y) * n + x] += 1; }";
    assert_eq!(free(ARRAYS, body), ["a by z", "a by y", "a by x"]);
    // Of planes with rows of n, nothing states that they hold m of them.
    let body = body.replace("z * m + y", "z * n + y");
    assert_eq!(free(ARRAYS, &body), ["a by y", "a by x"]);
}

#[test]
fn one_loop_is_compared_by_its_distance() {
    let one = |read: &str| {
        free(
            ARRAYS,
            &format!("for (int i = 0; i < n; i++) a[i] = a[{read}] + 1;"),
        )
    };
    assert_eq!(one("i"), ["a by i"]);
    assert_eq!(one("i + n"), ["a by i"]);
    assert_eq!(one("i + m"), [""; 0]);
    assert_eq!(one("i + n - 1"), [""; 0]);
    assert_eq!(one("i - 1"), [""; 0]);
    assert_eq!(one("i - 100"), [""; 0]);
    assert_eq!(one("(long)i"), ["a by i"]);
    let strided = "for (int i = 0; i < n; i += 2) a[i] = a[i + 1] + a[i + 3];";
    assert_eq!(free(ARRAYS, strided), ["a by i"]);
    let down = "for (long i = n; i >= 0; i -= 3) { a[i] += a[i + 1]; a[i + 2] = 0; }";
    assert_eq!(free(ARRAYS, down), ["a by i"]);
    let down = down.replace("i + 2", "i + 3");
    assert_eq!(free(ARRAYS, &down), [""; 0]);
    let local = "float t[8][9]; for (int i = 0; i < 8; i++) for (int j = 0; j < 9; j++) t[i][j] += t[i][j] * 2;";
    assert_eq!(free(ARRAYS, local), ["t by i", "t by j"]);
    // One store has nothing to be kept in order with.
    assert_eq!(
        free(ARRAYS, "for (int i = 0; i < n; i++) a[i] = b[i];"),
        [""; 0]
    );
}

#[test]
fn what_is_not_known_is_not_said() {
    let left =
        |params: &str, body: &str| assert_eq!(free(params, body), [""; 0], "{params}\n{body}");
    let plain = "for (int i = 0; i < n; i++) { a[i] += b[i]; }";
    assert_eq!(free(ARRAYS, plain), ["a by i"]);
    // Another pointer may lead there; the pragma would also hold for it.
    left("__global float *a, __global float *b, int n", plain);
    left("__local float *restrict a, __global float *b, int n", plain);
    left(
        "__global volatile float *restrict a, __global float *b, int n",
        plain,
    );
    for body in [
        "for (int i = 0; i < n; i++) { a[i] += 1; a[m] += 1; }",
        "for (int i = 0; i < n; i++) { a[i] += 1; *a = 0; }",
        "for (int i = 0; i < n; i++) { a[i] += 1; vstore2((float2)(0, 1), i, a); }",
        "__global float *p = a + 1; for (int i = 0; i < n; i++) { a[i] += 1; p[i] = 0; }",
        "for (int i = 0; i < n; i++) { a[i] += 1; a++; }",
        "for (int i = 0; i < n; i++) { a[i] += 1; i += m; }",
        "for (int i = 0; i < n; i += m) { a[i] += 1; }",
        "for (int i = 1; i < n; i *= 2) { a[i] += 1; }",
        "for (int i = 0; i < n; i++) { a[i] += 1; mem_fence(CLK_GLOBAL_MEM_FENCE); }",
        // Arithmetic that wraps, and numbers that are cut.
        "for (uint i = 0; i < n; i++) { a[i * 65536u] += 1; }",
        "for (int i = 0; i < n; i++) { a[(char)i] += 1; }",
        "for (int i = 0; i < n; i++) { uchar at = i; a[at] += 1; }",
        "for (char i = 0; i < n; i++) { a[i] += 1; }",
        "for (int i = 0; i < n; i++) { a[i & 15] += 1; }",
        "for (int i = 0; i < n; i++) { a[i / 2] += 1; }",
        // Values of elsewhere.
        "int at = 0; for (int i = 0; i < n; i++) { a[at] += 1; at = i; }",
        "int j = m; for (int i = 0; i < n; i++) { int k = j; for (j = 0; j < m; j++) { a[k] += i * 0; } }",
        "for (int i = 0; i < n; i++) { int at = at + i; a[at] += 1; }",
        "int i; for (i = i + 1; i < n; i++) { int at = m; a[at] += i; }",
    ] {
        left(ARRAYS, body);
    }
    // Bounds that are compared as unsigned numbers say less.
    let rows = "for (int i = 0; i < m; i++) for (int j = -5; j < (uint)n; j++) a[i * n + j] += 1;";
    assert_eq!(free(ARRAYS, rows), ["a by j"]);
    // Loops that are unrolled whole are none.
    left(ARRAYS, &format!("#pragma unroll\n{plain}"));
    let said = "#pragma ivdep array(a)\nfor (int i = 0; i < n; i++) { a[i] += b[i]; }";
    assert_eq!(free(ARRAYS, said), ["a by i"]);
}

/// Numbers that look random, the same in each run (Steele, Lea and Flood's SplitMix).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % end) as i64
    }
}

/// An index or a bound: multiples of 1, `n`, and counters, by themselves and times `n`.
#[derive(Clone, Copy, Default)]
struct Sum {
    constant: i64,
    n: i64,
    counters: [i64; 2],
    rows: [i64; 2],
}

impl Sum {
    fn at(&self, n: i64, counters: [i64; 2]) -> i64 {
        let own = self.constant + self.n * n;
        let of = |at: usize| (self.counters[at] + self.rows[at] * n) * counters[at];
        own + of(0) + of(1)
    }

    fn text(&self) -> String {
        let Sum {
            constant,
            n,
            counters: [i, j],
            rows: [x, y],
        } = self;
        let terms = [(i, "i"), (j, "j"), (x, "i * n"), (y, "j * n"), (n, "n")];
        let used = terms.iter().filter(|(by, _)| **by != 0);
        let used = used.map(|(by, name)| format!("{name} * {by}"));
        used.chain([constant.to_string()])
            .collect::<Vec<_>>()
            .join(" + ")
    }
}

/// `for (i = 0; i < n or a constant; i += step) for (j = from; j < to; j++) a[write] += a[read];`
struct Nest {
    end: Sum,
    step: i64,
    from: Sum,
    to: Sum,
    write: Sum,
    read: Sum,
}

impl Nest {
    fn random(numbers: &mut Numbers) -> Self {
        let index = |numbers: &mut Numbers| Sum {
            constant: numbers.below(4) - 1,
            n: numbers.below(6) / 4,
            counters: [
                numbers.below(3) / 2 * numbers.below(8),
                numbers.below(3) / 2 + numbers.below(2),
            ],
            rows: [numbers.below(3) - numbers.below(2), numbers.below(8) / 7],
        };
        let write = index(numbers);
        let read = match numbers.below(2) {
            0 => Sum {
                constant: write.constant + numbers.below(2),
                ..write
            },
            _ => index(numbers),
        };
        let bound = |numbers: &mut Numbers, i: i64| Sum {
            constant: numbers.below(7) - 1,
            n: i64::from(numbers.below(2) == 0),
            counters: [i64::from(numbers.below(4) == 0) * i, 0],
            rows: [0, 0],
        };
        let mut to = bound(numbers, 1);
        if to.n == 1 {
            to.constant = numbers.below(3) - 1;
        }
        let from = Sum {
            constant: numbers.below(3) / 2,
            counters: [i64::from(numbers.below(5) == 0), 0],
            ..Sum::default()
        };
        Nest {
            end: bound(numbers, 0),
            step: 1 + numbers.below(4) / 3,
            from,
            to,
            write,
            read,
        }
    }

    fn text(&self) -> String {
        let Nest {
            end,
            step,
            from,
            to,
            write,
            read,
        } = self;
        format!(
            "for (int i = 0; i < {}; i += {step}) for (int j = {}; j < {}; j++) a[{}] += a[{}];",
            end.text(),
            from.text(),
            to.text(),
            write.text(),
            read.text()
        )
    }

    /// Whether two iterations of the outer and of the inner loop meet, where the parameter has a value.
    fn meet(&self, n: i64) -> [bool; 2] {
        let mut accesses = Vec::new();
        for i in (0..self.end.at(n, [0, 0])).step_by(self.step as usize) {
            for j in self.from.at(n, [i, 0])..self.to.at(n, [i, 0]) {
                accesses.push(([i, j], true, self.write.at(n, [i, j])));
                accesses.push(([i, j], false, self.read.at(n, [i, j])));
            }
        }
        let mut meet = [false; 2];
        for (at, (x, write, element)) in accesses.iter().enumerate() {
            for (y, also, other) in &accesses[at + 1..] {
                if element == other && (*write || *also) {
                    meet[0] |= x[0] != y[0];
                    meet[1] |= x[0] == y[0] && x[1] != y[1];
                }
            }
        }
        meet
    }
}

/// Random nests: where it is said that iterations do not meet, they do not, whatever the parameter is.
#[test]
fn what_is_said_holds_when_it_is_tried() {
    let mut numbers = Numbers(20261121);
    let mut said = [0; 2];
    let mut meeting = [0; 2];
    for _ in 0..800 {
        let nest = Nest::random(&mut numbers);
        let text = nest.text();
        let free = free("__global float *restrict a, int n", &text);
        for n in -2..8 {
            let meet = nest.meet(n);
            for (at, counter) in ["a by i", "a by j"].into_iter().enumerate() {
                let is_said = free.iter().any(|one| one == counter);
                assert!(!(is_said && meet[at]), "n = {n}: {counter}\n{text}");
                said[at] += usize::from(is_said && n == 5);
                meeting[at] += usize::from(meet[at] && n == 5);
            }
        }
    }
    // Enough of both, or the test says nothing.
    assert!(said.iter().all(|count| *count > 100), "{said:?}");
    assert!(meeting.iter().all(|count| *count > 100), "{meeting:?}");
}
