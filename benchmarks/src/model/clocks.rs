//! Measured clocks of all kinds: slopes that are fitted to them, and to all but each application's.

use std::collections::BTreeMap;
use std::fmt::Write;

use fpgacc_performance_model::calibration::clock::{Sample, fit};
use fpgacc_performance_model::{Board, ClockPenalties, predict_clock};

use super::cases::{Case, some};
use super::judge::median;

/// Slopes are fitted where so many clocks were measured.
const LEAST: usize = 60;

/// Measured clocks, by the slopes that the boards' files have.
pub struct Clocks<'a> {
    groups: Vec<(ClockPenalties, Vec<Clock<'a>>)>,
}

/// A clock of an application on a board.
#[derive(Clone, Copy)]
struct Clock<'a> {
    application: &'a str,
    board: &'a Board,
    sample: Sample,
}

/// Fitted slopes, by those that the boards' files have.
pub struct Slopes(Vec<(ClockPenalties, ClockPenalties)>);

impl Slopes {
    /// A board with the slopes that were fitted in the place of its own.
    pub fn on(&self, mut board: Board) -> Board {
        let own = board.clock.penalties;
        if let Some((_, fitted)) = self.0.iter().find(|(shipped, _)| *shipped == own) {
            board.clock.penalties = *fitted;
        }
        board
    }
}

impl<'a> Clocks<'a> {
    /// Those of cases that have one. An application's clocks on one board count as much as another's.
    pub fn of(cases: &[&'a Case]) -> Self {
        let mut groups: Vec<(ClockPenalties, Vec<Clock<'a>>)> = Vec::new();
        for case in cases {
            let Some(mhz) = case.mhz else { continue };
            let Some(causes) = (case.predict)(&case.board).causes else {
                continue;
            };
            let clock = Clock {
                application: &case.application,
                board: &case.board,
                sample: Sample::new(mhz, &case.board, causes),
            };
            let shipped = case.board.clock.penalties;
            match groups
                .iter_mut()
                .find(|(penalties, _)| *penalties == shipped)
            {
                Some((_, clocks)) => clocks.push(clock),
                None => groups.push((shipped, vec![clock])),
            }
        }
        for (_, clocks) in &mut groups {
            weigh(clocks);
        }
        Clocks { groups }
    }

    /// The slopes that fit all clocks, or all but an application's.
    pub fn fit(&self, left_out: Option<&str>) -> Slopes {
        let fitted = self.groups.iter().filter_map(|(shipped, clocks)| {
            let seen = clocks
                .iter()
                .filter(|clock| Some(clock.application) != left_out);
            let seen: Vec<Sample> = seen.map(|clock| clock.sample).collect();
            (seen.len() >= LEAST).then(|| (*shipped, fit(&seen, shipped)))
        });
        Slopes(fitted.collect())
    }
}

fn weigh(clocks: &mut [Clock<'_>]) {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for clock in clocks.iter() {
        *counts.entry(clock.name()).or_default() += 1;
    }
    for clock in clocks {
        clock.sample.weight = 1.0 / counts[&clock.name()] as f64;
    }
}

impl<'a> Clock<'a> {
    /// The board and the application.
    fn name(&self) -> (&'a str, &'a str) {
        (&self.board.name, self.application)
    }

    /// The logarithm of the predicted clock over the measured one.
    fn error(&self, board: &Board) -> f64 {
        (predict_clock(self.sample.causes, board) / self.sample.mhz).ln()
    }
}

/// Fits slopes, leaves each application out, and reports errors of clocks. At most `most` cases of each application of a
/// set have a part.
pub fn report(cases: &[Case], most: usize) -> String {
    let cases = some(cases, most);
    let clocks = Clocks::of(&cases);
    let mut text = String::new();
    for (shipped, fitted) in &clocks.fit(None).0 {
        let _ = writeln!(text, "{:12} {:>8} {:>8}", "slope", "in files", "fitted");
        let both = shipped.slopes().into_iter().zip(fitted.slopes());
        for (name, (own, fitted)) in ClockPenalties::NAMES.iter().zip(both) {
            let _ = writeln!(text, "{name:12} {own:8.3} {fitted:8.3}");
        }
    }
    let _ = writeln!(
        text,
        "{:10} {:18} {:>6} {:>8} {:>8}",
        "board", "application", "clocks", "in files", "left out"
    );
    let mut all: [Vec<f64>; 2] = Default::default();
    for ((board, application), own) in by_name(&clocks) {
        let left_out = clocks.fit(Some(application));
        let on: [fn(&Slopes, &Board) -> Board; 2] = [
            |_, board| board.clone(),
            |slopes, board| slopes.on(board.clone()),
        ];
        let errors = on.map(|on| {
            let error = |clock: &Clock<'_>| clock.error(&on(&left_out, clock.board)).abs();
            median(own.iter().map(error))
        });
        let _ = writeln!(
            text,
            "{board:10} {application:18.18} {:6} {:8.3} {:8.3}",
            own.len(),
            errors[0],
            errors[1]
        );
        all[0].push(errors[0]);
        all[1].push(errors[1]);
    }
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    let _ = writeln!(
        text,
        "{:10} {:18} {:6} {:8.3} {:8.3}",
        "mean",
        "",
        all[0].len(),
        mean(&all[0]),
        mean(&all[1])
    );
    text
}

/// The clocks of each application on each board.
fn by_name<'a>(clocks: &Clocks<'a>) -> BTreeMap<(&'a str, &'a str), Vec<Clock<'a>>> {
    let mut named: BTreeMap<_, Vec<Clock<'a>>> = BTreeMap::new();
    for clock in clocks.groups.iter().flat_map(|(_, clocks)| clocks) {
        named.entry(clock.name()).or_default().push(*clock);
    }
    named
}
