//! The kernels of a program together: one image, one clock, one device.

use fpgacc_decision::{Candidate, Decision};
use fpgacc_performance_model::{Board, Launched, Program, Resources};

use super::data::Total;

/// All kernels in the forms that are kept, and as the input has them.
pub fn of(decisions: &[&Decision], board: &Board) -> Total {
    let together = |form: fn(&Decision) -> &Candidate| {
        let forms = decisions.iter().map(|decision| form(decision));
        Program::of(&forms.flat_map(launched).collect::<Vec<_>>(), board)
    };
    let before = together(Decision::input);
    let kept = together(Decision::chosen);
    let areas = decisions
        .iter()
        .map(|decision| decision.chosen().price.area);
    let area = areas.fold(Resources::default(), |sum, area| sum.plus(area, 1.0));
    Total {
        before: before.seconds.into(),
        seconds: kept.seconds.into(),
        gain: before.seconds.value / kept.seconds.value,
        clock_mhz: kept.clock_mhz.into(),
        area,
        used: used(area, board),
        fits: kept.fits,
    }
}

/// The launches of a form: a version takes area once, however often it is launched.
fn launched(form: &Candidate) -> impl Iterator<Item = Launched<'_>> {
    let parts = &form.price.parts;
    parts.iter().enumerate().map(|(at, part)| Launched {
        prediction: &part.prediction,
        times: part.count,
        again: parts[..at]
            .iter()
            .any(|before| before.version == part.version),
    })
}

/// Of each resource the part of the device that kernels and the board's interface take.
fn used(area: Resources, board: &Board) -> Resources {
    let part = |kernels: f64, interface: f64, device: f64| match device > 0.0 {
        true => (kernels + interface) / device,
        false => 0.0,
    };
    let (interface, device) = (board.interface, board.device);
    Resources {
        alut: part(area.alut, interface.alut, device.alut),
        ff: part(area.ff, interface.ff, device.ff),
        ram: part(area.ram, interface.ram, device.ram),
        dsp: part(area.dsp, interface.dsp, device.dsp),
    }
}
