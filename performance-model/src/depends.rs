//! The counters and ids on which an integer depends.

use std::rc::Rc;

use fpgacc_kernel_analysis::poly::Sym;

/// Counters and ids, sorted. Most integers depend on what one of their operands depends on: copies share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depends(Option<Rc<[Sym]>>);

impl Depends {
    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Sym> {
        self.as_slice().iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether one is among them.
    pub fn contains(&self, sym: &Sym) -> bool {
        self.as_slice().binary_search(sym).is_ok()
    }

    /// Adds one.
    pub fn insert(&mut self, sym: Sym) {
        if !self.contains(&sym) {
            *self = self.iter().copied().chain([sym]).collect();
        }
    }

    /// Adds all of others.
    pub fn extend(&mut self, others: &Depends) {
        if others.iter().all(|sym| self.contains(sym)) {
            return;
        }
        *self = match self.iter().all(|sym| others.contains(sym)) {
            true => others.clone(),
            false => self.iter().chain(others.iter()).copied().collect(),
        };
    }

    fn as_slice(&self) -> &[Sym] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl FromIterator<Sym> for Depends {
    fn from_iter<I: IntoIterator<Item = Sym>>(all: I) -> Self {
        let mut all: Vec<Sym> = all.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        Depends((!all.is_empty()).then(|| all.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counters: &[usize]) -> Depends {
        counters.iter().copied().map(Sym::Iter).collect()
    }

    #[test]
    fn each_is_there_once_and_in_order() {
        let mut all = of(&[3, 1]);
        all.extend(&of(&[1]));
        assert_eq!(all, of(&[1, 3]));
        all.extend(&of(&[2, 3]));
        assert_eq!(all, of(&[1, 2, 3]));
        all.insert(Sym::Iter(0));
        all.insert(Sym::Iter(2));
        assert_eq!(all, of(&[0, 1, 2, 3]));
        assert!(all.contains(&Sym::Iter(3)) && !all.contains(&Sym::Iter(4)));
        let mut none = Depends::default();
        assert!(none.is_empty() && of(&[]).is_empty());
        none.extend(&all);
        assert_eq!(none, all);
    }
}
