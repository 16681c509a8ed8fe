//! From notes of work-items to what warps do together.

use std::collections::BTreeMap;

use crate::device::Device;
use crate::lanes::memory;
use crate::lanes::observed::Access;
use crate::lanes::value::{Linear, Object, Value};
use crate::lanes::wide::{Mask, Wide};

/// Work-items of a group that are noted together: no warp is wider.
const BLOCK: u32 = Mask::BITS;
/// Bytes of a note.
const NOTE_BYTES: usize = 28;

/// What a work-item noted, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Which of the launches that were looked at.
    pub launch: u32,
    /// The group, and the work-item in it.
    pub group: u32,
    /// See [`Self::group`].
    pub item: u32,
    /// The position, from 1; 0: the work-item ended.
    pub site: u32,
    /// It stands for two to the power of this.
    pub shift: u32,
    /// What work-items in the same iterations of the same loops have in common.
    pub way: u32,
    /// An address; of a condition: the lowest bit, and above 32 the way around a loop; of an end: the work-items of a
    /// group, and above 32 the groups.
    pub what: u64,
}

impl Note {
    /// The notes of a log.
    pub fn all(bytes: &[u8]) -> Vec<Note> {
        let note = |bytes: &[u8]| {
            let word = |at: usize| {
                let bytes: [u8; 4] = bytes[4 * at..4 * at + 4].try_into().expect("four bytes");
                u32::from_ne_bytes(bytes)
            };
            Note {
                launch: word(1),
                group: word(2),
                item: word(3),
                site: word(0) & 0x00ff_ffff,
                shift: word(0) >> 24,
                way: word(4),
                what: u64::from(word(6)) << 32 | u64::from(word(5)),
            }
        };
        bytes.chunks_exact(NOTE_BYTES).map(note).collect()
    }

    fn weight(&self) -> f64 {
        (1u64 << self.shift.min(63)) as f64
    }

    fn block(&self) -> (u32, u32, u32) {
        (self.launch, self.group, self.item / BLOCK)
    }
}

/// What is noted at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An access to memory.
    Access {
        /// It is local.
        is_local: bool,
        /// Bytes from the noted address to those that are accessed, and how many these are.
        offset: u64,
        /// See `offset`.
        bytes: u64,
    },
    /// The condition of an `if` or a `?:`.
    Branch,
    /// The condition of a loop.
    Loop,
}

/// What warps did at a condition. Totals of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WaysTotals {
    /// How often a warp came there; to a loop: how often it entered it.
    pub warps: f64,
    /// How often its lanes went different ways.
    pub diverged: f64,
    /// How often what it guards was executed or not: evaluations; of a loop, iterations.
    pub rounds: f64,
    /// Lanes that waited while others did what it guards, and while they did the other.
    pub idle: [f64; 2],
}

/// What warps of a launch did, by position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Accesses.
    pub accesses: BTreeMap<u32, Access>,
    /// Conditions.
    pub ways: BTreeMap<u32, WaysTotals>,
}

/// What warps of each launch did. Blocks of which some work-items did not note all are left out: the others stand for
/// them.
pub fn fold(
    notes: &mut [Note],
    kinds: &BTreeMap<u32, Kind>,
    device: &Device,
) -> BTreeMap<u32, Totals> {
    notes.sort_unstable_by_key(|note| (note.block(), note.site, note.way, note.item));
    let mut launches: BTreeMap<u32, (Totals, [f64; 2])> = BTreeMap::new();
    for block in notes.chunk_by(|a, b| a.block() == b.block()) {
        let ends: Vec<&Note> = block.iter().take_while(|note| note.site == 0).collect();
        let Some(end) = ends.first() else { continue };
        let (items, groups) = (end.what as u32, (end.what >> 32) as u32);
        let expected = items.saturating_sub(end.item / BLOCK * BLOCK).min(BLOCK);
        if ends.len() as u32 != expected {
            continue;
        }
        let (totals, seen) = launches.entry(end.launch).or_default();
        seen[0] += f64::from(expected);
        seen[1] = f64::from(items) * f64::from(groups);
        for site in block[ends.len()..].chunk_by(|a, b| a.site == b.site) {
            let Some(kind) = kinds.get(&site[0].site) else {
                continue;
            };
            add(totals, site, *kind, device);
        }
    }
    let scaled = |(launch, (mut totals, [seen, all])): (u32, (Totals, [f64; 2]))| {
        totals.scale(all / seen.max(1.0));
        (launch, totals)
    };
    launches.into_iter().map(scaled).collect()
}

