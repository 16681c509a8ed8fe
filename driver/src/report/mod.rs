//! `fpgacc report`: what was decided about each kernel and why, as tables, as a page and for machines.
//!
//! [`collect`] makes of the decisions the [`data`] that all three show; [`table`], [`page`] and JSON
//! only lay it out.

mod collect;
mod data;
mod difference;
mod excerpt;
mod geometry;
mod highlight;
mod lines;
mod loops;
mod marks;
mod memory;
mod page;
mod picture;
mod plot;
mod position;
mod table;
mod total;

use std::process::ExitCode;

use crate::messages::Messages;
use crate::no_kernel::Look;
use crate::options::Options;
use crate::session::{Session, Step};
use crate::{FAILED, MISUSED, build_command, cli, no_kernel};

/// How a report is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Tables,
    Json,
    Page,
}

/// Runs `fpgacc report ..`; `words` starts with `report`.
pub fn command(words: &[String], mut messages: Messages) -> ExitCode {
    let given = match build_command::read(words.to_vec(), cli::report_command, &mut messages) {
        Ok(given) => given,
        Err(code) => return code,
    };
    let matches = &given.matches;
    let mut options = match Options::of_command(matches, "report") {
        Ok(options) => options,
        Err(error) => return crate::fail(&mut messages, error, MISUSED),
    };
    options.explain = true;
    options.as_on_board = true;
    options.also_read.extend(given.files);
    let layout = match (matches.get_flag("json"), matches.get_flag("html")) {
        (true, _) => Layout::Json,
        (_, true) => Layout::Page,
        _ => Layout::Tables,
    };
    let device = matches.get_one::<String>("geometry").map(String::as_str);
    let ranks_only = device.is_some() && layout == Layout::Tables;
    if ranks_only {
        // Kernels are looked at as they are written.
        options.pipeline.level = 0;
        options.pipeline.switches.clear();
        options.geometry = None;
    }
    messages.configure(&options);
    let mut session = Session::new(options, messages);
    let done = match device {
        Some(device) if ranks_only => sizes(&mut session, device),
        _ => write(&mut session, &given.words, layout, device),
    };
    match done {
        Ok(()) if session.messages.errors() == 0 => ExitCode::SUCCESS,
        _ => ExitCode::from(FAILED),
    }
}

/// The sizes of work-groups for a GPU.
fn sizes(session: &mut Session, device: &str) -> Step<()> {
    session.check_inputs()?;
    let named = session.options.output.iter().cloned().collect::<Vec<_>>();
    session.may_write(&named)?;
    let text = geometry::text(session, device)?;
    if text.is_empty() {
        return session.fail(no_kernel::found(Look::Report, &session.options, None));
    }
    session.write_text(&text)
}

fn write(
    session: &mut Session,
    words: &[String],
    layout: Layout,
    device: Option<&str>,
) -> Step<()> {
    session.check_inputs()?;
    let named = session.options.output.iter().cloned().collect::<Vec<_>>();
    session.may_write(&named)?;
    let report = collect::collect(session, words, device)?;
    if report.programs.iter().all(|one| one.kernels.is_empty()) {
        let unread = report.programs.first().map(|one| one.name.as_str());
        return session.fail(no_kernel::found(Look::Report, &session.options, unread));
    }
    let text = match layout {
        Layout::Tables => Ok(table::text(&report)),
        Layout::Json => serde_json::to_string_pretty(&report)
            .map(|text| format!("{text}\n"))
            .map_err(|error| error.to_string()),
        Layout::Page => page::text(&report).map_err(|error| error.to_string()),
    };
    let text = session.check(text)?;
    session.write_text(&text)
}
