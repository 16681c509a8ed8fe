//! How functions can be called: default arguments stand in a definition or in a declaration.

use std::ops::RangeInclusive;

use super::code::FnId;
use super::program::Program;
use crate::syntax::ast::{Type, Variable};
use crate::types::last_name;

impl<'a> Program<'a> {
    /// The declaration of a function that a host sees, and the part that it stands in: for one of
    /// a class the one of the same parameters.
    pub(super) fn declaration_of(&self, host: usize, id: FnId) -> Option<(usize, &'a [Variable])> {
        let function = self.function(id);
        let short = last_name(&function.name);
        let Some(class) = &function.class else {
            return self.prototypes[host].get(short).copied();
        };
        let name = format!("{}::{short}", last_name(class));
        let all = self.methods[host].get(&*name)?;
        let is_same = |params: &[Variable]| {
            let pairs = params.iter().zip(&function.params);
            params.len() == function.params.len()
                && pairs.into_iter().all(|(a, b)| is_alike(&a.ty, &b.ty))
        };
        all.iter().find(|(_, params)| is_same(params)).copied()
    }

    /// Whether a host may call a function with so many arguments.
    pub(super) fn takes(&self, host: usize, id: FnId, args: usize) -> bool {
        let known = self.argument_counts.borrow().get(&(host, id)).cloned();
        let counts = known.unwrap_or_else(|| {
            let counts = self.find_argument_counts(host, id);
            let mut all = self.argument_counts.borrow_mut();
            all.insert((host, id), counts.clone());
            counts
        });
        counts.contains(&args)
    }

    fn find_argument_counts(&self, host: usize, id: FnId) -> RangeInclusive<usize> {
        let function = self.function(id);
        let params = &function.params;
        let declared = self.declaration_of(host, id);
        let declared = declared.map(|(_, params)| params).unwrap_or_default();
        let has_default = |(at, param): (usize, &Variable)| {
            param.init.is_some() || declared.get(at).is_some_and(|d| d.init.is_some())
        };
        let all = params.iter().enumerate();
        let needed = all.take_while(|&pair| !has_default(pair)).count();
        if let Some((before, _)) = function.pack() {
            return needed.min(before)..=usize::MAX;
        }
        match function.is_variadic {
            true => needed..=usize::MAX,
            false => needed..=params.len(),
        }
    }
}

/// Whether two spellings of a parameter's type may mean one type.
fn is_alike(a: &Type, b: &Type) -> bool {
    last_name(&a.base) == last_name(&b.base) && a.pointers == b.pointers
}
