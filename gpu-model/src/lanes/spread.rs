//! Loops of many iterations: some that are spread evenly over all stand for them.

use super::loops::{Parts, Walk};
use super::machine::{MANY_STEPS, Machine, Ways};
use super::observed::{Tallies, Tally};
use super::stmt::Env;
use super::value::{Origin, Value};
use super::wide::{Mask, Wide, lanes};

/// How far samples lie from the middle of what they stand for: alignments that repeat are all seen so.
const NUDGES: [i64; 8] = [0, -1, 1, -2, 2, -3, 3, -4];

/// Iterations that stand for `all`, each with the number of those that it stands for: `count` parts of a loop.
fn strata(all: u64, count: u64) -> impl Iterator<Item = (u64, u64)> {
    let border = move |at: u64| (u128::from(at) * u128::from(all) / u128::from(count)) as u64;
    (0..count).map(move |at| {
        let (from, to) = (border(at), border(at + 1));
        let size = to - from;
        let last = i64::try_from(size.saturating_sub(1)).unwrap_or(i64::MAX);
        let middle = (size / 2) as i64;
        let inside = (middle.saturating_add(NUDGES[(at % 8) as usize])).clamp(0, last);
        (from + inside as u64, size)
    })
}

impl<'a> Machine<'a> {
    /// How many iterations of many are looked at: fewer, the deeper the loop and the later it is.
    pub(super) fn samples(&self) -> u64 {
        let depth = (self.loops.max(1) as usize - 1).min(2);
        match self.steps > MANY_STEPS {
            true => 1,
            false => self.closeness.samples[depth],
        }
    }

    /// The rest of a loop, by iterations that are spread over it. `left`: how many each lane has, and whether that is
    /// known; `last`: how far variables moved in the iteration before, and what it did.
    pub(super) fn spread(
        &mut self,
        parts: &Parts<'a>,
        walk: &mut Walk,
        (left, is_known): (&[u64], bool),
        (mut steps, last): (Env, Option<Tally>),
    ) {
        let all = walk.active;
        let most = lanes(all).map(|lane| left[lane]).max();
        let most = most.unwrap_or_default();
        let samples = self.samples().min(most);
        self.seen.is_rough |= !is_known;
        let (weight, is_sampling) = (self.weight, self.is_sampling);
        self.is_sampling |= samples < most;
        let start = self.env.clone();
        let mut even = steps.clone();
        let mut next = 0;
        let mut tallies = Tallies::default();
        if let Some(last) = last.filter(|_| samples == 1) {
            tallies.add(last);
        }
        for (at, stands_for) in strata(most, samples.max(1)) {
            let still = lanes(all).filter(|lane| left[*lane] > at);
            let still = still.fold(0, |mask, lane| mask | 1 << lane);
            walk.active = still & !(self.broken | self.returned);
            if walk.active == 0 || self.is_late() {
                break;
            }
            if walk.active != walk.entered {
                (walk.ways.yes, walk.ways.no) = (walk.active, walk.entered & !walk.active);
            }
            self.jump(&steps, at - next, walk.active);
            next = at + 1;
            self.weight = weight * stands_for as f64;
            let active = walk.active;
            let tally;
            (steps, tally) = self.sample(parts, walk);
            tallies.add(tally);
            even.retain(|key, by| {
                let now = steps.get(key);
                now.is_some_and(|now| is_same(by, now, active))
            });
        }
        (self.weight, self.is_sampling) = (weight, is_sampling);
        let has_left = (self.broken | self.returned) & all != 0;
        // Another warp would be looked at in other iterations.
        self.meeting.is_lost |= samples < most && (has_left || self.steps > MANY_STEPS);
        walk.active = 0;
        if samples < most {
            self.seen.spread(&tallies);
        }
        self.finish(&start, &even, (left, is_known), all);
    }

    /// An iteration with the condition after it: how far variables moved, and what was done.
    fn sample(&mut self, parts: &Parts<'a>, walk: &mut Walk) -> (Env, Tally) {
        let (before, tally) = (self.env.clone(), self.seen.tally());
        self.round(parts, walk);
        if let Some(cond) = parts.cond.filter(|_| walk.active != 0) {
            self.condition(cond, walk);
        }
        let done = self.seen.tally().since(&tally, self.weight);
        (self.steps_since(&before), done)
    }