impl Totals {
    fn scale(&mut self, factor: f64) {
        for access in self.accesses.values_mut() {
            let numbers = [
                &mut access.warps,
                &mut access.lanes,
                &mut access.sectors,
                &mut access.ideal,
                &mut access.turns,
                &mut access.passes,
            ];
            numbers.into_iter().for_each(|number| *number *= factor);
        }
        for ways in self.ways.values_mut() {
            let [then, otherwise] = &mut ways.idle;
            let numbers = [
                &mut ways.warps,
                &mut ways.diverged,
                &mut ways.rounds,
                then,
                otherwise,
            ];
            numbers.into_iter().for_each(|number| *number *= factor);
        }
    }
}

/// Adds what a block noted at a position.
fn add(totals: &mut Totals, notes: &[Note], kind: Kind, device: &Device) {
    let mut loops: Loops = BTreeMap::new();
    for way in notes.chunk_by(|a, b| a.way == b.way) {
        for (warp, lanes) in together(way, device.warp) {
            let site = way[0].site;
            match kind {
                Kind::Access {
                    is_local,
                    offset,
                    bytes,
                } => {
                    let entry = totals.accesses.entry(site).or_default();
                    entry.bytes = bytes;
                    let (pointers, mask) = pointers(&lanes, offset, device.warp);
                    let add = if is_local {
                        memory::local
                    } else {
                        memory::global
                    };
                    add(device, entry, &pointers, mask, way[0].weight());
                }
                Kind::Branch => {
                    let entry = totals.ways.entry(site).or_default();
                    entry.branch(&lanes, way[0].weight());
                }
                Kind::Loop => {
                    for note in lanes {
                        let outer = (warp, (note.what >> 32) as u32);
                        let visit = loops.entry(outer).or_default();
                        visit.add(note, device.warp);
                    }
                }
            }
        }
    }
    for visit in loops.values() {
        let entry = totals.ways.entry(notes[0].site).or_default();
        entry.visit(visit);
    }
}

/// Notes of one way, warp by warp. What a work-item notes there a second time happened later.
fn together(way: &[Note], width: u32) -> Vec<(u32, Vec<&Note>)> {
    let mut all: BTreeMap<(u32, usize), Vec<&Note>> = BTreeMap::new();
    for item in way.chunk_by(|a, b| a.item == b.item) {
        for (time, note) in item.iter().enumerate() {
            let warp = note.item / width.max(1);
            all.entry((warp, time)).or_default().push(note);
        }
    }
    all.into_iter()
        .map(|((warp, _), notes)| (warp, notes))
        .collect()
}

fn pointers(notes: &[&Note], offset: u64, width: u32) -> (Wide, Mask) {
    let lane = |note: &Note| (note.item % width.max(1)) as usize;
    let mask = notes.iter().fold(0, |mask, note| mask | 1 << lane(note));
    let mut known = notes.iter();
    let wide = Wide::of_lanes(width as usize, mask, |_| {
        let address = known.next().map_or(0, |note| note.what + offset);
        Value::Pointer(Object::Unknown, Linear::constant(i128::from(address)))
    });
    (wide, mask)
}

