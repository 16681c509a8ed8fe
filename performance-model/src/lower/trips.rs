//! How often loops run.

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId};
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::Lowering;
use super::induction::LoopVariable;
use super::parts::{Parts, leaves_early};
use super::value::Value;
use crate::graph::{Made, RegionId};
use crate::prediction::{Assumed, Trip, TripOrigin};

/// The trip count of a loop of which nothing is known: a guess.
pub const ASSUMED_TRIPS: f64 = 16.0;

/// Where trip counts come from, and how often branches are taken.
pub(super) const RECORDED: &str = "a recorded run shows it (fpgacc trace --trip-counts)";

/// What a loop's condition says beside its trip count.
#[derive(Default)]
struct Seen {
    /// What is not negative while it holds.
    holds: Vec<Poly>,
    /// Of two conditions of which one is enough, nothing is known of one.
    may_be_longer: bool,
}

impl<'a> Lowering<'a> {
    /// How often a loop with these variables runs each time.
    pub(super) fn trip(
        &mut self,
        parts: &Parts<'a>,
        region: RegionId,
        variables: &[LoopVariable],
    ) -> Trip {
        let mut seen = Seen::default();
        let found = parts.cond.and_then(|cond| {
            self.ask_inside((parts, region), variables, |this| {
                this.trips_by(cond, region, parts.is_do, &mut seen)
            })
        });
        self.graph.region_mut(region).holds.extend(seen.holds);
        let profiled = parts
            .stmt
            .span
            .and_then(|span| self.input.launch.trips.get(&span));
        // A run of what the text says, too, adds nothing: such a loop can be unrolled.
        let is_said = |recorded: f64| {
            found.is_some_and(|trip| trip.origin == TripOrigin::Known && trip.value == recorded)
        };
        if let Some(value) = profiled.filter(|value| !is_said(**value)) {
            let most = parts
                .stmt
                .span
                .and_then(|span| self.input.launch.most_trips.get(&span));
            return Trip {
                value: *value,
                most: most.map_or(*value, |most| most.max(*value)),
                origin: TripOrigin::Profiled,
            };
        }
        if found.is_some() && seen.may_be_longer {
            self.assume(Assumed {
                span: parts.stmt.span,
                what: "a loop runs as often as one of its conditions says, though another may keep it longer"
                    .to_string(),
                remedy: RECORDED,
            });
        }
        if found.is_some() && leaves_early(parts.body) {
            self.assume(Assumed {
                span: parts.stmt.span,
                what: "a loop runs to its end, though data may end it earlier".to_string(),
                remedy: RECORDED,
            });
        }
        found.unwrap_or_else(|| {
            self.assume(Assumed {
                span: parts.stmt.span,
                what: format!(
                    "a loop runs {ASSUMED_TRIPS} times: neither its text nor the launch facts say"
                ),
                remedy: RECORDED,
            });
            Trip::even(ASSUMED_TRIPS, TripOrigin::Assumed)
        })
    }

