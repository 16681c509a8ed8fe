//! Calls that repeat: where a function is called again with the same arguments, and everything that
//! it looked at is as it was, its effects are repeated without following it.
//!
//! A call is kept if all that it did is a change of the store and its result. Calls that make or
//! change OpenCL objects or memory, note launches, or look at what was ever assigned, are followed
//! each time.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{FnId, Interp};
use crate::state::{Content, Delta, Place, Root, RootSet, VarId, Watch};
use crate::value::{Num, Val};

/// Steps from which on it pays to keep a call.
const STEPS_TO_KEEP: u64 = 300;
/// Bytes of a body that is taken for one of so many steps.
const BYTES_TO_KEEP: u32 = 1500;
/// Most calls of one function that are kept.
const MOST_KEPT: usize = 4;
/// Most values that a kept call may have looked at.
const MOST_VALUES: usize = 1000;

/// What tells whether a call is the same as one before, beside the store.
pub(super) struct Call {
    callee: FnId,
    this: Option<Place>,
    args: Vec<Val>,
    unroll_factor: u64,
}

impl Call {
    fn is(&self, other: &Call) -> bool {
        self.callee == other.callee
            && self.this == other.this
            && self.unroll_factor == other.unroll_factor
            && Val::all_alike(&self.args, &other.args)
    }
}

/// Stores through pointers that are not followed: they change whatever pointers may point to, also
/// what the call has nothing to do with.
#[derive(Default)]
struct Stored {
    /// The types of what was stored.
    types: Vec<Option<Num>>,
    /// What was changed so.
    hit: BTreeSet<Root>,
    /// For each variable and object that the call looked at or changed, whether a pointer may have
    /// pointed to it before, and then whether stores of each type may have changed it.
    open: BTreeMap<Root, Vec<bool>>,
}

/// A call that was followed, and what it did.
struct Kept {
    call: Call,
    /// What it looked at, as it was before.
    before: BTreeMap<Root, Content>,
    escaped_before: BTreeSet<Root>,
    /// It forgot what had escaped, for this reason.
    forgot: Option<Rc<str>>,
    /// What it stored through pointers that are not followed.
    stored: Stored,
    /// Functions that were called.
    called: BTreeSet<FnId>,
    /// Calls inside of each other.
    depth: usize,
    changes: Delta,
    escaped: Vec<Root>,
    returns: bool,
    result: Val,
    /// Symbols that it made have numbers above the first and up to the second.
    atoms: (u32, u32),
    steps: u64,
    looked_through: u64,
}

/// A call that is being followed to be kept.
pub(super) struct Record {
    call: Call,
    mark: usize,
    watch: Watch,
    escaped: BTreeSet<Root>,
    declared: usize,
    called: usize,
    forgot: usize,
    stored: usize,
    hit: usize,
    pointed: RootSet,
    deepest: usize,
    spoilt: u64,
    objects: u64,
    visits: usize,
    atoms: u32,
    steps: u64,
    looked_through: u64,
}

/// Calls that may be repeated.
#[derive(Default)]
pub(super) struct Repeats {
    kept: BTreeMap<FnId, Vec<Rc<Kept>>>,
    /// Functions that took many steps to follow.
    long: BTreeSet<FnId>,
    /// Calls that are being followed to be kept.
    open: u32,
    /// Variables of functions that were entered meanwhile.
    declared: Vec<VarId>,
    /// Functions that were called meanwhile.
    called: Vec<FnId>,
    /// Why what had escaped was forgotten meanwhile, each time.
    forgot: Vec<Rc<str>>,
    /// Types of what was stored meanwhile through pointers that are not followed, and what was
    /// changed so.
    stored: Vec<Option<Num>>,
    hit: Vec<Root>,
    /// Most calls inside of each other meanwhile.
    deepest: usize,
    /// How often something happened meanwhile that cannot be repeated.
    spoilt: u64,
}

impl Repeats {
    /// Forgets the calls: they mean nothing when the program is followed from another function.
    pub fn clear(&mut self) {
        let long = std::mem::take(&mut self.long);
        *self = Repeats {
            long,
            ..Repeats::default()
        };
    }

    /// What is followed looks at more than the store, or does more than changing it.
    pub fn spoil(&mut self) {
        self.spoilt += 1;
    }

    pub fn note_entered(&mut self, id: FnId, depth: usize) {
        if self.open > 0 {
            self.called.push(id);
            self.deepest = self.deepest.max(depth);
        }
    }

    pub fn note_forgot(&mut self, reason: &str) {
        if self.open > 0 {
            self.forgot.push(Rc::from(reason));
        }
    }

    pub fn note_stored(&mut self, ty: Option<Num>, hit: &[Root]) {
        if self.open > 0 {
            self.stored.push(ty);
            self.hit.extend(hit);
        }
    }

