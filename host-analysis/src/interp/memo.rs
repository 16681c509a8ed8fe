//! Memoised calls: where a function is called again with the same arguments, and everything that
//! it looked at is as it was, its effects are repeated without following it.
//!
//! A call is kept if all that it did is a change of the store and its result. Calls that make or
//! change OpenCL objects or memory, note launches, or look at what was ever assigned, are followed
//! each time.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::{FnId, Interp};
use crate::content::Content;
use crate::location::{MemoryLocation, Root, RootSet, VarId};
use crate::number::Num;
use crate::state::{Delta, Watch};
use crate::value::Val;

/// Steps from which on it pays to keep a call.
const STEPS_TO_KEEP: u64 = 8;
/// Calls of a function that are watched although none of them was repeated.
const MOST_WATCHED: u32 = 6;
/// Steps after which a function that has nothing to do with OpenCL is not followed any more.
const STEPS_TO_TIRE: u64 = 5000;
/// Bytes of a body that takes as many steps, most likely: such a function is not even followed once.
const BYTES_TO_TIRE: u32 = 8000;
/// Bytes of a body from which on it pays to keep a call.
const BYTES_TO_KEEP: u32 = 1500;
/// Most calls of one function that are kept.
const MOST_KEPT: usize = 4;
/// Most values that a kept call may have looked at.
const MOST_VALUES: usize = 1000;

/// What decides whether a call is the same as one before, beside the store.
pub(super) struct Call {
    callee: FnId,
    this: Option<MemoryLocation>,
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

/// The type of what was stored, if it is known, and the statement.
type StoredType = (Option<Num>, Option<Span>);

/// Stores through pointers that are not followed: they change whatever pointers may point to, also
/// what the call has nothing to do with.
#[derive(Default)]
struct Stored {
    /// The types of what was stored, and the statement that did so last.
    types: Vec<StoredType>,
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
    /// It havocked what had escaped, for this reason.
    havocked: Option<Rc<str>>,
    /// What it stored through pointers that are not followed.
    stored: Stored,
    /// Functions that were called.
    called: BTreeSet<FnId>,
    /// What it assigned to what outlives its function, for handlers.
    assigned: BTreeMap<MemoryLocation, Val>,
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
    assigned: usize,
    havocked: usize,
    stored: usize,
    hit: usize,
    pointed: RootSet,
    deepest: usize,
    invalidations: u64,
    objects: u64,
    visits: usize,
    atoms: u32,
    steps: u64,
    looked_through: u64,
}

/// Steps, and calls of OpenCL.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    steps: u64,
    opencl: u64,
}

/// Calls that may be repeated.
#[derive(Default)]
pub(super) struct Memo {
    kept: BTreeMap<FnId, Vec<Rc<Kept>>>,
    /// Functions that took many steps to follow.
    long: BTreeSet<FnId>,
    /// Calls of OpenCL so far.
    opencl: u64,
    /// Steps that it took to follow a function where it called no OpenCL, all calls together.
    foreign: BTreeMap<FnId, u64>,
    /// The same when the program was last followed from its start.
    foreign_in_main: BTreeMap<FnId, u64>,
    /// How many calls of a function were watched since one was repeated.
    watched: BTreeMap<FnId, u32>,
    /// Calls that are being followed to be kept.
    open: u32,
    /// Variables of functions that were entered meanwhile.
    declared: Vec<VarId>,
    /// Functions that were called meanwhile.
    called: Vec<FnId>,
    /// What was assigned meanwhile to what outlives its function, where handlers may find it.
    assigned: Vec<(MemoryLocation, Val)>,
    /// Why what had escaped was havocked meanwhile, each time.
    havocked: Vec<Rc<str>>,
    /// Types of what was stored meanwhile through pointers that are not followed, and what was
    /// changed so.
    stored: Vec<StoredType>,
    hit: Vec<Root>,
    /// Most calls inside of each other meanwhile.
    deepest: usize,
    /// How often something happened meanwhile that cannot be repeated.
    invalidations: u64,
    /// No call is repeated, for comparison.
    #[cfg(test)]
    off: bool,
    /// How many calls were repeated.
    #[cfg(test)]
    repeated: u32,
}

