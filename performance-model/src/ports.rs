//! Intervals that the ports of memories on the chip allow.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_kernel_analysis::poly::Poly;

use super::copies::banks;
use super::graph::{Banks, RegionId};
use super::prediction::Limit;
use super::timing::{LOCAL_PORTS, Timer};

impl Timer<'_> {
    /// The intervals that on-chip memories allow.
    pub(super) fn ports(&self, region: RegionId) -> Vec<(f64, Limit)> {
        let units = self.units.iter().filter(|a| a.region == region);
        let mut loaded: BTreeMap<usize, bool> = BTreeMap::new();
        for access in units {
            *loaded.entry(access.array).or_default() |= !access.is_store;
        }
        let mut limits = Vec::new();
        for (array, loaded) in loaded {
            let free = LOCAL_PORTS - usize::from(loaded);
            let said = self.busiest_bank(region, array);
            let stores = said.unwrap_or_else(|| {
                let anywhere = self.without_banks(region, array);
                let fixed = self.in_lowest_banks(region, array);
                fixed.map_or(anywhere, |fullest| fullest.min(anywhere))
            });
            let interval = stores.div_ceil(free).max(1) as f64;
            let limit = Limit::LocalPorts {
                array: self.graph.arrays[array].name.clone(),
                accesses: stores as u64,
                ports: free as u64,
            };
            limits.push((interval, limit));
        }
        limits
    }

    /// Stores of an iteration to an array of whose banks the source says nothing: those a power of two apart are in banks
    /// of their own, wherever they begin (arjunramaswami/MatrixTranspose-FPGA's stores of bits in reverse take turns no
    /// more than others).
    fn without_banks(&self, region: RegionId, array: usize) -> usize {
        let units = self.units.iter();
        let stores = units.filter(|a| a.is_store && a.region == region && a.array == array);
        let mut anywhere = 0;
        let mut alike: BTreeMap<Poly, Vec<i128>> = BTreeMap::new();
        for store in stores {
            let Some(address) = &store.address else {
                anywhere += 1;
                continue;
            };
            let (moves, start) = address.split_constant();
            alike.entry(moves).or_default().push(start);
        }
        let fullest = alike.into_values().map(|starts| {
            let apart: BTreeSet<i128> = starts.iter().copied().collect();
            match apart.len() == starts.len() {
                true => starts.len().div_ceil(banks(&apart) as usize),
                false => starts.len(),
            }
        });
        anywhere + fullest.sum::<usize>()
    }

    /// Stores of an iteration to the fullest of the banks that the lowest bits of addresses choose, where the bank of each
    /// access of the kernel to the array is a constant ("Local memory banks", Intel's best practices guide). `None`: it is
    /// not.
    fn in_lowest_banks(&self, region: RegionId, array: usize) -> Option<usize> {
        let accesses = self.graph.accesses.iter().filter(|a| a.array == array);
        let width = accesses.clone().map(|a| a.bytes).min()?;
        let stores = accesses
            .clone()
            .filter(|a| a.is_store && a.region == region);
        let mut count = (stores.clone().count() as u64).next_power_of_two();
        for access in accesses {
            count = count.min(most_banks(width, access.address.as_ref()?));
        }
        let mut banks: BTreeMap<i128, usize> = BTreeMap::new();
        let width = i128::from(width);
        for store in stores {
            let (_, start) = store.address.as_ref()?.split_constant();
            let last = start + i128::from(store.bytes.max(1)) - 1;
            let rows = start.div_euclid(width)..=last.div_euclid(width);
            let own: BTreeSet<i128> = rows.map(|row| row.rem_euclid(count.into())).collect();
            own.into_iter()
                .for_each(|bank| *banks.entry(bank).or_default() += 1);
        }
        (count > 1).then(|| banks.into_values().max().unwrap_or(0))
    }

    /// Stores of an iteration to the bank of an array that has most of them; `None`: the source says nothing of
    /// banks. Those whose bank changes may go to any, but if they only differ by constants, they do not meet there.
    fn busiest_bank(&self, region: RegionId, array: usize) -> Option<usize> {
        let banks = self.graph.arrays[array].banks?;
        let accesses = self.graph.accesses.iter();
        let stores = accesses.filter(|a| a.is_store && a.region == region && a.array == array);
        let addresses = stores.map(|a| a.address.as_ref().map(|address| word_of(banks, address)));
        let addresses: BTreeSet<Option<Poly>> = addresses.collect();
        let mut by_bank: BTreeMap<(Option<Poly>, i128), usize> = BTreeMap::new();
        let mut anywhere = 0;
        for address in addresses {
            let address = address.as_ref();
            let fixed = address.and_then(|address| self.graph.bank_of(banks, address));
            let own = fixed.map(|bank| (None, bank));
            match own.or_else(|| address.and_then(|address| relative_bank(banks, address))) {
                Some(bank) => *by_bank.entry(bank).or_default() += 1,
                None => anywhere += 1,
            }
        }
        // Each set of banks that move together may meet the others.
        let mut busiest: BTreeMap<Option<Poly>, usize> = BTreeMap::new();
        for ((moves, _), stores) in by_bank {
            let most = busiest.entry(moves).or_default();
            *most = stores.max(*most);
        }
        Some(anywhere + busiest.into_values().sum::<usize>())
    }
}

/// The most banks of such words of which an address stays in one, a power of two.
fn most_banks(width: u64, address: &Poly) -> u64 {
    if !width.is_power_of_two() {
        return 1;
    }
    let (moves, _) = address.split_constant();
    let zeros = moves.terms().map(|(_, by)| by.trailing_zeros());
    let bits = zeros.min().unwrap_or(u64::BITS - 1);
    1 << bits
        .saturating_sub(width.trailing_zeros())
        .min(u64::BITS - 1)
}

/// Where the word of a bank begins that an address is in, if the address moves by whole words: what an iteration stores to
/// one word goes there at once (`bankwidth`, Intel's best practices guide).
fn word_of(banks: Banks, address: &Poly) -> Poly {
    let width = i128::from(banks.width);
    let (moves, constant) = address.split_constant();
    match moves.terms().all(|(_, by)| by % width == 0) {
        true => moves.plus(&Poly::constant(constant - constant.rem_euclid(width)), 1),
        false => address.clone(),
    }
}

/// The bank of an address that moves by whole rows of banks, from the one that it moves to: the part that moves, and
/// that.
fn relative_bank(banks: Banks, address: &Poly) -> Option<(Option<Poly>, i128)> {
    let (count, width) = (i128::from(banks.count), i128::from(banks.width));
    let (moves, constant) = address.split_constant();
    let by_rows = moves.terms().all(|(_, by)| by % width == 0);
    let bank = constant.div_euclid(width).rem_euclid(count);
    by_rows.then_some((Some(moves), bank))
}
