//! What is counted while a kernel is followed.

use fpgacc_frontend::ir::TypeId;

use super::arithmetic;
use super::probe::{Probe, RECENT};
use super::value::{FIRST_LOOP, POINTS, Value};
use super::work::Scope;

impl Probe<'_> {
    /// Counts the instructions that a value takes, unless it is there already.
    pub(super) fn compute(&mut self, value: &Value, points: u8, instructions: f64) {
        let dims = usize::from(points >> 1) & 7;
        let is_noted = self.quiet == 0 || self.seldom > 0;
        if dims == 0 || !is_noted {
            return;
        }
        if let Some(at) = &value.at {
            let key = key(at);
            let place = &mut self.computed[key as usize % RECENT];
            if *place == key {
                return;
            }
            *place = key;
        }
        self.profile.code[dims] += instructions;
    }

    /// Counts an instruction that may do something else at points.
    pub(super) fn instruction(&mut self, points: u8) {
        self.compute(&Value::unknown(0), points, 1.0);
    }

    /// Counts operations on each component of a type.
    pub(super) fn work_on(&mut self, operations: f64, ty: TypeId) {
        let width = self.width(ty);
        let bytes = if width > 1.0 { self.size(ty) } else { 0 };
        self.work(operations, bytes);
        self.components(operations * (width - 1.0));
    }

    /// Counts a barrier.
    pub(super) fn barrier(&mut self) {
        let runs = self.profile.scopes[self.scope].runs * self.share;
        if self.quiet == 0 {
            self.profile.barriers += runs;
        }
    }

    /// Counts operations of a builtin function on each component of a type.
    pub(super) fn work_of_builtin(&mut self, name: &str, operations: f64, ty: TypeId) {
        match arithmetic::is_of_library(name) && !self.scalar(ty).is_integer() {
            true => {
                self.profile.calls_library = true;
                self.serial(operations, ty);
            }
            false => self.work_on(operations, ty),
        }
    }

    /// Counts operations that are done component by component everywhere.
    pub(super) fn serial(&mut self, operations: f64, ty: TypeId) {
        let all = operations * self.width(ty);
        self.work(all, 0);
        if self.quiet == 0 {
            self.profile.scopes[self.scope].serial += all * self.share;
        }
    }

    /// Counts what processors do to take vectors apart, or to put them together.
    pub(super) fn shuffle(&mut self, components: usize) {
        if self.quiet == 0 {
            let scope = &mut self.profile.scopes[self.scope];
            scope.by_size[0] += components as f64 * self.share;
        }
    }

    /// Counts operations on so many bytes at a time.
    pub(super) fn work(&mut self, operations: f64, bytes: i64) {
        let size = Scope::SIZES.iter().position(|size| *size >= bytes);
        if self.quiet == 0 {
            let scope = &mut self.profile.scopes[self.scope];
            scope.by_size[size.unwrap_or(Scope::SIZES.len() - 1)] += operations * self.share;
        }
        self.components(operations);
    }

    /// Counts operations of devices that compute component by component.
    fn components(&mut self, operations: f64) {
        if self.quiet == 0 {
            self.profile.scopes[self.scope].operations += operations * self.share;
        }
    }
}

/// A number for what an integer is at a work-item and its neighbours (FNV-1a, a word at a time): that two have the same
/// is unlikely, and of no consequence.
fn key(at: &[i64; POINTS]) -> u64 {
    let words = at[..FIRST_LOOP].iter();
    let key = words.fold(0xcbf2_9ce4_8422_2325, |key, value| {
        (key ^ value.cast_unsigned()).wrapping_mul(0x100_0000_01b3)
    });
    key ^ key >> 32
}
