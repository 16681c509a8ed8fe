//! The table of measurements.

use std::path::Path;

use serde::Deserialize;

use super::error::ModelError;

/// A measured design point.
#[derive(Clone, Debug, Deserialize)]
pub struct Measured {
    /// The application.
    pub app: String,
    /// Its family, such as `NDRange` or `SWI+Channel`.
    pub model: String,
    /// The kernel's name in its family.
    pub variant: String,
    /// What else is said, such as the work-group size.
    pub note: String,
    /// Look-up tables, with the board's interface.
    pub alut: Option<f64>,
    /// Multiplier blocks, as text: `5 / 1,518 ( < 1 % )`.
    pub dsp: String,
    /// Memory blocks, as text.
    pub ram: String,
    /// The clock in MHz.
    pub clk_mhz: Option<f64>,
    /// Milliseconds.
    pub ms: f64,
}

impl Measured {
    /// Whether channels connect its kernels.
    pub fn has_channels(&self) -> bool {
        self.model.contains("Channel")
    }
}

/// Reads the table.
pub fn read(path: &Path) -> Result<Vec<Measured>, ModelError> {
    let mut rows = Vec::new();
    for row in csv::Reader::from_path(path)?.deserialize() {
        rows.push(row?);
    }
    Ok(rows)
}

/// The number before a text such as `1,156 / 2,713 ( 43 % )`.
pub fn number(text: &str) -> Option<f64> {
    let digits: String = text
        .split('/')
        .next()?
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}
