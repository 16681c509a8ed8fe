//! Integer polynomials over loop counters, ids and unknown numbers: the form in which addresses and trip
//! counts are compared.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
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

/// Products of more symbols than this are not followed.
const MAX_DEGREE: usize = 4;
/// Sums of more terms than this are not followed.
const MAX_TERMS: usize = 24;

/// A product of symbols, sorted; of none, one. It owns no memory elsewhere: analyses make millions of them.
#[derive(Clone, Copy)]
struct Monomial {
    symbols: [Sym; MAX_DEGREE],
    degree: usize,
}

impl Monomial {
    const ONE: Self = Monomial {
        symbols: [Sym::Opaque(0); MAX_DEGREE],
        degree: 0,
    };

    /// The product of symbols; `None`: there are too many.
    fn of(all: impl Iterator<Item = Sym>) -> Option<Self> {
        let mut product = Self::ONE;
        for sym in all {
            *product.symbols.get_mut(product.degree)? = sym;
            product.degree += 1;
        }
        product.symbols[..product.degree].sort_unstable();
        Some(product)
    }

    /// The same without the symbols that do not pass.
    fn only(&self, passes: impl Fn(Sym) -> bool) -> Self {
        let kept = self.iter().copied().filter(|sym| passes(*sym));
        Self::of(kept).expect("it is a part of a product")
    }
}

impl Deref for Monomial {
    type Target = [Sym];
    fn deref(&self) -> &[Sym] {
        &self.symbols[..self.degree]
    }
}

impl fmt::Debug for Monomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for Monomial {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Monomial {}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

/// A sum of integer multiples of products of symbols. Copies share their terms: states of a kernel hold
/// many of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Poly {
    /// By their products; none is zero.
    terms: Rc<Vec<(Monomial, i128)>>,
}

impl Poly {
    /// A constant.
    pub fn constant(value: i128) -> Self {
        match value {
            0 => Poly::default(),
            value => Poly {
                terms: Rc::new(vec![(Monomial::ONE, value)]),
            },
        }
    }

    /// A symbol.
    pub fn sym(sym: Sym) -> Self {
        let mut product = Monomial::ONE;
        (product.symbols[0], product.degree) = (sym, 1);
        Poly {
            terms: Rc::new(vec![(product, 1)]),
        }
    }

    fn add_term(&mut self, monomial: Monomial, by: i128) {
        let terms = Rc::make_mut(&mut self.terms);
        match terms.binary_search_by(|(own, _)| own.cmp(&monomial)) {
            Err(_) if by == 0 => {}
            Err(at) => terms.insert(at, (monomial, by)),
            Ok(at) => {
                terms[at].1 = terms[at].1.saturating_add(by);
                if terms[at].1 == 0 {
                    terms.remove(at);
                }
            }
        }
    }

    /// What the product of no symbols is multiplied by: it is the first of all.
    fn constant_term(&self) -> Option<i128> {
        let first = self
            .terms
            .first()
            .filter(|(monomial, _)| monomial.is_empty());
        first.map(|(_, by)| *by)
    }

    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.constant_term(),
            _ => None,
        }
    }

    /// `self + factor * other`.
    pub fn plus(&self, other: &Poly, factor: i128) -> Self {
        if other.terms.is_empty() || factor == 0 {
            return self.clone();
        }
        if self.terms.is_empty() && factor == 1 {
            return other.clone();
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let mut own = self.terms.iter().copied().peekable();
        for &(monomial, by) in other.terms.iter() {
            while let Some(before) = own.next_if(|(own, _)| *own < monomial) {
                terms.push(before);
            }
            let same = own.next_if(|(own, _)| *own == monomial);
            let by = by.saturating_mul(factor);
            let sum = same.map_or(by, |(_, own)| own.saturating_add(by));
            if sum != 0 {
                terms.push((monomial, sum));
            }
        }
        terms.extend(own);
        Poly {
            terms: Rc::new(terms),
        }
    }

    /// The product; `None` if it grows too large.
    pub fn times(&self, other: &Poly) -> Option<Self> {
        let mut product = Poly::default();
        for (a, x) in self.terms.iter() {
            for (b, y) in other.terms.iter() {
                let monomial = Monomial::of(a.iter().chain(b.iter()).copied())?;
                product.add_term(monomial, x.saturating_mul(*y));
            }
        }
        (product.terms.len() <= MAX_TERMS).then_some(product)
    }

    /// Products of symbols, and what each is multiplied by; of no symbols, the constant.
    pub fn terms(&self) -> impl Iterator<Item = (&[Sym], i128)> {
        self.terms.iter().map(|(monomial, by)| (&monomial[..], *by))
    }

    /// The symbols in it, some more than once.
    pub fn each_symbol(&self) -> impl Iterator<Item = Sym> {
        let monomials = self.terms.iter().flat_map(|(monomial, _)| monomial.iter());
        monomials.copied()
    }

    /// The symbols in it, sorted, each once.
    pub fn symbols(&self) -> Vec<Sym> {
        let mut all: Vec<Sym> = self.each_symbol().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What `sym` is multiplied by; `None` if a power of it occurs.
    pub fn coefficient(&self, sym: Sym) -> Option<Poly> {
        let mut coefficient = Poly::default();
        for (monomial, by) in self.terms.iter() {
            match monomial.iter().filter(|s| **s == sym).count() {
                0 => {}
                1 => {
                    coefficient.add_term(monomial.only(|other| other != sym), *by);
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
            terms: Rc::new(terms.copied().collect()),
        }
    }

    /// What is not constant, and the constant.
    pub fn split_constant(&self) -> (Poly, i128) {
        let Some(constant) = self.constant_term() else {
            return (self.clone(), 0);
        };
        let rest = Rc::new(self.terms[1..].to_vec());
        (Poly { terms: rest }, constant)
    }

    /// The same where some symbols have known values.
    pub fn with_values(&self, of: &dyn Fn(Sym) -> Option<i128>) -> Poly {
        let mut sum = Poly::default();
        for (monomial, by) in self.terms.iter() {
            let values = monomial.iter().filter_map(|sym| of(*sym));
            let factor = values.fold(*by, i128::saturating_mul);
            sum.add_term(monomial.only(|sym| of(sym).is_none()), factor);
        }
        sum
    }

    /// The value where `of` gives that of each symbol; `None` if it does not.
    pub fn evaluate(&self, of: &dyn Fn(Sym) -> Option<f64>) -> Option<f64> {
        let mut sum = 0.0;
        for (monomial, by) in self.terms.iter() {
            let mut product = *by as f64;
            for sym in monomial.iter() {
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
