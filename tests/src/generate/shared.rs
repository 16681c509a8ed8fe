//! Memory that a group shares, and what its work-items may do with it until the next barrier.
//!
//! No two work-items may race, whatever way control takes. So each array is at each place in one
//! state, which only a barrier changes; where ways meet, they agree on all states.

use super::choices::{Home, State};
use super::maker::Maker;

/// Atomic functions, of which an array has one.
pub(super) const ATOMICS: [&str; 11] = [
    "atomic_add",
    "atomic_sub",
    "atomic_xor",
    "atomic_or",
    "atomic_and",
    "atomic_max",
    "atomic_min",
    "atomic_inc",
    "atomic_dec",
    "atomic_xchg",
    "atomic_cmpxchg",
];

impl Maker {
    /// The element of an array at an index that is below the group's size.
    pub(super) fn element(&mut self, array: usize, index: &str) -> String {
        let home = self.shared[array].home;
        let name = self.shared[array].name.clone();
        match home {
            Home::Local | Home::Parameter => format!("{name}[{index}]"),
            Home::Rows => {
                let width = self.shape.local[0];
                format!("{name}[({index}) / {width}][({index}) % {width}]")
            }
            Home::Global => {
                let size = self.shape.group_size();
                let group = self.flat_group();
                format!("{name}[{group} * {size} + {index}]")
            }
        }
    }

    /// A random index into an array, the same for all work-items of a group if `uniform`.
    pub(super) fn element_index(&mut self, uniform: bool) -> String {
        let size = self.shape.group_size();
        if uniform {
            let value = self.uniform_value(1);
            return format!("(uint)({value}) % {size}u");
        }
        match self.s.below(4) {
            0 => {
                let value = self.value(1);
                format!("(uint)({value}) % {size}u")
            }
            1 => {
                let l = self.flat_local();
                format!("({} - {l})", size - 1)
            }
            _ => {
                let l = self.flat_local();
                let by = self.s.below(size as usize);
                format!("({l} + {by}) % {size}u")
            }
        }
    }

    /// Arrays in a state.
    pub(super) fn arrays_in(&self, state: State) -> Vec<usize> {
        let all = self.state.iter().enumerate();
        all.filter(|(_, s)| **s == state).map(|(i, _)| i).collect()
    }

    /// A barrier after which the arrays are in random states.
    pub(super) fn barrier(&mut self) {
        let mut to = self.state.clone();
        for (array, state) in to.iter_mut().enumerate() {
            if self.s.chance(30) {
                continue;
            }
            *state = match self.s.below(10) {
                0..=3 => State::Own,
                4..=7 => State::Read,
                8 if !self.shared[array].float => State::Atomic,
                _ => State::First,
            };
        }
        self.barrier_to(&to);
    }

    /// A barrier after which the arrays are in these states.
    pub(super) fn barrier_to(&mut self, to: &[State]) {
        let global = self.shared.iter().any(|shared| shared.home == Home::Global);
        let flags = match global {
            true => self.v.pick(&[
                "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
                "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE",
            ]),
            false => self.v.pick(&[
                "CLK_LOCAL_MEM_FENCE",
                "CLK_LOCAL_MEM_FENCE",
                "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
            ]),
        };
        self.line(&format!("barrier({flags});"));
        if self.v.chance(6) {
            self.line(&format!("barrier({flags});"));
        }
        self.barriers += 1;
        self.state = to.to_vec();
    }

    /// What a work-item may do with an array now; `None` if nothing.
    pub(super) fn shared_statement(&mut self) -> Option<String> {
        if self.shared.is_empty() {
            return None;
        }
        let array = self.s.below(self.shared.len());
        let float = self.shared[array].float;
        let l = self.flat_local();
        match self.state[array] {
            State::Own => {
                let place = self.element(array, &l);
                let value = self.value(2);
                Some(match float {
                    true => format!("{place} = (float)(({value}) & 1023);"),
                    false => {
                        let op = self.s.pick(&["=", "=", "+=", "^=", "-="]);
                        format!("{place} {op} {value};")
                    }
                })
            }
            State::First => {
                let index = self.element_index(true);
                let place = self.element(array, &index);
                let value = self.value(2);
                Some(match float {
                    true => format!("if ({l} == 0) {{\n{place} = (float)(({value}) & 255);\n}}"),
                    false => format!("if ({l} == 0) {{\n{place} += {value};\n}}"),
                })
            }
            State::Atomic => {
                let index = self.element_index(false);
                let place = self.element(array, &index);
                let atomic = self.shared[array].atomic;
                let call = match atomic {
                    "atomic_inc" | "atomic_dec" => format!("{atomic}(&{place})"),
                    // All with the same values: the order does not matter.
                    "atomic_xchg" => format!("{atomic}(&{place}, 77u)"),
                    "atomic_cmpxchg" => {
                        let index = self.s.below(4);
                        format!("{atomic}(&{place}, {index}u, 1000u)")
                    }
                    _ => {
                        let value = self.value(1);
                        format!("{atomic}(&{place}, (uint)({value}))")
                    }
                };
                let used = self.s.chance(15);
                Some(match used {
                    true => format!("a += {call} & 0u;"),
                    false => format!("{call};"),
                })
            }
            State::Read | State::Copied => None,
        }
    }

    /// The value of an element that may be read now.
    pub(super) fn shared_value(&mut self, uniform: bool) -> Option<String> {
        if self.shared.is_empty() {
            return None;
        }
        let array = self.s.below(self.shared.len());
        let index = match self.state[array] {
            State::Read => self.element_index(uniform),
            State::Own if !uniform => self.flat_local(),
            _ => return None,
        };
        let place = self.element(array, &index);
        Some(match self.shared[array].float {
            true => format!("(uint)(int){place}"),
            false => place,
        })
    }
}
