//! Kernels whose variants `fpgacc tune` found: they are made so, and nothing is decided of them.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes::coarsen::options::Coarsening;
use fpgacc_device_passes::passes::geometry::{ChosenLocal, ProposedLocal};
use fpgacc_device_passes::passes::unroll::Factor;
use fpgacc_device_passes::passes::{
    GEOMETRY, PRIVATISE, TILE, WINDOW, coalesce, coarsen, geometry, lockstep, ndrange_to_loop,
    promote, replicate, unroll, vectorise, window,
};
use fpgacc_device_passes::pipeline::{Pipeline, find_pass};
use fpgacc_kernel_analysis::geometry::Geometry;
use fpgacc_launch_facts::{ExecutionModel, Facts, Variant};

use super::requested::restrained;

/// What a variant says that no pass can do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {what}")]
pub struct NoVariant {
    /// Where in the variant.
    pub field: String,
    /// What is wrong.
    pub what: String,
}

/// The level at which all passes are on that a variant may ask for.
const LEVEL: u8 = 3;

/// The passes as a variant of a kernel wants them.
///
/// # Errors
/// It names what there is not.
pub fn pipeline(
    kernel: &str,
    variant: &Variant,
    facts: &Facts,
    base: &Pipeline,
) -> Result<Pipeline, NoVariant> {
    let form = match variant.form {
        ExecutionModel::SingleWorkItem => ExecutionModel::SingleWorkItem,
        ExecutionModel::NdRange | ExecutionModel::Auto => ExecutionModel::NdRange,
    };
    let mut made = restrained(base, form);
    made.level = LEVEL;
    switch_passes(variant, form, &mut made)?;
    if let Some(text) = &variant.local {
        let local = local_size(text)
            .ok_or_else(|| fault("local", format!("expected sizes as in 64x4, not '{text}'")))?;
        let sizes = &mut made.options.of_mut::<geometry::Options>().local_sizes;
        let sizes = sizes.get_or_insert_default();
        let of_kernel = proposed(kernel, local, facts);
        sizes.kernels.insert(kernel.to_string(), of_kernel);
        made.switches.insert(GEOMETRY.to_string(), true);
    }
    widths(variant, &mut made.options)?;
    loops(variant, &mut made.options)?;
    let to_loop: &mut ndrange_to_loop::Options = made.options.of_mut();
    to_loop.innermost = variant.innermost;
    // Rows that groups cut are no use to windows.
    to_loop.ungrouped |= made.switches.get(WINDOW) == Some(&true);
    Ok(made)
}

fn fault(field: &str, what: String) -> NoVariant {
    NoVariant {
        field: field.to_string(),
        what,
    }
}

/// Which passes run.
fn switch_passes(
    variant: &Variant,
    form: ExecutionModel,
    made: &mut Pipeline,
) -> Result<(), NoVariant> {
    for (pass, is_on) in &variant.passes {
        find_pass(pass).map_err(|unknown| fault("passes", unknown.to_string()))?;
        // What the user says on the command line holds.
        made.switches.entry(pass.clone()).or_insert(*is_on);
    }
    // What changes NDRanges, where a variant says so.
    made.switches.entry(TILE.to_string()).or_insert(false);
    if form == ExecutionModel::NdRange {
        made.switches.entry(PRIVATISE.to_string()).or_insert(false);
    }
    Ok(())
}

/// How wide the datapath becomes.
fn widths(variant: &Variant, options: &mut PassOptions) -> Result<(), NoVariant> {
    let coarsen = variant.coarsen.as_ref();
    let coarsen = coarsen.map(|text| text.parse::<Coarsening>()).transpose();
    options.of_mut::<coarsen::Options>().how =
        coarsen.map_err(|why| fault("coarsen", why.to_string()))?;
    options.of_mut::<vectorise::Options>().lanes = variant.vectorise.filter(|lanes| *lanes > 1);
    options.of_mut::<vectorise::LoopOptions>().lanes =
        variant.vectorise_loops.filter(|lanes| *lanes > 1);
    let few = |field: &str, number: Option<u64>| match number.unwrap_or(1) {
        number @ 1..=64 => Ok(number),
        number => {
            let what = format!("expected a number from 1 to 64, not {number}");
            Err(fault(field, what))
        }
    };
    *options.of_mut() = replicate::Options {
        simd: few("simd", variant.simd)?,
        units: few("compute_units", variant.compute_units)?,
    };
    options.of_mut::<window::Options>().lanes = few("window_lanes", variant.window_lanes)?;
    let steps = few("time_steps", variant.time_steps)?;
    if steps % 2 == 0 {
        return Err(fault(
            "time_steps",
            format!("expected an odd number, not {steps}"),
        ));
    }
    options.of_mut::<window::Options>().steps = steps;
    options.of_mut::<promote::Options>().most = variant.promote.unwrap_or(0);
    Ok(())
}

