//! How a kernel is launched, and what it relies on then.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::guard::{Guard, ScalarFact};

/// What the runtime must know of a compiled kernel to launch it. Passes change it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchContract {
    /// How it was compiled.
    pub form: Form,
    /// It has one more argument after all others, an `int`, that only the runtime sets: a launch that does
    /// not pass through it is refused by OpenCL. So is one of a kernel with
    /// [hidden](Task::hidden) arguments.
    pub locked: bool,
    /// What it relies on: a launch of which one does not hold is refused.
    pub guards: BTreeSet<Guard>,
    /// Local sizes that launches get in place of the host's, of which the kernel sees nothing: the one for the
    /// launch's global size, or else the first that divides it. Where none does, the host's stays.
    #[serde(default)]
    pub local_sizes: Vec<ChosenLocal>,
}

/// The local size that suits launches of a global size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChosenLocal {
    /// The global size that it was chosen for; 1 beyond the launch's own dimensions.
    pub global: [u64; 3],
    /// The local size, which divides it.
    pub local: [u64; 3],
}

impl Default for LaunchContract {
    fn default() -> Self {
        LaunchContract {
            form: Form::NdRange,
            locked: false,
            guards: BTreeSet::new(),
            local_sizes: Vec::new(),
        }
    }
}

impl LaunchContract {
    /// Whether the kernel is a single work-item with loops over the NDRange.
    pub fn is_task(&self) -> bool {
        matches!(self.form, Form::Task(_))
    }

    /// Asks for a check at each launch.
    pub fn guard(&mut self, guard: Guard) {
        self.guards.insert(guard);
    }

    /// How several launches become one, if they may.
    pub fn steps(&self) -> Option<Steps> {
        let Form::Task(task) = &self.form else {
            return None;
        };
        task.hidden.iter().find_map(|hidden| match hidden {
            Hidden::Steps(steps) => Some(*steps),
            _ => None,
        })
    }

    /// Whether there are launches that the kernel cannot take.
    pub fn may_refuse(&self) -> bool {
        self.is_task() || !self.guards.is_empty()
    }

    /// Parameters that became constant memory, and their bytes.
    pub fn constants(&self) -> Vec<(u32, u64)> {
        self.pick(|guard| match guard {
            Guard::Constant { param, bytes } => Some((param, bytes)),
            _ => None,
        })
    }

    /// Parameters whose alignment is stated, and the bytes.
    pub fn aligned(&self) -> Vec<(u32, u64)> {
        self.pick(|guard| match guard {
            Guard::Aligned { param, bytes } => Some((param, bytes)),
            _ => None,
        })
    }

    /// `__local` parameters whose size is stated, and the bytes.
    pub fn local_bytes(&self) -> Vec<(u32, u64)> {
        self.pick(|guard| match guard {
            Guard::LocalBytes { param, bytes } => Some((param, bytes)),
            _ => None,
        })
    }

    /// Values that became constants.
    pub fn scalars(&self) -> Vec<ScalarFact> {
        self.pick(|guard| match guard {
            Guard::Scalar(fact) => Some(fact),
            _ => None,
        })
    }

    /// How an NDRange is coarsened, if it is.
    pub fn coarsened(&self) -> Option<Coarsened> {
        match self.form {
            Form::Coarsened(coarsened) => Some(coarsened),
            Form::NdRange | Form::Task(_) => None,
        }
    }

    /// The local size that a launch gets in place of the host's, if any.
    pub fn chosen_local(&self, global: [u64; 3]) -> Option<[u64; 3]> {
        let mut all = self.local_sizes.iter();
        let exact = all.find(|one| one.global == global);
        let divides = |one: &&ChosenLocal| {
            let mut dims = one.local.iter().zip(global);
            dims.all(|(local, global)| global.is_multiple_of(*local))
        };
        let found = exact.or_else(|| self.local_sizes.iter().find(divides));
        found.map(|one| one.local)
    }

    /// The local size that an NDRange is compiled for, as the host gives it.
    pub fn local_size(&self) -> Option<[u64; 3]> {
        let sizes = self.pick(|guard| match guard {
            Guard::LocalSize(sizes) => Some(sizes),
            _ => None,
        });
        sizes.first().copied()
    }

    fn pick<T>(&self, of_kind: impl Fn(Guard) -> Option<T>) -> Vec<T> {
        self.guards.iter().copied().filter_map(of_kind).collect()
    }
}

/// The form that a kernel was compiled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// NDRange, launched as the host says.
    NdRange,
    /// A single work-item: loops over the NDRange are inside.
    Task(Task),
    /// An NDRange of fewer work-items, each of which does the work of several.
    Coarsened(Coarsened),
}

