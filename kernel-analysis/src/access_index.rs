//! The accesses of a loop, by what they may touch: with many locations in one loop, looking at all
//! accesses for each of them would cost a square.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{Expr, ExprId, Exprs, VarRef};

use super::accesses::Access;
use super::alias::{Aliases, Root, Roots};

/// Accesses by their roots and elements, as indices in their list.
pub struct AccessIndex {
    /// By each of their roots.
    by_root: BTreeMap<Root, Vec<usize>>,
    /// By all of their roots.
    by_roots: BTreeMap<Roots, Group>,
}

/// Accesses with the same roots.
#[derive(Default)]
struct Group {
    /// Those of elements at literal indices.
    fixed: BTreeMap<VarRef, BTreeMap<i128, Vec<usize>>>,
    others: Vec<usize>,
}

impl AccessIndex {
    /// The index of a list.
    pub fn new(exprs: &Exprs, accesses: &[Access]) -> Self {
        let mut by_root: BTreeMap<Root, Vec<usize>> = BTreeMap::new();
        let mut by_roots: BTreeMap<Roots, Group> = BTreeMap::new();
        for (at, access) in accesses.iter().enumerate() {
            for root in &access.roots {
                by_root.entry(*root).or_default().push(at);
            }
            let group = by_roots.entry(access.roots.clone()).or_default();
            match fixed_element(exprs, access.at).filter(|_| access.exact) {
                Some((var, element)) => {
                    let elements = group.fixed.entry(var).or_default();
                    elements.entry(element).or_default().push(at);
                }
                None => group.others.push(at),
            }
        }
        AccessIndex { by_root, by_roots }
    }

    /// All accesses that may overlap with an exact one, and perhaps others, in the list's order.
    pub fn near(&self, aliases: &Aliases<'_>, location: &Access) -> Vec<usize> {
        let mut roots = location.roots.iter();
        if let (Some(root @ Root::Object(object @ VarRef::Local(_))), None) =
            (roots.next(), roots.next())
            && !aliases.is_exposed(*object)
        {
            // No pointer may point to it: only what names it can touch it.
            return self.by_root.get(root).cloned().unwrap_or_default();
        }
        let element = fixed_element(&aliases.function.exprs, location.at);
        let meeting = self.by_roots.iter();
        let meeting = meeting.filter(|(roots, _)| aliases.roots_meet(roots, &location.roots));
        let mut found: Vec<usize> = meeting.flat_map(|(_, group)| group.near(element)).collect();
        found.sort_unstable();
        found
    }
}

impl Group {
    /// Leaves out other elements of the same array.
    fn near(&self, element: Option<(VarRef, i128)>) -> impl Iterator<Item = usize> + '_ {
        let fixed = self.fixed.iter().flat_map(move |(var, elements)| {
            let range = match element {
                Some((own, at)) if own == *var => elements.range(at..=at),
                _ => elements.range(..),
            };
            range.flat_map(|(_, accesses)| accesses)
        });
        fixed.chain(&self.others).copied()
    }
}

/// `x` and `2` of `x[2]`. Accesses of different elements of one `x` are distinct parts for
/// [`Aliases::may_overlap`].
pub fn fixed_element(exprs: &Exprs, location: ExprId) -> Option<(VarRef, i128)> {
    let Expr::Index { base, index } = exprs.get(location) else {
        return None;
    };
    match (exprs.get(*base), exprs.get(*index)) {
        (Expr::Var(var), Expr::Int { value, .. }) => Some((*var, *value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fpgacc_frontend::ir::Dialect;
    use fpgacc_frontend::kernel::{Input, parse};
    use fpgacc_frontend::source::SourceMap;

    use super::*;
    use crate::accesses::{Accesses, Summaries};
    use crate::location::is_loop;

    const KERNEL: &str = "
        struct s { float x; float y[2]; };
        __constant float table[4] = { 1, 2, 3, 4 };
        void touch(__global float *p) { p[1] = 0; }
        __kernel void f(__global const float *restrict a, __global float *b, __global float *c,
                        __global struct s *r, int n) {
            float s0, s1, v[4];
            float *p = n > 2 ? &s1 : v;
            __global float *q = b;
            for (int i = 0; i < n; i++) {
                b[0] += a[i]; b[1] += a[i + 1]; b[i] += a[0]; c[0] += table[1]; c[1] += table[i];
                q[0] = b[2]; *q = 2; q[1] += 1; r->x += r->y[0]; r[1].y[1] += r[2].x;
                s0 += v[1]; s1 += v[2]; v[i & 3] = *p; v[0] += 1; touch(b + 1); touch(&c[2]); q++;
            }
        }";

    #[test]
    fn what_is_left_out_does_not_overlap() {
        let input = Input::new("k.cl", KERNEL, Dialect::Cl12);
        let module = parse(&input, &mut SourceMap::new()).expect("it is valid");
        let id = module.kernels().next().expect("a kernel");
        let called = BTreeSet::from_iter(module.function_named("touch"));
        let aliases = Aliases::new(&module, id, &called);
        let summaries = Summaries::reachable(&module, id, &called);
        let body = aliases.function.body.as_ref().expect("a body");
        let stmt = body.stmts.iter().find(|stmt| is_loop(stmt));
        let list = Accesses::of_loop(&aliases, &summaries, stmt.expect("a loop")).list;
        let index = AccessIndex::new(&aliases.function.exprs, &list);
        let mut left_out = 0;
        for location in list.iter().filter(|location| location.exact) {
            let near = index.near(&aliases, location);
            assert!(near.is_sorted());
            for (at, access) in list.iter().enumerate() {
                let found = near.contains(&at);
                assert!(found || !aliases.may_overlap(access, location));
                left_out += usize::from(!found);
            }
        }
        assert!(list.len() > 40 && left_out > list.len(), "{left_out}");
    }
}
