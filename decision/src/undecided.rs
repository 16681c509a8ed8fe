//! Kernels that nothing is decided of: what they become.

use fpgacc_device_passes::pass::Note;
use fpgacc_device_passes::passes::{CONSTANT_MEMORY, REDUCTION};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_device_passes::remark::{Kind, Remark};
use fpgacc_frontend::ir::Module;

use super::remarks::PASS;
use super::requested::{ExecutionModel, restrained};
use super::search::SWITCHED;

/// The most expressions of a kernel with its calls inlined that `--kernel-opt=2` decides on, and the levels above: beyond,
/// pricing takes longer than a compiler may. Measured: the largest kernel of Rodinia, of 7400, takes 0.19 to 0.25 s at level
/// 2, of 0.2 (docs/model-evaluation.md).
const LARGEST: usize = 7000;
const LARGEST_ABOVE: usize = 8000;

fn largest(level: u8) -> usize {
    match level {
        0..=2 => LARGEST,
        _ => LARGEST_ABOVE,
    }
}

/// The name of remarks on kernels that are not priced.
pub const TOO_LARGE: &str = "TooLarge";
/// The name of remarks on kernels of which the board's model says nothing.
const ON_GPU: &str = "OnGpu";

/// Why nothing is decided of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// It is too large to be priced: so many operations and operands.
    TooLarge {
        /// How many.
        size: usize,
        /// It stays an NDRange for that.
        stays: bool,
    },
    /// It is built for a GPU, and the prices are those of a board.
    OnGpu,
}

impl Undecided {
    /// Of a kernel of a size, of which a form was asked for or none; `None`: it is decided on.
    pub fn of(size: usize, asked: Option<ExecutionModel>, level: u8, on_gpu: bool) -> Option<Self> {
        let is_own_form = matches!(asked, None | Some(ExecutionModel::NdRange));
        if on_gpu && is_own_form && level > 0 {
            return Some(Undecided::OnGpu);
        }
        // What is not known to be faster is left.
        let stays = asked.unwrap_or_default() == ExecutionModel::Auto && level > 0;
        (size > largest(level)).then_some(Undecided::TooLarge { size, stays })
    }

    /// The passes that make what it becomes, of those that the user has on.
    pub fn pipeline(&self, base: &Pipeline, asked: ExecutionModel) -> Pipeline {
        let (model, others) = match self {
            Undecided::TooLarge { stays: false, .. } => (asked, &[][..]),
            Undecided::TooLarge { stays: true, .. } => (ExecutionModel::NdRange, &[][..]),
            Undecided::OnGpu => (ExecutionModel::NdRange, SWITCHED),
        };
        let mut made = restrained(base, model);
        // Whether versions for different launches pay, and tables, only the model can say.
        made.options.one_version = true;
        let registers = matches!(self, Undecided::OnGpu).then_some(&REDUCTION);
        for pass in others.iter().chain(registers).chain([&CONSTANT_MEMORY]) {
            made.switches.entry(pass.to_string()).or_insert(false);
        }
        made
    }

    /// What is said of it.
    pub fn remark(&self, module: &Module, kernel: &str, board: &str) -> Remark {
        let span = module.function_named(kernel);
        let span = span.and_then(|id| module.functions[id].span);
        let (name, text) = match self {
            Undecided::TooLarge { size, stays } => {
                let why = format!("it is too large to be priced ({size} operations and operands)");
                let text = match stays {
                    true => format!(
                        "stays an NDRange: {why}; -fexecution-model={kernel}:swi makes it a single work-item"
                    ),
                    false => format!("forms are not compared: {why}"),
                };
                (TOO_LARGE, text)
            }
            Undecided::OnGpu => {
                let text = format!(
                    "keeps its form: it is built for a GPU, and what is predicted is how fast forms are on {board}; \
                     fpgacc tune measures which is the fastest on a GPU, and --as-on-board takes the one for the board"
                );
                (ON_GPU, text)
            }
        };
        Remark::new(Kind::Missed, PASS, kernel, &Note::new(text, None), span).named(name)
    }
}
