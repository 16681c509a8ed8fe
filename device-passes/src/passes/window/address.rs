//! Addresses of reads.
//!
//! Some are bounded at borders: in a row of 512, `clamp(x - 2, 0, 511)` is `x - 2`, but `x - 1` or
//! `x` in the first two columns.
//!
//! At a border a bound takes the place of a counter, so that the address does not move on with the counter.
//! But there the counter has few values: where it is `v`, a bound is the counter plus the bound less `v`, an
//! address at a constant distance as all others are.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{BinaryOp, ExprId};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::when::{Interval, When, compares};

/// The most values that a counter may have at a border.
const MOST_VALUES: i128 = 16;
/// Sums beyond this might overflow.
const LARGEST: i128 = 1 << 30;

/// The address of a read.
#[derive(Clone, Debug)]
pub enum Address {
    /// One index.
    At {
        /// An expression that is it, if one is.
        expr: Option<ExprId>,
        /// It, of all counters.
        poly: Poly,
        /// It is computed in 32 bits without sign: it is this only where this is no less than 0 and fits.
        wraps: bool,
    },
    /// One of two.
    Choice {
        /// Chooses the first.
        cond: Cond,
        /// The first.
        then: Box<Address>,
        /// The second.
        otherwise: Box<Address>,
    },
}

/// One address that a read may have, in one iteration of the loops around it in the body.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Without the counters of these loops.
    pub poly: Poly,
    /// An expression that is it, if one is.
    pub expr: Option<ExprId>,
    /// The counters of these loops, by their numbers.
    pub copies: BTreeMap<usize, i128>,
    /// In which iterations of the nest.
    pub when: When,
    /// Its index among all that the read may be.
    pub leaf: usize,
}

/// What chooses between addresses.
#[derive(Clone, Debug)]
pub enum Cond {
    /// An expression of counters and numbers that stay.
    Given(ExprId),
    /// A sum of counters compares with 0 so.
    Sign(Poly, BinaryOp),
}

impl Cond {
    /// Whether a comparison can be written in `int`: with these values of counters nothing in it is large.
    pub fn is_small(&self, counters: &dyn Fn(usize) -> Option<Interval>) -> bool {
        let Cond::Sign(poly, _) = self else {
            return true;
        };
        let size = |(symbols, factor): (&[Sym], i128)| match symbols {
            [] => Some(factor.abs()),
            [Sym::Iter(at)] => {
                let (first, last) = counters(*at)?;
                factor.abs().checked_mul(first.abs().max(last.abs()))
            }
            _ => None,
        };
        let sizes = poly.terms().map(size);
        let all = sizes.reduce(|all, size| all?.checked_add(size?));
        all.is_none_or(|all| all.is_some_and(|all| all < LARGEST))
    }
}

impl Address {
    /// Without an expression that is it.
    pub fn of(poly: Poly) -> Self {
        Address::At {
            expr: None,
            poly,
            wraps: false,
        }
    }

    /// How many it may be.
    pub fn choices(&self) -> usize {
        match self {
            Address::At { .. } => 1,
            Address::Choice {
                then, otherwise, ..
            } => then.choices() + otherwise.choices(),
        }
    }

    /// The numbers of all counters in it.
    pub fn counters(&self, found: &mut BTreeSet<usize>) {
        match self {
            Address::At { poly, .. } => {
                found.extend(poly.symbols().iter().filter_map(|sym| match sym {
                    Sym::Iter(at) => Some(*at),
                    _ => None,
                }))
            }
            Address::Choice {
                then, otherwise, ..
            } => {
                then.counters(found);
                otherwise.counters(found);
            }
        }
    }

    /// A multiple.
    pub fn times(&self, factor: i128) -> Address {
        Address::of(Poly::default()).plus(self, factor)
    }

    /// This plus `factor` times another.
    pub fn plus(&self, other: &Address, factor: i128) -> Address {
        self.both(other, &|x, y| match (x, y) {
            (Address::At { poly: x, .. }, Address::At { poly: y, .. }) => {
                Address::of(x.plus(y, factor))
            }
            _ => x.plus(y, factor),
        })
    }

    /// The larger (`Ge`) or the smaller (`Le`) of two.
    pub fn extreme(&self, other: &Address, op: BinaryOp) -> Address {
        match (self, other) {
            (Address::At { poly: x, .. }, Address::At { poly: y, .. }) => {
                let by = x.plus(y, -1);
                let plain = |poly: &Poly| Address::of(poly.clone());
                match by.as_constant() {
                    Some(by) => plain(if compares(by, op) { x } else { y }),
                    None => Address::Choice {
                        cond: Cond::Sign(by, op),
                        then: Box::new(plain(x)),
                        otherwise: Box::new(plain(y)),
                    },
                }
            }
            _ => self.both(other, &|x, y| x.extreme(y, op)),
        }
    }

    /// Of each pair of addresses that two may be.
    pub fn both(&self, other: &Address, of: &dyn Fn(&Address, &Address) -> Address) -> Address {
        match (self, other) {
            (Address::At { .. }, Address::At { .. }) => of(self, other),
            (Address::Choice { .. }, _) => self.of_each(&|part| part.both(other, of)),
            _ => other.of_each(&|part| self.both(part, of)),
        }
    }

