//! Range-based loops over containers, arrays and lists whose elements are known one by one.

use super::scope::Binding;
use super::{Code, Interp};
use crate::location::MemoryLocation;
use crate::state::Delta;
use crate::syntax::ast::{ExprId, ExprKind, StmtId, Variable};
use crate::types::Container;
use crate::value::Val;

/// Most elements that are gone through one by one.
const MOST_ELEMENTS: i64 = 64;

/// Most rounds of the loops around.
const MOST_TOGETHER: u64 = 8;

/// An element that a loop goes through.
pub(super) enum Element<'a> {
    Location(MemoryLocation),
    Value(Val),
    Expression(Code<'a>, ExprId),
}

impl<'a> Interp<'a> {
    /// The elements of a range, if all are known and few.
    pub(super) fn range_elements(
        &mut self,
        code: &Code<'a>,
        range: ExprId,
    ) -> Option<Vec<Element<'a>>> {
        if self.budget.flat || self.walk.unroll_factor > MOST_TOGETHER {
            return None;
        }
        let tree = code.clone();
        if let ExprKind::InitList(items) = &tree.ast().expr(range).kind {
            let few = items.len() as i64 <= MOST_ELEMENTS;
            let items = items
                .iter()
                .map(|(_, item)| Element::Expression(code.clone(), *item));
            return few.then(|| items.collect());
        }
        let name = matches!(
            tree.ast().expr(tree.ast().skip_parens(range)).kind,
            ExprKind::Name(_) | ExprKind::Member { .. }
        );
        let location = match name {
            true => self.reference(code, range)?,
            false => return None,
        };
        let elements: Vec<MemoryLocation> = match self.container(&location).as_deref() {
            Some(Container::Sequence { .. }) => {
                let count = self.element_count(&location)?;
                (0..count.min(MOST_ELEMENTS + 1))
                    .map(|i| location.index(i))
                    .collect()
            }
            Some(Container::Map { .. }) => {
                let all = self.elements(&location);
                (self.element_count(&location)? == all.len() as i64).then_some(all)?
            }
            Some(Container::Pair { .. }) => return None,
            None if self.is_array(&location) => {
                let count = self.info_of(&location)?.dims.first().copied().flatten()?;
                let count = i64::try_from(count).ok()?;
                (0..count.min(MOST_ELEMENTS + 1))
                    .map(|i| location.index(i))
                    .collect()
            }
            None => return None,
        };
        let few = elements.len() as i64 <= MOST_ELEMENTS;
        few.then(|| elements.into_iter().map(Element::Location).collect())
    }

    /// The variable of a loop stands for an element.
    pub(super) fn bind_element(
        &mut self,
        code: &Code<'a>,
        variable: &Variable,
        element: Element<'a>,
    ) {
        let structured = variable.name.starts_with('[');
        let value = match element {
            Element::Location(location) if variable.ty.reference => {
                return match structured {
                    true => self.destructure(variable, Some(location)),
                    false => self.bind(&variable.name, Binding::Alias(location)),
                };
            }
            Element::Location(location) => self.read(&location),
            Element::Value(value) => value,
            Element::Expression(item_code, item) => self.eval(&item_code, item),
        };
        if structured {
            let whole = match value {
                Val::Record(from) => match self.copy_out(from) {
                    Val::Record(copy) => Some(copy),
                    _ => None,
                },
                _ => None,
            };
            return self.destructure(variable, whole);
        }
        let var = self.declare(code, variable, false);
        self.adopt_type(var, &value);
        self.state.set(&MemoryLocation::var(var), Val::Unset);
        self.assign(&MemoryLocation::var(var), value);
    }

    /// Follows a loop's body for each element.
    pub(super) fn over_elements(
        &mut self,
        code: &Code<'a>,
        variable: &Variable,
        elements: Vec<Element<'a>>,
        body: StmtId,
    ) {
        let mark = self.state.mark();
        let before = self.walk.unroll_factor;
        self.walk.unroll_factor = before.saturating_mul(elements.len().max(1) as u64);
        let mut exits: Vec<Delta> = Vec::new();
        for (round, element) in elements.into_iter().enumerate() {
            if !self.state.reachable {
                break;
            }
            self.walk.context.push(round as u32);
            self.push_breakable(mark, true);
            self.scoped(|s| {
                s.bind_element(code, variable, element);
                s.exec(code, body);
            });
            self.walk.context.pop();
            let Some(breakable) = self.pop_breakable() else {
                break;
            };
            for delta in breakable.continues {
                self.state.merge(mark, delta);
            }
            exits.extend(breakable.breaks);
        }
        self.walk.unroll_factor = before;
        for delta in exits {
            self.state.merge(mark, delta);
        }
    }
}
