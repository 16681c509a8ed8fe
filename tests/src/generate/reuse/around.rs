//! Elements around a place: stencils and filters.

use super::borders::Border;
use super::composer::{COORDINATES, Composer};

impl Composer<'_> {
    /// Elements at constant distances, mostly with the place's own.
    pub(super) fn stencil(&mut self) {
        let border = self
            .random
            .copy(&[Border::Asked, Border::Asked, Border::Bounded]);
        let reach = 1 + self.random.below(2);
        let image = self.image();
        if self.random.chance(70) {
            let own = self.element([0; 3], border);
            let read = self.read(image, &own.index);
            let line = self.gather(&read);
            self.line(&line);
        }
        for _ in 0..2 + self.random.below(4) {
            let moved = self.moved(reach);
            let line = self.neighbour(image, moved, border);
            self.line(&line);
        }
    }

    /// A neighbour, where it exists.
    fn neighbour(&mut self, image: &str, moved: [i32; 3], border: Border) -> String {
        let element = self.element(moved, border);
        let read = format!("{image}[{}]", element.index);
        match (element.condition(), self.random.below(6)) {
            (None, 0) => format!(
                "if (far < 100) {{\n{}\n}}",
                self.gather(&format!("{image}[{} + far]", element.index))
            ),
            (None, _) => {
                let read = self.read(image, &element.index);
                self.gather(&read)
            }
            (Some(condition), 0) => self.gather(&format!("({condition} ? {read} : 1)")),
            (Some(condition), 1) => {
                let c = self.name("c");
                let own = self.element([0; 3], border).index;
                let id = self.index_type();
                self.line(&format!(
                    "{id} {c} = {condition} ? {} : {own};",
                    element.index
                ));
                self.gather(&format!("{image}[{c}]"))
            }
            (Some(condition), 2) => {
                let read = self.gather(&read);
                format!("if (!({condition})) {{\ns += 2;\n}} else {{\n{read}\n}}")
            }
            (Some(condition), _) => format!("if ({condition}) {{\n{}\n}}", self.gather(&read)),
        }
    }

    /// A loop in each dimension, over the neighbours.
    pub(super) fn filter(&mut self) {
        let reach = 1 + self.random.below(2);
        let border = match (reach <= self.scene.halo, self.random.chance(50)) {
            (true, _) => None,
            (false, true) => Some(Border::Asked),
            (false, false) => Some(Border::Bounded),
        };
        let d = self.name("d");
        let (mut heads, mut coordinates, mut conditions) = (String::new(), Vec::new(), Vec::new());
        for (dim, name) in COORDINATES.into_iter().enumerate().take(self.scene.dims) {
            let (size, halo) = (self.scene.size[dim], self.scene.halo);
            // Of three dimensions one has no loop.
            if dim == 2 {
                coordinates.push(format!("{name} + {halo}"));
                continue;
            }
            let counter = format!("{d}{dim}");
            let step = self.random.pick(&["++", "++", " += 2"]);
            heads = format!(
                "for (int {counter} = -{reach}; {counter} <= {reach}; {counter}{step}) {{\n{heads}"
            );
            coordinates.push(match border {
                Some(Border::Bounded) => self.bounded(dim, &counter),
                _ => format!("(int){name} + {counter} + {halo}"),
            });
            if border == Some(Border::Asked) {
                let at = format!("(int){name} + {counter}");
                conditions.push(format!("{at} >= 0 && {at} < {size}"));
            }
        }
        let index = self.index(&coordinates);
        let image = self.image();
        let line = self.gather(&format!("{image}[{index}]"));
        let line = self.on_conditions(&conditions, line);
        let loops = self.scene.dims.min(2);
        self.line(&format!("{heads}{line}\n{}", "}\n".repeat(loops)));
    }

    /// An iteration's statement, where all conditions hold.
    fn on_conditions(&mut self, conditions: &[String], line: String) -> String {
        let all = conditions.join(" && ");
        match (conditions.is_empty(), self.random.below(2)) {
            (true, _) => line,
            (false, 0) => format!("if ({all}) {{\n{line}\n}}"),
            (false, _) => format!("if (!({all})) {{\ncontinue;\n}}\n{line}"),
        }
    }
}
