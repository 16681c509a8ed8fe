//! Which reads of a nest become windows.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{Expr, ExprId, FunctionId, Module, Stmt, VarId};
use fpgacc_kernel_analysis::accesses::{Access, Accesses, Summaries};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::indices::Indices;
use fpgacc_kernel_analysis::location::is_loop;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::Nests;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::trip_count::Constants;

use super::Options;
use super::address::{Reach, position};
use super::guard::Guard;
use super::nests::{Level, chain};
use super::reads::{Read, Reader};
use super::slots::{Tap, Window};
use super::steps;
use super::walk::{self, Walk};
use super::when::{Branch, Interval, When};
use crate::options::OwnOptions;
use crate::pass::Note;

/// A nest with windows.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The outermost loop's index among the loops of the function, outer ones first.
    pub root: usize,
    /// Loops in it, itself counted.
    pub loops: usize,
    /// How it runs, and its windows.
    pub walk: Walk,
    /// Reads of memory an iteration less.
    pub saved: usize,
    /// Iterations in all.
    pub iterations: i128,
    /// What is rewritten.
    pub done: Vec<Note>,
    /// Why it does not do several launches in a row, if it was to.
    pub unlike: Option<Note>,
}

/// Reads of one array that differ by constants only.
struct Group {
    array: VarId,
    /// By how many elements each loop moves on, the outermost first.
    strides: Vec<i128>,
    /// What their indices have beside that and constants.
    rest: Poly,
    /// By read: where it may read.
    reads: BTreeMap<ExprId, Vec<(i128, Reach)>>,
}

/// What is known of a nest.
struct OfNest<'n> {
    reads: &'n BTreeMap<ExprId, Read>,
    /// When each `if` in it is reached.
    ifs: &'n [When],
    /// The counters of its loops, by their numbers.
    names: &'n [VarId],
    /// All that it accesses.
    region: &'n Accesses,
    /// The first and last value of each counter, where they are constants.
    values: Option<&'n [(i128, i128)]>,
}

/// Looks for windows.
pub struct Planner<'a> {
    aliases: &'a Aliases<'a>,
    nests: &'a Nests<'a>,
    constants: &'a Constants<'a>,
    summaries: &'a Summaries,
    /// The most elements that a window may have.
    most: i128,
    /// Elements that a nest moves on in an iteration, where it can.
    lanes: i128,
    /// Launches that it does in a row, where it can.
    stages: i128,
    found: Vec<Planned>,
    missed: BTreeMap<VarId, Note>,
}

/// What becomes of a function: nests, and why others stay.
pub fn plan(
    module: &Module,
    id: FunctionId,
    summaries: &Summaries,
    called: &BTreeSet<FunctionId>,
    options: &Options,
) -> (Vec<Planned>, Vec<Note>) {
    let function = &module.functions[id];
    let Some(body) = loops::structured_body(function) else {
        return Default::default();
    };
    let aliases = Aliases::new(module, id, called);
    let mut planner = Planner {
        aliases: &aliases,
        nests: &Nests::of(module, function),
        constants: &Constants::new(module, function),
        summaries,
        most: i128::from(options.elements),
        lanes: i128::from(options.lanes.max(1)),
        stages: i128::from(options.steps),
        found: Vec::new(),
        missed: BTreeMap::new(),
    };
    planner.list(&body.stmts, &mut 0, 1);
    planner.finish()
}

impl<'a> Planner<'a> {
    /// All loops of a list; those around run so many iterations.
    fn list(&mut self, stmts: &[Stmt], seen: &mut usize, around: i128) {
        for stmt in stmts {
            let mut inside = around;
            if is_loop(stmt) {
                let levels = chain(
                    &self.aliases.module.types,
                    self.aliases.function,
                    self.constants,
                    stmt,
                );
                for depth in (1..=levels.len()).rev() {
                    let is_whole = depth == levels.len();
                    self.propose(*seen, &levels[..depth], around, is_whole);
                }
                *seen += 1;
                let values = levels.first().and_then(|level| level.values);
                inside *= values.map_or(1, |(first, last)| last - first + 1);
            }
            for list in stmt.lists() {
                self.list(list, seen, inside);
            }
        }
    }

