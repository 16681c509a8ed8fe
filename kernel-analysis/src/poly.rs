//! Integer polynomials over loop counters, ids and unknown numbers: the form in which addresses and trip
//! counts are compared.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A number that is not constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sym {
    /// The iteration of a loop, from 0.
    Iter(usize),
    /// The work-item's id in its group, by dimension.
    LocalId(u8),
    /// The group's id.
    GroupId(u8),
    /// Work-items in a group.
    LocalSize(u8),
    /// Groups.
    NumGroups(u8),
    /// A value that is not followed, by number.
    Opaque(usize),
}

/// Powers of symbols, sorted.
type Monomial = Vec<Sym>;

/// Products of more symbols than this are not followed.
const MAX_DEGREE: usize = 4;
/// Sums of more terms than this are not followed.
const MAX_TERMS: usize = 24;

/// A sum of integer multiples of products of symbols. Copies share their terms: states of a kernel hold
/// many of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Poly {
    terms: Rc<BTreeMap<Monomial, i128>>,
}

impl Poly {
    /// A constant.
    pub fn constant(value: i128) -> Self {
        let mut poly = Poly::default();
        poly.add_term(Vec::new(), value);
        poly
    }

    /// A symbol.
    pub fn sym(sym: Sym) -> Self {
        let mut poly = Poly::default();
        poly.add_term(vec![sym], 1);
        poly
    }

    fn add_term(&mut self, monomial: Monomial, by: i128) {
        let terms = Rc::make_mut(&mut self.terms);
        match terms.entry(monomial) {
            Entry::Vacant(location) if by != 0 => {
                location.insert(by);
            }
            Entry::Vacant(_) => {}
            Entry::Occupied(mut location) => {
                *location.get_mut() = location.get().saturating_add(by);
                if *location.get() == 0 {
                    location.remove();
                }
            }
        }
    }

    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// `self + factor * other`.
    pub fn plus(&self, other: &Poly, factor: i128) -> Self {
        let mut sum = self.clone();
        for (monomial, by) in other.terms.iter() {
            sum.add_term(monomial.clone(), by.saturating_mul(factor));
        }
        sum
    }

    /// The product; `None` if it grows too large.
    pub fn times(&self, other: &Poly) -> Option<Self> {
        let mut product = Poly::default();
        for (a, x) in self.terms.iter() {
            for (b, y) in other.terms.iter() {
                let mut monomial: Monomial = a.iter().chain(b).copied().collect();
                monomial.sort_unstable();
                if monomial.len() > MAX_DEGREE {
                    return None;
                }
                product.add_term(monomial, x.saturating_mul(*y));
            }
        }
        (product.terms.len() <= MAX_TERMS).then_some(product)
    }

    /// Products of symbols, and what each is multiplied by; of no symbols, the constant.
    pub fn terms(&self) -> impl Iterator<Item = (&[Sym], i128)> {
        self.terms.iter().map(|(monomial, by)| (&monomial[..], *by))
    }

    /// The symbols in it.
    pub fn symbols(&self) -> BTreeSet<Sym> {
        self.terms.keys().flatten().copied().collect()
    }

    /// What `sym` is multiplied by; `None` if a power of it occurs.
    pub fn coefficient(&self, sym: Sym) -> Option<Poly> {
        let mut coefficient = Poly::default();
        for (monomial, by) in self.terms.iter() {
            match monomial.iter().filter(|s| **s == sym).count() {
                0 => {}
                1 => {
                    let rest = monomial.iter().copied().filter(|s| *s != sym).collect();
                    coefficient.add_term(rest, *by);
                }
                _ => return None,
            }
        }
        Some(coefficient)
    }

    /// What is left without the terms that hold `sym`.
    pub fn without(&self, sym: Sym) -> Poly {
        let terms = self.terms.iter().filter(|(m, _)| !m.contains(&sym));
        Poly {
            terms: Rc::new(terms.map(|(m, by)| (m.clone(), *by)).collect()),
        }
    }

    /// What is not constant, and the constant.
    pub fn split_constant(&self) -> (Poly, i128) {
        let mut rest = self.clone();
        let Some(constant) = self.terms.get(&Vec::new()) else {
            return (rest, 0);
        };
        Rc::make_mut(&mut rest.terms).remove(&Vec::new());
        (rest, *constant)
    }

    /// The same where some symbols have known values.
    pub fn with_values(&self, of: &dyn Fn(Sym) -> Option<i128>) -> Poly {
        let mut sum = Poly::default();
        for (monomial, by) in self.terms.iter() {
            let mut rest = Vec::new();
            let mut factor = *by;
            for sym in monomial {
                match of(*sym) {
                    Some(value) => factor = factor.saturating_mul(value),
                    None => rest.push(*sym),
                }
            }
            sum.add_term(rest, factor);
        }
        sum
    }

    /// The value where `of` gives that of each symbol; `None` if it does not.
    pub fn evaluate(&self, of: &dyn Fn(Sym) -> Option<f64>) -> Option<f64> {
        let mut sum = 0.0;
        for (monomial, by) in self.terms.iter() {
            let mut product = *by as f64;
            for sym in monomial {
                product *= of(*sym)?;
            }
            sum += product;
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_are_kept_in_normal_form() {
        let (i, n) = (Poly::sym(Sym::Iter(1)), Poly::sym(Sym::Opaque(0)));
        let row = i.plus(&Poly::constant(1), -1).times(&n).unwrap();
        assert_eq!(row.coefficient(Sym::Iter(1)), Some(n.clone()));
        assert_eq!(row.without(Sym::Iter(1)), Poly::default().plus(&n, -1));
        assert_eq!(row.plus(&row, -1).as_constant(), Some(0));
        let known = row.with_values(&|sym| (sym == Sym::Opaque(0)).then_some(5));
        assert_eq!(
            known,
            Poly::default().plus(&i, 5).plus(&Poly::constant(5), -1)
        );
        let value = row.evaluate(&|sym| Some(if sym == Sym::Iter(1) { 3.0 } else { 10.0 }));
        assert_eq!(value, Some(20.0));
        assert_eq!(i.times(&i).unwrap().coefficient(Sym::Iter(1)), None);
    }
}
