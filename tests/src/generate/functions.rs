//! Helpers: with barriers in them, and without.

use super::choices::{Home, Shared, State};
use super::maker::{Context, Maker, Scope};

impl Maker {
    /// A helper of two values that returns at several places.
    pub(super) fn leaf_function(&mut self) {
        let name = format!("mix{}_{}", self.number, self.helpers.len());
        let local = match self.shape.null_local {
            true => "",
            false => "uint l = flat_local_id();\n",
        };
        let head = format!("uint {name}(uint a, uint b) {{\nuint n = get_global_size(0);\n{local}");
        let scope = Scope {
            varying: vec!["a".to_string(), "b".to_string()],
            in_function: true,
            gives: true,
            ..Scope::default()
        };
        let context = Context {
            depth: 2,
            last: true,
            ..Context::default()
        };
        self.function(&head, scope, Vec::new(), &context, 3);
        self.helpers.push(name);
    }

    /// A helper with barriers, and a call of it.
    pub(super) fn call_with_barriers(&mut self) {
        if self.scope.in_function {
            return self.barrier();
        }
        let passable = |array: &usize| {
            let shared = &self.shared[*array];
            !shared.float && matches!(shared.home, Home::Local | Home::Parameter)
        };
        let arrays: Vec<usize> = (0..self.shared.len()).filter(passable).collect();
        let array = (!arrays.is_empty()).then(|| self.s.copy(&arrays));
        if let Some(array) = array
            && self.state[array] != State::Own
        {
            let mut to = self.state.clone();
            to[array] = State::Own;
            self.barrier_to(&to);
        }
        let name = self.name(&format!("part{}_", self.number));
        let gives = self.s.chance(70);
        let pointer = self.s.chance(50);
        let memory = if array.is_some() {
            "__local uint *s, "
        } else {
            ""
        };
        let result = if gives { "uint" } else { "void" };
        let place = if pointer { ", uint *p" } else { "" };
        let head =
            format!("{result} {name}({memory}uint l, uint a, uint b, uint n, uint u0{place}) {{\n");
        let mut varying = vec!["a".to_string(), "b".to_string()];
        varying.extend(pointer.then(|| "(*p)".to_string()));
        let scope = Scope {
            varying,
            uniform: vec!["u0".to_string()],
            in_function: true,
            gives,
            ..Scope::default()
        };
        let shared = array.map(|array| Shared {
            name: "s".to_string(),
            home: Home::Parameter,
            ..self.shared[array].clone()
        });
        let context = Context {
            uniform: true,
            depth: 1,
            ..Context::default()
        };
        let count = 3 + self.s.below(3);
        self.function(&head, scope, shared.into_iter().collect(), &context, count);
        let memory = array.map(|array| format!("{}, ", self.shared[array].name));
        let l = self.flat_local();
        let (x, y, u) = (self.value(1), self.value(1), self.uniform_value(1));
        let place = if pointer { ", &b" } else { "" };
        let call = format!(
            "{name}({}{l}, {x}, {y}, n, {u}{place})",
            memory.unwrap_or_default()
        );
        if !gives {
            return self.line(&format!("{call};"));
        }
        match self.s.below(3) {
            0 => {
                let t = self.name("t");
                self.line(&format!("const uint {t} = {call};\na ^= {t};"));
            }
            1 => self.line(&format!("a = {call} + 3u;")),
            _ => self.line(&format!("a += {call};")),
        }
    }

    /// Writes a function before the kernel. The arrays are [`State::Own`] before and after.
    fn function(
        &mut self,
        head: &str,
        scope: Scope,
        shared: Vec<Shared>,
        context: &Context,
        count: usize,
    ) {
        let gives = scope.gives;
        let states = vec![State::Own; shared.len()];
        let out = std::mem::replace(&mut self.out, head.to_string());
        let scope = std::mem::replace(&mut self.scope, scope);
        let shared = std::mem::replace(&mut self.shared, shared);
        let state = std::mem::replace(&mut self.state, states.clone());
        let escaped = std::mem::replace(&mut self.escaped, false);
        self.block(context, count, Some(&states));
        if gives {
            let value = self.value(2);
            self.line(&format!("return {value};"));
        }
        self.line("}");
        let text = std::mem::replace(&mut self.out, out);
        self.functions.push_str(&text);
        (self.scope, self.shared, self.state) = (scope, shared, state);
        self.escaped = escaped;
    }
}
