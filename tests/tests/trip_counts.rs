//! `fpgacc trace --trip-counts`: what kernels count is what they do, on each implementation.

use std::path::Path;

use fpgacc_launch_facts::Location;
use fpgacc_launch_facts::recorded::{BranchKind, RecordedProgram};
use fpgacc_tests::command::{Outcome, implementations};
use fpgacc_tests::traced::{recorded, shop};

#[track_caller]
fn has(outcome: &Outcome, parts: &[&str]) {
    for part in parts {
        let text = &outcome.stderr;
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

/// What the kernel `work` does in 64 work-items, in groups of 16: for each place the text that stands
/// there, how often it is reached and taken.
#[derive(Default)]
struct Model {
    counts: Vec<(&'static str, u64, u64)>,
}

impl Model {
    fn add(&mut self, place: &'static str, reached: u64, taken: u64) {
        match self.counts.iter_mut().find(|count| count.0 == place) {
            Some(count) => (count.1, count.2) = (count.1 + reached, count.2 + taken),
            None => self.counts.push((place, reached, taken)),
        }
    }

    fn branch(&mut self, place: &'static str, is_taken: bool) -> bool {
        self.add(place, 1, is_taken.into());
        is_taken
    }

    fn work() -> Model {
        let mut model = Model::default();
        for id in 0..64 {
            model.item(id, id % 16);
        }
        // Of 16 work-items, each of which counts past 32 bits together with the others.
        model.add("while (i < n)", 16, 16 * 0x5000_0001);
        model
    }

    fn item(&mut self, id: u64, local_id: u64) {
        let mut sum = 0;
        self.add("for (int i = 0", 1, id.div_ceil(2));
        for i in (0..id).step_by(2) {
            self.add("for (int j = 0", 1, 3);
            for j in 0..3 {
                if !self.branch("if ((i + j) % 2", (i + j) % 2 == 0) {
                    sum += j;
                }
            }
        }
        self.add("for (int stride", 1, 4);
        for stride in [8, 4, 2, 1] {
            self.branch("if (local_id < stride)", local_id < stride);
        }
        self.add("do {", 1, (id % 4).max(1));
        self.add("case 0:", 1, id.is_multiple_of(3).into());
        self.add("case 1:", 1, (id % 3 < 2).into());
        self.add("sum += rounds(id)", 1, (id % 3 == 2).into());
        sum += match id % 3 {
            0 => 3,
            1 => 2,
            _ => {
                let bits = u64::from(id.ilog2());
                self.add("while (n > 1)", 1, bits);
                bits
            }
        };
        let is_first = self.branch("if (local_id == 0)", local_id == 0);
        if !is_first && self.branch("else if (id == 5)", id == 5) {
            return;
        }
        self.add("for (;;)", 1, 101 - sum.min(100));
        for _ in sum.min(100)..101 {
            sum += 1;
            self.branch("if (++sum > 100)", sum > 100);
        }
    }

    /// The counts with their lines, in order of lines.
    fn at_lines(self, text: &str) -> Vec<(u32, u64, u64)> {
        let line = |place| text.lines().position(|line| line.contains(place));
        let at = |(place, reached, taken)| {
            (line(place).expect("it is there") as u32 + 1, reached, taken)
        };
        let mut all: Vec<_> = self.counts.into_iter().map(at).collect();
        all.sort_unstable();
        all
    }
}

/// All counts with their lines, in order of lines.
fn counts(recorded: &RecordedProgram) -> Vec<(u32, u64, u64)> {
    let line = |site: &Location| {
        assert_eq!(site.file, "counts.cl");
        site.line
    };
    let loops = (recorded.loops.iter()).map(|l| (line(&l.site), l.entries, l.iterations));
    let branches = (recorded.branches.iter()).map(|b| (line(&b.site), b.evaluated, b.taken));
    let mut all: Vec<_> = loops.chain(branches).collect();
    all.sort_unstable();
    all
}

#[test]
fn counts_are_exact_and_the_program_does_not_see_them() {
    let shop = shop("counts");
    for (name, environment) in implementations() {
        let plain = shop.sh(&format!("{environment} ./app")).success();
        let trace = format!("{environment} fpgacc trace --trip-counts -o facts.yaml");
        let output = shop.sh(&format!("{trace} -- ./app")).success();
        assert_eq!(output.stdout, plain.stdout, "{name}");
        assert!(!output.stderr.contains("note"), "{}", output.stderr);
        let recorded = self::recorded(&shop);
        let expected = Model::work().at_lines(&shop.text("counts.cl"));
        assert_eq!(counts(&recorded), expected, "{name}");
        let halvings = recorded.loops.iter().find(|l| l.function == "halvings");
        assert_eq!(halvings.map(|l| l.entries), Some(21));
        let cases = recorded.branches.iter();
        let cases = cases.filter(|branch| branch.kind == BranchKind::Case);
        assert_eq!(cases.count(), 3);
        let line = expected[0].0;
        let explain = format!("fpgacc facts explain counts.cl:{line} facts.yaml counts.c");
        let (entries, iterations) = (expected[0].1, expected[0].2);
        let explained = shop.sh(&explain).success().stdout;
        let counted = format!("entered {entries} times, {iterations} iterations: 4.1 each time");
        assert!(explained.contains(&counted), "{explained}");
    }
}

#[test]
fn counts_of_several_runs_are_added() {
    let shop = shop("counts");
    let trace = "fpgacc trace --trip-counts -o facts.yaml";
    shop.sh(&format!("{trace} -- ./app")).success();
    shop.sh(&format!("{trace} --append -- ./app")).success();
    // A run without counts leaves them as they are.
    shop.sh("fpgacc trace -o facts.yaml --append -- ./app")
        .success();
    let expected = Model::work().at_lines(&shop.text("counts.cl"));
    let twice = expected.iter().map(|(line, a, b)| (*line, 2 * a, 2 * b));
    assert_eq!(counts(&recorded(&shop)), twice.collect::<Vec<_>>());
}

#[test]
fn texts_that_are_not_understood_run_as_they_are() {
    let shop = shop("counts");
    let text = shop.text("counts.cl");
    let odd = "int odd(x) int x; { return x; }\n";
    shop.write("counts.cl", format!("{odd}{text}"));
    let plain = shop.sh("./app").success();
    let output = shop
        .sh("fpgacc trace --trip-counts -o facts.yaml -- ./app")
        .success();
    assert_eq!(output.stdout, plain.stdout);
    has(
        &output,
        &[
            "counts.cl:1:",
            "the kernels of this program run as they are, and count nothing",
            "3 launches of 3 kernels recorded",
        ],
    );
    assert!(recorded(&shop).loops.is_empty());
}

/// A host in Python that puts a definition before a file, and a header that asks what the device's
/// compiler is.
#[test]
fn texts_of_several_parts_are_found_in_their_files() {
    let shop = shop("counts");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace");
    shop.write("host.py", std::fs::read(folder.join("host.py")).unwrap());
    let text = "\
#include \"limits.h\"
kernel void scale(global float *from, global float *to, float factor, int step) {
    for (int i = 0; i < LIMIT; i++)
        to[get_global_id(0)] = from[get_global_id(0)] * factor + STEP;
}
";
    shop.write("k.cl", text);
    shop.write(
        "limits.h",
        "#ifdef ALTERA_CL\n#define LIMIT 5\n#else\n#define LIMIT 3\n#endif\n",
    );
    let plain = shop.sh("python3 host.py").success();
    let output = shop
        .sh("fpgacc trace --trip-counts -o facts.yaml -- python3 host.py")
        .success();
    assert_eq!(output.stdout, plain.stdout);
    let recorded = recorded(&shop);
    let loops: Vec<_> = recorded.loops.iter().collect();
    let [one] = loops[..] else {
        panic!("{loops:?}");
    };
    assert_eq!((one.site.file.as_str(), one.site.line), ("k.cl", 3));
    assert_eq!((one.entries, one.iterations), (256, 3 * 256));
}