/// How a coarsened kernel is launched: with a `factor`-th of the global size in a dimension, of what is
/// left of a `lanes`-th in dimension 0. A
/// [`Guard::Multiple`] sees to it that this is a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coarsened {
    /// The dimension: 0, 1 or 2.
    pub dim: u8,
    /// As many work-items, or groups, of the original are one; at least 2.
    pub factor: u64,
    /// What is merged.
    pub level: Level,
    /// Before that, so many neighbouring work-items in dimension 0 are one; 1: none.
    #[serde(default = "one")]
    pub lanes: u64,
}

fn one() -> u64 {
    1
}

impl Coarsened {
    /// By how much the global and the local size of a dimension are divided.
    pub fn divides(&self, dim: usize) -> (u64, u64) {
        let lanes = if dim == 0 { self.lanes } else { 1 };
        match (usize::from(self.dim) == dim, self.level) {
            (true, Level::Items) => (lanes * self.factor, lanes * self.factor),
            (true, Level::Groups) => (lanes * self.factor, lanes),
            (false, _) => (lanes, lanes),
        }
    }
}

/// What of an NDRange is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Level {
    /// Work-items of a group: the local size is divided, too.
    Items,
    /// Groups: the local size stays.
    Groups,
}

/// How a single work-item kernel is launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Hidden arguments, after the host's own, in order. Each is an `int`.
    pub hidden: Vec<Hidden>,
    /// The most work-items in a group that the runtime chooses and reports to hosts; `None`: any number. A
    /// host may launch larger ones, unless there is a
    /// [`Guard::GroupSize`].
    pub max_group_size: Option<u64>,
    /// What the runtime takes as local size when the host passes NULL.
    pub null_local: NullLocal,
}

/// A hidden argument: a part of the launch's geometry, of dimension 0, 1 or 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Hidden {
    /// `global_work_offset`, 0 beyond `work_dim`.
    Offset(u8),
    /// `global_work_size`, 1 beyond `work_dim`.
    Global(u8),
    /// `local_work_size`, 1 beyond `work_dim`.
    Local(u8),
    /// `work_dim`.
    WorkDim,
    /// How many launches it stands for.
    Steps(Steps),
}

/// Launches that follow each other and exchange two buffers may be one, which does all their work: each reads what
/// the one before it wrote. An odd number of them writes what the last does. What those before it write is not
/// written, so that of launches that nobody looks between the last is always one by itself; unless
/// [`Steps::writes_both`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Steps {
    /// The most launches that become one: odd.
    pub most: u32,
    /// The parameter for the buffer that is read.
    pub from: u32,
    /// The parameter for the buffer that is written.
    pub to: u32,
    /// A launch also reads the elements that it writes. Several at once leave both buffers as the last two would.
    pub writes_both: bool,
}

impl Steps {
    /// How many of so many launches that are left are done at once.
    pub fn at_once(self, left: u64) -> u64 {
        let alone = self.alone();
        let count = u64::from(self.most).min(left.saturating_sub(alone)).max(1);
        count - (count + 1) % 2
    }

    /// How many launches at the end of a row are ones by themselves.
    fn alone(self) -> u64 {
        u64::from(!self.writes_both)
    }

    /// How many launches so many become.
    pub fn runs(self, launches: u64) -> u64 {
        let most = u64::from(self.most.max(1));
        let whole = launches.saturating_sub(self.alone()) / most;
        let (mut left, mut runs) = (launches - whole * most, whole);
        while left > 0 {
            left -= self.at_once(left);
            runs += 1;
        }
        runs
    }
}

/// The local size for a launch that gives none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NullLocal {
    /// One group: local = global.
    Whole,
    /// In dimension 0 the largest divisor of the global size that [`Task::max_group_size`] allows,
    /// 1 in the others; or the local sizes of its guards where they divide the global size.
    Divisor,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn five(writes_both: bool) -> Steps {
        Steps {
            most: 5,
            from: 0,
            to: 1,
            writes_both,
        }
    }

    fn runs(steps: Steps) -> Vec<u64> {
        (0..=12).map(|launches| steps.runs(launches)).collect()
    }

    #[test]
    fn launches_in_a_row_become_few() {
        let steps = five(false);
        assert_eq!(runs(steps), [0, 1, 2, 3, 2, 3, 2, 3, 4, 3, 4, 3, 4]);
        assert_eq!(steps.at_once(100), 5);
    }

    #[test]
    fn launches_that_leave_both_buffers_need_none_by_itself() {
        assert_eq!(runs(five(true)), [0, 1, 2, 1, 2, 1, 2, 3, 2, 3, 2, 3, 4]);
    }
}
