//! Control: loops, branches, switches, escapes; with barriers in them where a whole group comes.

use super::choices::Focus;
use super::choices::State;
use super::maker::{Context, Maker};

/// How deep control nests.
const DEPTH: usize = 3;

impl Maker {
    /// Any statement.
    pub(super) fn statement(&mut self, context: &Context) {
        self.budget = self.budget.saturating_sub(1);
        if self.v.chance(4) {
            self.dead_code(context);
        }
        let nested = context.depth < DEPTH && self.budget > 0;
        if self.focus == Focus::Loops && nested && !self.scope.in_function && self.s.chance(12) {
            return self.gathering_loop(context);
        }
        match self.s.below(100) {
            0..=15 if context.uniform => self.barrier(),
            16 | 17 if context.uniform => self.group_copy(),
            18..=25 if context.uniform && nested => self.uniform_if(context),
            26..=37 if context.uniform && nested => self.uniform_loop(context),
            38..=41 if context.uniform && nested => self.switch(context),
            42..=46 if context.uniform => self.escape(context),
            47..=49 if context.uniform && nested => self.idiom(),
            50 if context.uniform => self.group_copy(),
            51..=54 if context.uniform && nested => self.call_with_barriers(),
            55..=61 if nested => self.divergent_if(context),
            62..=65 if nested => self.divergent_loop(context),
            66..=67 if nested => self.switch(&context.divergent()),
            68..=70 if !context.uniform => self.escape(context),
            _ => {
                let text = self.plain(context);
                self.wrapped(&text);
            }
        }
    }

    /// A statement in braces that change nothing, sometimes.
    fn wrapped(&mut self, text: &str) {
        let declares = text.starts_with("uint ") || text.starts_with("const ");
        match self.v.below(30) {
            0 if !declares => self.line(&format!("{{\n{text}\n}}")),
            1 if !declares => self.line(&format!("if (n < 1000u) {{\n{text}\n}}")),
            2 if !declares => self.line(&format!("do {{\n{text}\n}} while (0);")),
            _ => self.line(text),
        }
    }

    fn count(&mut self) -> usize {
        1 + self.s.below(3)
    }

    fn uniform_if(&mut self, context: &Context) {
        let condition = self.uniform_condition();
        let state = self.state.clone();
        self.line(&format!("if ({condition}) {{"));
        let count = self.count();
        self.block(&context.deeper(), count, Some(&state));
        if self.s.chance(40) {
            self.line("} else {");
            let count = self.count();
            self.block(&context.deeper(), count, Some(&state));
        }
        self.line("}");
    }

    fn divergent_if(&mut self, context: &Context) {
        let condition = self.condition();
        let inner = match context.uniform {
            true => context.divergent(),
            false => context.deeper(),
        };
        self.line(&format!("if ({condition}) {{"));
        let count = self.count();
        self.block(&inner, count, None);
        if self.s.chance(35) {
            self.line("} else {");
            let count = self.count();
            self.block(&inner, count, None);
        }
        self.line("}");
    }

    fn switch(&mut self, context: &Context) {
        let value = match context.uniform {
            true => self.uniform_value(1),
            false => self.value(1),
        };
        let state = self.state.clone();
        let inner = Context {
            may_break: None,
            ..context.deeper()
        };
        self.line(&format!("switch (({value}) & 3) {{"));
        for label in ["case 0:", "case 2:", "default:"] {
            self.line(&format!("{label} {{"));
            let count = 1 + self.s.below(2);
            self.block(&inner, count, Some(&state));
            self.line("}");
            if self.s.chance(70) || label == "default:" {
                self.line("break;");
            }
        }
        self.line("}");
    }

