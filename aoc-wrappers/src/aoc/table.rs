//! aoc's flags: how each version spells them, and what they mean where there is only an emulator.

use super::version::AocVersion;
use crate::request::Stage;

/// How a flag takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Not at all.
    None,
    /// `-flag=value` or `-flag value`.
    Needed,
    /// `-flag` or `-flag=value`.
    Optional,
}

/// What a flag does where there is only an emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Meaning {
    March,
    Stage(Stage),
    Output,
    Board,
    ListBoards,
    ListPackages,
    Version,
    Help,
    Verbose,
    Quiet,
    Debug,
    NoWarnings,
    ChannelDepth,
    Platform,
    /// Nothing on an emulator.
    Idle,
    /// Emulators change floating point less than hardware does: nothing to do.
    FloatingPoint,
    /// Needs the SDK.
    Sdk,
}

/// A flag.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Without its dashes.
    pub name: &'static str,
    /// How it takes a value.
    pub value: Value,
    /// What it does on an emulator.
    pub meaning: Meaning,
    /// For `-help`; flags without stand in one list there.
    pub help: &'static str,
    /// The first release that has it, year and number.
    since: Option<(u32, u32)>,
    /// The first release that has it no more, or under another name.
    until: Option<(u32, u32)>,
    /// What it is from then on, with its dash.
    renamed: Option<&'static str>,
}

impl Flag {
    const fn since(mut self, year: u32, number: u32) -> Self {
        self.since = Some((year, number));
        self
    }

    const fn until(mut self, year: u32, number: u32) -> Self {
        self.until = Some((year, number));
        self
    }

    const fn renamed(mut self, year: u32, number: u32, name: &'static str) -> Self {
        self.renamed = Some(name);
        self.until(year, number)
    }
}

/// Whether a version has a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// A later one has.
    NotYet,
    /// Yes.
    Known,
    /// An earlier one had, or it has another name.
    Gone,
}

fn named(name: &str) -> &'static Flag {
    let found = FLAGS.iter().find(|flag| flag.name == name);
    found.expect("a flag of the table")
}

/// Whether a version has the flag with this name.
pub fn era(version: &AocVersion, name: &str) -> Era {
    let flag = named(name);
    let is_at_least = |release: Option<(u32, u32)>| release.map(|(y, n)| version.at_least(y, n));
    match (is_at_least(flag.since), is_at_least(flag.until)) {
        (Some(false), _) => Era::NotYet,
        (_, Some(true)) => Era::Gone,
        _ => Era::Known,
    }
}

/// A flag as a version spells it: two dashes and values as words of their own before 17.1, one dash and
/// `=` since. Flags that came later, and letters, always have one dash.
pub fn spelled(version: &AocVersion, name: &str, value: Option<&str>) -> Vec<String> {
    let flag = named(name);
    if let (Era::Gone, Some(renamed)) = (era(version, name), flag.renamed) {
        return vec![renamed.to_string()];
    }
    let has_two_dashes = version.two_dashes() && flag.since.is_none() && name.len() > 1;
    match (value, has_two_dashes) {
        (None, true) => vec![format!("--{name}")],
        (None, false) => vec![format!("-{name}")],
        (Some(value), true) => vec![format!("--{name}"), value.to_string()],
        (Some(value), false) => vec![format!("-{name}={value}")],
    }
}

const fn flag(name: &'static str, value: Value, meaning: Meaning, help: &'static str) -> Flag {
    Flag {
        name,
        value,
        meaning,
        help,
        since: None,
        until: None,
        renamed: None,
    }
}

const fn idle(name: &'static str, value: Value) -> Flag {
    flag(name, value, Meaning::Idle, "")
}

