//! Accesses of a warp: sectors of memory, banks of local memory.

use std::collections::{BTreeMap, BTreeSet};

use super::observed::{Access, LARGEST_RECORD, Stride};
use super::value::{Linear, Object, Sym, Terms, Value};
use super::wide::{Mask, Wide, lanes};
use crate::device::Device;

/// An address: the object, what is not known of the offset, and the bytes beyond.
type Address = (Object, Terms, i128);

/// Addresses of the lanes of a mask.
struct Addresses {
    /// By lane, in ascending order.
    list: Vec<Address>,
    /// The lanes' numbers.
    lanes: Vec<usize>,
}

/// How the addresses of a warp are known.
enum Known {
    All(Addresses),
    ByData,
    Open(Sym),
}

fn known(pointers: &Wide, mask: Mask) -> Known {
    let mut list = Vec::new();
    for lane in lanes(mask) {
        match pointers.lane(lane) {
            Value::Pointer(object, Linear { constant, terms }) => {
                list.push((*object, terms.clone(), *constant));
            }
            Value::Open(sym) => return Known::Open(*sym),
            _ => return Known::ByData,
        }
    }
    let lanes = lanes(mask).collect();
    Known::All(Addresses { list, lanes })
}

/// Adds an access that the lanes of a mask make to global memory, `weight` times.
pub fn global(device: &Device, entry: &mut Access, pointers: &Wide, mask: Mask, weight: f64) {
    let count = f64::from(mask.count_ones());
    entry.warps += weight;
    entry.lanes += weight * count;
    let sector = i128::from(device.sector_bytes);
    let bytes = i128::from(entry.bytes.max(1));
    match known(pointers, mask) {
        Known::ByData => entry.by_data += weight,
        Known::Open(sym) => {
            entry.open.insert(sym);
        }
        Known::All(addresses) => {
            let used = addresses.used();
            let first_to_last = used.iter().flat_map(|(base, from)| {
                let first = from.div_euclid(sector);
                let last = (from + bytes - 1).div_euclid(sector);
                (first..=last).map(move |at| (*base, at))
            });
            let mut touched: Vec<(usize, i128)> = first_to_last.collect();
            touched.sort_unstable();
            touched.dedup();
            entry.sectors += weight * touched.len() as f64;
            entry.ideal += weight * covered(&used, bytes, sector);
            let stride = addresses.stride();
            entry.stride = entry.stride.and(stride);
            entry.apart.extend(addresses.differing());
            if let (Stride::Bytes(stride), Some((object, _, from))) =
                (stride, addresses.list.first())
                && (1..=LARGEST_RECORD).contains(&stride.abs())
            {
                entry
                    .anchors
                    .insert((*object, from.rem_euclid(stride.abs())));
            }
        }
    }
}

/// Lanes in a row that are a piece of their own: a row of a tile. What lies between rows is not theirs.
const ROW: usize = 4;

/// The sectors that would hold all bytes that are used: each once.
fn covered(used: &[(usize, i128)], bytes: i128, sector: i128) -> f64 {
    let mut total = 0.0;
    // Of the run of elements at hand: how many, where it starts and ends.
    let mut run: Option<(usize, i128, i128)> = None;
    let mut last: Option<usize> = None;
    let sectors = |(count, from, to): (usize, i128, i128)| {
        let part = (to - from) as f64 / sector as f64;
        if count >= ROW { part.ceil() } else { part }
    };
    for (base, from) in used {
        let is_same = last == Some(*base);
        run = match run {
            Some((count, start, end)) if is_same && *from <= end => {
                Some((count + 1, start, end.max(from + bytes)))
            }
            run => {
                total += run.map_or(0.0, sectors);
                Some((1, *from, from + bytes))
            }
        };
        last = Some(*base);
    }
    total += run.map_or(0.0, sectors);
    total.ceil().max(1.0)
}

impl Addresses {
    /// Each address once, in ascending order: the number of what is not known of it, and the bytes beyond.
    fn used(&self) -> Vec<(usize, i128)> {
        let mut bases: Vec<(&Object, &Terms)> = Vec::new();
        let mut used = Vec::with_capacity(self.list.len());
        for (object, terms, from) in &self.list {
            let known = bases.iter().rposition(|base| *base == (object, terms));
            let base = known.unwrap_or_else(|| {
                bases.push((object, terms));
                bases.len() - 1
            });
            used.push((base, *from));
        }
        used.sort_unstable();
        used.dedup();
        used
    }