    /// `break`, `continue` or `return`, under a condition.
    fn escape(&mut self, context: &Context) {
        let here = |state: &Option<Vec<_>>| state.as_ref().is_some_and(|s| *s == self.state);
        let mut ways = Vec::new();
        if here(&context.may_break) {
            ways.extend(["break;", "break;"]);
        }
        if here(&context.may_continue) {
            ways.extend(["continue;", "continue;"]);
        }
        // The caller takes the arrays of a helper to be in the state that they are in at its end.
        let may_leave = !self.scope.in_function || self.state.iter().all(|s| *s == State::Own);
        if (context.uniform || context.last) && may_leave {
            ways.push("return;");
        }
        if ways.is_empty() {
            let text = self.plain(context);
            return self.line(&text);
        }
        let way = self.s.pick(&ways);
        let condition = match context.uniform {
            true => self.uniform_condition(),
            false => self.condition(),
        };
        self.line(&format!("if ({condition}) {{"));
        if way == "return;" {
            self.return_statement();
        } else {
            self.escaped = true;
            if self.s.chance(30) {
                self.block(
                    &Context {
                        depth: DEPTH,
                        ..context.divergent()
                    },
                    1,
                    None,
                );
            }
            self.line(way);
        }
        self.line("}");
    }

    fn return_statement(&mut self) {
        if self.scope.gives {
            let value = self.value(1);
            return self.line(&format!("return {value};"));
        }
        if !self.scope.in_function && self.s.chance(70) {
            let a = self.scope.varying[0].clone();
            self.line(&format!("out[at * 4] += {a} + 1u;"));
        }
        self.line("return;");
    }

    fn divergent_loop(&mut self, context: &Context) {
        let inner = Context {
            may_break: Some(self.state.clone()),
            may_continue: Some(self.state.clone()),
            ..context.divergent()
        };
        let scope = self.scope.clone();
        let j = self.name("j");
        let trips = format!("(({}) & 3)", self.value(1));
        let count = self.count();
        match self.s.below(7) {
            0 => {
                self.line(&format!("uint {j} = {trips};\nwhile ({j} > 0u) {{\n{j}--;"));
                self.scope.readable.push(j);
                self.block(&inner, count, None);
                self.line("}");
            }
            1 => {
                self.line(&format!("uint {j} = 0;\ndo {{\n{j}++;"));
                self.scope.readable.push(j.clone());
                self.block(&inner, count, None);
                self.line(&format!("}} while ({j} < {trips});"));
            }
            2 => self.own_triangle(&inner, &j),
            3 => self.strided_loop(&inner, &j),
            _ => {
                let ty = self.v.pick(&["uint", "int"]);
                self.line(&format!(
                    "for ({ty} {j} = 0; (uint){j} < {trips}; {j}++) {{"
                ));
                self.scope.readable.push(format!("(uint){j}"));
                self.block(&inner, count, None);
                self.line("}");
            }
        }
        self.scope = scope;
    }

    /// A loop that runs as often as the work-item's number in its group says.
    fn own_triangle(&mut self, inner: &Context, j: &str) {
        let l = self.flat_local();
        let read = self.arrays_in(State::Read);
        self.line(&format!("for (uint {j} = 0; {j} <= {l}; {j}++) {{"));
        if !read.is_empty() {
            let array = self.s.copy(&read);
            let place = self.element(array, j);
            let sum = self.scope.varying[0].clone();
            self.line(&format!("{sum} += (uint)(int){place};"));
        }
        self.scope.readable.push(j.to_string());
        self.block(inner, 1, None);
        self.line("}");
    }

    /// A loop of which each work-item of a group takes every N-th iteration.
    fn strided_loop(&mut self, inner: &Context, j: &str) {
        let (l, size) = (self.flat_local(), self.shape.group_size());
        let end = match self.s.chance(50) {
            true => format!("{}u", size + 1 + self.s.below(size as usize + 5) as u64),
            false => "(n & 31u)".to_string(),
        };
        let step = match (self.shape.null_local, self.s.chance(40)) {
            (false, true) => {
                "(uint)(get_local_size(0) * get_local_size(1) * get_local_size(2))".to_string()
            }
            _ => format!("{size}u"),
        };
        self.line(&format!(
            "for (uint {j} = {l}; {j} < {end}; {j} += {step}) {{"
        ));
        if !self.scope.in_function {
            let sum = self.scope.varying[0].clone();
            self.line(&format!("{sum} += in[{j} & 63];"));
        }
        self.scope.readable.push(j.to_string());
        self.block(inner, 1, None);
        self.line("}");
    }

