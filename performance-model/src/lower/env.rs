//! The values of variables, with a journal: branches are undone, and compared, by what they changed, and so is
//! what was analysed. Copies of all values would cost more than all else, the larger the kernel the more.

use std::collections::BTreeMap;

use super::value::{Slot, Value};

/// What is known of each variable.
#[derive(Debug, Default)]
pub struct Env {
    values: BTreeMap<Slot, Value>,
    /// What was there before each change, from the first mark on.
    journal: Vec<(Slot, Option<Value>)>,
    marks: usize,
}

/// A state that can be gone back to, until it is undone or kept; the last one first.
#[must_use]
#[derive(Debug)]
pub struct Mark(usize);

/// Values of variables that changed; `None` where there is none.
pub type Changes = BTreeMap<Slot, Option<Value>>;

impl Env {
    /// A variable's value.
    pub fn get(&self, slot: &Slot) -> Option<&Value> {
        self.values.get(slot)
    }

    /// The values of a variable and of its parts.
    pub fn parts(&self, slot: &Slot) -> Vec<(Slot, Value)> {
        let from = self.values.range(slot.clone()..);
        from.take_while(|(key, _)| key.is_within(slot))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// Gives a variable a value.
    pub fn insert(&mut self, slot: Slot, value: Value) {
        if self.marks == 0 {
            self.values.insert(slot, value);
            return;
        }
        let old = self.values.insert(slot.clone(), value);
        self.journal.push((slot, old));
    }

    /// Takes a variable's value away.
    pub fn remove(&mut self, slot: &Slot) {
        let old = self.values.remove(slot);
        if old.is_some() && self.marks > 0 {
            self.journal.push((slot.clone(), old));
        }
    }

    /// Takes the values of a variable and of its parts away.
    pub fn remove_parts(&mut self, slot: &Slot) {
        for (key, _) in self.parts(slot) {
            self.remove(&key);
        }
    }

    /// Makes changes.
    pub fn apply(&mut self, changes: Changes) {
        for (slot, value) in changes {
            match value {
                Some(value) => self.insert(slot, value),
                None => self.remove(&slot),
            }
        }
    }

    /// Marks the state as it is.
    pub fn mark(&mut self) -> Mark {
        self.marks += 1;
        Mark(self.journal.len())
    }

    /// What was there at a mark, of each variable that was written since.
    pub fn before(&self, mark: &Mark) -> Changes {
        let mut old = Changes::new();
        for (slot, value) in self.journal[mark.0..].iter().rev() {
            old.insert(slot.clone(), value.clone());
        }
        old
    }

    /// Goes back to a mark. What is undone: each variable that was written, with its value until now.
    pub fn undo(&mut self, mark: Mark) -> Changes {
        let mut undone = Changes::new();
        for (slot, old) in self.journal.drain(mark.0..).rev() {
            let now = match old {
                Some(value) => self.values.insert(slot.clone(), value),
                None => self.values.remove(&slot),
            };
            undone.entry(slot).or_insert(now);
        }
        self.marks -= 1;
        undone
    }

    /// Gives a mark up: what changed since stays.
    pub fn keep(&mut self, mark: Mark) {
        self.marks -= 1;
        if self.marks == 0 {
            self.journal.truncate(mark.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use fpgacc_frontend::ir::{Dialect, VarRef};
    use fpgacc_frontend::kernel::{Input, parse};
    use fpgacc_frontend::source::SourceMap;

    use super::*;
    use fpgacc_kernel_analysis::poly::Poly;

    /// A variable, of so many calls' own.
    fn slots<const N: usize>() -> [Slot; N] {
        let mut sources = SourceMap::new();
        sources.add("k.cl", "__kernel void k(int a) {}");
        let input = Input {
            name: "k.cl",
            preprocessed: "# 1 \"k.cl\"\n__kernel void k(int a) {}",
            dialect: Dialect::Cl12,
        };
        let module = parse(&input, &mut sources).expect("a kernel");
        let kernel = module.kernels().next().expect("a kernel");
        let var = VarRef::Local(module.functions[kernel].params[0]);
        std::array::from_fn(|frame| Slot {
            frame,
            var,
            path: Vec::new(),
        })
    }

    fn number(value: i128) -> Value {
        Value::integer(Poly::constant(value))
    }

    #[test]
    fn changes_are_undone_and_reported() {
        let slots: [Slot; 3] = slots();
        let mut env = Env::default();
        env.insert(slots[0].clone(), number(0));
        env.insert(slots[1].clone(), number(1));
        let outer = env.mark();
        env.insert(slots[0].clone(), number(10));
        let inner = env.mark();
        env.insert(slots[0].clone(), number(20));
        env.insert(slots[0].clone(), number(30));
        env.remove(&slots[1]);
        env.insert(slots[2].clone(), number(2));
        let before = Changes::from([
            (slots[0].clone(), Some(number(10))),
            (slots[1].clone(), Some(number(1))),
            (slots[2].clone(), None),
        ]);
        assert_eq!(env.before(&inner), before);
        let now = Changes::from([
            (slots[0].clone(), Some(number(30))),
            (slots[1].clone(), None),
            (slots[2].clone(), Some(number(2))),
        ]);
        assert_eq!(env.undo(inner), now);
        assert_eq!(env.get(&slots[0]), Some(&number(10)));
        assert_eq!(env.get(&slots[1]), Some(&number(1)));
        assert_eq!(env.get(&slots[2]), None);
        env.apply(now);
        env.keep(outer);
        assert_eq!(env.get(&slots[0]), Some(&number(30)));
        assert_eq!(env.get(&slots[1]), None);
    }
}
