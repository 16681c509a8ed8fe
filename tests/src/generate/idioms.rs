//! What people write with barriers: reductions, scans, rotations, broadcasts.

use super::choices::State;
use super::maker::Maker;

impl Maker {
    /// One of them, on an array of the group; a barrier if there is none.
    pub(super) fn idiom(&mut self) {
        let fits = |array: &usize| !self.shared[*array].float;
        let arrays: Vec<usize> = (0..self.shared.len()).filter(fits).collect();
        if arrays.is_empty() {
            return self.barrier();
        }
        let array = self.s.copy(&arrays);
        if self.state[array] != State::Own {
            self.barrier_with(array, State::Own);
        }
        let l = self.flat_local();
        let own = self.element(array, &l);
        let value = self.value(2);
        self.line(&format!("{own} = {value};"));
        match self.s.below(6) {
            0 if self.shape.group_size().is_power_of_two() => self.halving(array, &own),
            1 if self.shape.group_size().is_power_of_two() => self.doubling(array, &own),
            2 => self.scan(array, &own),
            3 => self.rotation(array, &own),
            4 => self.agreement(array),
            _ => self.broadcast(array),
        }
    }

    /// A barrier that changes one array's state.
    fn barrier_with(&mut self, array: usize, state: State) {
        let mut to = self.state.clone();
        to[array] = state;
        self.barrier_to(&to);
    }

    fn operation(&mut self, place: &str, value: &str) -> String {
        match self.s.below(4) {
            0 => format!("{place} = max({place}, {value});"),
            1 => format!("{place} ^= {value};"),
            _ => format!("{place} += {value};"),
        }
    }

    /// A reduction whose stride halves.
    fn halving(&mut self, array: usize, own: &str) {
        let (i, half) = (self.name("i"), self.shape.group_size() / 2);
        self.barrier_with(array, State::Own);
        let other = self.element(array, &format!("(l + {i})"));
        let step = self.operation(own, &other);
        self.line(&format!(
            "for (uint {i} = {half}; {i} > 0; {i} >>= 1) {{\nif (l < {i}) {{\n{step}\n}}"
        ));
        self.barrier_with(array, State::Own);
        self.line("}");
        // The last barrier of the loop, or the one before it, lies after every access.
        self.state[array] = State::Read;
    }

    /// A reduction whose stride doubles.
    fn doubling(&mut self, array: usize, own: &str) {
        let (i, size) = (self.name("i"), self.shape.group_size());
        self.barrier_with(array, State::Own);
        let other = self.element(array, &format!("(l + {i})"));
        let step = self.operation(own, &other);
        self.line(&format!(
            "for (uint {i} = 1; {i} < {size}u; {i} *= 2) {{\nif (l % (2 * {i}) == 0) {{\n{step}\n}}"
        ));
        self.barrier_with(array, State::Own);
        self.line("}");
        self.state[array] = State::Read;
    }

    /// A scan (Hillis and Steele).
    fn scan(&mut self, array: usize, own: &str) {
        let (i, t, size) = (self.name("i"), self.name("t"), self.shape.group_size());
        self.barrier_with(array, State::Read);
        let other = self.element(array, &format!("(l - {i})"));
        self.line(&format!(
            "for (uint {i} = 1; {i} < {size}u; {i} <<= 1) {{\nuint {t} = l >= {i} ? {other} : 0u;"
        ));
        self.barrier_with(array, State::Own);
        self.line(&format!("{own} += {t};"));
        self.barrier_with(array, State::Read);
        self.line("}");
    }

    /// Values that wander from work-item to work-item.
    fn rotation(&mut self, array: usize, own: &str) {
        let (i, t, size) = (self.name("i"), self.name("t"), self.shape.group_size());
        let trips = self.uniform_value(1);
        let by = 1 + self.s.below(3);
        self.barrier_with(array, State::Read);
        let other = self.element(array, &format!("(l + {by}) % {size}u"));
        let outside = self.s.chance(50);
        if outside {
            self.line(&format!("uint {t} = 0;"));
        }
        let declared = if outside {
            t.clone()
        } else {
            format!("uint {t}")
        };
        self.line(&format!(
            "for (uint {i} = 0; {i} < (({trips}) & 3); {i}++) {{\n{declared} = {other};"
        ));
        self.barrier_with(array, State::Own);
        self.line(&format!("{own} = {t} + {i};\na += {t};"));
        self.barrier_with(array, State::Read);
        self.line("}");
        if outside {
            self.line(&format!("b ^= {t};"));
        }
    }

    /// One work-item's value for all.
    fn broadcast(&mut self, array: usize) {
        let size = self.shape.group_size() as usize;
        let (from, index) = (self.s.below(size), self.s.below(size));
        self.barrier_with(array, State::First);
        let place = self.element(array, &index.to_string());
        let l = self.flat_local();
        let value = self.value(1);
        self.line(&format!("if ({l} == {from}) {{\n{place} = {value};\n}}"));
        self.barrier_with(array, State::Read);
        match self.scope.uniform.first().cloned() {
            Some(name) => self.line(&format!("{name} = {place};")),
            None => self.line(&format!("a += {place};")),
        }
    }

    /// A loop that the group leaves when its first work-item says so.
    fn agreement(&mut self, array: usize) {
        let (i, stop) = (self.name("i"), self.name("stop"));
        let trips = self.uniform_value(1);
        self.barrier_with(array, State::First);
        let place = self.element(array, "0");
        let l = self.flat_local();
        self.line(&format!(
            "uint {i} = 0;\nbool {stop};\ndo {{\nif ({l} == 0) {{\n{place} = {i} >= (({trips}) & 3);\n}}\n{i}++;"
        ));
        self.barrier_with(array, State::Read);
        self.line(&format!("{stop} = {place} != 0;\na += {i};"));
        self.barrier_with(array, State::First);
        self.line(&format!("}} while (!{stop});"));
    }
}
