//! Kernels of one program, which share a clock, the device and its memory: launched one after another, or at once.

use super::area;
use super::board::{Board, Resources};
use super::clock;
use super::estimate::Estimate;
use super::prediction::{Area, PenaltyCauses, Prediction};
use super::price::doubts;

/// A kernel of a program, priced alone, and how often it is launched; 0: it is only there.
#[derive(Clone, Copy, Debug)]
pub struct Launched<'a> {
    /// The kernel at one launch.
    pub prediction: &'a Prediction,
    /// How often.
    pub times: f64,
    /// It is another launch of the kernel before it: it takes no area.
    pub again: bool,
}

/// How a program's kernels run on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Seconds of all launches, one after another.
    pub seconds: Estimate,
    /// The clock that all kernels have.
    pub clock_mhz: Estimate,
    /// What all kernels take of the device, without the board's own interface.
    pub area: Area,
    /// Whether they fit beside the board's interface.
    pub fits: bool,
    /// What lowers their clock.
    pub penalty_causes: PenaltyCauses,
}

impl Program {
    /// Puts kernels together. Those of one program are built into one image, so that what lowers the clock of one lowers
    /// that of all.
    pub fn of(kernels: &[Launched<'_>], board: &Board) -> Self {
        let own = || kernels.iter().filter(|kernel| !kernel.again);
        let areas = own().map(|kernel| kernel.prediction.area.resources());
        let used = areas.fold(Resources::default(), |sum, area| sum.plus(area, 1.0));
        let causes = own().map(|kernel| kernel.prediction.penalty_causes);
        let causes = causes.reduce(PenaltyCauses::beside).unwrap_or_default();
        let stretch = own().map(|kernel| kernel.prediction.stretch);
        let mhz = clock::predict(causes, board) / stretch.fold(1.0, f64::max);
        let mut seconds = Estimate::exact(0.0);
        for kernel in kernels {
            seconds = seconds + kernel.prediction.seconds_at(mhz, board) * kernel.times;
        }
        Program {
            seconds,
            clock_mhz: Estimate::within(mhz, doubts::CLOCK),
            area: Area::within(used, doubts::AREA),
            fits: area::fits(used, board),
            penalty_causes: causes,
        }
    }
}

impl Program {
    /// The same for kernels that run at the same time, as channels connect them: they take as long as the one that takes
    /// the longest, or as the memory takes for what all of them move.
    pub fn at_once(kernels: &[Launched<'_>], board: &Board) -> Self {
        Program::in_rounds(&[kernels], board)
    }

    /// The same for rounds of kernels that run at the same time, one round after another.
    pub fn in_rounds(rounds: &[&[Launched<'_>]], board: &Board) -> Self {
        let all = Program::of(&rounds.concat(), board);
        let mhz = all.clock_mhz.value;
        let each = rounds.iter().map(|round| together(round, mhz, board));
        Program {
            seconds: each.fold(Estimate::exact(0.0), |sum, round| sum + round),
            ..all
        }
    }
}

/// Seconds of kernels that run at the same time, at a clock.
fn together(kernels: &[Launched<'_>], mhz: f64, board: &Board) -> Estimate {
    let each = kernels.iter().map(|kernel| {
        let alone = kernel.prediction.seconds_at(mhz, board);
        alone * kernel.times
    });
    let longest = each.max_by(|a, b| a.value.total_cmp(&b.value));
    let longest = longest.unwrap_or(Estimate::exact(0.0));
    let moved = kernels
        .iter()
        .map(|kernel| kernel.prediction.memory_seconds * kernel.times);
    let moving = moved.sum::<f64>() + board.launch_microseconds * 1e-6;
    longest * (moving / longest.value).max(1.0)
}

impl Prediction {
    /// Seconds of one launch at another clock.
    fn seconds_at(&self, mhz: f64, board: &Board) -> Estimate {
        let launching = board.launch_microseconds * 1e-6;
        let running = (self.busy_cycles / (mhz * 1e6)).max(self.memory_seconds) + launching;
        self.seconds * (running / self.seconds.value)
    }
}

impl PenaltyCauses {
    /// Those of two kernels in one image.
    pub fn beside(self, other: PenaltyCauses) -> PenaltyCauses {
        PenaltyCauses {
            logic: self.logic + other.logic,
            ram: (self.ram + other.ram).min(1.0),
            divergent: self.divergent.max(other.divergent),
            wide: self.wide.max(other.wide),
            deep: self.deep.max(other.deep),
            stores: self.stores.max(other.stores),
            units: self.units + other.units,
            loops: self.loops + other.loops,
        }
    }
}