    pub fn note_declared(&mut self, var: VarId) {
        if self.open > 0 {
            self.declared.push(var);
        }
    }
}

impl<'a> Interp<'a> {
    /// What a call with these arguments can be known again by.
    pub(super) fn call_of(&self, callee: FnId, this: &Option<Place>, args: Vec<Val>) -> Call {
        Call {
            callee,
            this: this.clone(),
            args,
            unroll_factor: self.unroll_factor,
        }
    }

    /// Whether following a function takes so long that its calls should be kept.
    pub(super) fn takes_long(&self, callee: FnId) -> bool {
        let body = || {
            let ast = &self.hosts[callee.host].parts[callee.part].ast;
            ast.stmt(self.function(callee).body).span
        };
        self.repeats.long.contains(&callee) || body().end - body().start >= BYTES_TO_KEEP
    }

    /// Notes how many steps it took to follow a function.
    pub(super) fn note_length(&mut self, callee: FnId, steps: u64) {
        if steps >= STEPS_TO_KEEP {
            self.repeats.long.insert(callee);
        }
    }

    /// Repeats a call that was kept; gives its result.
    pub(super) fn repeat(&mut self, call: &Call) -> Option<Val> {
        let kept = self.repeats.kept.get(&call.callee)?;
        let kept = kept.iter().find(|k| k.call.is(call) && self.holds(k))?;
        let kept = kept.clone();
        let fresh = (kept.atoms.0, self.atoms);
        self.atoms += kept.atoms.1 - kept.atoms.0;
        let result = kept.result.renumbered(fresh);
        if let Some(reason) = &kept.forgot {
            let more = self.escaped.difference(&kept.escaped_before);
            for root in more.copied().collect::<Vec<_>>() {
                self.forget_root(root, reason);
            }
        }
        let hit = self.store_again(&kept);
        self.state.apply(
            &kept.changes,
            |root| kept.before.contains_key(&root),
            |value| value.renumbered(fresh),
        );
        self.state.reachable = kept.returns;
        self.escaped.extend(&kept.escaped);
        self.steps += kept.steps;
        self.looked_through += kept.looked_through;
        if self.repeats.open > 0 {
            let deepest = self.frames.len() + kept.depth;
            self.repeats.deepest = self.repeats.deepest.max(deepest);
            self.repeats.called.extend(&kept.called);
            self.repeats.forgot.extend(kept.forgot.clone());
            self.repeats.stored.extend(&kept.stored.types);
            self.repeats.hit.extend(&kept.stored.hit);
            self.repeats.hit.extend(hit);
        }
        Some(result)
    }

    /// Whether everything is as it was before a kept call, as far as it matters.
    fn holds(&self, kept: &Kept) -> bool {
        // What has escaped since then is forgotten too, if the call does not use it.
        let used = |root: &Root| {
            let changed = kept.changes.places().any(|place| place.root == *root);
            changed || kept.before.contains_key(root)
        };
        let mut more = self.escaped.difference(&kept.escaped_before);
        self.frames.len() + kept.depth <= super::MAX_CALLS
            && !self.frames.iter().any(|f| kept.called.contains(&f.fn_id))
            && kept.escaped_before.is_subset(&self.escaped)
            && (kept.forgot.is_none() || !more.any(used))
            && self.is_open_to(kept)
            && kept.before.iter().all(|(r, c)| self.state.holds(*r, c))
    }

    /// Whether stores through pointers that are not followed reach what they reached before, as far
    /// as the call uses it.
    fn is_open_to(&self, kept: &Kept) -> bool {
        let stored = &kept.stored;
        let same = |root: Root, open: &Vec<bool>| match self.pointed.has(root) {
            true => {
                let mut types = stored.types.iter().zip(open);
                !open.is_empty() && types.all(|(ty, hit)| self.may_hit(root, *ty) == *hit)
            }
            false => open.is_empty(),
        };
        stored.open.iter().all(|(root, open)| same(*root, open))
    }

    /// Forgets what the stores of a kept call change beside what it uses; gives it.
    fn store_again(&mut self, kept: &Kept) -> Vec<Root> {
        let stored = &kept.stored;
        let hits = |root: &Root| {
            let beside = !stored.open.contains_key(root);
            beside && stored.types.iter().any(|ty| self.may_hit(*root, *ty))
        };
        let hit: Vec<Root> = match stored.types.is_empty() {
            true => Vec::new(),
            false => self.pointed.iter().filter(hits).collect(),
        };
        for root in &hit {
            self.forget_root(*root, super::pointers::REASON);
        }
        hit
    }

