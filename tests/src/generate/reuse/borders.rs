//! Elements of images around a place, and what keeps kernels within borders.

use super::composer::{COORDINATES, Composer};

/// What is done where an element lies beyond the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// It is not read.
    Asked,
    /// Another one is read.
    Bounded,
}

/// An element that is read: its index, and on which condition.
pub(super) struct Element {
    pub conditions: Vec<String>,
    pub index: String,
}

impl Element {
    /// All conditions; none is none.
    pub(super) fn condition(&self) -> Option<String> {
        (!self.conditions.is_empty()).then(|| self.conditions.join(" && "))
    }
}

impl Composer<'_> {
    /// A move in each dimension, by no more than `reach`.
    pub(super) fn moved(&mut self, reach: usize) -> [i32; 3] {
        [0, 1, 2].map(|dim| match dim < self.scene.dims {
            true => self.random.below(2 * reach + 1) as i32 - reach as i32,
            false => 0,
        })
    }

    /// How far an element of an image is from the next in a dimension, as text.
    pub(super) fn stride(&self, dim: usize) -> String {
        let [width, height, _] = self.scene.padded();
        match (dim, self.scene.symbolic) {
            (0, _) => "1".to_string(),
            (1, true) => "w".to_string(),
            (1, false) => width.to_string(),
            (_, true) => "w * h".to_string(),
            (_, false) => (width * height).to_string(),
        }
    }

    /// The index of what lies at coordinates, the outermost last.
    pub(super) fn index(&mut self, coordinates: &[String]) -> String {
        let mut terms = Vec::new();
        for (dim, at) in coordinates.iter().enumerate().rev() {
            terms.push(match self.stride(dim).as_str() {
                "1" => at.clone(),
                stride if self.random.chance(25) => format!("{stride} * ({at})"),
                stride => format!("({at}) * {stride}"),
            });
        }
        terms.join(" + ")
    }

    /// The type of a variable that holds an index: unsigned where coordinates may wrap.
    pub(super) fn index_type(&self) -> &'static str {
        match self.scene.id {
            "uint" => "uint",
            _ => "int",
        }
    }

    /// A read of an image, in one of several spellings.
    pub(super) fn read(&mut self, image: &str, index: &str) -> String {
        let ty = self.scene.ty;
        match self.random.below(14) {
            0 => format!("*({image} + ({index}))"),
            1 => format!("(&{image}[{index}])[0]"),
            // An unsigned index may be 0.
            2 if self.scene.id != "uint" => format!("({image} + 1)[{index} - 1]"),
            3 => format!("peek_{ty}({image}, {index})"),
            4 => {
                let c = self.name("c");
                let id = self.index_type();
                self.line(&format!("{id} {c} = {index};"));
                format!("{image}[{c}]")
            }
            5 => {
                let p = self.name("p");
                self.line(&format!("__global const {ty} *{p} = {image} + ({index});"));
                format!("*{p}")
            }
            _ => format!("{image}[{index}]"),
        }
    }

    /// The element at a constant distance from the place.
    pub(super) fn element(&mut self, moved: [i32; 3], border: Border) -> Element {
        let halo = self.scene.halo as i32;
        let mut conditions = Vec::new();
        let mut coordinates = Vec::new();
        for (dim, by) in moved.into_iter().enumerate().take(self.scene.dims) {
            let leaves = by.abs() > halo;
            coordinates.push(match border {
                Border::Bounded if leaves => self.bounded(dim, &format!("({by})")),
                _ => plus(COORDINATES[dim], by + halo),
            });
            if leaves && border == Border::Asked {
                conditions.push(self.inside(dim, by));
            }
        }
        let index = self.index(&coordinates);
        Element { conditions, index }
    }

    /// A condition for which the place's neighbour in a dimension exists.
    fn inside(&mut self, dim: usize, by: i32) -> String {
        let (name, size) = (COORDINATES[dim], self.scene.size[dim]);
        let ask = self.random.below(4);
        match (by < 0, ask) {
            (true, 0) => format!("{name} > {}", -by - 1),
            (true, 1) => format!("!({name} < {})", -by),
            (true, 2) if by == -1 => format!("{name} != 0"),
            (true, _) => format!("{name} >= {}", -by),
            // The bound would be below zero.
            (false, _) if size as i32 <= by => format!("{name} + {by} < {size}"),
            (false, 0) => format!("{name} + {by} < {size}"),
            (false, 1) if by == 1 => format!("{name} != {size} - 1"),
            (false, 2) => format!("{} > {name}", size as i32 - by),
            (false, _) => format!("{name} < {size} - {by}"),
        }
    }

    /// A coordinate of an image plus something, kept within its places.
    pub(super) fn bounded(&mut self, dim: usize, by: &str) -> String {
        let (name, last) = (COORDINATES[dim], self.scene.size[dim] - 1);
        let at = format!("(int){name} + {by}");
        let bounded = match self.random.below(5) {
            0 => format!("clamp({at}, 0, {last})"),
            1 => format!("min(max({at}, 0), {last})"),
            2 => format!("max(min({last}, {at}), 0)"),
            // No farther than a row is long.
            3 if last > 1 => {
                format!("({at} < 0 ? -({at}) : {at} > {last} ? 2 * {last} - ({at}) : {at})")
            }
            _ => format!("({at} < 0 ? 0 : {at} > {last} ? {last} : {at})"),
        };
        match self.scene.halo {
            0 => bounded,
            halo => format!("{bounded} + {halo}"),
        }
    }
}

/// A name plus a constant.
fn plus(name: &str, by: i32) -> String {
    match by {
        0 => name.to_string(),
        1.. => format!("{name} + {by}"),
        _ => format!("{name} - {}", -by),
    }
}
