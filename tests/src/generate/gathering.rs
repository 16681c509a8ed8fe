//! Loops that gather something at one location in memory: what compilers keep in a register, and unroll.

use super::choices::State;
use super::maker::{Context, Maker};
use super::statements::OUTPUTS;

/// A place of memory that belongs to the work-item.
struct Element {
    text: String,
    float: bool,
}

impl Maker {
    /// A loop, mostly with a constant number of iterations, that reads and writes one or two places.
    pub(super) fn gathering_loop(&mut self, context: &Context) {
        let places: Vec<Element> = (0..1 + self.s.below(2)).map(|_| self.place()).collect();
        let scope = self.scope.clone();
        let j = self.name("j");
        let (head, foot) = self.gathering_shell(&j, context);
        self.line(&head);
        self.scope.readable.push(format!("(uint){j}"));
        for place in &places {
            let line = self.gathering(place, &j);
            self.line(&line);
        }
        if self.s.chance(20) {
            let condition = self.condition();
            self.line(&format!("if ({condition}) {{\nbreak;\n}}"));
        }
        if self.s.chance(30) {
            let line = self.invariant_read();
            self.line(&line);
        }
        self.line(&foot);
        self.scope = scope;
    }

    /// Loops that read the same few elements again in each iteration, and the neighbours of each.
    pub(super) fn reuse(&mut self) {
        let (j, t) = (self.name("j"), self.name("t"));
        let (rounds, trips) = (2 + self.s.below(3), 3 + self.s.below(6));
        let first = 1 + self.s.below(20);
        self.line(&format!(
            "for (int {j} = 0; {j} < {rounds}; {j}++) {{\n\
             for (int {t} = 0; {t} < {trips}; {t}++) {{\n\
             a += in[{t} + {first}] * (uint)({j} + 1);\n}}\n}}"
        ));
        self.line(&format!(
            "for (int {t} = {first}; {t} < {}; {t}++) {{\n\
             a += in[{t} - 1] * 3u + in[{t}] - in[{t} + 1];\n}}",
            first + trips
        ));
    }

    /// In some kernels, an array of the work-item's own with rows. It draws no numbers: kernels are else what they were
    /// without it.
    pub(super) fn table(&mut self) {
        let mut random = self.s.clone();
        if !random.chance(30) {
            return;
        }
        let rows = 4 + random.below(4);
        let length = random.copy(&[5, 6, 7, 9, 8]);
        let (dims, at) = match random.chance(30) {
            true => (format!("[{rows}][{length}]"), "[r][c]".to_string()),
            false => (
                format!("[{rows} * {length}]"),
                format!("[r * {length} + c]"),
            ),
        };
        let next = at.replace('c', "c + 1");
        let (t, r, c) = (self.name("t"), self.name("r"), self.name("c"));
        let named = |index: &str| {
            let text = index.replace('r', &r);
            text.replace('c', &c)
        };
        let (at, next) = (named(&at), named(&next));
        let every = format!(
            "for (int {r} = 0; {r} < {rows}; {r}++) {{\n\
             for (int {c} = 0; {c} < {length}; {c}++) {{\n"
        );
        self.line(&format!(
            "uint {t}{dims};\n{every}{t}{at} = a + (uint)({r} * 3 - {c});\n}}\n}}"
        ));
        self.line(&format!(
            "{every}if ({c} < {length} - 1) {{\na ^= {t}{next} * 5u;\n}}\na += {t}{at};\n}}\n}}"
        ));
    }

    /// A loop along the work-item's own elements, each of which is made of the one before it.
    pub(super) fn recurrence(&mut self) {
        let (t, row, last) = (self.name("t"), self.name("row"), OUTPUTS - 1);
        let at = match self.v.chance(80) {
            true => "at".to_string(),
            false => self.flat_global(),
        };
        // Signed: where an unsigned index may wrap, elements need not be neighbours.
        let ty = self.v.pick(&["int", "int", "int", "uint"]);
        self.line(&format!("{ty} {row} = ({ty})({at}) * {OUTPUTS};"));
        let own = |index: &str| format!("out[{row} + {index}]");
        let (head, before) = match self.s.below(4) {
            0 => (
                format!("for (int {t} = {last} - 1; {t} >= 0; {t}--)"),
                "+ 1",
            ),
            1 => (
                format!("for (uint {t} = 1u; {t} <= (n & {last}u); {t}++)"),
                "- 1u",
            ),
            _ => (format!("for (int {t} = 1; {t} < {OUTPUTS}; {t}++)"), "- 1"),
        };
        let value = self.value(1);
        let op = self.s.pick(&["+", "^", "* 3u +"]);
        let (to, from) = (own(&t), own(&format!("{t} {before}")));
        let line = match self.s.below(8) {
            0 => format!("if ((in[{t}] & 1u) != 0u) {{\n{to} = {from} {op} {value};\n}}"),
            1 => format!("{to} = {from} {op} {value};\na ^= {from};"),
            2 => format!("{to} += {from};"),
            _ => format!("{to} = {from} {op} {value};"),
        };
        self.line(&format!("{head} {{\n{line}\n}}"));
    }