    /// From a lane to the next, also where lanes between do not take part.
    fn stride(&self) -> Stride {
        let pairs = self.list.windows(2).zip(self.lanes.windows(2));
        let strides = pairs.map(|(pair, lanes)| match (&pair[0], &pair[1]) {
            ((a, s, from), (b, t, to)) if a == b && s == t => {
                let (apart, lanes) = (to - from, (lanes[1] - lanes[0]) as i128);
                match apart % lanes {
                    0 => Stride::Bytes(apart / lanes),
                    _ => Stride::Mixed,
                }
            }
            _ => Stride::Mixed,
        });
        strides.fold(Stride::None, Stride::and)
    }

    /// The unknown numbers that are not the same part of all addresses.
    fn differing(&self) -> BTreeSet<Sym> {
        let mut found = BTreeSet::new();
        for pair in self.list.windows(2) {
            let (s, t) = (&pair[0].1, &pair[1].1);
            if s != t {
                let changed = s.iter().filter(|term| !t.contains(term));
                let changed = changed.chain(t.iter().filter(|term| !s.contains(term)));
                found.extend(changed.map(|(sym, _)| *sym));
            }
        }
        found
    }
}

/// Adds an access to local memory. Banks serve one word each at a time; wider accesses, and warps of more lanes
/// than there are banks, go in parts.
pub fn local(device: &Device, entry: &mut Access, pointers: &Wide, mask: Mask, weight: f64) {
    entry.warps += weight;
    entry.lanes += weight * f64::from(mask.count_ones());
    if device.local_banks == 0 {
        return;
    }
    let addresses = match known(pointers, mask) {
        Known::All(addresses) => addresses,
        Known::ByData => {
            entry.by_data += weight;
            return;
        }
        Known::Open(sym) => {
            entry.open.insert(sym);
            return;
        }
    };
    entry.stride = entry.stride.and(addresses.stride());
    let open = addresses.differing();
    if !open.is_empty() {
        entry.open.extend(open);
        return;
    }
    let word = i128::from(device.local_bank_bytes.max(1));
    let words = i128::from(entry.bytes.max(1)).div_euclid(word).max(1);
    let together = (i128::from(device.warp.min(device.local_banks)) / words).max(1) as usize;
    let parts = addresses.list.chunks(together);
    entry.passes += weight * parts.len() as f64;
    let beyond: usize = parts
        .map(|part| conflicts(part, word, words, device.local_banks))
        .sum();
    entry.turns += weight * beyond as f64;
}

/// Turns beyond the first that these lanes take.
fn conflicts(part: &[Address], word: i128, words: i128, banks: u32) -> usize {
    let mut by_bank: BTreeMap<i128, BTreeSet<(Object, i128)>> = BTreeMap::new();
    for (object, _, from) in part {
        let first = from.div_euclid(word);
        for at in first..first + words {
            let bank = at.rem_euclid(i128::from(banks));
            by_bank.entry(bank).or_default().insert((*object, at));
        }
    }
    let most = by_bank.values().map(BTreeSet::len).max();
    most.unwrap_or(1).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointers(stride: i128) -> Wide {
        let value =
            |lane| Value::Pointer(Object::Argument(0), Linear::constant(lane as i128 * stride));
        Wide::of_lanes(32, 0xffff_ffff, value)
    }

    fn sectors(stride: i128, bytes: u64) -> (f64, f64) {
        let device = Device::named("warp32").expect("a device");
        let mut entry = Access {
            bytes,
            ..Access::default()
        };
        global(&device, &mut entry, &pointers(stride), 0xffff_ffff, 1.0);
        (entry.sectors, entry.ideal)
    }

    #[test]
    fn sectors_follow_the_stride() {
        assert_eq!(sectors(4, 4), (4.0, 4.0));
        assert_eq!(sectors(8, 4), (8.0, 4.0));
        assert_eq!(sectors(24, 4), (24.0, 4.0));
        assert_eq!(sectors(32, 4), (32.0, 4.0));
        assert_eq!(sectors(4096, 4), (32.0, 4.0));
        assert_eq!(sectors(0, 4), (1.0, 1.0));
        assert_eq!(sectors(16, 16), (16.0, 16.0));
    }

    #[test]
    fn banks_follow_the_stride() {
        let device = Device::named("warp32").expect("a device");
        let turns = |stride, bytes| {
            let mut entry = Access {
                bytes,
                ..Access::default()
            };
            local(&device, &mut entry, &pointers(stride), 0xffff_ffff, 1.0);
            entry.turns
        };
        assert_eq!(turns(4, 4), 0.0);
        assert_eq!(turns(8, 4), 1.0);
        assert_eq!(turns(128, 4), 31.0);
        assert_eq!(turns(132, 4), 0.0);
        assert_eq!(turns(0, 4), 0.0);
        assert_eq!(turns(8, 8), 0.0);
    }
}