    /// The iterations that a condition allows.
    fn trips_by(
        &mut self,
        cond: ExprId,
        region: RegionId,
        is_do: bool,
        seen: &mut Seen,
    ) -> Option<Trip> {
        if let Expr::Binary { op, lhs, rhs } = *self.at.function.exprs.get(cond)
            && matches!(op, BinaryOp::And | BinaryOp::Or)
        {
            return self.trips_by_two([lhs, rhs], op == BinaryOp::And, (region, is_do), seen);
        }
        let value = self.value(cond);
        if value.constant().is_some() {
            return constant_cond(&value, is_do);
        }
        // `while (n)` goes on while it is not 0.
        let itself = || Some((BinaryOp::Ne, value.poly.clone()?, Poly::default()));
        let (op, x, y) = value.compared.clone().or_else(itself)?;
        if matches!(op, BinaryOp::Lt | BinaryOp::Ne) {
            self.note_row(&x, &y, region);
        }
        let difference = match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne => x.plus(&y, -1),
            BinaryOp::Gt | BinaryOp::Ge => y.plus(&x, -1),
            _ => return None,
        };
        let inclusive = matches!(op, BinaryOp::Le | BinaryOp::Ge);
        if op != BinaryOp::Ne && !is_do {
            let most = Poly::constant(if inclusive { 0 } else { -1 });
            seen.holds.push(most.plus(&difference, -1));
        }
        let trip = self.count(&difference, region, inclusive, op == BinaryOp::Ne)?;
        let more = if is_do { 1.0 } else { 0.0 };
        Some(Trip {
            value: trip.value + more,
            most: trip.most + more,
            ..trip
        })
    }

    /// The iterations that two conditions allow: both, or either.
    fn trips_by_two(
        &mut self,
        sides: [ExprId; 2],
        both: bool,
        (region, is_do): (RegionId, bool),
        seen: &mut Seen,
    ) -> Option<Trip> {
        if both {
            let trips = sides.map(|side| self.trips_by(side, region, is_do, seen));
            return match trips {
                [Some(a), Some(b)] => Some(if a.value <= b.value { a } else { b }),
                [a, b] => a.or(b),
            };
        }
        // What holds while one of them does is not known: it may be the other that does.
        let mut beside = Seen::default();
        match sides.map(|side| self.trips_by(side, region, is_do, &mut beside)) {
            [Some(a), Some(b)] => Some(if a.value >= b.value { a } else { b }),
            [a, b] => {
                let known = a.or(b)?;
                seen.may_be_longer = true;
                Some(Trip {
                    origin: TripOrigin::Assumed,
                    ..known
                })
            }
        }
    }

    /// Notes that a loop goes through a row of a matrix whose rows follow each other in memory, if its bounds are elements
    /// side by side (`start[i]`, `start[i + 1]`).
    fn note_row(&mut self, counter: &Poly, end: &Poly, region: RegionId) {
        let start = counter.plus(&Poly::sym(Sym::Iter(region)), -1);
        let loaded = |poly: &Poly| {
            let [sym @ Sym::Opaque(number)] = poly.symbols()[..] else {
                return None;
            };
            let made = self.known.opaques[number].made.as_ref()?;
            let is_all = *poly == Poly::sym(sym);
            match made {
                Made::Loaded(index) | Made::Row(index, ..) if is_all => {
                    Some((number, index.clone()))
                }
                _ => None,
            }
        };
        if let (Some((number, from)), Some((_, to))) = (loaded(&start), loaded(end))
            && let Some(step) = to.plus(&from, -1).as_constant().filter(|step| *step > 0)
        {
            self.known.opaques[number].made = Some(Made::Row(from, step, region));
        }
    }

    /// The value where unknown numbers that stand alone are 0; there must be a known one beside them.
    fn evaluate_mostly(&self, poly: &Poly) -> Option<f64> {
        let mut rest = poly.clone();
        for sym in poly.symbols() {
            let unknown = matches!(sym, Sym::Opaque(_)) && !self.graph.values.contains_key(&sym);
            if unknown {
                rest.coefficient(sym)?.as_constant()?;
                rest = rest.without(sym);
            }
        }
        let value = self.graph.evaluate(&rest)?;
        (value != 0.0).then_some(value)
    }

    /// The iterations until `difference`, which grows, is no longer negative.
    fn count(
        &self,
        difference: &Poly,
        region: RegionId,
        inclusive: bool,
        either_way: bool,
    ) -> Option<Trip> {
        let holds = |difference: f64| match (either_way, inclusive) {
            (true, _) => difference != 0.0,
            (_, true) => difference <= 0.0,
            _ => difference < 0.0,
        };
        if let Some((value, origin)) = self.count_series(difference, region, holds) {
            return Some(Trip::even(value, origin));
        }
        let again = |moved: &Poly| self.count(moved, region, inclusive, either_way);
        if let Some(trip) = self.count_turns(difference, region, again) {
            return Some(trip);
        }
        let iter = Sym::Iter(region);
        let step = difference.coefficient(iter)?;
        let start = difference.without(iter);
        let moves = |sym: Sym| match sym {
            Sym::Opaque(number) => self.known.opaques[number].depends.contains(&iter),
            _ => false,
        };
        if start.symbols().into_iter().chain(step.symbols()).any(moves) {
            return None;
        }
        let by = self.graph.evaluate(&step)?;
        let (from, guessed) = match self.graph.evaluate(&start) {
            Some(from) => (from, false),
            // A start that is not known, against a known end, is most often 0.
            None => (self.evaluate_mostly(&start)?, true),
        };
        let (by, from) = if either_way && by < 0.0 {
            (-by, -from)
        } else {
            (by, from)
        };
        if by <= 0.0 {
            return None;
        }
        let from = if inclusive { from - 1.0 } else { from };
        let exact = -from / by;
        let is_average = start
            .symbols()
            .iter()
            .any(|sym| matches!(sym, Sym::Iter(_) | Sym::LocalId(_) | Sym::GroupId(_)));
        let value = match is_average {
            // The mean over equally likely starts.
            true => exact + (by - 1.0) / (2.0 * by),
            false => exact.ceil(),
        };
        let most = (exact + self.reach_over_ids(&start) / by).ceil();
        // Nobody writes a loop that never runs: the guess was wrong.
        if guessed && value <= 0.0 {
            return None;
        }
        let origin = match guessed {
            true => TripOrigin::Assumed,
            false => self.origin_of([&start, &step]),
        };
        Some(Trip {
            value: value.max(0.0),
            most: most.max(value).max(0.0),
            origin,
        })
    }

    /// How far an integer is from its mean at most, over the work-items.
    fn reach_over_ids(&self, poly: &Poly) -> f64 {
        let ids = (0..3).flat_map(|dim| [Sym::LocalId(dim), Sym::GroupId(dim)]);
        let reach = |id: Sym| {
            let factor = self.graph.evaluate(&poly.coefficient(id)?)?;
            // The mean of an id is half of the last one.
            Some(factor.abs() * self.graph.values.get(&id)?)
        };
        ids.filter_map(reach).sum()
    }

    /// How a number of iterations is known that is made of these.
    fn origin_of(&self, made_of: [&Poly; 2]) -> TripOrigin {
        if made_of.iter().all(|poly| poly.as_constant().is_some()) {
            return TripOrigin::Known;
        }
        let is_assumed = |sym: Sym| match sym {
            Sym::Iter(outer) => self.graph.regions[outer].trip.origin == TripOrigin::Assumed,
            _ => false,
        };
        match made_of
            .iter()
            .flat_map(|poly| poly.symbols())
            .any(is_assumed)
        {
            true => TripOrigin::Assumed,
            false => TripOrigin::Symbolic,
        }
    }
}

/// `do { .. } while (0)`.
fn constant_cond(value: &Value, is_do: bool) -> Option<Trip> {
    (is_do && value.constant() == Some(0)).then_some(Trip::even(1.0, TripOrigin::Known))
}
