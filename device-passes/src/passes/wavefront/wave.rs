//! What several loops do as one wave, and from where each value that it reads comes.

use fpgacc_frontend::ir::{ExprId, VarId};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::location::{Refusal, refuse};

use super::element::Rolling;
use super::held::inequalities;
use super::nest::Scope;
use super::phase::{Own, Phase, Table};
use super::same::Bodies;
use super::space::{Affine, Vector, follows, is_empty, within};

/// The most lanes: each is hardware of its own.
const MOST_LANES: i128 = 256;
/// The oldest value that is kept, in steps.
const OLDEST: i128 = 4;
/// Lanes begin so many steps after each other at most.
const MOST_SKEW: i128 = 2;

/// A wave. Its points are those of the box of times and lanes where all guards hold.
pub struct Wave {
    /// Steps.
    pub times: i128,
    /// Lanes.
    pub lanes: i128,
    /// The number of the first phase's iteration that a point is.
    pub iteration: Affine,
    /// What must hold beside the box.
    pub guards: Vec<Affine>,
    /// What of this says that lanes have begun, and have not ended: all that is done is done there.
    pub run: Vec<Affine>,
    /// What becomes of reads.
    pub reads: Vec<Read>,
    /// Whether a lane's registers begin with what was in memory, for each table.
    pub begun: Vec<bool>,
}

/// A read of the array.
pub struct Read {
    /// The expression.
    pub expr: ExprId,
    /// Which of the tables it reads.
    pub table: usize,
    /// From which point the value comes if `there` holds; `None`: from memory, always.
    pub from: Option<Vector>,
    /// What must hold beside the wave's guards; else it is what was in memory before.
    pub there: Vec<Affine>,
}

impl Wave {
    /// Of loops that follow each other.
    ///
    /// # Errors
    /// They are none.
    pub fn of(scope: &Scope<'_>, phases: &[Phase]) -> Result<Self, Refusal> {
        let [first, ..] = phases else {
            return Err(refuse("there are no loops"));
        };
        let lanes = i128::from(first.counts[1].trips);
        let times: i128 = phases.iter().map(times_of).sum();
        if !(2..=MOST_LANES).contains(&lanes) || times < 2 {
            return Err(refuse(format!(
                "it has {lanes} lanes, of 2 to {MOST_LANES} that may be"
            )));
        }
        let mut start = 0;
        let mut places = Vec::new();
        for phase in phases {
            places.push(Place::of(phase, first, start)?);
            start += times_of(phase);
        }
        let mut bodies = Bodies::of(scope, first);
        for (phase, place) in phases.iter().zip(&places).skip(1) {
            let arrays = |phase: &Phase| phase.tables.iter().map(|table| table.array).collect();
            let [own, others]: [Vec<VarId>; 2] = [arrays(first), arrays(phase)];
            if own != others || !bodies.are_same(phase, place.renamed()) {
                return Err(refuse("the next loop does not do the same"));
            }
        }
        let guards = united(phases, &places, (times, lanes))?;
        let wave = Wave {
            times,
            lanes,
            iteration: Affine::TIME,
            guards,
            run: Vec::new(),
            reads: Vec::new(),
            begun: vec![false; first.tables.len()],
        };
        wave.with_reads(first)
    }

    /// With the reads of the first phase, and lanes that begin as late as these need.
    fn with_reads(mut self, phase: &Phase) -> Result<Self, Refusal> {
        let points = self.points();
        // Other arrays may be written where not all guards hold.
        let all = within(self.times, self.lanes);
        let tables = phase.tables.iter().filter(|table| table.rolling.is_none());
        let tables = tables.map(|table| (table.at, [&points[..], &table.held].concat()));
        let others = phase
            .stored
            .iter()
            .map(|(at, held)| (*at, [&all[..], held].concat()));
        let mut stored = tables.chain(others);
        if stored.any(|(at, points)| self.meets_itself(at, &points)) {
            return Err(refuse("it may store an element twice"));
        }
        let mut begun = vec![false; phase.tables.len()];
        let sources = phase.reads.iter().map(|read| {
            let held = inequalities(&read.held, &points);
            let table = &phase.tables[read.table];
            let stored = [&points[..], &table.held].concat();
            let read_at = [&points[..], &held].concat();
            let from = match table.rolling {
                None => self.source(table, read, (&read_at, &stored)),
                Some(rolling) => self.in_rows((table, rolling), read, (&read_at, &stored)),
            };
            let from = from.map_err(|reason| Refusal {
                reason: reason.to_string(),
                also: Some((read.expr, "read here")),
            })?;
            let starts = from.map(|from| Affine::TIME.moved(from));
            if table.rolling.is_some() && starts.is_some_and(|start| !follows(&read_at, start)) {
                begun[read.table] = true;
            }
            Ok((read, from, held))
        });
        let sources = sources.collect::<Result<Vec<_>, Refusal>>()?;
        self.begun = begun;
        let is_other = |from: &Vector| *from != Vector::HERE;
        let vectors = || {
            sources
                .iter()
                .filter_map(|(_, from, _)| from.filter(is_other))
        };
        if vectors().next().is_none() {
            return Err(refuse("it reads nothing that it stores"));
        }
        let skew = (0..=MOST_SKEW).find(|by| vectors().all(|from| from.time + by * from.lane < 0));
        let Some(skew) = skew else {
            return Err(refuse("lanes wait for each other both ways"));
        };
        self.skew(skew);
        let points = self.points();
        for (read, from, held) in sources {
            let from = from.map(|from| Vector {
                time: from.time + skew * from.lane,
                lane: from.lane,
            });
            if from.is_some_and(|from| from.time < -OLDEST) {
                return Err(refuse(format!(
                    "it reads what is older than {OLDEST} steps"
                )));
            }
            let mut known = points.clone();
            known.extend(held.into_iter().map(|one| skewed(one, skew)));
            let table = &phase.tables[read.table];
            let there = from.map_or(Vec::new(), |from| self.there(from, (table, skew), known));
            self.reads.push(Read {
                expr: read.expr,
                table: read.table,
                from,
                there,
            });
        }
        Ok(self)
    }

