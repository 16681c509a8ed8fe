//! Values: integer arithmetic without undefined behaviour, and floats that hold small integers.

use super::maker::Maker;

impl Maker {
    /// A value that may differ between work-items.
    pub(super) fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.s.chance(25) {
            return self.leaf();
        }
        let a = self.value(depth - 1);
        match self.s.below(16) {
            0 => {
                let b = self.value(depth - 1);
                format!("({a} / (({b}) & 7 | 1))")
            }
            1 => {
                let b = self.value(depth - 1);
                format!("({a} % (({b}) & 7 | 1))")
            }
            2 => {
                let b = self.leaf();
                format!("((({a}) & 255) << (({b}) & 3))")
            }
            3 => format!("((uint)({a}) >> {})", self.s.below(5)),
            4 => {
                let ty = self.s.pick(&["uint", "ushort", "uchar", "ulong", "size_t"]);
                format!("({ty})({a})")
            }
            5 => {
                let (b, c) = (self.leaf(), self.leaf());
                format!("({a} > {b} ? {a} : (uint)({c}))")
            }
            6 => {
                let b = self.leaf();
                format!("((uint)({a}) * (uint)({b}))")
            }
            7 => {
                let b = self.leaf();
                let f = self.s.pick(&["min", "max"]);
                format!("{f}((uint)({a}), (uint)({b}))")
            }
            8 if !self.helpers.is_empty() => {
                let b = self.leaf();
                let name = self.helpers[self.s.below(self.helpers.len())].clone();
                format!("{name}({a}, {b})")
            }
            _ => {
                let b = self.value(depth - 1);
                let op = self.s.pick(&["+", "-", "^", "|", "&", "+"]);
                format!("({a} {op} {b})")
            }
        }
    }

    fn leaf(&mut self) -> String {
        let null = self.shape.null_local;
        for _ in 0..4 {
            let found = match self.s.below(14) {
                0..=4 => {
                    let names = self.scope.varying.len();
                    Some(self.scope.varying[self.s.below(names)].clone())
                }
                5 => {
                    let dim = self.s.below(self.shape.dims);
                    Some(self.global_id(dim))
                }
                6 => {
                    let dim = self.s.below(self.shape.dims);
                    (!null).then(|| self.local_id(dim))
                }
                7 => (!null).then(|| self.flat_local()),
                8 => self.shared_value(false),
                9 => match self.scope.readable.len() {
                    0 => None,
                    names => Some(self.scope.readable[self.s.below(names)].clone()),
                },
                10 => match self.scope.in_function {
                    true => None,
                    false => {
                        let at = self.scope.varying[0].clone();
                        Some(format!("in[{at} & 63]"))
                    }
                },
                11 => {
                    let dim = self.s.below(self.shape.dims);
                    Some(format!("get_global_id({dim})"))
                }
                12 => Some(format!("{}u", self.s.copy(&[0, 1, 2, 3, 5, 7, 37, 1000]))),
                _ => Some(self.uniform_leaf()),
            };
            if let Some(found) = found {
                return found;
            }
        }
        self.scope.varying[0].clone()
    }

    /// A value that all work-items of a group agree on.
    pub(super) fn uniform_value(&mut self, depth: usize) -> String {
        if depth == 0 || self.s.chance(30) {
            return self.uniform_leaf();
        }
        let a = self.uniform_value(depth - 1);
        let b = self.uniform_value(depth - 1);
        match self.s.below(8) {
            0 => format!("((uint)({a}) * (uint)({b}))"),
            1 => format!("({a} > {b} ? {a} : (uint)({b}))"),
            2 => format!("({a} % (({b}) & 3 | 1))"),
            _ => {
                let op = self.s.pick(&["+", "-", "^", "|", "&"]);
                format!("({a} {op} {b})")
            }
        }
    }

    fn uniform_leaf(&mut self) -> String {
        let null = self.shape.null_local;
        let dim = self.s.below(self.shape.dims);
        for _ in 0..4 {
            let found = match self.s.below(12) {
                0 => Some("n".to_string()),
                1 => (!self.scope.in_function).then(|| "(uint)m".to_string()),
                2 | 3 => match self.scope.uniform.len() {
                    0 => None,
                    names => Some(self.scope.uniform[self.s.below(names)].clone()),
                },
                4 => match self.scope.uniform_readable.len() {
                    0 => None,
                    names => Some(self.scope.uniform_readable[self.s.below(names)].clone()),
                },
                5 => (!null).then(|| format!("(uint)get_group_id({dim})")),
                6 => (!null).then(|| self.flat_group()),
                7 => match (self.scope.in_function, self.scope.uniform.first()) {
                    (false, Some(name)) => Some(format!("uni[{name} & 15]")),
                    _ => None,
                },
                8 => self.shared_value(true),
                9 => (!null).then(|| format!("get_local_size({dim})")),
                10 => Some(format!("get_global_size({dim})")),
                _ => Some(format!("{}u", self.s.below(6))),
            };
            if let Some(found) = found {
                return found;
            }
        }
        "3u".to_string()
    }

    /// A condition that may differ between work-items.
    pub(super) fn condition(&mut self) -> String {
        let text = match self.s.below(8) {
            0 => {
                let id = self.global_id(0);
                format!("{id} < n")
            }
            1 => {
                let dim = self.s.below(self.shape.dims);
                let value = self.uniform_value(1);
                format!("get_global_id({dim}) < {value}")
            }
            2 => {
                let l = self.flat_local();
                let size = self.shape.group_size();
                format!("{l} < {}u", size.div_ceil(2))
            }
            3 => format!("({}) & 1", self.value(1)),
            4 => {
                let (a, b) = (self.value(1), self.leaf());
                format!("({a}) % 3u == 0 && {b} != 5u")
            }
            _ => {
                let op = self.s.pick(&["<", ">", "==", "!=", ">=", "<="]);
                let (a, b) = (self.value(1), self.value(1));
                format!("{a} {op} {b}")
            }
        };
        self.opaque(text)
    }

    /// A condition that all work-items of a group agree on.
    pub(super) fn uniform_condition(&mut self) -> String {
        let size = self.shape.group_size();
        let text = match self.s.below(8) {
            0 if self.hidden_uniformity && !self.shape.null_local => {
                // The same for all, but of something that differs.
                let dim = self.s.below(self.shape.dims);
                let (id, local) = (self.local_id(dim), self.shape.local[dim]);
                format!("{id} / {local}u == 0")
            }
            1 if self.hidden_uniformity && !self.scope.in_function => {
                let (l, value) = (self.flat_local(), self.uniform_value(1));
                format!("same[{l} & 15] <= ({value})")
            }
            2 if self.hidden_uniformity && !self.shape.null_local => {
                let l = self.flat_local();
                format!("{l} < {size}u")
            }
            3 => format!("({}) & 1", self.uniform_value(1)),
            4 if !self.scope.in_function => "m > 2".to_string(),
            _ => {
                let op = self.s.pick(&["<", ">", "==", "!=", ">=", "<="]);
                let (a, b) = (self.uniform_value(1), self.uniform_value(1));
                format!("{a} {op} {b}")
            }
        };
        self.opaque(text)
    }

    /// The condition with something that the compiler cannot know and that changes nothing: `n` is
    /// below 100.
    fn opaque(&mut self, text: String) -> String {
        match self.v.below(20) {
            0 => format!("({text}) && n < 1000u"),
            1 => format!("({text}) || n > 1000u"),
            2 => format!("!(!({text}))"),
            _ => text,
        }
    }
}