    /// The windows of a nest with these loops; `is_whole`: the innermost holds others.
    fn propose(&mut self, root: usize, levels: &[Level<'_>], around: i128, is_whole: bool) {
        let stmt = levels[0].stmt;
        let mut indices = Indices::new(self.aliases, self.nests, stmt);
        indices.follow(stmt);
        let Some((numbers, values)) = counters(&indices, levels) else {
            return;
        };
        let counters = numbers
            .iter()
            .copied()
            .zip(values.clone().unwrap_or_default());
        let counters: BTreeMap<usize, Interval> = counters.collect();
        let all = When::always(counters.clone());
        let (aliases, constants) = (self.aliases, self.constants);
        let mut reader = Reader::new(aliases, &mut indices, constants, counters.clone());
        let innermost = &levels[levels.len() - 1];
        reader.list(innermost.body(), all.clone());
        reader.anchor(&numbers);
        let reads = std::mem::take(&mut reader.reads);
        let counting = reader.indices.counting.iter();
        let names: Vec<VarId> = counting.map(|c| c.header.counter).collect();
        let region = Accesses::of_loop(self.aliases, self.summaries, stmt);
        let of_nest = OfNest {
            reads: &reads,
            ifs: &reader.ifs,
            names: &names,
            region: &region,
            values: values.as_deref(),
        };
        let Some((strides, windows)) = self.most_saved(&numbers, &of_nest, is_whole) else {
            return;
        };
        let (array, first) = (windows[0].array, windows[0].reads[0].0);
        let saved = saved(&windows);
        let how = (self.lanes, self.stages > 1);
        let decide = |values: Option<&[Interval]>| {
            walk::decide(levels, &strides, windows.clone(), values, how)
        };
        let guard = Guard::of(aliases.function, innermost.body());
        let guard = guard.filter(|_| levels.len() > 1);
        let fewer = |guard| fewer(&mut reader, all, guard, &numbers);
        let (mut walk, values) = match guarded(decide, values, guard, fewer) {
            Ok(decided) => decided,
            Err(reason) => return self.miss(&[(first, Vec::new())].into(), array, reason),
        };
        walk.copied = copied(&walk, &numbers, &names);
        if walk.levels.len() > 1 {
            let is_moving = |poly: &Poly| moves_by(poly, &numbers, &strides);
            walk.moving = reader.moving(innermost.body(), &is_moving);
        }
        let unlike = values.filter(|_| self.stages > 1).and_then(|values| {
            let nest = steps::Nest {
                aliases: self.aliases,
                summaries: self.summaries,
                levels,
                values: &values,
                region: &region,
                numbers: &numbers,
            };
            let row = nest.in_a_row(&walk, &reads, &reader.stores, self.stages);
            match row {
                Ok(row) => walk.in_a_row(row),
                Err(reason) => return Some(self.unlike(stmt, &reason)),
            }
            None
        });
        walk.meanings = reader.indices.meanings().to_vec();
        walk.counters = names;
        walk.numbers = numbers;
        self.found.push(Planned {
            root,
            loops: loops::count(stmt),
            saved,
            iterations: walk.iterations.saturating_mul(around),
            done: self.notes(&walk),
            unlike,
            walk,
        });
    }

    /// The strides whose windows save the most reads, and these windows. `is_whole`: nobody looked at an inner
    /// nest before.
    fn most_saved(
        &mut self,
        numbers: &[usize],
        nest: &OfNest<'_>,
        is_whole: bool,
    ) -> Option<(Vec<i128>, Vec<Window>)> {
        let mut walks: BTreeMap<Vec<i128>, Vec<Window>> = BTreeMap::new();
        for group in groups(nest.reads, numbers) {
            if group.distances().len() < 2 {
                continue;
            }
            match self.windows(&group, nest) {
                Ok(windows) => walks.entry(group.strides).or_default().extend(windows),
                // Of what stays, or of an inner loop that is copied, nobody expects anything.
                Err(_) if !is_whole || group.strides.last() == Some(&0) => {}
                Err(reason) => self.miss(&group.reads, group.array, reason),
            }
        }
        // Of those that save the same, the first.
        let better =
            |best: (Vec<i128>, Vec<Window>), next: (Vec<i128>, Vec<Window>)| match saved(&next.1)
                > saved(&best.1)
            {
                true => next,
                false => best,
            };
        let best = walks.into_iter().reduce(better);
        best.filter(|(_, windows)| !windows.is_empty())
    }

    /// The windows of a group.
    fn windows(&self, group: &Group, nest: &OfNest<'_>) -> Result<Vec<Window>, String> {
        let OfNest {
            reads,
            ifs,
            names,
            region,
            values,
        } = *nest;
        if group.strides.last() != Some(&1) {
            return Err("it is not read element by element".to_string());
        }
        if region.synchronises.is_some() {
            return Err("memory is synchronised in the loop".to_string());
        }
        if let Some(first) = group.reads.keys().next()
            && self.is_written(*first, region)
        {
            return Err("another access in the loop may write to it".to_string());
        }
        let sure = group
            .sure(values.is_some(), ifs)
            .ok_or("no iteration is sure to read it")?;
        let is_inside = |(offset, reach): &(i128, Reach)| match values {
            Some(_) => {
                let (first, last) = reach.when.span(&group.strides);
                first + offset >= sure.0 && last + offset <= sure.1
            }
            None => (sure.0..=sure.1).contains(offset),
        };
        let inside = group.reads.iter();
        let inside: Vec<_> = inside
            .filter(|(_, reaches)| reaches.iter().any(is_inside))
            .collect();
        let offsets = inside.iter().flat_map(|(_, reaches)| reaches.iter());
        let offsets = offsets.filter(|reach| is_inside(reach));
        let offsets: BTreeSet<i128> = offsets.map(|(offset, _)| *offset).collect();
        if offsets.len() < 2 {
            return Err("it may be read where no iteration is sure to".to_string());
        }
        let mut windows = Vec::new();
        let mut taken = BTreeSet::new();
        for hull in clusters(&offsets, self.most) {
            let is_in = |(offset, _): &(i128, Reach)| (hull.0..=hull.1).contains(offset);
            // Of a choice the other may be read from memory as before.
            let is_near = |id: &ExprId, reaches: &[(i128, Reach)]| {
                let is_fit = |reach: &(i128, Reach)| match is_in(reach) {
                    true => is_inside(reach),
                    false => reach.1.expr.is_some() && reach.1.copies.is_empty(),
                };
                !taken.contains(id) && reaches.iter().any(is_in) && reaches.iter().all(is_fit)
            };
            let near = inside.iter();
            let near: Vec<_> = near
                .filter(|(id, reaches)| is_near(id, reaches))
                .copied()
                .collect();
            let window = self.window(group, (hull, sure), &near, reads, names);
            let own = window.iter().flat_map(|window| &window.reads);
            taken.extend(own.map(|(id, _)| *id));
            windows.extend(window);
        }
        if windows.is_empty() {
            let most = self.most;
            return Err(format!("more than {most} elements lie between its reads"));
        }
        Ok(windows)
    }

    fn window(
        &self,
        group: &Group,
        (hull, sure): ((i128, i128), (i128, i128)),
        near: &[(&ExprId, &Vec<(i128, Reach)>)],
        reads: &BTreeMap<ExprId, Read>,
        names: &[VarId],
    ) -> Option<Window> {
        let exprs = &self.aliases.function.exprs;
        let all = near.iter().flat_map(|(_, reaches)| reaches.iter());
        let all = all.filter(|(offset, _)| (hull.0..=hull.1).contains(offset));
        let offsets: BTreeSet<i128> = all.clone().map(|(offset, _)| *offset).collect();
        let hull = (*offsets.first()?, *offsets.last()?);
        let mut taps: BTreeMap<i128, Tap> = BTreeMap::new();
        for (offset, reach) in all {
            let Some(index) = reach.expr else { continue };
            let copies = reach.copies.iter().map(|(at, value)| (names[*at], *value));
            taps.entry(*offset).or_insert_with(|| Tap {
                offset: *offset,
                index,
                copies: copies.collect(),
            });
        }
        let first = **near.first().map(|(id, _)| id)?;
        let is_long = |(id, _): &(&ExprId, &Vec<(i128, Reach)>)| match *exprs.get(**id) {
            Expr::Index { index, .. } => {
                let scalar = self.aliases.module.types.as_scalar(exprs.ty(index));
                scalar.is_none_or(|scalar| scalar.size() > 4)
            }
            _ => true,
        };
        (offsets.len() > 1).then(|| Window {
            array: group.array,
            element: exprs.ty(first),
            rest: group.rest.clone(),
            is_long: near.iter().any(is_long),
            hull,
            sure,
            distances: offsets.len(),
            taps: taps.into_values().collect(),
            reads: near
                .iter()
                .map(|(id, _)| (**id, reads[*id].address.clone()))
                .collect(),
        })
    }

    /// Whether a loop may write what it reads here.
    fn is_written(&self, read: ExprId, region: &Accesses) -> bool {
        let access = Access {
            at: read,
            write: false,
            roots: self.aliases.lvalue_roots(read),
            space: self.aliases.lvalue_space(read),
            // Any of its elements.
            exact: false,
        };
        region
            .writes()
            .any(|write| self.aliases.may_overlap(write, &access))
    }

    /// What is said of windows that are made; the first one names the form.
    fn notes(&self, walk: &Walk) -> Vec<Note> {
        let windows = walk.windows.iter();
        let mut notes: Vec<Note> = windows.map(|window| self.note(walk, window)).collect();
        if let Some(first) = notes.first_mut() {
            first.form = Some(form(walk));
        }
        notes
    }

    fn note(&self, walk: &Walk, window: &Window) -> Note {
        let function = self.aliases.function;
        let name = &function.vars[window.array].name;
        let mut text = format!(
            "'{name}' is read once; {} elements are taken from a window of {}",
            window.distances,
            window.elements()
        );
        if walk.lanes > 1 {
            text += &format!(", {} at a time", walk.lanes);
        }
        if let Some(row) = walk.row.as_ref().filter(|row| row.from == window.array) {
            let to = &function.vars[row.to].name;
            text += &format!(
                ", for up to {} launches in a row that exchange it and '{to}'",
                row.stages
            );
        }
        Note::new(text, function.exprs.span(window.reads[0].0))
    }

    fn unlike(&self, stmt: &Stmt, reason: &str) -> Note {
        let text = format!("launches are not done in a row: {reason}");
        Note::new(text, stmt.span)
    }

    fn miss(&mut self, reads: &BTreeMap<ExprId, Vec<(i128, Reach)>>, array: VarId, reason: String) {
        let function = self.aliases.function;
        let name = &function.vars[array].name;
        let span = reads.keys().find_map(|id| function.exprs.span(*id));
        let text = format!("'{name}' is not read through a window: {reason}");
        let note = Note::new(text, span);
        self.missed.entry(array).or_insert(note);
    }

    /// The best that do not overlap, in the order of the text, and what has none.
    fn finish(mut self) -> (Vec<Planned>, Vec<Note>) {
        let key = |p: &Planned| (std::cmp::Reverse(p.saved), p.iterations, p.root);
        self.found.sort_by_key(key);
        let mut chosen: Vec<Planned> = Vec::new();
        for planned in self.found {
            let meets = |other: &Planned| {
                planned.root < other.root + other.loops && other.root < planned.root + planned.loops
            };
            if !chosen.iter().any(meets) {
                chosen.push(planned);
            }
        }
        chosen.sort_by_key(|planned| planned.root);
        let done = chosen.iter().flat_map(|planned| &planned.walk.windows);
        let done: BTreeSet<VarId> = done.map(|window| window.array).collect();
        let missed = self.missed.into_iter();
        let missed = missed.filter(|(array, _)| !done.contains(array));
        (chosen, missed.map(|(_, note)| note).collect())
    }
}

/// Whether an address moves by these strides with these counters.
fn moves_by(address: &Poly, numbers: &[usize], strides: &[i128]) -> bool {
    let own = numbers.iter().map(|at| address.coefficient(Sym::Iter(*at)));
    let own: Option<Vec<i128>> = own.map(|by| by?.as_constant()).collect();
    own.as_deref() == Some(strides)
}

/// What forms with these windows are called by.
fn form(walk: &Walk) -> String {
    let is_long = |window: &Window| window.elements() > i128::from(Options::DEFAULT.elements);
    let mut form = match walk.windows.iter().any(is_long) {
        true => "long windows".to_string(),
        false => "windows".to_string(),
    };
    if walk.lanes > 1 {
        form += &format!(", {} at a time", walk.lanes);
    }
    if let Some(row) = &walk.row {
        form += &format!(", {} launches in a row", row.stages);
    }
    form
}

/// The first and the last value of each counter of a nest in the iterations that a guard lets pass, if it lets all
/// between them pass.
fn fewer(
    reader: &mut Reader<'_, '_>,
    all: When,
    guard: Guard,
    numbers: &[usize],
) -> Option<Vec<Interval>> {
    let when = reader.assume(all, guard.cond, guard.passes);
    let values = numbers.iter().map(|at| when.counters.get(at).copied());
    values
        .collect::<Option<_>>()
        .filter(|_| when.is_exact && !when.is_never)
}

/// Reads of memory that windows save in an iteration.
fn saved(windows: &[Window]) -> usize {
    windows.iter().map(|window| window.distances - 1).sum()
}

/// Reads by what they differ in by constants only.
fn groups(reads: &BTreeMap<ExprId, Read>, numbers: &[usize]) -> Vec<Group> {
    let mut groups: BTreeMap<(VarId, Vec<i128>, Poly), Group> = BTreeMap::new();
    for (id, read) in reads {
        let positions = read
            .reaches
            .iter()
            .map(|reach| position(&reach.poly, numbers));
        let Some(positions) = positions.collect::<Option<Vec<_>>>() else {
            continue;
        };
        let Some((strides, rest, _)) = positions.first() else {
            continue;
        };
        if !positions.iter().all(|(s, r, _)| s == strides && r == rest) {
            continue;
        }
        let key = (read.array, strides.clone(), rest.clone());
        let group = groups.entry(key).or_insert_with(|| Group {
            array: read.array,
            strides: strides.clone(),
            rest: rest.clone(),
            reads: BTreeMap::new(),
        });
        let offsets = positions.iter().map(|(_, _, offset)| *offset);
        let reaches = offsets.zip(read.reaches.iter().cloned()).collect();
        group.reads.insert(*id, reaches);
    }
    groups.into_values().collect()
}

impl Group {
    fn all(&self) -> impl Iterator<Item = &(i128, Reach)> {
        self.reads.values().flatten()
    }