    /// The inequalities that all points fulfil.
    fn points(&self) -> Vec<Affine> {
        let mut all = within(self.times, self.lanes).to_vec();
        all.extend(&self.guards);
        all
    }

    /// How far from a point the one is that stores what it reads; `None`: no point does.
    fn source(
        &self,
        table: &Table,
        read: &Own,
        (points, stored): (&[Affine], &[Affine]),
    ) -> Result<Option<Vector>, &'static str> {
        let apart = read.at.plus(table.at, -1);
        if read.rolling.is_some() || apart.time != 0 || apart.lane != 0 {
            return Err("how far it reads from where it stores changes");
        }
        let mut found = None;
        for vector in self.vectors(table.at, apart.constant) {
            if !are_both(points, stored, vector) {
                continue;
            }
            if vector == Vector::HERE && !read.is_after {
                continue;
            }
            let is_later = vector > Vector::HERE;
            if is_later && faults::is_on("wavefront-order-ignored") {
                continue;
            }
            if is_later {
                return Err("it reads what is stored later");
            }
            if found.replace(vector).is_some() {
                return Err("several steps may store what it reads");
            }
        }
        Ok(found)
    }

    /// The same where rows are used by turns, so that what is stored later is another row.
    fn in_rows(
        &self,
        (table, rolling): (&Table, Rolling),
        read: &Own,
        (points, stored): (&[Affine], &[Affine]),
    ) -> Result<Option<Vector>, &'static str> {
        let own = read.rolling.unwrap_or(Rolling::ONE);
        if own.rows != rolling.rows || own.stride != rolling.stride {
            return Err("not all indices name rows by turns");
        }
        let [rows, apart] = [own.row.plus(rolling.row, -1), read.at.plus(table.at, -1)];
        if [rows, apart]
            .iter()
            .any(|one| one.time != 0 || one.lane != 0)
        {
            return Err("how far it reads from where it stores changes");
        }
        if !rolling.holds(read.at, points) {
            return Err("it is not known that rows that are used by turns do not overlap");
        }
        if apart.constant % table.at.lane != 0 {
            return Ok(None);
        }
        let lane = apart.constant / table.at.lane;
        let is_stored = lane < 0 || lane == 0 && read.is_after;
        let nearest = if is_stored { 0 } else { -1 };
        let is_it = |time: &i128| {
            let rest = rolling.row.time * time - rows.constant;
            rest % rolling.rows == 0
        };
        let time = (-rolling.rows..=nearest).rev().find(is_it);
        let Some(from) = time.map(|time| Vector { time, lane }) else {
            return Ok(None);
        };
        // Of lanes alone: all have the same steps.
        let lanes = stored.iter().filter(|one| one.time == 0);
        let both = points.iter().copied();
        let both: Vec<Affine> = both.chain(lanes.map(|one| one.moved(from))).collect();
        if is_empty(&both) {
            return Ok(None);
        }
        if from.time < -1 && !follows(points, Affine::TIME.moved(from)) {
            return Err("it reads what was there more than a row before the first");
        }
        Ok(Some(from))
    }

    /// Whether two points store the same element.
    fn meets_itself(&self, stored: Affine, points: &[Affine]) -> bool {
        let mut vectors = self.vectors(stored, 0).into_iter();
        vectors.any(|vector| vector != Vector::HERE && are_both(points, points, vector))
    }

    /// The points that store elements so far from the one that a point stores, as far as boxes allow.
    fn vectors(&self, stored: Affine, apart: i128) -> Vec<Vector> {
        let Affine { time, lane, .. } = stored;
        let lanes = (1 - self.lanes)..self.lanes;
        let of = |by: i128| {
            let rest = apart - lane * by;
            let is_near = |time: i128| time.abs() < self.times;
            let steps = (rest % time == 0)
                .then(|| rest / time)
                .filter(|time| is_near(*time));
            steps.map(|time| Vector { time, lane: by })
        };
        lanes.filter_map(of).collect()
    }

    /// Lets each lane begin some steps after the one before it.
    fn skew(&mut self, by: i128) {
        if by == 0 {
            return;
        }
        let skewed = |one: &Affine| skewed(*one, by);
        self.run = within(self.times, self.lanes)[..2]
            .iter()
            .map(skewed)
            .collect();
        self.guards = self.guards.iter().map(skewed).collect();
        self.guards.splice(0..0, self.run.iter().copied());
        self.times += by * (self.lanes - 1);
        self.iteration = skewed(&Affine::TIME);
    }

    /// What must hold so that a point of which something is known has another so far from it, which stores in a table.
    fn there(
        &self,
        from: Vector,
        (table, skew): (&Table, i128),
        mut known: Vec<Affine>,
    ) -> Vec<Affine> {
        let mut there = Vec::new();
        let [started, ended, first, last] = within(self.times, self.lanes);
        let held = table.held.iter().map(|one| skewed(*one, skew));
        // Lanes first: what they say is known of each copy of the hardware.
        let bounds = [first, last].into_iter().chain(held);
        let bounds = bounds.chain(self.guards.iter().copied());
        for bound in bounds.chain([started, ended]) {
            // Before its first step a lane has what was there before.
            let is_asked = table.rolling.is_none() || bound.time == 0;
            let bound = bound.moved(from);
            if is_asked && !follows(&known, bound) {
                known.push(bound);
                there.push(bound);
            }
        }
        there
    }
}

