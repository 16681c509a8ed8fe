//! Source lines of return addresses, where the modules have debug information.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use fpgacc_aoc_wrappers::process::Command;
use fpgacc_launch_facts::Location;

use super::record::{Frame, Record, Site};

/// Headers whose functions call OpenCL for the host.
const WRAPPERS: [&str; 3] = ["cl.hpp", "cl2.hpp", "opencl.hpp"];

/// What is known of addresses.
pub struct Positions {
    lines: BTreeMap<Frame, Location>,
}

impl Positions {
    /// Looks up all addresses of a record.
    pub fn of(record: &Record) -> Positions {
        let mut by_module: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        let sites = (record.programs.iter().map(|one| &one.site))
            .chain(record.memory.iter().map(|one| &one.site))
            .chain(record.launches.iter().map(|one| &one.site));
        for frame in sites.flat_map(|site| &site.frames) {
            if !is_system(&frame.module) {
                by_module
                    .entry(&frame.module)
                    .or_default()
                    .insert(frame.offset);
            }
        }
        let mut lines = BTreeMap::new();
        for (module, offsets) in by_module {
            for (offset, location) in lines_of(module, &offsets) {
                let module = module.to_string();
                lines.insert(Frame { module, offset }, location);
            }
        }
        Positions { lines }
    }

    /// The host's line; else the address, with line 0.
    pub fn location(&self, site: &Site) -> Location {
        if let Some(script) = &site.script {
            return Location {
                file: relative(&script.file),
                line: script.line,
                column: 1,
            };
        }
        let known = site.frames.iter().find_map(|frame| self.lines.get(frame));
        known.cloned().unwrap_or_else(|| Location {
            file: caller(site),
            line: 0,
            column: 0,
        })
    }
}

/// `module+0xoffset` of the innermost frame.
pub fn caller(site: &Site) -> String {
    let Some(frame) = site.frames.first() else {
        return "unknown".to_string();
    };
    let name = Path::new(&frame.module).file_name().unwrap_or_default();
    format!("{}+{:#x}", name.to_string_lossy(), frame.offset)
}

fn is_system(module: &str) -> bool {
    module.is_empty()
        || ["/usr/lib", "/lib", "/usr/bin"]
            .iter()
            .any(|folder| module.starts_with(folder))
}

fn lines_of(module: &str, offsets: &BTreeSet<u64>) -> Vec<(u64, Location)> {
    // An address is after its call: the call itself ends one byte before it.
    let addresses = offsets
        .iter()
        .map(|offset| format!("{:#x}", offset.saturating_sub(1)));
    let command = Command::new("addr2line").args(["-a", "-i", "-e", module]);
    let Ok(output) = command.args(addresses).silent().capture() else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut now: Option<u64> = None;
    for line in output.stdout_text().lines() {
        if let Some(address) = line.strip_prefix("0x") {
            now = u64::from_str_radix(address, 16).ok().map(|at| at + 1);
        } else if let (Some(offset), Some(location)) = (now, location(line)) {
            // Of functions that were inlined there, the innermost stands first.
            out.push((offset, location));
            now = None;
        }
    }
    out
}

/// Whether a file is the host's own: no header of the system, and no binding, wherever that lies.
pub fn is_of_host(file: &str) -> bool {
    let base = Path::new(file).file_name().and_then(OsStr::to_str);
    !file.starts_with("/usr/") && base.is_some_and(|base| !WRAPPERS.contains(&base))
}

/// A line of the host itself.
fn location(text: &str) -> Option<Location> {
    let text = text.split(" (").next()?;
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    // Sources that are not here are those of somebody else's library.
    if !is_of_host(file) || !Path::new(file).is_file() {
        return None;
    }
    Some(Location {
        file: relative(file),
        line,
        column: 1,
    })
}

/// As seen from the working folder.
fn relative(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let below = Path::new(file).strip_prefix(&here).ok();
    below.and_then(Path::to_str).unwrap_or(file).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_wrappers_and_of_the_system_are_not_the_hosts() {
        assert_eq!(location("/usr/include/x.h:12"), None);
        assert_eq!(location("/opt/include/CL/opencl.hpp:5000"), None);
        assert_eq!(location("??:0"), None);
        assert_eq!(location("/somebody/else/interpreter.c:12"), None);
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/src/trace/positions.rs");
        let found = location(&format!("{own}:7 (discriminator 2)")).unwrap();
        assert_eq!(found.line, 7);
    }
}
