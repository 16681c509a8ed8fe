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
            let stores = said.unwrap_or_else(|| self.without_banks(region, array));
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