/// Which loops are copied, and which nests become one.
fn loops(variant: &Variant, options: &mut PassOptions) -> Result<(), NoVariant> {
    for (&number, &copies) in &variant.unroll {
        if number == 0 || copies == 0 {
            let what = "loops are counted from 1, and copies too";
            return Err(fault("unroll", what.to_string()));
        }
        let unrolled = &mut options.of_mut::<unroll::Options>().factors;
        unrolled.push(Factor {
            index: number - 1,
            copies,
        });
    }
    for &number in &variant.lockstep {
        let index = index("lockstep", number)?;
        options.of_mut::<lockstep::Options>().add(index);
    }
    for &number in &variant.coalesce {
        let index = index("coalesce", number)?;
        options.of_mut::<coalesce::Options>().nests.push(index);
    }
    Ok(())
}

/// The index of a loop with a number.
fn index(field: &str, number: usize) -> Result<usize, NoVariant> {
    let index = number.checked_sub(1);
    index.ok_or_else(|| fault(field, "loops are counted from 1".to_string()))
}

/// `64x4`; 1 in further dimensions.
fn local_size(text: &str) -> Option<[u64; 3]> {
    let mut sizes = [1; 3];
    for (at, part) in text.split('x').enumerate() {
        *sizes.get_mut(at)? = part.parse().ok().filter(|size| *size > 0)?;
    }
    Some(sizes)
}

/// A local size for each launch of a kernel whose global size is known.
fn proposed(kernel: &str, local: [u64; 3], facts: &Facts) -> Vec<ProposedLocal> {
    let mut globals: Vec<[u64; 3]> = globals(kernel, facts).collect();
    globals.dedup();
    let proposed = globals.into_iter().map(|global| ProposedLocal {
        sizes: ChosenLocal { global, local },
        gain: String::new(),
    });
    proposed.collect()
}

/// The global sizes of a kernel's launches, where they are known; 1 in further dimensions.
pub fn globals(kernel: &str, facts: &Facts) -> impl Iterator<Item = [u64; 3]> {
    let own = facts.launches.iter().filter(|one| one.may_be_of(kernel));
    own.filter_map(|launch| match Geometry::of([launch]).global {
        [Some(x), Some(y), Some(z)] => Some([x, y, z]),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_becomes_options_of_passes() {
        let variant = Variant {
            form: ExecutionModel::NdRange,
            coarsen: Some("0:4:local".into()),
            unroll: [(2, 8)].into(),
            ..Variant::default()
        };
        let made = pipeline("k", &variant, &Facts::default(), &Pipeline::default()).unwrap();
        let coarsened: &coarsen::Options = made.options.of();
        assert_eq!(coarsened.how.unwrap().factor, 4);
        assert_eq!(
            made.options.of::<unroll::Options>().factors,
            [Factor {
                index: 1,
                copies: 8
            }]
        );
        assert_eq!(made.options.of::<replicate::Options>().simd, 1);
        assert_eq!(made.switches.get("ndrange-to-loop"), Some(&false));
    }

    #[test]
    fn what_no_pass_can_do_is_refused() {
        let wrong = |variant: Variant| {
            pipeline("k", &variant, &Facts::default(), &Pipeline::default())
                .unwrap_err()
                .to_string()
        };
        let messages = wrong(Variant {
            coarsen: Some("4".into()),
            ..Variant::default()
        });
        assert!(
            messages.starts_with("coarsen: expected DIM:FACTOR"),
            "{messages}"
        );
        let messages = wrong(Variant {
            simd: Some(0),
            ..Variant::default()
        });
        assert!(
            messages.starts_with("simd: expected a number from 1"),
            "{messages}"
        );
        let messages = wrong(Variant {
            passes: [("windw".to_string(), true)].into(),
            ..Variant::default()
        });
        assert!(messages.contains("did you mean 'window'"), "{messages}");
        let messages = wrong(Variant {
            local: Some("64x".into()),
            ..Variant::default()
        });
        assert!(
            messages.starts_with("local: expected sizes as in 64x4"),
            "{messages}"
        );
        let messages = wrong(Variant {
            unroll: [(0, 2)].into(),
            ..Variant::default()
        });
        assert!(messages.starts_with("unroll"), "{messages}");
    }
}
