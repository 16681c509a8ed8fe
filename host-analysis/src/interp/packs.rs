//! Parameter packs of C++: their elements are parameters with names of their own, and a pattern with `...` is
//! evaluated for each of them.

use std::rc::Rc;

use super::Interp;
use super::call::Passed;
use super::code::{Arg, Code, FnId, MacroEnv, Tree};
use super::scope::Binding;
use crate::syntax::MacroBody;
use crate::syntax::ast::{ExprId, ExprKind, Variable};

/// No macro's index.
const NO_MACRO: usize = usize::MAX;

impl<'a> Interp<'a> {
    /// Arguments with `__VA_ARGS__` replaced by what it stands for, and patterns by what they are for each
    /// element of their pack.
    pub(super) fn spread(&self, code: &Code<'a>, args: &[ExprId]) -> Vec<Arg<'a>> {
        let mut all = Vec::new();
        for &arg in args {
            match (&code.ast().expr(arg).kind, &code.env) {
                (ExprKind::Name(name), Some(env)) if name == "__VA_ARGS__" => {
                    all.extend(env.rest.iter().cloned());
                }
                (ExprKind::Expansion { .. }, _) => all.extend(self.expanded(code, arg)),
                _ => all.push((code.clone(), arg)),
            }
        }
        all
    }

    /// A pattern for each element of the pack of the function that is followed; where that has none, the whole.
    pub(super) fn expanded(&self, code: &Code<'a>, id: ExprId) -> Vec<Arg<'a>> {
        let ExprKind::Expansion { pattern, whole } = code.ast().expr(id).kind else {
            return vec![(code.clone(), id)];
        };
        let frame = self.walk.frames.last();
        let pack = frame.and_then(|frame| {
            let function: &'a _ = self.program.function(frame.fn_id);
            Some((&function.pack()?.1.name, frame.pack?))
        });
        let Some((name, count)) = pack else {
            return vec![(code.clone(), whole)];
        };
        let element = |at| (self.with_element(code, id, name, at), pattern);
        (0..count).map(element).collect()
    }

    /// Code in which a pack's name stands for one of its elements.
    fn with_element(&self, code: &Code<'a>, id: ExprId, pack: &'a str, at: usize) -> Code<'a> {
        let site = code.site(code.ast().expr(id).span);
        let (body, name) = MacroBody::of_name(element_name(pack, at), site);
        let element = Code {
            tree: Tree::Macro(Rc::new(body)),
            env: None,
            ..code.clone()
        };
        let mut params = vec![(pack, (element, name))];
        params.extend(code.env.iter().flat_map(|env| env.params.iter().cloned()));
        let env = MacroEnv {
            index: NO_MACRO,
            params,
            rest: code
                .env
                .as_ref()
                .map_or_else(Vec::new, |env| env.rest.clone()),
            site,
            outer: code.env.clone(),
        };
        Code {
            env: Some(Rc::new(env)),
            ..code.clone()
        }
    }

    /// Gives the elements of a parameter pack names and values.
    pub(super) fn bind_pack(
        &mut self,
        code: &Code<'a>,
        pack: &Variable,
        passed: impl Iterator<Item = Passed>,
    ) {
        let mut count = 0;
        for one in passed {
            let mut element = pack.clone();
            element.name = element_name(&pack.name, count);
            element.ty.is_pack = false;
            // A variable is known by its position.
            element.span.start += count as u32;
            match one {
                Passed::Reference(location) => {
                    let binding = location.map_or(Binding::Lost, Binding::Alias);
                    self.bind(&element.name, binding);
                }
                Passed::Value(value) => self.bind_value(code, &element, value),
            }
            count += 1;
        }
        if let Some(frame) = self.frame() {
            frame.pack = Some(count);
        }
    }

    /// Whether a call of a function that is being followed is one of itself. With fewer arguments for its pack it
    /// is another function of the template.
    pub(super) fn is_recursive(&self, callee: FnId, args: usize) -> bool {
        let pack = self.program.function(callee).pack();
        let given = pack.map(|(before, _)| args.saturating_sub(before));
        let mut frames = self.walk.frames.iter();
        frames.any(|frame| frame.fn_id == callee && (given.is_none() || frame.pack <= given))
    }
}

/// How an element of a pack is called: no name of the host's.
fn element_name(pack: &str, at: usize) -> String {
    format!("{pack}[{at}]")
}
