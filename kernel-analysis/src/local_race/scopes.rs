//! What is assumed where something is executed: that conditions hold which nobody knows.

use super::active::Ranks;

/// Scopes that are made at most.
const MOST: usize = 256;

/// Where only what is known is assumed.
pub const KNOWN: Scope = Scope(0);

/// What is assumed: a condition, and all that is assumed around.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scope(usize);

/// All that were assumed.
pub struct Scopes(Vec<(Scope, Ranks)>);

impl Scopes {
    pub fn new() -> Self {
        Scopes(vec![(KNOWN, Ranks::new())])
    }

    /// Another condition within a scope.
    ///
    /// `None`: one there holds for other work-items first, and the two may exclude each other; or there are enough.
    pub fn within(&mut self, outer: Scope, ranks: Ranks) -> Option<Scope> {
        if self.0.len() == MOST {
            return None;
        }
        let mut at = outer;
        while at != KNOWN {
            let (around, others) = &self.0[at.0];
            if !agree(others, &ranks) {
                return None;
            }
            at = *around;
        }
        self.0.push((outer, ranks));
        Some(Scope(self.0.len() - 1))
    }

    /// Whether one holds wherever the other does.
    pub fn are_nested(&self, a: Scope, b: Scope) -> bool {
        let [mut inner, outer] = [Scope(a.0.max(b.0)), Scope(a.0.min(b.0))];
        while inner.0 > outer.0 {
            inner = self.0[inner.0].0;
        }
        inner == outer
    }
}

/// Whether no two work-items come in another order.
fn agree(a: &Ranks, b: &Ranks) -> bool {
    let both = || a.iter().zip(b).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
    both().all(|(a, b)| both().all(|(c, d)| !(a < c && b > d)))
}
