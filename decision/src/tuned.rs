//! Kernels whose variants `fpgacc tune` found: they are made so, and nothing is decided of them.

use fpgacc_device_passes::options::{Coarsening, Factor};
use fpgacc_device_passes::passes::{PRIVATISE, TILE, WINDOW};
use fpgacc_device_passes::pipeline::{Pipeline, find_pass};
use fpgacc_launch_facts::{ExecutionModel, Variant};

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

/// The passes as a variant wants them.
///
/// # Errors
/// It names what there is not.
pub fn pipeline(variant: &Variant, base: &Pipeline) -> Result<Pipeline, NoVariant> {
    let fault = |field: &str, what: String| NoVariant {
        field: field.to_string(),
        what,
    };
    let form = match variant.form {
        ExecutionModel::SingleWorkItem => ExecutionModel::SingleWorkItem,
        ExecutionModel::NdRange | ExecutionModel::Auto => ExecutionModel::NdRange,
    };
    let mut made = restrained(base, form);
    made.level = LEVEL;
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
    let options = &mut made.options;
    let coarsen = variant
        .coarsen
        .as_ref()
        .map(|text| text.parse::<Coarsening>());
    options.coarsen = coarsen
        .transpose()
        .map_err(|why| fault("coarsen", why.to_string()))?;
    options.vectorise = variant.vectorise.filter(|lanes| *lanes > 1);
    for (field, value, option) in [
        ("simd", variant.simd, &mut options.simd),
        (
            "compute_units",
            variant.compute_units,
            &mut options.compute_units,
        ),
        (
            "window_lanes",
            variant.window_lanes,
            &mut options.window_lanes,
        ),
    ] {
        *option = value.unwrap_or(1);
        if *option == 0 || *option > 64 {
            return Err(fault(
                field,
                format!("expected a number from 1 to 64, not {option}"),
            ));
        }
    }
    for (&number, &copies) in &variant.unroll {
        if number == 0 || copies == 0 {
            return Err(fault(
                "unroll",
                "loops are counted from 1, and copies too".to_string(),
            ));
        }
        options.unroll.push(Factor {
            index: number - 1,
            copies,
        });
    }
    for &number in &variant.coalesce {
        let index = number.checked_sub(1);
        let index =
            index.ok_or_else(|| fault("coalesce", "loops are counted from 1".to_string()))?;
        options.coalesce.push(index);
    }
    options.promote = variant.promote.unwrap_or(0);
    options.innermost = variant.innermost;
    // Rows that groups cut are no use to windows.
    options.ungrouped |= made.switches.get(WINDOW) == Some(&true);
    Ok(made)
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
        let made = pipeline(&variant, &Pipeline::default()).unwrap();
        assert_eq!(made.options.coarsen.unwrap().factor, 4);
        assert_eq!(
            made.options.unroll,
            [Factor {
                index: 1,
                copies: 8
            }]
        );
        assert_eq!(made.options.simd, 1);
        assert_eq!(made.switches.get("ndrange-to-loop"), Some(&false));
    }

    #[test]
    fn what_no_pass_can_do_is_refused() {
        let wrong = |variant: Variant| {
            pipeline(&variant, &Pipeline::default())
                .unwrap_err()
                .to_string()
        };
        let told = wrong(Variant {
            coarsen: Some("4".into()),
            ..Variant::default()
        });
        assert!(told.starts_with("coarsen: expected DIM:FACTOR"), "{told}");
        let told = wrong(Variant {
            simd: Some(0),
            ..Variant::default()
        });
        assert!(told.starts_with("simd: expected a number from 1"), "{told}");
        let told = wrong(Variant {
            passes: [("windw".to_string(), true)].into(),
            ..Variant::default()
        });
        assert!(told.contains("did you mean 'window'"), "{told}");
        let told = wrong(Variant {
            unroll: [(0, 2)].into(),
            ..Variant::default()
        });
        assert!(told.starts_with("unroll"), "{told}");
    }
}