/// A sum where each lane begins some steps after the one before it.
fn skewed(one: Affine, by: i128) -> Affine {
    one.over(Affine::TIME.plus(Affine::LANE, -by), Affine::LANE)
}

/// Whether there are points where something holds, with another so far from them where something else does.
fn are_both(points: &[Affine], others: &[Affine], apart: Vector) -> bool {
    let mut both = points.to_vec();
    both.extend(others.iter().map(|other| other.moved(apart)));
    !is_empty(&both)
}

fn times_of(phase: &Phase) -> i128 {
    i128::from(phase.counts[0].trips)
}

/// Where the points of a phase are in a wave.
struct Place {
    /// The phase's time at a point of the wave.
    time: Affine,
    /// Its lane.
    lane: Affine,
}

impl Place {
    /// Of a phase that begins at a time. Its lanes are named so that the wave stores what it stores.
    fn of(phase: &Phase, first: &Phase, start: i128) -> Result<Self, Refusal> {
        let not_one =
            || refuse("it is not known that the next loop goes on where the one before it ended");
        let [Some(at), Some(own)] = [first, phase].map(|phase| Some(phase.tables.first()?.at))
        else {
            return Err(not_one());
        };
        if own.lane != at.lane {
            return Err(not_one());
        }
        let whole = |number: i128| (number % at.lane == 0).then(|| number / at.lane);
        let drift = whole(own.time - at.time).ok_or_else(not_one)?;
        let offset = whole(own.constant - at.constant - at.time * start).ok_or_else(not_one)?;
        // The wave's lane is the phase's, moved by `drift` in each step and by `offset` in all.
        let time = Affine::TIME.plus(Affine::constant(start), -1);
        let lane = Affine::LANE
            .plus(time, -drift)
            .plus(Affine::constant(offset), -1);
        Ok(Place { time, lane })
    }

    fn renamed(&self) -> [Affine; 2] {
        [self.time, self.lane]
    }

    /// An inequality of the phase as one of the wave.
    fn of_wave(&self, guard: Affine) -> Affine {
        guard.over(self.time, self.lane)
    }
}

/// What all points of several phases fulfil, and no others of the box.
fn united(
    phases: &[Phase],
    places: &[Place],
    (times, lanes): (i128, i128),
) -> Result<Vec<Affine>, Refusal> {
    let of_wave: Vec<Vec<Affine>> = phases
        .iter()
        .zip(places)
        .map(|(phase, place)| {
            let own = within(times_of(phase), i128::from(phase.counts[1].trips));
            let all = own.iter().chain(&phase.guards);
            all.map(|guard| place.of_wave(*guard)).collect()
        })
        .collect();
    let all = within(times, lanes);
    let is_inside = |own: &Vec<Affine>| all.iter().all(|bound| follows(own, *bound));
    if !of_wave.iter().all(is_inside) {
        return Err(refuse("the loops do not have the same lanes"));
    }
    let mut guards: Vec<Affine> = Vec::new();
    for own in &of_wave {
        // The first two say when the phase runs.
        for guard in &own[2..] {
            if guards.contains(guard) || follows(&all, *guard) {
                continue;
            }
            if !of_wave.iter().all(|other| follows(other, *guard)) {
                return Err(refuse("its lanes are not those between straight borders"));
            }
            guards.push(*guard);
        }
    }
    Ok(guards)
}
