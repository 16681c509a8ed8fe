//! What users ask for: `-fexecution-model=`, `execution_models` among the facts, and `#pragma fpgacc
//! execution_model(..)` before a kernel.

use std::collections::BTreeMap;

use fpgacc_frontend::diag::Diagnostic;

use fpgacc_frontend::ir::{Item, Module};
pub use fpgacc_launch_facts::ExecutionModel;

use fpgacc_device_passes::passes::{NDRANGE_TO_LOOP, WINDOW, ndrange_to_loop};
use fpgacc_device_passes::pipeline::Pipeline;

/// The pipeline of a kernel that is not decided on.
pub(super) fn restrained(pipeline: &Pipeline, model: ExecutionModel) -> Pipeline {
    let mut own = pipeline.clone();
    if model == ExecutionModel::NdRange {
        own.switches.insert(NDRANGE_TO_LOOP.to_string(), false);
    }
    // Whether windows pay is for the search to say, and for the user.
    let windows = own.switches.entry(WINDOW.to_string()).or_insert(false);
    // Rows that groups cut are no use to them.
    if *windows {
        own.options.of_mut::<ndrange_to_loop::Options>().ungrouped = true;
    }
    own
}

/// What the command line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestedModels {
    /// For all kernels that nothing else is said of; `None`: nothing is asked.
    pub all: Option<ExecutionModel>,
    /// For kernels by name. Stronger than what facts or their text say.
    pub kernels: BTreeMap<String, ExecutionModel>,
}

impl RequestedModels {
    /// What is asked for a kernel: here, in the facts, or before it in its text; `None`: nothing.
    pub(super) fn of(
        &self,
        kernel: &str,
        in_facts: &BTreeMap<String, ExecutionModel>,
        in_text: &BTreeMap<String, ExecutionModel>,
    ) -> Option<ExecutionModel> {
        let mut asked = [&self.kernels, in_facts, in_text].into_iter();
        let model = asked.find_map(|models| models.get(kernel));
        model.copied().or(self.all)
    }
}

/// Takes the pragmas that are fpgacc's own out of a module: what they ask for, by the kernel after
/// them, and what is wrong with them.
pub fn take_pragmas(module: &mut Module) -> (BTreeMap<String, ExecutionModel>, Vec<Diagnostic>) {
    let mut requested = BTreeMap::new();
    let mut diagnostics = Vec::new();
    let mut waiting: Option<ExecutionModel> = None;
    for item in &module.items {
        match item {
            Item::Pragma(text) if own_words(text).is_some() => match model_of(text) {
                Ok(model) => {
                    let unused = waiting.replace(model).is_some();
                    diagnostics.extend(unused.then(|| misplaced(text)));
                }
                Err(fault) => diagnostics.push(fault),
            },
            Item::Function(id) if module.functions[*id].is_kernel => {
                let name = module.functions[*id].name.clone();
                requested.extend(waiting.take().map(|model| (name, model)));
            }
            Item::Pragma(_) | Item::Prototype(_) => {}
            _ => {
                let unused = waiting.take();
                diagnostics.extend(unused.map(|_| misplaced("fpgacc execution_model")));
            }
        }
    }
    diagnostics.extend(waiting.map(|_| misplaced("fpgacc execution_model")));
    let is_own = |item: &Item| matches!(item, Item::Pragma(text) if own_words(text).is_some());
    module.items.retain(|item| !is_own(item));
    (requested, diagnostics)
}

/// What stands after `fpgacc` in a pragma.
fn own_words(pragma: &str) -> Option<&str> {
    let rest = pragma.strip_prefix("fpgacc")?;
    let is_word = rest
        .chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric() && c != '_');
    is_word.then(|| rest.trim())
}

fn model_of(pragma: &str) -> Result<ExecutionModel, Diagnostic> {
    let words: String = own_words(pragma)
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let inside = words.strip_prefix("execution_model(");
    let word = inside.and_then(|rest| rest.strip_suffix(')'));
    word.and_then(ExecutionModel::named).ok_or_else(|| {
        let known = ExecutionModel::WORDS.join(", ");
        Diagnostic::warning(format!("#pragma {pragma} is not understood")).help(format!(
            "write #pragma fpgacc execution_model(M), with M one of {known}"
        ))
    })
}

fn misplaced(pragma: &str) -> Diagnostic {
    Diagnostic::warning(format!("#pragma {pragma} has no effect here"))
        .help("it belongs before a kernel")
}

#[cfg(test)]
mod tests {
    use fpgacc_frontend::ir::Dialect;
    use fpgacc_frontend::kernel::{Input, parse};
    use fpgacc_frontend::source::SourceMap;

    use super::*;

    fn taken(text: &str) -> (BTreeMap<String, ExecutionModel>, Vec<String>, usize) {
        let input = Input {
            name: "k.cl",
            preprocessed: text,
            dialect: Dialect::Cl12,
        };
        let mut module = parse(&input, &mut SourceMap::new()).expect("right");
        let (requested, messages) = take_pragmas(&mut module);
        let messages = messages
            .into_iter()
            .map(|messages| messages.message)
            .collect();
        let pragmas = module.items.iter();
        let pragmas = pragmas.filter(|item| matches!(item, Item::Pragma(_)));
        (requested, messages, pragmas.count())
    }

    #[test]
    fn a_pragma_before_a_kernel_is_a_request() {
        let (requested, messages, left) = taken(
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma fpgacc execution_model(swi)\n\
             kernel void a() {}\nkernel void b() {}\n#pragma fpgacc  execution_model( ndrange )\n\
             kernel void c() {}\n",
        );
        let expected = [
            ("a".to_string(), ExecutionModel::SingleWorkItem),
            ("c".to_string(), ExecutionModel::NdRange),
        ];
        assert_eq!(requested, expected.into());
        assert_eq!(messages, [""; 0]);
        assert_eq!(left, 1);
    }

    #[test]
    fn pragmas_that_mean_nothing_are_reported() {
        let (requested, messages, left) = taken(
            "#pragma fpgacc execution_model(fast)\nkernel void a() {}\n\
             #pragma fpgacc execution_model(swi)\nint f(void) { return 1; }\n\
             #pragma fpgaccelerate\nkernel void b() {}\n#pragma fpgacc execution_model(swi)\n",
        );
        assert!(
            requested.is_empty() || requested.keys().eq(["b"]),
            "{requested:?}"
        );
        assert_eq!(left, 1);
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert!(
            messages[0].contains("not understood") && messages[1].contains("no effect"),
            "{messages:?}"
        );
    }
}
