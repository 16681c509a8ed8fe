//! Loops that follow each other, and loops of several parts, along the place's own row: what can be fused or
//! distributed, and what nearly can.

use super::composer::Composer;
use super::scene::ROW;

impl Composer<'_> {
    /// Loops that mostly run equally often, with something between now and then.
    pub(super) fn sequence(&mut self) {
        let row = self.own_row();
        let trips = self.random.copy(&["8", "8", "n", "n", "n - 1"]);
        let loops = 2 + self.random.below(2);
        let name = self.name("t");
        for _ in 0..loops {
            let t = match self.random.chance(60) {
                true => name.clone(),
                false => self.name("t"),
            };
            let end = match self.random.chance(10) {
                true => "5",
                false => trips,
            };
            let first = match self.random.below(10) {
                0 => 1,
                _ => 0,
            };
            let statements = 1 + self.random.below(2);
            let body: Vec<String> = (0..statements)
                .map(|_| self.row_statement(&row, &t))
                .collect();
            let keep = self.keep_sum(127);
            let body = body.join("\n");
            let keep = if body.contains("s ") {
                keep
            } else {
                String::new()
            };
            self.line(&format!(
                "for (int {t} = {first}; {t} < {end}; {t}++) {{\n{body}\n{keep}}}"
            ));
            match self.random.below(8) {
                0 => self.line("s += 3;"),
                1 => {
                    let (z, image) = (self.name("z"), self.scene.elements_in_all());
                    let at = self.random.below(image);
                    self.line(&format!(
                        "uint {z} = (uint)in[{at}] + (uint)n;\ns += {z} & 7u;"
                    ));
                }
                _ => {}
            }
            self.keep();
        }
    }

    /// A loop of parts, some of which wait for what the iteration before did.
    pub(super) fn separable(&mut self) {
        let (row, t) = (self.own_row(), self.name("t"));
        let trips = self.random.copy(&["8", "8", "n"]);
        let statements = 2 + self.random.below(3);
        let body: Vec<String> = (0..statements)
            .map(|_| self.row_statement(&row, &t))
            .collect();
        let keep = self.keep_sum(127);
        self.line(&format!(
            "for (int {t} = 0; {t} < {trips}; {t}++) {{\n{}\n{keep}}}",
            body.join("\n")
        ));
    }

    /// What an iteration does to elements of a row.
    fn row_statement(&mut self, row: &str, t: &str) -> String {
        let (ty, most, image) = (
            self.scene.ty,
            self.scene.most(),
            self.scene.elements_in_all(),
        );
        let near = |composer: &mut Self| {
            let index = match composer.random.below(8) {
                0 => format!("({t} + 1) % {ROW}"),
                1 => format!("({t} > 0 ? {t} - 1 : 0)"),
                2 => format!("{} - {t}", ROW - 1),
                3 => format!("({t} ^ 1)"),
                _ => t.to_string(),
            };
            format!("mem[{row} + {index}]")
        };
        let to = near(self);
        let from = near(self);
        let read = format!("in[{t} % {image}]");
        match self.random.below(11) {
            0 | 1 => format!("{to} = ({ty})(((uint){from} * 3u + (uint){t}) & {most}u);"),
            2 | 3 => format!("{to} = ({ty})(((uint){read} + (uint){t}) & {most}u);"),
            4 => self.gather(&from),
            5 => format!("{to} = {};", self.kept()),
            6 => {
                let v = self.name("v");
                format!("{ty} {v} = {from};\n{to} = ({ty})(((uint){v} + (uint){v}) & {most}u);")
            }
            7 => {
                let v = self.name("v");
                let line = self.gather(&v);
                format!("uint {v} = (uint){read} & 15u;\n{line}")
            }
            8 => format!("if ((uint){from} % 3u != 1u) {{\n{to} = {read};\n}}"),
            9 => {
                let k = self.name("k");
                format!(
                    "for (int {k} = 0; {k} < 2; {k}++) {{\n{to} = ({ty})(((uint){from} + (uint){k}) & {most}u);\n}}"
                )
            }
            _ => format!("{to} = {read};"),
        }
    }
}