    fn distances(&self) -> BTreeSet<i128> {
        self.all().map(|(offset, _)| *offset).collect()
    }

    /// The distances that are read whichever way an `if` goes.
    fn in_both_branches(&self, of: usize) -> BTreeSet<i128> {
        let [then, otherwise] = [true, false].map(|holds| {
            let branch = Some(Branch { of, holds });
            let own = self.all().filter(|(_, reach)| reach.when.branch == branch);
            own.map(|(offset, _)| *offset).collect::<BTreeSet<i128>>()
        });
        then.intersection(&otherwise).copied().collect()
    }

    /// Between these the original is sure to read.
    fn sure(&self, is_constant: bool, ifs: &[When]) -> Option<(i128, i128)> {
        let reaches = self.all().filter(|(_, reach)| match is_constant {
            true => reach.when.is_exact,
            false => reach.when.is_always,
        });
        let reaches = reaches.map(|(offset, reach)| (*offset, &reach.when));
        let either = ifs.iter().enumerate().filter(|(_, when)| {
            let is_sure = when.is_exact && !when.is_never;
            is_constant && is_sure
        });
        let either = either.flat_map(|(of, when)| {
            let offsets = self.in_both_branches(of).into_iter();
            offsets.map(move |offset| (offset, when))
        });
        let spans = reaches.chain(either).map(|(offset, when)| {
            let (first, last) = when.span(&self.strides);
            (first + offset, last + offset)
        });
        spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

/// Distances that fit into one window of at most so many elements, as few windows as possible.
fn clusters(offsets: &BTreeSet<i128>, most: i128) -> Vec<(i128, i128)> {
    let mut found: Vec<(i128, i128)> = Vec::new();
    for offset in offsets {
        match found.last_mut() {
            Some(last) if offset - last.0 < most => last.1 = *offset,
            _ => found.push((*offset, *offset)),
        }
    }
    found
}

/// The counters of loops that are copied, which windows' addresses are made of.
fn copied(walk: &Walk, numbers: &[usize], names: &[VarId]) -> BTreeMap<usize, VarId> {
    let mut copied = BTreeSet::new();
    for (_, address) in walk.windows.iter().flat_map(|window| &window.reads) {
        address.counters(&mut copied);
    }
    copied.retain(|at| !numbers.contains(at));
    copied.iter().map(|at| (*at, names[*at])).collect()
}

/// The numbers of a nest's counters, and the values of each where all are known and no iteration may be the last one.
/// `None`: it has no windows.
fn counters(
    indices: &Indices<'_>,
    levels: &[Level<'_>],
) -> Option<(Vec<usize>, Option<Vec<Interval>>)> {
    let number = |level: &Level<'_>| {
        let mut counting = indices.counting.iter();
        counting.position(|c| c.header.counter == level.header.counter && c.step == Some(1))
    };
    let numbers: Vec<usize> = levels.iter().map(number).collect::<Option<_>>()?;
    let ends = levels.iter().any(Level::may_end);
    let values: Option<Vec<_>> = levels.iter().map(|level| level.values).collect();
    let values = values.filter(|_| !ends);
    (values.is_some() || levels.len() == 1).then_some((numbers, values))
}

/// How a nest is walked, with these values of its counters, or with the fewer for which a guard lets an iteration do
/// something.
fn guarded(
    decide: impl Fn(Option<&[Interval]>) -> Result<Walk, String>,
    values: Option<Vec<Interval>>,
    guard: Option<Guard>,
    fewer: impl FnOnce(Guard) -> Option<Vec<Interval>>,
) -> Result<(Walk, Option<Vec<Interval>>), String> {
    let reason = match decide(values.as_deref()) {
        Ok(walk) => return Ok((walk, values)),
        Err(reason) => reason,
    };
    let fewer = guard.and_then(fewer).ok_or(reason.clone())?;
    match decide(Some(&fewer)) {
        Ok(walk) => Ok((Walk { guard, ..walk }, Some(fewer))),
        Err(_) => Err(reason),
    }
}
