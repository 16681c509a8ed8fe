//! Flags of passes, which their files declare.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use clap::ArgMatches;
use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::passes;
use fpgacc_device_passes::setting::{PassFlag, Setting};

use super::flag::Flag;
use super::flag::Shape::{Either, Equals};

/// All of them, in the order of the passes.
pub static FLAGS: LazyLock<Vec<Flag>> = LazyLock::new(|| {
    let settings = passes::settings().map(|(_, setting)| setting);
    settings.filter_map(flag).collect()
});

fn flag(setting: &'static Setting) -> Option<Flag> {
    let (name, help) = (setting.name, setting.help);
    let flag = match setting.flag {
        PassFlag::None | PassFlag::Pass(_) => return None,
        PassFlag::Switch(_) => Flag::two_dashes(name, help),
        PassFlag::Value(what) => Flag::two_dashes(name, help).value(Either, what),
        PassFlag::OneDash(name, what) => Flag::one_dash(name, help).value(Equals, what),
    };
    Some(flag.common(setting.brief).single().read_by(setting))
}

/// What a command line says of an option of a pass.
fn given(matches: &ArgMatches, setting: &Setting, is_pass_asked: bool) -> Option<String> {
    match setting.flag {
        PassFlag::None => None,
        PassFlag::Pass(value) => is_pass_asked.then(|| value.to_string()),
        PassFlag::Switch(value) => matches.get_flag(setting.name).then(|| value.to_string()),
        PassFlag::Value(_) => matches.get_one(setting.name).cloned(),
        PassFlag::OneDash(name, _) => matches.get_one(name).cloned(),
    }
}

/// Reads the options of all passes. Some turn their pass on, where nothing else is said of it.
///
/// # Errors
/// What is wrong with one.
pub fn read(
    matches: &ArgMatches,
    options: &mut PassOptions,
    switches: &mut BTreeMap<String, bool>,
) -> Result<(), String> {
    for (pass, setting) in passes::settings() {
        let is_asked = switches.get(pass.name()) == Some(&true);
        let Some(value) = given(matches, setting, is_asked) else {
            continue;
        };
        setting.given(options, &value)?;
        if setting.turns_on {
            switches.entry(pass.name().to_string()).or_insert(true);
        }
    }
    Ok(())
}