impl Memo {
    /// Havocs the calls: they mean nothing when the program is followed from another function.
    pub fn clear(&mut self) {
        let before = std::mem::take(self);
        *self = Memo {
            long: before.long,
            foreign_in_main: before.foreign_in_main,
            watched: before.watched,
            #[cfg(test)]
            off: before.off,
            #[cfg(test)]
            repeated: before.repeated,
            ..Memo::default()
        };
    }

    /// The program is followed from its start: what took very long when it was followed so before
    /// is better not followed even once.
    pub fn enter_main(&mut self) {
        self.foreign.clone_from(&self.foreign_in_main);
        self.foreign.retain(|_, steps| *steps >= STEPS_TO_TIRE);
    }

    /// The program was followed from its start.
    pub fn leave_main(&mut self) {
        self.foreign_in_main = std::mem::take(&mut self.foreign);
    }

    /// What is followed looks at more than the store, or does more than changing it.
    pub fn invalidate(&mut self) {
        self.invalidations += 1;
    }

    pub fn note_opencl(&mut self) {
        self.opencl += 1;
    }

    pub fn note_entered(&mut self, id: FnId, depth: usize) {
        if self.open > 0 {
            self.called.push(id);
            self.deepest = self.deepest.max(depth);
        }
    }

    pub fn note_havoc(&mut self, reason: &str) {
        if self.open > 0 {
            self.havocked.push(Rc::from(reason));
        }
    }

    pub fn note_stored(&mut self, ty: Option<Num>, at: Option<Span>, hit: &[Root]) {
        if self.open > 0 {
            self.stored.push((ty, at));
            self.hit.extend(hit);
        }
    }

