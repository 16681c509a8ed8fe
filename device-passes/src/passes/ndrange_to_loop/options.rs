//! Which loops there are, and in which order.

use crate::options::OwnOptions;
use crate::setting::{PassFlag, Setting, number};

/// What is asked of the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most work-items in a group where the host does not fix the local size.
    pub max_local_size: u64,
    /// The dimension of work-items whose loops are innermost, wherever their order is free; `None`: the one
    /// that moves word by word through memory.
    pub innermost: Option<u8>,
    /// Loops go over global ids where nothing distinguishes groups: rows are not cut by them.
    pub ungrouped: bool,
    /// Loops of kernels run outside of those over work-items, where all work-items run them equally often.
    pub interchange: bool,
}

impl OwnOptions for Options {
    const DEFAULT: &'static Self = &Options {
        max_local_size: 1024,
        innermost: None,
        ungrouped: false,
        interchange: false,
    };
}

/// The options as text.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("max-local-size", |options, text| {
        options.of_mut::<Options>().max_local_size = number(text)?;
        Ok(())
    })
    .flag(
        PassFlag::Value("N"),
        "The most work-items in a work-group where the host does not fix the local size (default 1024); \
         checked at each launch",
    )
    .checked(|text| {
        let known = text.parse().is_ok_and(|size| (1..=65536).contains(&size));
        known
            .then_some(())
            .ok_or_else(|| "not a number from 1 to 65536".to_string())
    }),
    Setting::new("innermost", |options, text| {
        options.of_mut::<Options>().innermost = Some(number(text)?);
        Ok(())
    }),
    Setting::new("ungrouped", |options, text| {
        options.of_mut::<Options>().ungrouped = text == "yes";
        Ok(())
    }),
    Setting::new("interchange", |options, text| {
        let options: &mut Options = options.of_mut();
        options.interchange = true;
        // Rows that groups cut are short.
        options.ungrouped |= text == "rows";
        Ok(())
    })
    .flag(
        PassFlag::Switch("rows"),
        "In single work-items, run the loops of kernels outside of those over work-items, where all \
         work-items run them equally often; by default --kernel-opt=3 does so where that pays",
    ),
];
