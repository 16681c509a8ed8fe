//! `--emit`: show a stage instead of compiling.

use fpgacc_host_analysis::patch::unified_diff;

use crate::facts;
use crate::gather;
use crate::options::Stage;
use crate::rewriting;
use crate::session::{Session, Step};

/// Prints what a stage makes of the inputs.
pub fn run(session: &mut Session, stage: Stage) -> Step<()> {
    let gathered = gather::read_sources(session)?;
    let text = match stage {
        Stage::Host => joined(gathered.patched.iter().map(|(_, text)| text.clone())),
        Stage::HostDiff => {
            let mut out = String::new();
            for (path, patched) in &gathered.patched {
                let original = session.read(path)?;
                out.push_str(&unified_diff(
                    &original,
                    patched,
                    &path.display().to_string(),
                ));
            }
            out
        }
        Stage::Facts => {
            let facts = facts::of(session, &gathered)?.facts;
            let text = serde_yaml::to_string(&facts);
            session.check(text)?
        }
        Stage::Kernels => {
            let compiled = rewriting::all(session, &gathered)?.compiled;
            let texts = compiled.into_iter().map(|c| c.rewritten.text.into_bytes());
            joined(texts)
        }
        Stage::Ast => {
            let compiled = rewriting::all(session, &gathered)?.compiled;
            let modules = compiled.iter().filter_map(|c| c.rewritten.parsed.as_ref());
            modules.map(|module| format!("{module:#?}\n")).collect()
        }
    };
    if matches!(stage, Stage::Kernels | Stage::Ast) {
        let base = session.options.record_base();
        session.write_record(&base)?;
    }
    session.write_text(&text)
}

fn joined(texts: impl Iterator<Item = Vec<u8>>) -> String {
    texts
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .collect()
}