    /// Starts to watch a call.
    pub(super) fn record(&mut self, call: Call) -> Record {
        self.repeats.open += 1;
        Record {
            call,
            mark: self.state.mark(),
            watch: self.state.watch(),
            escaped: self.escaped.clone(),
            declared: self.repeats.declared.len(),
            called: self.repeats.called.len(),
            forgot: self.repeats.forgot.len(),
            stored: self.repeats.stored.len(),
            hit: self.repeats.hit.len(),
            pointed: self.pointed.clone(),
            deepest: std::mem::replace(&mut self.repeats.deepest, self.frames.len()),
            spoilt: self.repeats.spoilt,
            objects: self.objects.changes(),
            visits: self.visits.len(),
            atoms: self.atoms,
            steps: self.steps,
            looked_through: self.looked_through,
        }
    }

    /// Keeps a call that was watched, if it can be repeated.
    pub(super) fn keep(&mut self, record: Record, result: &Val) {
        let watched = self.state.watched(&record.watch);
        let depth = self.repeats.deepest.saturating_sub(self.frames.len());
        self.repeats.deepest = self.repeats.deepest.max(record.deepest);
        let steps = self.steps - record.steps;
        if let Some(roots) = watched
            && steps >= STEPS_TO_KEEP
            && self.repeats.spoilt == record.spoilt
            && self.objects.changes() == record.objects
            && self.visits.len() == record.visits
            && !self.at_limit()
        {
            self.keep_watched(&record, roots, depth, steps, result);
        }
        let repeats = &mut self.repeats;
        repeats.open -= 1;
        if repeats.open == 0 {
            repeats.declared.clear();
            repeats.called.clear();
            repeats.forgot.clear();
            repeats.stored.clear();
            repeats.hit.clear();
            repeats.deepest = 0;
        }
    }

    fn keep_watched(
        &mut self,
        record: &Record,
        mut roots: BTreeSet<Root>,
        depth: usize,
        steps: u64,
        result: &Val,
    ) {
        // Variables of the call itself: another call has others.
        let own = &self.repeats.declared[record.declared..];
        let own: BTreeSet<Root> = own.iter().map(|&var| Root::Var(var)).collect();
        let mut changes = self.state.capture(record.mark);
        changes.retain(|place, _| !own.contains(&place.root));
        let leads_inside = |value: &Val| {
            value.alternatives().iter().any(|v| match v {
                Val::Pointer(place) => own.contains(&place.root),
                Val::Into(root) => own.contains(root),
                Val::Record(_) | Val::Closure(_) | Val::Tuple(_) => true,
                _ => false,
            })
        };
        if leads_inside(result) || changes.values().any(leads_inside) {
            return;
        }
        roots.retain(|root| !own.contains(root));
        let hit = self.repeats.hit[record.hit..].iter().copied();
        let hit: BTreeSet<Root> = hit.filter(|root| !own.contains(root)).collect();
        let mut types = self.repeats.stored[record.stored..].to_vec();
        types.sort_unstable();
        types.dedup();
        let changed: BTreeSet<Root> = changes.places().map(|place| place.root).collect();
        if !types.is_empty() {
            // Whether they are hit depends on what they hold.
            roots.extend(changed.difference(&hit).filter(|r| record.pointed.has(**r)));
        }
        let Some(before) = self.state.at_mark(record.mark, &roots, MOST_VALUES) else {
            return;
        };
        let mut open = BTreeMap::new();
        if !types.is_empty() {
            let others = changed.difference(&roots).copied().collect();
            let Some(others) = self.state.at_mark(record.mark, &others, MOST_VALUES) else {
                return;
            };
            for (root, content) in before.iter().chain(&others) {
                let hits = types.iter().map(|ty| self.may_hold(*root, content, *ty));
                let hits = match record.pointed.has(*root) {
                    true => hits.collect(),
                    false => Vec::new(),
                };
                open.insert(*root, hits);
            }
        }
        // What is as it was stays as it is then.
        changes.retain(|place, now| match before.get(&place.root) {
            Some(content) => content.slot(&place.path) != now,
            None => true,
        });
        let escaped = self.escaped.difference(&record.escaped).copied();
        let call = &record.call;
        let kept = Kept {
            call: Call {
                callee: call.callee,
                this: call.this.clone(),
                args: call.args.clone(),
                ..*call
            },
            before,
            escaped_before: record.escaped.clone(),
            forgot: self.repeats.forgot[record.forgot..].last().cloned(),
            stored: Stored { types, hit, open },
            called: self.repeats.called[record.called..]
                .iter()
                .copied()
                .collect(),
            depth,
            changes,
            escaped: escaped.filter(|root| !own.contains(root)).collect(),
            returns: self.state.reachable,
            result: result.clone(),
            atoms: (record.atoms, self.atoms),
            steps,
            looked_through: self.looked_through - record.looked_through,
        };
        let all = self.repeats.kept.entry(call.callee).or_default();
        if all.len() == MOST_KEPT {
            all.remove(0);
        }
        all.push(Rc::new(kept));
    }
}