/// The flags with long names. Sources: Intel FPGA SDK for OpenCL Programming
/// Guide, what aoc's own driver scripts of 15.0 to 20.3 take, build files of public projects. The first
/// release of each is the best that these name: the guide of 21.3 has `-ffp-reassociate` and
/// `-ffp-contract=fast` and calls `-fp-relaxed` and `-fpc` deprecated, 20.3 takes those; 18.1 still takes
/// two dashes, with a warning. None was tried on an SDK of exactly that release.
pub const FLAGS: &[Flag] = &[
    flag("o", Value::Needed, Meaning::Output, "-o FILE: write FILE"),
    flag(
        "c",
        Value::None,
        Meaning::Stage(Stage::Object),
        "-c: check the kernels and write an .aoco",
    ),
    flag(
        "rtl",
        Value::None,
        Meaning::Stage(Stage::Rtl),
        "-rtl: check the kernels and write an .aocr; there is no RTL in it",
    )
    .since(17, 1),
    flag(
        "march",
        Value::Needed,
        Meaning::March,
        "-march=emulator: compile for an emulator, the only target here",
    ),
    flag(
        "platform",
        Value::Needed,
        Meaning::Platform,
        "-platform=intel|pocl: the emulator (not aoc's; also $FPGACC_PLATFORM)",
    ),
    flag("g", Value::None, Meaning::Debug, "-g: debug information"),
    flag("g0", Value::None, Meaning::Idle, ""),
    flag("W", Value::None, Meaning::NoWarnings, "-W: no warnings"),
    flag(
        "v",
        Value::None,
        Meaning::Verbose,
        "-v: say what is done, and which flags mean nothing here",
    ),
    flag(
        "quiet",
        Value::None,
        Meaning::Quiet,
        "-quiet: no warnings, no progress (not aoc's)",
    ),
    flag(
        "board",
        Value::Needed,
        Meaning::Board,
        "-board=NAME: define AOCL_BOARD_NAME",
    ),
    flag(
        "list-boards",
        Value::None,
        Meaning::ListBoards,
        "-list-boards: list the boards",
    ),
    flag(
        "list-board-packages",
        Value::None,
        Meaning::ListPackages,
        "-list-board-packages: list the board packages",
    ),
    flag(
        "version",
        Value::None,
        Meaning::Version,
        "-version: print the version",
    ),
    flag("V", Value::None, Meaning::Version, ""),
    flag("help", Value::None, Meaning::Help, "-help: print this"),
    flag("h", Value::None, Meaning::Help, ""),
    flag(
        "emulator-channel-depth-model",
        Value::Needed,
        Meaning::ChannelDepth,
        "-emulator-channel-depth-model=MODEL: how to choose it when the program runs",
    ),
    flag("fp-relaxed", Value::None, Meaning::FloatingPoint, "").renamed(21, 1, "-ffp-reassociate"),
    flag("fpc", Value::None, Meaning::FloatingPoint, "").renamed(21, 1, "-ffp-contract=fast"),
    flag("ffp-reassociate", Value::None, Meaning::FloatingPoint, ""),
    flag("ffp-reassoc", Value::None, Meaning::FloatingPoint, ""),
    flag("ffp-contract", Value::Needed, Meaning::FloatingPoint, ""),
    flag("rounding", Value::Needed, Meaning::FloatingPoint, ""),
    flag("daz", Value::None, Meaning::FloatingPoint, ""),
    flag("l", Value::Needed, Meaning::Sdk, ""),
    flag("shared", Value::None, Meaning::Sdk, ""),
    flag("create-library", Value::None, Meaning::Sdk, ""),
    idle("ggdb", Value::None),
    // Before 19.1 it is the only emulator.
    idle("legacy-emulator", Value::None)
        .since(19, 1)
        .until(21, 1),
    idle("fast-emulator", Value::None),
    idle("report", Value::None),
    idle("estimate-throughput", Value::None),
    idle("profile", Value::Optional),
    idle("profile-config", Value::Needed),
    idle("profile-shared-counters", Value::None),
    idle("board-package", Value::Needed),
    idle("bsp-flow", Value::Needed),
    idle("L", Value::Needed),
    idle("library-debug", Value::None),
    idle("no-interleaving", Value::Needed),
    idle("const-cache-bytes", Value::Needed),
    idle("fast-compile", Value::None),
    idle("high-effort", Value::None),
    idle("high-effort-compile", Value::None),
    idle("incremental", Value::Optional),
    idle("incremental-input-dir", Value::Needed),
    idle("incremental-grouping", Value::Needed),
    idle("incremental-flow", Value::Needed),
    idle("incremental-save-partitions", Value::Needed),
    idle("incremental-set-partitions", Value::Needed),
    idle("parallel", Value::Needed),
    idle("seed", Value::Needed),
    idle("fmax", Value::Needed),
    idle("clock", Value::Needed),
    idle("num-reorder", Value::Needed),
    idle("global-ring", Value::None),
    idle("global-tree", Value::None),
    idle("duplicate-ring", Value::None),
    idle("force-single-store-ring", Value::None),
    idle("hyper-optimized-handshaking", Value::Optional),
    idle("no-hardware-kernel-invocation-queue", Value::None),
    idle("dont-error-if-large-area-est", Value::None),
    idle("timing-threshold", Value::Needed),
    idle("timing-failure-mode", Value::Needed),
    idle("timing-failure-allowed-slack", Value::Needed),
    idle("ecc", Value::None),
    idle("ecc-max-latency", Value::Needed),
    idle("big-endian", Value::None),
    idle("opt-arg", Value::Needed),
    idle("llc-arg", Value::Needed),
    idle("sysinteg-arg", Value::Needed),
    idle("clang-arg", Value::Needed),
    idle("add-qsf", Value::Needed),
    idle("floorplan", Value::Needed),
    idle("empty-kernel", Value::Needed),
    idle("device-spec", Value::Needed),
    idle("power", Value::None),
    idle("save-temps", Value::None),
    idle("save-extra", Value::None),
    idle("tidy", Value::None),
    idle("dot", Value::None),
    idle("time", Value::Optional),
    idle("time-passes", Value::None),
    idle("no-env-check", Value::None),
    idle("no-lms", Value::None),
    idle("dsploc", Value::Needed),
    idle("ramloc", Value::Needed),
    idle("O0", Value::None),
    idle("O1", Value::None),
    idle("O2", Value::None),
    idle("O3", Value::None),
    idle("Os", Value::None),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_spell_flags_in_their_way() {
        let [old, new, last] = ["17.0.2", "17.1.0", "21.1.0"]
            .map(|number| AocVersion::parse(&format!("Version {number} Build 1")).unwrap());
        assert_eq!(spelled(&old, "report", None), ["--report"]);
        assert_eq!(spelled(&old, "board", Some("a10")), ["--board", "a10"]);
        assert_eq!(spelled(&new, "report", None), ["-report"]);
        assert_eq!(spelled(&new, "board", Some("a10")), ["-board=a10"]);
        assert_eq!(spelled(&new, "fpc", None), ["-fpc"]);
        assert_eq!(spelled(&last, "fpc", None), ["-ffp-contract=fast"]);
        assert_eq!(era(&old, "rtl"), Era::NotYet);
        assert_eq!(era(&last, "legacy-emulator"), Era::Gone);
    }
}