    /// The same choice between what is made of what it chooses between.
    fn of_each(&self, of: &dyn Fn(&Address) -> Address) -> Address {
        match self {
            Address::At { .. } => of(self),
            Address::Choice {
                cond,
                then,
                otherwise,
            } => Address::Choice {
                cond: cond.clone(),
                then: Box::new(of(then)),
                otherwise: Box::new(of(otherwise)),
            },
        }
    }

    /// Its parts, the first counted as `leaf`, each as `of` makes it; `None` for one that is never chosen.
    fn map(&self, leaf: usize, of: &dyn Fn(usize, &Address) -> Option<Address>) -> Option<Address> {
        let Address::Choice {
            cond,
            then,
            otherwise,
        } = self
        else {
            return of(leaf, self);
        };
        let rest = otherwise.map(leaf + then.choices(), of);
        match (then.map(leaf, of), rest) {
            (Some(then), Some(otherwise)) => Some(Address::Choice {
                cond: cond.clone(),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            }),
            (one, other) => one.or(other),
        }
    }
}

/// How one of the addresses that a read may have moves on.
struct Leaf {
    strides: Vec<i128>,
    /// Where it is read: what counters of the nest are there.
    counters: BTreeMap<usize, Interval>,
}

impl Leaf {
    fn iterations(&self) -> i128 {
        let lengths = self.counters.values().map(|(first, last)| last - first + 1);
        lengths.product()
    }

    fn join(&mut self, counters: &BTreeMap<usize, Interval>) {
        for (at, (first, last)) in counters {
            let own = self.counters.entry(*at).or_insert((*first, *last));
            *own = (own.0.min(*first), own.1.max(*last));
        }
    }
}

/// An address without what it never is, and with all that it is moving on as it does in most iterations of a
/// nest; `None`: it cannot.
pub fn anchored(address: &Address, reaches: &[Reach], numbers: &[usize]) -> Option<Address> {
    let mut leaves: BTreeMap<usize, Leaf> = BTreeMap::new();
    for reach in reaches {
        let (strides, ..) = position(&reach.poly, numbers)?;
        let counters = &reach.when.counters;
        let leaf = leaves.entry(reach.leaf).or_insert_with(|| Leaf {
            strides: strides.clone(),
            counters: counters.clone(),
        });
        if leaf.strides != strides {
            return None;
        }
        leaf.join(counters);
    }
    let main = leaves.values().max_by_key(|leaf| leaf.iterations())?;
    let missing = |leaf: &Leaf| -> Vec<(usize, i128)> {
        let pairs = leaf.strides.iter().zip(&main.strides).zip(numbers);
        let missing = pairs.map(|((own, main), number)| (*number, main - own));
        missing.filter(|(_, by)| *by != 0).collect()
    };
    let is_few = |leaf: &Leaf| {
        let counters = missing(leaf)
            .into_iter()
            .map(|(at, _)| leaf.counters.get(&at));
        let mut lengths = counters.map(|values| values.map(|(first, last)| last - first));
        lengths.all(|length| length.is_some_and(|length| length < MOST_VALUES))
    };
    if !leaves.values().all(is_few) {
        return None;
    }
    address.map(0, &|at, address| {
        let leaf = leaves.get(&at)?;
        Some(split(address, &missing(leaf), &leaf.counters))
    })
}

/// An address that moves on with more counters, each of which has few values there.
fn split(
    address: &Address,
    missing: &[(usize, i128)],
    counters: &BTreeMap<usize, Interval>,
) -> Address {
    let (Some(((at, by), others)), Address::At { poly, wraps, .. }) =
        (missing.split_first(), address)
    else {
        return address.clone();
    };
    let (first, last) = counters[at];
    let counter = Poly::sym(Sym::Iter(*at));
    let of_value = |value: i128| {
        let apart = counter.plus(&Poly::constant(value), -1);
        let position = match faults::is_on("window-border-narrow") {
            true => counter.plus(&Poly::constant(first), -1),
            false => apart.clone(),
        };
        let moved = Address::At {
            expr: None,
            poly: poly.plus(&position, *by),
            wraps: *wraps,
        };
        (apart, split(&moved, others, counters))
    };
    let (_, mut chosen) = of_value(last);
    for value in (first..last).rev() {
        let (apart, moved) = of_value(value);
        chosen = Address::Choice {
            cond: Cond::Sign(apart, BinaryOp::Eq),
            then: Box::new(moved),
            otherwise: Box::new(chosen),
        };
    }
    chosen
}

/// By how much an index moves on with each counter, what is left of it, and the constant.
pub fn position(poly: &Poly, numbers: &[usize]) -> Option<(Vec<i128>, Poly, i128)> {
    let mut rest = poly.clone();
    let mut strides = Vec::new();
    for number in numbers {
        let sym = Sym::Iter(*number);
        strides.push(rest.coefficient(sym)?.as_constant()?);
        rest = rest.without(sym);
    }
    let (rest, constant) = rest.split_constant();
    let is_counter = |sym: &Sym| matches!(sym, Sym::Iter(_));
    let stays = !rest.symbols().iter().any(is_counter);
    stays.then_some((strides, rest, constant))
}