    pub fn note_assigned(&mut self, location: &MemoryLocation, value: &Val) {
        if self.open > 0 {
            self.assigned.push((location.clone(), value.clone()));
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
    pub(super) fn call_of(
        &self,
        callee: FnId,
        this: &Option<MemoryLocation>,
        args: Vec<Val>,
    ) -> Call {
        Call {
            callee,
            this: this.clone(),
            args,
            unroll_factor: self.walk.unroll_factor,
        }
    }

    /// How many bytes a function's body takes.
    fn length(&self, callee: FnId) -> u32 {
        let ast = &self.program.hosts[callee.host].parts[callee.part].ast;
        let body = ast.stmt(self.program.function(callee).body).span;
        body.end - body.start
    }

    /// Whether following a function takes so long that its calls should be kept.
    pub(super) fn takes_long(&self, callee: FnId) -> bool {
        self.memo
            .watched
            .get(&callee)
            .is_none_or(|n| *n < MOST_WATCHED)
            && (self.memo.long.contains(&callee) || self.length(callee) >= BYTES_TO_KEEP)
    }

    /// What was done so far.
    pub(super) fn effort(&self) -> Effort {
        Effort {
            steps: self.budget.steps,
            opencl: self.memo.opencl,
        }
    }

    /// Notes what it took to follow a function, since `before`.
    pub(super) fn note_effort(&mut self, callee: FnId, before: Effort) {
        let steps = self.budget.steps - before.steps;
        if steps < STEPS_TO_KEEP {
            return;
        }
        self.memo.long.insert(callee);
        if self.memo.opencl == before.opencl {
            *self.memo.foreign.entry(callee).or_default() += steps;
        }
    }

    /// Whether it took so long to follow a function, or it is so long, that calls of it are better
    /// not followed, as it has nothing to do with OpenCL: what it may change is havocked.
    pub(super) fn is_tedious(&mut self, callee: FnId) -> bool {
        let steps = self.memo.foreign.get(&callee);
        let tired = steps.is_some_and(|steps| *steps >= STEPS_TO_TIRE);
        (tired || self.length(callee) >= BYTES_TO_TIRE) && self.is_foreign(callee)
    }

    /// Repeats what a kept call did; gives its result.
    pub(super) fn memoised(&mut self, call: &Call) -> Option<Val> {
        #[cfg(test)]
        if self.memo.off {
            return None;
        }
        let kept = self.memo.kept.get(&call.callee)?;
        let kept = kept.iter().find(|k| k.call.is(call) && self.holds(k))?;
        let kept = kept.clone();
        self.memo.watched.insert(call.callee, 0);
        #[cfg(test)]
        {
            self.memo.repeated += 1;
        }
        let fresh = (kept.atoms.0, self.walk.atoms);
        self.walk.atoms += kept.atoms.1 - kept.atoms.0;
        let result = kept.result.renumbered(fresh);
        if let Some(reason) = &kept.havocked {
            let more = self.exposed.escaped.difference(&kept.escaped_before);
            for root in more.copied().collect::<Vec<_>>() {
                self.havoc_root(root, reason);
            }
        }
        let hit = self.store_again(&kept);
        self.state.apply(
            &kept.changes,
            |root| kept.before.contains_key(&root),
            |value| value.renumbered(fresh),
        );
        for (location, value) in &kept.assigned {
            self.note_tried(location, &value.renumbered(fresh));
        }
        self.state.reachable = kept.returns;
        self.exposed.escaped.extend(&kept.escaped);
        self.budget.steps += kept.steps;
        self.budget.looked_through += kept.looked_through;
        if self.memo.open > 0 {
            let deepest = self.walk.frames.len() + kept.depth;
            self.memo.deepest = self.memo.deepest.max(deepest);
            self.memo.called.extend(&kept.called);
            self.memo.havocked.extend(kept.havocked.clone());
            self.memo.stored.extend(&kept.stored.types);
            self.memo.hit.extend(&kept.stored.hit);
            self.memo.hit.extend(hit);
        }
        Some(result)
    }

    /// Whether everything is as it was before a kept call, as far as it matters.
    fn holds(&self, kept: &Kept) -> bool {
        // What has escaped since then is havocked too, if the call does not use it.
        let used = |root: &Root| {
            let changed = kept
                .changes
                .locations()
                .any(|location| location.root == *root);
            changed || kept.before.contains_key(root)
        };
        let mut more = self.exposed.escaped.difference(&kept.escaped_before);
        self.walk.frames.len() + kept.depth <= super::MAX_CALLS
            && !self
                .walk
                .frames
                .iter()
                .any(|f| kept.called.contains(&f.fn_id))
            && kept.escaped_before.is_subset(&self.exposed.escaped)
            && (kept.havocked.is_none() || !more.any(used))
            && self.is_open_to(kept)
            && kept.before.iter().all(|(r, c)| self.state.holds(*r, c))
    }

    /// Whether stores through pointers that are not followed reach what they reached before, as far
    /// as the call uses it.
    fn is_open_to(&self, kept: &Kept) -> bool {
        let stored = &kept.stored;
        let same = |root: Root, open: &Vec<bool>| match self.exposed.pointed.has(root) {
            true => {
                let mut types = stored.types.iter().zip(open);
                !open.is_empty() && types.all(|((ty, _), hit)| self.may_hit(root, *ty) == *hit)
            }
            false => open.is_empty(),
        };
        stored.open.iter().all(|(root, open)| same(*root, open))
    }

    /// Havocs what the stores of a kept call change beside what it uses; gives it.
    fn store_again(&mut self, kept: &Kept) -> Vec<Root> {
        let stored = &kept.stored;
        let hits = |root: Root| {
            let mut types = stored.types.iter().rev();
            let beside = !stored.open.contains_key(&root);
            let (_, at) = types.find(|(ty, _)| beside && self.may_hit(root, *ty))?;
            Some((root, *at))
        };
        let hit: Vec<_> = match stored.types.is_empty() {
            true => Vec::new(),
            false => self.exposed.pointed.iter().filter_map(hits).collect(),
        };
        let here = self.walk.at;
        for (root, at) in &hit {
            self.walk.at = *at;
            self.havoc_root(*root, super::pointers::REASON);
        }
        self.walk.at = here;
        hit.into_iter().map(|(root, _)| root).collect()
    }

    /// Starts to watch a call.
    pub(super) fn record(&mut self, call: Call) -> Record {
        self.memo.open += 1;
        Record {
            call,
            mark: self.state.mark(),
            watch: self.state.watch(),
            escaped: self.exposed.escaped.clone(),
            declared: self.memo.declared.len(),
            called: self.memo.called.len(),
            assigned: self.memo.assigned.len(),
            havocked: self.memo.havocked.len(),
            stored: self.memo.stored.len(),
            hit: self.memo.hit.len(),
            pointed: self.exposed.pointed.clone(),
            deepest: std::mem::replace(&mut self.memo.deepest, self.walk.frames.len()),
            invalidations: self.memo.invalidations,
            objects: self.objects.changes(),
            visits: self.trace.visits.len(),
            atoms: self.walk.atoms,
            steps: self.budget.steps,
            looked_through: self.budget.looked_through,
        }
    }

    /// Keeps a call that was watched, if it can be repeated.
    pub(super) fn keep(&mut self, record: Record, result: &Val) {
        let steps = self.budget.steps - record.steps;
        let wanted = steps >= STEPS_TO_KEEP
            && self.memo.invalidations == record.invalidations
            && self.objects.changes() == record.objects
            && self.trace.visits.len() == record.visits
            && !self.at_limit();
        let watched = self.state.watched(&record.watch, wanted);
        let depth = self.memo.deepest.saturating_sub(self.walk.frames.len());
        self.memo.deepest = self.memo.deepest.max(record.deepest);
        *self.memo.watched.entry(record.call.callee).or_default() += 1;
        if let Some(roots) = watched {
            self.keep_watched(&record, roots, depth, steps, result);
        }
        let memo = &mut self.memo;
        memo.open -= 1;
        if memo.open == 0 {
            memo.declared.clear();
            memo.called.clear();
            memo.assigned.clear();
            memo.havocked.clear();
            memo.stored.clear();
            memo.hit.clear();
            memo.deepest = 0;
        }
    }

    /// Variables of the call itself: another call has others.
    fn own_variables(&self, record: &Record) -> BTreeSet<Root> {
        let own = self.memo.declared[record.declared..].iter();
        own.map(|&var| Root::Var(var)).collect()
    }

    /// See [`Kept::assigned`].
    fn assigned_since(&self, record: &Record) -> BTreeMap<MemoryLocation, Val> {
        let mut assigned: BTreeMap<MemoryLocation, Val> = BTreeMap::new();
        for (location, value) in &self.memo.assigned[record.assigned..] {
            let all = assigned.entry(location.clone());
            all.and_modify(|before| *before = before.join(value))
                .or_insert_with(|| value.clone());
        }
        assigned
    }

    /// See [`Stored::types`].
    fn types_stored_since(&self, record: &Record) -> Vec<StoredType> {
        let mut types: Vec<StoredType> = Vec::new();
        for stored in &self.memo.stored[record.stored..] {
            types.retain(|(ty, _)| *ty != stored.0);
            types.push(*stored);
        }
        types
    }

    /// See [`Stored::open`], of variables and objects that held this.
    fn hits(
        &self,
        record: &Record,
        types: &[StoredType],
        held: &BTreeMap<Root, Content>,
    ) -> Vec<(Root, Vec<bool>)> {
        let of_root = |(root, content): (&Root, &Content)| {
            let hits = match record.pointed.has(*root) {
                true => types.iter(),
                false => [].iter(),
            };
            let hits = hits.map(|(ty, _)| self.may_hold(*root, content, *ty));
            (*root, hits.collect())
        };
        held.iter().map(of_root).collect()
    }

    /// Keeps a call that did nothing but change the store, unless its effects mean nothing in another.
    fn keep_watched(
        &mut self,
        record: &Record,
        mut roots: BTreeSet<Root>,
        depth: usize,
        steps: u64,
        result: &Val,
    ) {
        let own = self.own_variables(record);
        let mut changes = self.state.capture(record.mark);
        changes.retain(|location, _| !own.contains(&location.root));
        let assigned = self.assigned_since(record);
        let leads_inside = |value: &Val| leads_to(value, &own);
        let values = || changes.values().chain(assigned.values());
        if leads_inside(result) || values().any(leads_inside) {
            return;
        }
        roots.retain(|root| !own.contains(root));
        let hit = self.memo.hit[record.hit..].iter().copied();
        let hit: BTreeSet<Root> = hit.filter(|root| !own.contains(root)).collect();
        let types = self.types_stored_since(record);
        let changed: BTreeSet<Root> = changes.locations().map(|location| location.root).collect();
        if !types.is_empty() {
            // Whether they are hit depends on what they hold.
            roots.extend(changed.difference(&hit).filter(|r| record.pointed.has(**r)));
        }
        let Some(before) = self.state.at_mark(record.mark, &roots, MOST_VALUES) else {
            return;
        };
        let Some(open) = self.open(record, &types, &before, &changed) else {
            return;
        };
        // What is as it was stays as it is then.
        changes.retain(|location, now| match before.get(&location.root) {
            Some(content) => content.slot(&location.path) != now,
            None => true,
        });
        let escaped = self.exposed.escaped.difference(&record.escaped).copied();
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
            havocked: self.memo.havocked[record.havocked..].last().cloned(),
            stored: Stored { types, hit, open },
            called: self.memo.called[record.called..].iter().copied().collect(),
            assigned,
            depth,
            changes,
            escaped: escaped.filter(|root| !own.contains(root)).collect(),
            returns: self.state.reachable,
            result: result.clone(),
            atoms: (record.atoms, self.walk.atoms),
            steps,
            looked_through: self.budget.looked_through - record.looked_through,
        };
        let all = self.memo.kept.entry(call.callee).or_default();
        if all.len() == MOST_KEPT {
            all.remove(0);
        }
        all.push(Rc::new(kept));
    }

    /// See [`Stored::open`], of what held this before and of what was changed. `None`: that held too many values.
    fn open(
        &self,
        record: &Record,
        types: &[StoredType],
        before: &BTreeMap<Root, Content>,
        changed: &BTreeSet<Root>,
    ) -> Option<BTreeMap<Root, Vec<bool>>> {
        if types.is_empty() {
            return Some(BTreeMap::new());
        }
        let others = changed.iter().filter(|root| !before.contains_key(root));
        let others = others.copied().collect();
        let others = self.state.at_mark(record.mark, &others, MOST_VALUES)?;
        let before = self.hits(record, types, before);
        let others = self.hits(record, types, &others);
        Some(before.into_iter().chain(others).collect())
    }
}

/// Whether a value may lead to one of these roots.
fn leads_to(value: &Val, roots: &BTreeSet<Root>) -> bool {
    value.alternatives().iter().any(|v| match v {
        Val::Pointer(location) => roots.contains(&location.root),
        Val::Into(root) => roots.contains(root),
        Val::Record(_) | Val::Closure(_) | Val::Tuple(_) => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::syntax::{HostFile, Language};
    use fpgacc_frontend::source::SourceMap;

    use super::Interp;
    use crate::report;

    /// The facts of a host, and how many calls were repeated.
    fn facts(text: &str, off: bool) -> (String, u32) {
        let mut sources = SourceMap::new();
        let file = sources.add("h.c", text);
        let hosts = [HostFile::parse(&sources, file, &[], None, Language::C)];
        let mut interp = Interp::new(&hosts, &sources);
        interp.memo.off = off;
        interp.run();
        let repeated = interp.memo.repeated;
        (
            format!("{:#?}", report::report(&interp, &hosts, &sources).facts),
            repeated,
        )
    }

    /// `used` is called several times in `main`; some of its calls are repeated, and that changes
    /// nothing but where something came to be unknown.
    fn check(functions: &str, main: &str) {
        // Long enough to be kept.
        let long = "  s = s * 3 + 1; s = s ^ 7; s = s + n; s = s % 1000;\n".repeat(40);
        let functions = functions.replace("LONG", &long);
        let text = format!(
            "typedef unsigned long size_t;\nint n, *global, other; float f;\n{functions}\n\
             int main(int argc, char **argv) {{ n = atoi(argv[1]); size_t g = 64, l = 1;\n{main}\n}}"
        );
        let (followed, none) = facts(&text, true);
        let (repeated, some) = facts(&text, false);
        assert_eq!(repeated, followed, "{text}");
        assert!(none == 0 && some > 0, "{some} calls repeated:\n{text}");
    }

    const LAUNCH: &str = "clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0);";

    #[test]
    fn results_are_as_if_followed() {
        let used = "int used(int a) { int s = a;\nLONG  return s < 0 ? 4 : 8; }";
        let twice = "l = used(1); LAUNCH l = used(1) + used(1); LAUNCH l = used(2); LAUNCH";
        check(used, &twice.replace("LAUNCH", LAUNCH));
    }

    #[test]
    fn changes_of_variables_are_as_if_followed() {
        let used = "void used(int by) { int s = by;\nLONG  other = other + by; }";
        let main = "other = 1; used(1); l = other; LAUNCH other = 1; used(1); l = other; LAUNCH \
                    used(1); l = other; LAUNCH other = 1; used(2); l = other; LAUNCH";
        check(used, &main.replace("LAUNCH", LAUNCH));
    }

    #[test]
    fn questions_are_as_if_followed() {
        let used = "void used(cl_event e, size_t *to) { int s = n;\nLONG  \
                    clGetEventProfilingInfo(e, 1, 8, to, 0); clReleaseEvent(e); other = 8; }";
        let main = "cl_event e = 0; size_t b = 4; other = 1; used(e, &b); l = b; LAUNCH \
                    b = 4; other = 2; used(e, &b); l = b; LAUNCH l = other; LAUNCH \
                    b = 4; used(e, &b); used(e, &b); l = b; LAUNCH used(e, &l); LAUNCH";
        check(used, &main.replace("LAUNCH", LAUNCH));
    }

    #[test]
    fn stores_through_lost_pointers_are_as_if_followed() {
        let used = "void used(int **p) { int s = n;\nLONG  *p[s] = s; }";
        // What pointers point to may change in each call, whether or not the call uses it.
        let main = "int a = 4, b = 8, c = 2; int *pa = &a; used(&global); l = a; LAUNCH \
                    a = 4; used(&global); l = a; LAUNCH l = b; LAUNCH \
                    int *pb = &b; used(&global); l = b; LAUNCH \
                    a = b = 16; used(&global); used(&global); l = a; LAUNCH l = b; LAUNCH \
                    l = c; LAUNCH";
        check(used, &main.replace("LAUNCH", LAUNCH));
    }

    #[test]
    fn stores_of_other_types_are_as_if_followed() {
        let used = "void used(float **p) { int s = n;\nLONG  *p[s] = 1.5f; }";
        let main = "int a = 4; float x = 2; int *pa = &a; float *px = &x; float *q0; \
                    used(&q0); l = a; LAUNCH l = x; LAUNCH x = 4; used(&q0); l = a; LAUNCH \
                    l = x; LAUNCH used(&q0); x = 4; used(&q0); l = x; LAUNCH";
        check(used, &main.replace("LAUNCH", LAUNCH));
    }

    /// The local size of a launch after calls of a function of so many lines that sets it to 4.
    fn after_a_long_function(lines: usize, extra: &str, calls: &str) -> String {
        let long = "s = s * 3 + 1; s = s ^ n; s = s % 1000;\n".repeat(lines);
        let text = format!(
            "typedef unsigned long size_t;\nint n, size;\n\
             int used(int s) {{\n{long} {extra} size = s > 0 ? 4 : 4; return s; }}\n\
             int main(int argc, char **argv) {{ n = atoi(argv[1]); size_t g = 64, l = 1;\n\
             size = 8; {calls} l = size; {LAUNCH}\n}}"
        );
        let (facts, _) = facts(&text, true);
        let local = facts.split_once("local:").expect("a launch").1;
        local.lines().take(6).collect()
    }

    fn is_known(local: &str) -> bool {
        assert_ne!(
            local.contains("Symbolic"),
            local.contains("Const"),
            "{local}"
        );
        local.contains("Const")
    }

    #[test]
    fn what_a_tedious_function_changes_is_not_known() {
        let thrice = "used(n); used(n + 1); used(n + 2);";
        assert!(is_known(&after_a_long_function(180, "", "used(n);")));
        assert!(!is_known(&after_a_long_function(180, "", thrice)));
        // It does something that matters: it is followed however long it takes.
        assert!(is_known(&after_a_long_function(
            180,
            "clFinish(q);",
            thrice
        )));
    }

    #[test]
    fn what_a_very_long_function_changes_is_not_known() {
        assert!(!is_known(&after_a_long_function(1000, "", "used(n);")));
        let followed = after_a_long_function(1000, "clFinish(q);", "used(n);");
        assert!(is_known(&followed));
    }
}
