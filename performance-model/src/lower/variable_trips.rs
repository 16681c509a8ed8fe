//! Loops with a trip count that varies over the iterations of a loop around them. aoc up to 18.1 does not overlap those
//! iterations: one could overtake another ("out-of-order loop iterations", Intel's best practices guide,
//! 18.1, section 2.8.4).

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{BinaryOp, Expr, ExprId};
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::Lowering;
use super::induction::LoopVariable;
use super::parts::{Parts, leaves_early};
use super::value::Value;
use crate::graph::RegionId;
use crate::prediction::Form;

impl<'a> Lowering<'a> {
    /// The loops around a loop with these variables in whose iterations its trip count varies.
    pub(super) fn varies_in(
        &mut self,
        parts: &Parts<'a>,
        region: RegionId,
        variables: &[LoopVariable],
    ) -> BTreeSet<RegionId> {
        let all: BTreeSet<RegionId> = (self.graph.ancestors(region).skip(1))
            .filter(|at| *at != 0)
            .collect();
        if all.is_empty() || self.input.form != Form::SingleWorkItem {
            return BTreeSet::new();
        }
        let is_left = leaves_early(parts.body);
        let Some(cond) = parts.cond.filter(|_| !is_left) else {
            return all;
        };
        let moves = self.ask_inside((parts, region), variables, |this| {
            this.moved_by(cond, region)
        });
        match moves {
            Some(moves) => all.intersection(&moves).copied().collect(),
            None => all,
        }
    }

    /// The loops that move the bounds of a condition; `None`: it depends on what the loop itself does, other than count.
    fn moved_by(&mut self, cond: ExprId, region: RegionId) -> Option<BTreeSet<RegionId>> {
        if let Expr::Binary { op, lhs, rhs } = self.at.function.exprs.get(cond)
            && matches!(op, BinaryOp::And | BinaryOp::Or)
        {
            let (lhs, rhs) = (*lhs, *rhs);
            let mut moves = self.moved_by(lhs, region)?;
            moves.extend(self.moved_by(rhs, region)?);
            return Some(moves);
        }
        match self.value(cond) {
            Value {
                compared: Some((_, x, y)),
                ..
            } => {
                let mut moves = self.bounds_moved_by(&x, region)?;
                moves.extend(self.bounds_moved_by(&y, region)?);
                Some(moves)
            }
            Value {
                poly: Some(poly), ..
            } => self.bounds_moved_by(&poly, region),
            _ => None,
        }
    }

    /// The same for an integer. It may count with the loop.
    fn bounds_moved_by(&self, poly: &Poly, region: RegionId) -> Option<BTreeSet<RegionId>> {
        let mut moves = BTreeSet::new();
        for sym in poly.symbols() {
            match sym {
                Sym::Iter(counter) if counter == region => {}
                Sym::Iter(counter) => {
                    moves.insert(counter);
                }
                Sym::Opaque(number) if self.is_series_of(number, region) => {
                    let start = self.known.series[&number].start.clone();
                    moves.extend(self.bounds_moved_by(&start, region)?);
                }
                Sym::Opaque(_) if self.turns_in(&Poly::sym(sym), region).is_some() => {}
                Sym::Opaque(number) => {
                    let depends = &self.known.opaques[number].depends;
                    let counters = depends.iter().filter_map(|sym| match sym {
                        Sym::Iter(counter) => Some(*counter),
                        _ => None,
                    });
                    moves.extend(counters);
                    if moves.contains(&region) {
                        return None;
                    }
                }
                _ => {}
            }
        }
        Some(moves)
    }
}
