//! The report as one page that needs nothing but itself.

use minijinja::{Environment, context};

use super::data::Report;
use super::plot;

/// The template; its name makes minijinja escape what stands in it.
const NAME: &str = "page.html";

/// The page.
///
/// # Errors
/// The template is wrong.
pub fn text(report: &Report) -> Result<String, minijinja::Error> {
    use fpgacc_decision::words;
    let mut environment = Environment::new();
    environment.add_filter("seconds", words::seconds);
    environment.add_filter("number", words::number);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.add_template(NAME, include_str!("page.html"))?;
    let plots: Vec<Vec<plot::Plot>> = report
        .programs
        .iter()
        .map(|program| program.kernels.iter().map(plot::plot).collect())
        .collect();
    let page = environment.get_template(NAME)?;
    page.render(context! { report, plots, version => env!("CARGO_PKG_VERSION") })
}