    /// A loop that all work-items of the group go through together.
    fn uniform_loop(&mut self, context: &Context) {
        let state = self.state.clone();
        let inner = Context {
            may_break: Some(state.clone()),
            may_continue: Some(state.clone()),
            ..context.deeper()
        };
        let scope = self.scope.clone();
        let i = self.name("i");
        let trips = match self.s.chance(40) {
            true => format!("{}u", 1 + self.s.below(3)),
            false => format!("(({}) & 3)", self.uniform_value(1)),
        };
        let count = 2 + self.s.below(3);
        match self.s.below(10) {
            0 => {
                self.line(&format!("uint {i} = {trips};\nwhile ({i} > 0u) {{\n{i}--;"));
                self.scope.uniform_readable.push(i);
                self.block(&inner, count, Some(&state));
                self.line("}");
            }
            1 => {
                self.line(&format!("uint {i} = {trips};\nwhile ({i}-- > 0u) {{"));
                self.scope.uniform_readable.push(i);
                self.block(&inner, count, Some(&state));
                self.line("}");
            }
            2 => {
                self.line(&format!("uint {i} = 0;\ndo {{\n{i}++;"));
                self.scope.uniform_readable.push(i.clone());
                self.block(&inner, count, Some(&state));
                self.line(&format!("}} while ({i} < {trips});"));
            }
            3 => {
                // A `continue` might jump over the way out.
                let inner = Context {
                    may_continue: None,
                    ..inner
                };
                self.line(&format!("uint {i} = 0;\nfor (;;) {{\n{i}++;"));
                self.scope.uniform_readable.push(i.clone());
                self.block(&inner, count - 1, Some(&state));
                self.line(&format!("if ({i} >= {trips} + 1u) {{\nbreak;\n}}"));
                self.block(&inner, 1, Some(&state));
                self.line("}");
            }
            4 => {
                self.line(&format!("for (uint {i} = 1; {i} < 6u; {i} *= 2) {{"));
                self.scope.uniform_readable.push(i);
                self.block(&inner, count, Some(&state));
                self.line("}");
            }
            5 => {
                self.line(&format!("for (uint {i} = {trips}; {i} > 0u; {i} >>= 1) {{"));
                self.scope.uniform_readable.push(i);
                self.block(&inner, count, Some(&state));
                self.line("}");
            }
            6 => {
                self.line(&format!(
                    "uint {i};\nfor ({i} = 0; {i} < {trips}; {i}++, a += 3u) {{"
                ));
                self.scope.uniform_readable.push(i.clone());
                self.block(&inner, count, Some(&state));
                self.line(&format!("}}\na ^= {i};"));
            }
            7 if self.hidden_uniformity && !self.shape.null_local => {
                let l = self.flat_local();
                self.line(&format!(
                    "for (uint {i} = {l}; {i} < {l} + {trips}; {i}++) {{"
                ));
                self.scope.readable.push(i);
                self.block(&inner, count, Some(&state));
                self.line("}");
            }
            _ => self.counted_loop(&inner, &i, &trips, count),
        }
        self.scope = scope;
    }

    /// A `for` loop, its first iteration peeled sometimes.
    fn counted_loop(&mut self, inner: &Context, i: &str, trips: &str, count: usize) {
        let state = self.state.clone();
        let escaped = std::mem::replace(&mut self.escaped, false);
        let before = std::mem::take(&mut self.out);
        self.scope.uniform_readable.push(format!("(uint){i}"));
        self.block(inner, count, Some(&state));
        let body = std::mem::replace(&mut self.out, before);
        let constant = trips.len() == 2;
        if !self.escaped && constant && self.v.chance(15) {
            self.line(&format!("{{\nuint {i} = 0;\n{body}}}"));
            self.line(&format!(
                "for (uint {i} = 1; {i} < {trips}; {i}++) {{\n{body}}}"
            ));
        } else {
            let ty = self.v.pick(&["uint", "uint", "ushort"]);
            self.line(&format!(
                "for ({ty} {i} = 0; {i} < {trips}; {i}++) {{\n{body}}}"
            ));
        }
        self.escaped |= escaped;
    }
}
