//! Counters of a nest that the source has made one loop: `if (++i == width) { i = 0; j++; }`. The first starts again after so
//! many iterations, and the next one moves on then.

use std::collections::BTreeMap;

use fpgacc_frontend::ir::BinaryOp;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::env::Changes;
use super::induction::{Change, LoopChanges, LoopVariable, Turn};
use super::value::{Slot, Value};
use super::{Lowering, sole_symbol};
use crate::graph::{Made, RegionId};
use crate::prediction::Trip;

/// A comparison of integers.
type Asked = (BinaryOp, Poly, Poly);

/// An integer that is one of two, as a comparison says.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    asked: Asked,
    then: Poly,
    otherwise: Poly,
}

/// What happens where a counter starts again.
struct Restart {
    asked: Asked,
    /// The comparison holds then.
    holds: bool,
    /// The restart inside which it is asked for.
    inside: Option<usize>,
    /// Once in so many iterations.
    each: i128,
}

/// A counter that starts again: at what, by how much it moves, and when it starts again.
struct Wrap {
    reset: Poly,
    by: i128,
    asked: Asked,
    holds: bool,
}

/// Counters of more levels than this are not looked for.
const MOST_LEVELS: usize = 4;

impl Lowering<'_> {
    /// Notes what an integer is one of, while a loop is analysed.
    pub(super) fn note_choice(&mut self, chosen: Option<&Poly>, cond: &Value, of: [&Poly; 2]) {
        let (Some(asked), Some(poly), true) = (&cond.compared, chosen, self.at.analysed.is_some())
        else {
            return;
        };
        if let Some(Sym::Opaque(number)) = sole_symbol(&Value::integer(poly.clone())) {
            let [then, otherwise] = of.map(Poly::clone);
            let asked = asked.clone();
            let choice = Choice {
                asked,
                then,
                otherwise,
            };
            self.known.choices.insert(number, choice);
        }
    }

    fn choice_of(&self, poly: &Poly) -> Option<&Choice> {
        let Sym::Opaque(number) = poly.each_symbol().next()? else {
            return None;
        };
        let choice = self.known.choices.get(&number)?;
        (*poly == Poly::sym(Sym::Opaque(number))).then_some(choice)
    }

    /// Finds the counters of a nest among what an iteration changes, `after` it, from what was `marked` before it.
    pub(super) fn find_turns(
        &self,
        found: &mut LoopChanges,
        marked: &BTreeMap<Slot, Poly>,
        after: &Changes,
    ) {
        let mut restarts: Vec<Restart> = Vec::new();
        for _ in 0..MOST_LEVELS {
            let before = restarts.len();
            for (slot, mark) in marked {
                let change = found.get(slot);
                if !matches!(change, Some(Change::Mostly(_) | Change::Any)) {
                    continue;
                }
                let (Some(Some(new)), Some(old)) = (after.get(slot), self.env.get(slot)) else {
                    continue;
                };
                if let (Some(new), Some(start)) = (new.poly.as_ref(), old.poly.as_ref())
                    && let Some(turn) = self.turn(new, (mark, start), &mut restarts)
                {
                    found.insert(slot.clone(), Change::Turns(turn));
                }
            }
            if restarts.len() == before {
                return;
            }
        }
    }

    /// How a counter moves that is `mark` before an iteration and `new` after it.
    fn turn(
        &self,
        new: &Poly,
        (mark, start): (&Poly, &Poly),
        restarts: &mut Vec<Restart>,
    ) -> Option<Turn> {
        let (mut new, mut inside) = (new, None);
        while let Some(choice) = self.choice_of(new)
            && let Some(at) = (restarts.iter())
                .position(|known| known.inside == inside && known.asked == choice.asked)
        {
            let (there, else_) = match restarts[at].holds {
                true => (&choice.then, &choice.otherwise),
                false => (&choice.otherwise, &choice.then),
            };
            if else_ != mark {
                return None;
            }
            (new, inside) = (there, Some(at));
        }
        let each = inside.map_or(1, |at| restarts[at].each);
        if let Some(by) = new.plus(mark, -1).as_constant() {
            let moves = each > 1 && by != 0;
            return moves.then_some(Turn {
                each,
                by,
                period: None,
            });
        }
        let wrap = self.wrap(new, mark)?;
        let starts_there = self.exact(&start.plus(&wrap.reset, -1)) == Some(0.0);
        let period = self.period(&wrap, mark).filter(|_| starts_there)?;
        restarts.push(Restart {
            asked: wrap.asked,
            holds: wrap.holds,
            inside,
            each: each.checked_mul(period)?,
        });
        Some(Turn {
            each,
            by: wrap.by,
            period: Some(period),
        })
    }

    /// Of a counter that moves by a constant or starts again.
    fn wrap(&self, new: &Poly, mark: &Poly) -> Option<Wrap> {
        let choice = self.choice_of(new)?;
        let by = |arm: &Poly| arm.plus(mark, -1).as_constant().filter(|by| *by != 0);
        let (reset, by, holds) = match (by(&choice.then), by(&choice.otherwise)) {
            (None, Some(by)) => (&choice.then, by, true),
            (Some(by), None) => (&choice.otherwise, by, false),
            _ => return None,
        };
        Some(Wrap {
            reset: reset.clone(),
            by,
            asked: choice.asked.clone(),
            holds,
        })
    }

    /// After how many moves a counter starts again, where that is known of this launch, and it moves at all.
    fn period(&self, wrap: &Wrap, mark: &Poly) -> Option<i128> {
        let (op, x, y) = &wrap.asked;
        let difference = x.plus(y, -1);
        let sym = mark.each_symbol().next()?;
        let factor = difference.coefficient(sym)?.as_constant()?;
        let rest = self.exact(&difference.without(sym))?;
        let reset = self.exact(&wrap.reset)?;
        let (first, step) = (factor as f64 * reset + rest, (factor * wrap.by) as f64);
        let restarts = |move_: f64| compares(*op, first + step * move_) == Some(wrap.holds);
        // Where the sides are equal; the comparison changes there or beside it.
        let equal = -first / step;
        let near = (-1..=2).map(|beside| equal.floor() + f64::from(beside));
        let at = near.into_iter().find(|at| *at >= 0.0 && restarts(*at))?;
        let is_first = at == 0.0 || !restarts(at - 1.0) && !restarts(0.0);
        let period = at + 1.0;
        (is_first && period > 1.0 && period < 1e15).then_some(period as i128)
    }

    /// The value of such a counter in an iteration that is `factor` of the text's.
    pub(super) fn turned(
        &mut self,
        variable: &LoopVariable,
        turn: &Turn,
        (region, factor): (RegionId, u64),
    ) -> Option<Poly> {
        let from = variable.start.position()?;
        let moves = self.turns_of(region, factor, turn.each);
        let moved = from.plus(&moves, turn.by);
        let Some(period) = turn.period else {
            return Some(moved);
        };
        let again = self.turns_of(region, factor, turn.each.checked_mul(period)?);
        Some(moved.plus(&again, turn.by.checked_mul(period)?.checked_neg()?))
    }

    /// How often so many iterations have passed, in an iteration: the same number for all counters of the loop.
    fn turns_of(&mut self, region: RegionId, factor: u64, each: i128) -> Poly {
        let iterations = Poly::default().plus(&Poly::sym(Sym::Iter(region)), i128::from(factor));
        if each == 1 {
            return iterations;
        }
        let key = (region, factor, each);
        if let Some(sym) = self.known.turns.get(&key) {
            return Poly::sym(*sym);
        }
        let value = self.opaque(std::iter::once(Sym::Iter(region)).collect(), false);
        self.note_made(&value, Made::Quotient(iterations, Poly::constant(each)));
        if let Some(sym) = sole_symbol(&value) {
            self.known.turns.insert(key, sym);
        }
        value.poly.unwrap_or_default()
    }

    /// The symbol in a polynomial that counts the turns of a loop, and after how many iterations it moves.
    pub(super) fn turns_in(&self, poly: &Poly, region: RegionId) -> Option<(Sym, i128)> {
        let all = self.known.turns.iter();
        let own = all.filter(|((of, factor, _), _)| (*of, *factor) == (region, 1));
        let mut here = own.filter(|(_, sym)| poly.each_symbol().any(|own| own == **sym));
        let ((_, _, each), sym) = here.next()?;
        here.next().is_none().then_some((*sym, *each))
    }

    /// The iterations until a difference that moves once in so many of them is no longer negative, as `count` says of a
    /// counter that moves in each.
    pub(super) fn count_turns(
        &self,
        difference: &Poly,
        region: RegionId,
        count: impl Fn(&Poly) -> Option<Trip>,
    ) -> Option<Trip> {
        let (sym, each) = self.turns_in(difference, region)?;
        let by = difference.coefficient(sym)?;
        let moved = by.times(&Poly::sym(Sym::Iter(region)))?;
        let trip = count(&difference.without(sym).plus(&moved, 1))?;
        Some(Trip {
            value: trip.value * each as f64,
            most: trip.most * each as f64,
            ..trip
        })
    }
}

/// Whether a comparison holds of two integers with this difference.
fn compares(op: BinaryOp, difference: f64) -> Option<bool> {
    Some(match op {
        BinaryOp::Lt => difference < 0.0,
        BinaryOp::Le => difference <= 0.0,
        BinaryOp::Gt => difference > 0.0,
        BinaryOp::Ge => difference >= 0.0,
        BinaryOp::Eq => difference == 0.0,
        BinaryOp::Ne => difference != 0.0,
        _ => return None,
    })
}