/// A warp's visit of a loop: the lanes that came, and those that went on, by iteration.
#[derive(Default)]
struct Visit {
    entered: Mask,
    rounds: BTreeMap<u32, (f64, Mask)>,
}

/// By warp and the way around.
type Loops = BTreeMap<(u32, u32), Visit>;

impl Visit {
    fn add(&mut self, note: &Note, width: u32) {
        let bit = 1 << (note.item % width.max(1));
        self.entered |= bit;
        let round = self.rounds.entry(note.way).or_insert((note.weight(), 0));
        if note.what & 1 == 1 {
            round.1 |= bit;
        }
    }
}

impl WaysTotals {
    fn branch(&mut self, notes: &[&Note], weight: f64) {
        let yes = notes.iter().filter(|note| note.what & 1 == 1).count();
        let no = notes.len() - yes;
        self.warps += weight;
        self.rounds += weight;
        if yes > 0 && no > 0 {
            self.diverged += weight;
            self.idle[0] += weight * no as f64;
            self.idle[1] += weight * yes as f64;
        }
    }

    fn visit(&mut self, visit: &Visit) {
        let weights = visit.rounds.values().map(|(weight, _)| *weight);
        let weight = weights.reduce(f64::min).unwrap_or(1.0);
        self.warps += weight;
        let mut diverges = false;
        for (times, went_on) in visit.rounds.values() {
            if *went_on != 0 {
                let waiting = visit.entered & !went_on;
                self.rounds += times;
                self.idle[0] += times * f64::from(waiting.count_ones());
                diverges |= waiting != 0;
            }
        }
        self.diverged += weight * f64::from(u8::from(diverges));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(site: u32, item: u32, way: u32, what: u64) -> Note {
        Note {
            launch: 0,
            group: 0,
            item,
            site,
            shift: 0,
            way,
            what,
        }
    }

    fn folded(mut notes: Vec<Note>, kind: Kind) -> Totals {
        let device = Device::named("warp32").expect("a device");
        notes.extend((0..64).map(|item| note(0, item, 0, 64 | 4 << 32)));
        let kinds = BTreeMap::from([(1, kind)]);
        fold(&mut notes, &kinds, &device)
            .remove(&0)
            .expect("the block is whole")
    }

    #[test]
    fn lanes_of_a_warp_that_go_the_same_way_access_together() {
        let kind = Kind::Access {
            is_local: false,
            offset: 4,
            bytes: 4,
        };
        let notes = (0..64).map(|item| note(1, item, item % 2, 1024 + 8 * u64::from(item)));
        let totals = folded(notes.collect(), kind);
        // Of 4 groups one was noted: two warps, each of which comes twice, with every other lane.
        let access = &totals.accesses[&1];
        assert_eq!((access.warps, access.lanes), (16.0, 256.0));
        assert_eq!((access.sectors, access.ideal), (16.0 * 8.0, 16.0 * 2.0));
    }

    #[test]
    fn lanes_wait_for_the_longest_loop() {
        let mut notes = Vec::new();
        for item in 0..64u32 {
            // The first lane makes 3 iterations, the others one.
            let trips = if item == 0 { 3 } else { 1 };
            for round in 0..=trips {
                let goes_on = u64::from(round < trips);
                notes.push(note(1, item, round, goes_on | 7 << 32));
            }
        }
        let ways = folded(notes, Kind::Loop).ways[&1];
        assert_eq!((ways.warps, ways.diverged), (8.0, 4.0));
        assert_eq!(ways.rounds, 4.0 * (3.0 + 1.0));
        assert_eq!(ways.idle[0], 4.0 * 2.0 * 31.0);
    }

    #[test]
    fn blocks_that_are_not_whole_are_left_out() {
        let device = Device::named("warp32").expect("a device");
        let mut notes: Vec<Note> = (0..63).map(|item| note(0, item, 0, 64)).collect();
        assert!(fold(&mut notes, &BTreeMap::new(), &device).is_empty());
    }
}