    /// How far each variable moved in an iteration; variables that did not move evenly are left out.
    pub(super) fn steps_since(&mut self, before: &Env) -> Env {
        let mut steps = Env::new();
        for (key, now) in &self.env {
            // What did not move needs no step.
            let moved = |old: &&Vec<Wide>| old.len() == now.len() && *old != now;
            let Some(old) = before.get(key).filter(moved) else {
                continue;
            };
            let moved = |(now, old): (&Wide, &Wide)| {
                let lane = |lane: usize| -> Option<Value> {
                    let by = match (now.lane(lane), old.lane(lane)) {
                        (Value::Int(now), Value::Int(old)) => now.plus(old, -1)?,
                        (Value::Pointer(a, now), Value::Pointer(b, old)) if a == b => {
                            now.plus(old, -1)?
                        }
                        _ => return None,
                    };
                    Some(Value::Int(by))
                };
                let is_even = lanes(self.exists).all(|at| lane(at).is_some());
                is_even.then(|| {
                    Wide::of_lanes(self.width, self.exists, |at| {
                        lane(at).unwrap_or(Value::Data)
                    })
                })
            };
            let all: Option<Vec<Wide>> = now.iter().zip(old).map(moved).collect();
            if let Some(all) = all {
                steps.insert(*key, all);
            }
        }
        steps
    }

    /// Moves variables on by so many iterations.
    fn jump(&mut self, steps: &Env, times: u64, mask: Mask) {
        for (key, step) in steps {
            let Some(now) = self.env.get(key).cloned() else {
                continue;
            };
            let pairs = now.iter().zip(step);
            let moved = pairs
                .map(|(now, step)| self.ahead(now, step, mask, |_| times))
                .collect();
            self.env.insert(*key, moved);
        }
    }

    fn ahead(&self, now: &Wide, step: &Wide, mask: Mask, times: impl Fn(usize) -> u64) -> Wide {
        Wide::of_lanes(self.width, self.exists, |lane| {
            let value = now.lane(lane);
            let Value::Int(by) = step.lane(lane) else {
                return value.clone();
            };
            let by = match mask >> lane & 1 {
                1 => by.times(i128::from(times(lane))),
                _ => None,
            };
            match (value, by) {
                (Value::Int(now), Some(by)) => Value::Int(now.plus(&by, 1).unwrap_or_default()),
                (Value::Pointer(object, now), Some(by)) => {
                    Value::Pointer(*object, now.plus(&by, 1).unwrap_or_default())
                }
                _ => value.clone(),
            }
        })
    }

    /// What variables hold after a loop, most iterations of which were not walked.
    fn finish(&mut self, start: &Env, steps: &Env, (left, is_known): (&[u64], bool), mask: Mask) {
        let keys: Vec<_> = self.env.keys().copied().collect();
        for key in keys {
            let (now, Some(from)) = (&self.env[&key], start.get(&key)) else {
                continue;
            };
            if now == from {
                continue;
            }
            let now = now.clone();
            let step = steps.get(&key).filter(|_| is_known);
            let ended: Vec<Wide> = match step {
                Some(step) => (from.iter().zip(step))
                    .map(|(from, step)| self.ahead(from, step, mask, |lane| left[lane]))
                    .collect(),
                None => {
                    let uniform = Ways {
                        uniform: mask,
                        ..Ways::default()
                    };
                    let pairs = now.iter().zip(from);
                    pairs
                        .map(|(now, from)| self.ended(now, from, &uniform, mask))
                        .collect()
                }
            };
            self.env.insert(key, ended);
        }
    }

    /// A value that changes in a way that is not followed.
    fn ended(&mut self, now: &Wide, from: &Wide, uniform: &Ways, mask: Mask) -> Wide {
        match (now.same(), from.same()) {
            (Some(_), Some(_)) => self.unknown(Origin::Computed),
            _ => self.either(now, from, uniform, mask),
        }
    }
}

/// Whether lanes of a mask hold the same.
fn is_same(a: &[Wide], b: &[Wide], mask: Mask) -> bool {
    let pair = |(a, b): (&Wide, &Wide)| lanes(mask).all(|lane| a.lane(lane) == b.lane(lane));
    a.len() == b.len() && a.iter().zip(b).all(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_cover_all_iterations() {
        for (all, count) in [
            (13, 6),
            (26, 6),
            (1021, 6),
            (1024, 64),
            (17, 16),
            (5, 5),
            (1, 1),
            (u64::MAX, 1),
            (u64::MAX, 64),
        ] {
            let strata: Vec<(u64, u64)> = strata(all, count).collect();
            assert_eq!(strata.iter().map(|(_, size)| size).sum::<u64>(), all);
            let mut from = 0;
            for (at, size) in &strata {
                assert!((from..from + size).contains(at), "{strata:?}");
                from += size;
            }
        }
    }

    #[test]
    fn strata_see_all_alignments() {
        for (all, count) in [(1021, 64), (1024, 64), (4096, 16), (512, 16), (1000, 64)] {
            let seen: std::collections::BTreeSet<u64> =
                strata(all, count).map(|(at, _)| at % 4).collect();
            assert_eq!(seen.len(), 4, "{all} {count}");
        }
    }
}
