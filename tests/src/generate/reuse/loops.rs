//! Parts that are loops along rows: products, recurrences, elements for vectors, what is read again.

use super::composer::Composer;
use super::scene::ROW;

/// Types of counters. The narrow ones hold all values, too.
const COUNTERS: [&str; 12] = [
    "int", "int", "int", "int", "int", "int", "uint", "long", "size_t", "short", "uchar", "char",
];

impl Composer<'_> {
    /// The head of a loop that counts up to a number, which may be negative.
    fn counting(&mut self, counter: &str, end: &str) -> String {
        let ty = self.random.pick(&COUNTERS);
        let end = match ty {
            "uint" | "size_t" => format!("({ty})max({end}, 0)"),
            _ => end.to_string(),
        };
        match self.random.below(10) {
            0 => format!("for ({ty} {counter} = 0; {counter} <= ({end}) - 1; {counter}++)")
                .replace("uint", "int")
                .replace("size_t", "long"),
            1 => format!("{ty} {counter} = 0;\nfor (; {counter} < {end}; {counter} += 1)"),
            2 => format!("for ({ty} {counter} = 0; ({end}) > {counter}; ++{counter})"),
            _ => format!("for ({ty} {counter} = 0; {counter} < {end}; {counter}++)"),
        }
    }

    /// The end of a loop, and what is added to its addresses. Some loops run in none of the launches in which
    /// that leads out of all memory.
    fn end(&mut self, end: &str) -> (String, &'static str) {
        match self.random.chance(15) {
            true => (format!("(far < 100 ? {end} : 0)"), " + far"),
            false => (end.to_string(), ""),
        }
    }

    /// A loop over a row of one image and a column of another.
    pub(super) fn product(&mut self) {
        let k = self.name("k");
        let padded = self.scene.padded();
        let most = match self.scene.dims {
            1 => padded[0],
            _ => padded[0].min(padded[1]),
        };
        let trips = self.trips(most);
        let (trips, far) = self.end(&trips);
        let stride = match self.scene.dims {
            1 => "0".to_string(),
            _ => self.stride(1),
        };
        let y = if self.scene.dims > 1 { "y" } else { "0" };
        let of_row = match self.random.below(3) {
            0 => format!("in[{k} + {stride} * {y}]"),
            1 => format!("(in + {y} * {stride})[{k}]"),
            _ => format!("in[{y} * {stride} + {k}]"),
        };
        let of_column = format!("in2[{k} * {stride} + x{far}]");
        let product = match self.random.below(5) {
            0 => format!("({of_row} + {of_column})"),
            1 => of_row,
            _ => format!("{of_row} * {of_column}"),
        };
        let line = self.gather(&product);
        let skip = match self.random.chance(12) {
            true => format!("if ({k} % 3 == 1) {{\ncontinue;\n}}\n"),
            false => String::new(),
        };
        let keep = self.keep_sum(1023);
        let head = self.counting(&k, &trips);
        self.line(&format!("{head} {{\n{skip}{line}\n{keep}}}"));
    }

    /// How often a loop along the first rows or columns runs, which are so many.
    fn trips(&mut self, most: usize) -> String {
        match self.random.below(6) {
            0 => format!("min(n, {most})"),
            1 => (1 + self.random.below(most)).to_string(),
            2 if self.scene.dims > 1 => "min(w, h)".to_string(),
            2 => "w".to_string(),
            _ => most.to_string(),
        }
    }

    /// A walk along a column, with an index that grows, and an element that is kept for the next iteration.
    pub(super) fn walk(&mut self) {
        let (k, c, old) = (self.name("k"), self.name("c"), self.name("old"));
        let [width, height, _] = self.scene.padded();
        let is_flat = self.scene.dims == 1;
        let (start, stride, most) = match is_flat {
            true => ("0".to_string(), "1".to_string(), width),
            false => ("x".to_string(), self.stride(1), height),
        };
        let trips = match self.random.below(3) {
            0 => format!("min(n, {most})"),
            1 if is_flat => "w".to_string(),
            1 => "h".to_string(),
            _ => most.to_string(),
        };
        let ty = self.scene.ty;
        let id = self.random.pick(&["int", "int", "uint", "long"]);
        let (line, last) = (self.gather(&old), self.gather(&old));
        let grown = self.random.pick(&["", "", "s += C & 7;"]).replace('C', &c);
        let mut lines = [
            line,
            format!("{old} = in[{c}];"),
            format!("mem[at * {ROW} + ({k} & 7)] = {old};"),
        ];
        if self.random.chance(50) {
            lines.swap(0, 1);
        }
        let kept = 2 + usize::from(self.random.chance(30));
        let lines = lines[..kept].join("\n");
        let keep = self.keep_sum(1023);
        let head = self.counting(&k, &trips);
        self.line(&format!(
            "{ty} {old} = in2[{start}];\n{id} {c} = {start};\n\
             {head} {{\n{lines}\n{keep}{c} += {stride};\n}}\n{last}\n{grown}"
        ));
    }

    /// Elements of the place's own row, each made of one before it.
    pub(super) fn recurrence(&mut self) {
        let (t, row) = (self.name("t"), self.own_row());
        let distance = 1 + self.random.below(3);
        let (head, sign, far) = self.along_row(&t, distance);
        let distance = match self.random.chance(15) {
            true => "(n & 1)".to_string(),
            false => distance.to_string(),
        };
        let (to, from) = (
            format!("mem[{row} + {t}{far}]"),
            format!("mem[{row} + {t} {sign} {distance}{far}]"),
        );
        let image = self.scene.elements_in_all().min(5);
        let (ty, most) = (self.scene.ty, self.scene.most());
        let made = match self.random.below(4) {
            0 => format!("({ty})(((uint){from} * 3u + (uint){t}) & {most}u)"),
            1 => format!("({ty})(((uint){from} + (uint){to}) & {most}u)"),
            2 => format!("({ty})(((uint){from} ^ (uint)in[{t} % {image}]) & {most}u)"),
            _ => format!("({ty})(((uint){from} + (uint)s) & {most}u)"),
        };
        let store = format!("{to} = {made};");
        let lines = match self.random.below(12) {
            0 => format!("if ((uint)in[at] % 3u == 0u) {{\n{store}\n}}"),
            1 => format!("{store}\ns += {from};"),
            2 => format!("if ({t} == 5) {{\nbreak;\n}}\n{store}"),
            3 => format!("{store}\nmem[{row} + ({t} ^ 1)] = 3;"),
            _ => store,
        };
        self.line(&format!("{head} {{\n{lines}\n}}"));
    }

    /// The head of a loop along a row from an element that has another at a distance, the sign of the other, and
    /// what is added to addresses.
    fn along_row(&mut self, t: &str, distance: usize) -> (String, &'static str, &'static str) {
        let last = ROW - 1 - distance;
        let (n, far) = self.end("n");
        match self.random.below(5) {
            0 => (format!("for (int {t} = {last}; {t} >= 0; {t}--)"), "+", ""),
            1 => (
                format!("for (uint {t} = {distance}; {t} < (uint){n}; {t}++)"),
                "-",
                far,
            ),
            2 => (
                format!("for (int {t} = {distance}; {t} < {n}; {t} += {distance})"),
                "-",
                far,
            ),
            3 => (
                format!("for (int {t} = {distance}; {t} < {n}; {t}++)"),
                "-",
                far,
            ),
            _ => (
                format!("for (int {t} = {distance}; {t} < {ROW}; {t}++)"),
                "-",
                "",
            ),
        }
    }

    /// Elements of the place's own row, one after another: for vectors.
    pub(super) fn elements(&mut self) {
        let (t, row) = (self.name("t"), self.own_row());
        let image = self.scene.elements_in_all();
        let first = self.random.below(3).min(image.saturating_sub(ROW));
        let trips = match image < ROW + first {
            true => image.min(ROW).to_string(),
            false => self
                .random
                .pick(&["n", "n", "8", "7", "n - 1", "5"])
                .to_string(),
        };
        let first = if image < ROW + first { 0 } else { first };
        let (ty, most) = (self.scene.ty, self.scene.most());
        let to = format!("mem[{row} + {t}]");
        let (trips, far) = self.end(&trips);
        let line = match self.random.below(8) {
            0 => format!("{to} = in[{t} + {first}{far}];"),
            1 => format!("{to} = ({ty})(((uint){to} * 3u + (uint)in[{t} + {first}]) & {most}u);"),
            2 => format!("if (in[{t}] > 50) {{\n{to} = in2[{t}];\n}}"),
            3 => format!("{to} = {to} > in[{t}] ? in2[{t} + {first}] : 1;"),
            4 => format!("s += in[{t} + {first}{far}];\n{to} = 2;"),
            5 => format!("{ty} v = in[{t}];\n{to} = v / 2;\ns += v;"),
            6 => format!("if (in[{t}] % 16 == 3) {{\nbreak;\n}}\n{to} = 7;")
                .replace("in[", "(int)in["),
            // Iterations that depend on each other.
            _ => format!("{to} = mem[{row} + (({t} + {first}) & 7)];"),
        };
        let keep = match line.contains("s +=") {
            true => self.keep_sum(1023),
            false => String::new(),
        };
        let head = self.counting(&t, &trips);
        self.line(&format!("{head} {{\n{line}\n{keep}}}"));
    }

    /// The same few elements in each iteration.
    pub(super) fn again(&mut self) {
        let (j, t) = (self.name("j"), self.name("t"));
        let rounds = self.random.copy(&["2", "3", "(n & 3)", "4"]);
        let (rounds, far) = self.end(rounds);
        let image = self.scene.elements_in_all();
        let trips = (2 + self.random.below(5)).min(image);
        let first = self.random.below(1 + image - trips).min(9);
        let array = self.random.pick(&["in", "in2", "in", "mem"]);
        let index = match (array, self.random.below(4)) {
            ("mem", _) => format!("at * {ROW} + {t}"),
            (_, 0) => format!("{first} + ({t} & 3) % {trips}"),
            (_, 1) => format!("{first} + {} - {t}", trips - 1),
            _ => format!("{t} + {first}"),
        };
        let head = match self.random.below(5) {
            0 => format!("for (int {t} = {trips} - 1; {t} >= 0; {t} -= 2)"),
            _ => self.counting(&t, &trips.to_string()),
        };
        let line = self.gather(&format!("{array}[{index}{far}]"));
        let write = match (array, self.random.below(3)) {
            ("mem", 0) => format!("mem[{index}] = {};\n", self.kept()),
            ("mem", 1) => format!("mem[at * {ROW} + 7 - {t}] = 4;\n"),
            (_, 0) => format!("mem[at * {ROW} + {t}] = {};\n", self.kept()),
            _ => String::new(),
        };
        let skip = match self.random.chance(15) {
            true => format!("if ({}) {{\ncontinue;\n}}\n", self.condition()),
            false => String::new(),
        };
        let keep = self.keep_sum(1023);
        self.line(&format!(
            "for (int {j} = 0; {j} < {rounds}; {j}++) {{\n{skip}{head} {{\n{line}\n{write}}}\n{keep}}}"
        ));
    }

    /// A loop over elements of rows, which divides its counter by their length.
    pub(super) fn rows(&mut self) {
        let (t, p, q) = (self.name("t"), self.name("p"), self.name("q"));
        let image = self.scene.elements_in_all();
        let width = self.random.copy(&[16, 16, 17, 20, 5]);
        let all = width * (1 + self.random.below(3)) - self.random.below(2);
        let ty = self.random.pick(&["int", "int", "int", "uint", "long"]);
        let added = self.random.copy(&[0, 0, 0, 1]);
        let by = self.random.copy(&[1, 3, width]);
        let (all, far) = self.end(&all.to_string());
        let line = self.gather(&format!("in[({p} + {q} * {by}) % {image}{far}]"));
        let edge = match self.random.below(3) {
            0 => format!("if ({p} == 0) {{\ns += 2;\n}}\n"),
            _ => String::new(),
        };
        let keep = self.keep_sum(1023);
        self.line(&format!(
            "for ({ty} {t} = 0; {t} < {all}; {t}++) {{\n\
             int {p} = ({t} + {added}) % {width}, {q} = {t} / {width};\n{edge}{line}\n{keep}}}"
        ));
    }
}