    /// A table of the work-item's own, in which each element is made of those above it and before it.
    pub(super) fn dynamic_table(&mut self) {
        let (table, i, j) = (self.name("table"), self.name("i"), self.name("j"));
        let (rows, columns) = (2 + self.s.below(4), 2 + self.s.below(5));
        let (all, first) = (rows * columns, self.s.below(20));
        let op = self.s.pick(&["+", "^", "* 3u +"]);
        let other = self.s.pick(&["- 1", "- 1 - COLUMNS", "- COLUMNS"]);
        let other = other.replace("COLUMNS", &columns.to_string());
        self.line(&format!(
            "uint {table}[{all}];\n\
             for (int {i} = 0; {i} < {all}; {i}++) {{\n{table}[{i}] = in[{i} + {first}];\n}}\n\
             for (int {i} = 1; {i} < {rows}; {i}++) {{\n\
             for (int {j} = 1; {j} < {columns}; {j}++) {{\n\
             {table}[{i} * {columns} + {j}] = {table}[({i} - 1) * {columns} + {j}] {op} \
             {table}[{i} * {columns} + {j} {other}] + in[{j} + {first}];\n}}\n}}\n\
             a ^= {table}[{all} - 1];"
        ));
    }

    /// A loop over all elements of rows, which divides its counter by their length.
    pub(super) fn rows(&mut self) {
        let (t, x, y) = (self.name("t"), self.name("x"), self.name("y"));
        let width = self.s.copy(&[16, 16, 20, 32]);
        let all = width * (2 + self.s.below(2)) - self.s.below(2);
        let value = self.s.pick(&["+", "* 3u ^", "- (a >> 3) +"]);
        self.line(&format!(
            "for (int {t} = 0; {t} < {all}; {t}++) {{\n\
             int {x} = {t} % {width}, {y} = {t} / {width};\n\
             a = a {value} in[({x} + {y} * 5) & 63];\n}}"
        ));
    }

    /// A loop that stores at the work-item's own elements, one after another.
    pub(super) fn elements(&mut self) {
        let (t, row) = (self.name("t"), self.name("row"));
        let first = self.s.below(40);
        let op = self.s.pick(&["+", "^", "*"]);
        self.line(&format!(
            "int {row} = (int)at * {OUTPUTS};\n\
             for (int {t} = 0; {t} < {OUTPUTS}; {t}++) {{\n\
             out[{row} + {t}] = out[{row} + {t}] {op} in[{t} + {first}];\n}}"
        ));
    }

    /// What stands before and after the body.
    fn gathering_shell(&mut self, j: &str, context: &Context) -> (String, String) {
        let trips = match self.s.below(8) {
            0 => "(n & 7u)".to_string(),
            1 if context.uniform => format!("(({}) & 3)", self.uniform_value(1)),
            2 => format!("(({}) & 3)", self.value(1)),
            _ => format!("{}u", 1 + self.s.below(6)),
        };
        let close = "}".to_string();
        match self.s.below(8) {
            0 => (
                format!("uint {j} = 0;\nwhile ({j} < {trips}) {{"),
                format!("{j}++;\n}}"),
            ),
            1 => (format!("uint {j} = {trips};\nwhile ({j}-- > 0u) {{"), close),
            2 => (
                format!("uint {j} = 0;\ndo {{"),
                format!("{j}++;\n}} while ({j} < {trips});"),
            ),
            3 => (
                format!("for (uint {j} = {trips}; {j} > 0u; {j} >>= 1) {{"),
                close,
            ),
            _ => {
                let ty = self.v.pick(&["uint", "int"]);
                let head = format!("for ({ty} {j} = 0; (uint){j} < {trips}; {j}++) {{");
                (head, close)
            }
        }
    }

    /// One of the work-item's own places. Mostly spelled as the prologue does it, so that accesses are
    /// seen to be to the same place.
    fn place(&mut self) -> Element {
        let at = match self.v.chance(80) {
            true => "at".to_string(),
            false => self.flat_global(),
        };
        let own: Vec<usize> = self.arrays_in(State::Own);
        match self.s.below(6) {
            0 => Element {
                text: format!("fout[{at}]"),
                float: true,
            },
            1 | 2 if !own.is_empty() => {
                let array = self.s.copy(&own);
                Element {
                    text: self.element(array, "l"),
                    float: self.shared[array].float,
                }
            }
            choice => {
                let array = match self.has_other && choice == 3 {
                    true => "other",
                    false => "out",
                };
                let slot = self.s.below(OUTPUTS);
                Element {
                    text: format!("{array}[{at} * {OUTPUTS} + {slot}]"),
                    float: false,
                }
            }
        }
    }

    /// A statement that changes a place, and perhaps reads it.
    fn gathering(&mut self, place: &Element, j: &str) -> String {
        let text = &place.text;
        if place.float {
            let index = self.s.pick(&["+ at", "* 3", "+ n"]);
            let op = self.s.pick(&["+=", "-="]);
            return format!("{text} {op} fin[({j} {index}) & 63];");
        }
        let index = self.s.pick(&["+ at", "* 5 + at", "+ n", "* 3"]);
        let value = match self.s.chance(60) {
            true => format!("in[({j} {index}) & 63]"),
            false => self.value(1),
        };
        let op = self.s.pick(&["+=", "+=", "^=", "-=", "|="]);
        match self.s.below(8) {
            0 => format!("{text} = {text} + {value};"),
            1 => format!("{text} = {value};\na += {text};"),
            2 => format!("{text} {op} {value};\nb ^= {text};"),
            3 => {
                let condition = self.condition();
                format!("if ({condition}) {{\n{text} {op} {value};\n}}")
            }
            4 => {
                let i = self.name("i");
                let trips = 2 + self.s.below(3);
                format!(
                    "for (int {i} = 0; {i} < {trips}; {i}++) {{\n{text} {op} {value} + (uint){i};\n}}"
                )
            }
            _ => format!("{text} {op} {value};"),
        }
    }

    /// What is read in each iteration and stays the same.
    fn invariant_read(&mut self) -> String {
        let place = match self.s.below(3) {
            0 => "uni[n & 15]".to_string(),
            1 => "same[m & 15]".to_string(),
            _ => format!("in[{}]", self.s.below(64)),
        };
        format!("a += {place};")
    }
}
