//! How large a form of a kernel is: what making and pricing it takes goes by that.

use fpgacc_performance_model::{Comparisons, Prediction};

/// Operands of an operation, about: with it, what is counted of a kernel's text.
const OPERANDS: u64 = 2;
/// What comparing two accesses takes, in operations and operands. This and the next are fitted to the processor time of
/// searches for Rodinia's kernels (docs/model-evaluation.md).
const A_PAIR: f64 = 0.011;
/// What it takes where inequalities are solved for it.
const A_SOLUTION: f64 = 2.0;

/// How large a form is where it is priced.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Operations and operands.
    operations: f64,
    /// So many take as long as comparing its accesses.
    comparisons: f64,
}

impl Size {
    /// Of what was priced.
    pub fn of(prediction: &Prediction) -> Self {
        let operations: u64 = prediction.operations.iter().map(|one| one.count).sum();
        let with_operands = operations * (1 + OPERANDS);
        Size::of_counts(
            usize::try_from(with_operands).unwrap_or(usize::MAX),
            prediction.comparisons,
        )
    }

    /// Of so many operations and operands whose accesses are not compared.
    pub fn of_operations(count: usize) -> Self {
        Size::of_counts(count, Comparisons::default())
    }

    /// Of so many operations and operands whose accesses are compared so often.
    pub fn of_counts(operations: usize, comparisons: Comparisons) -> Self {
        let Comparisons { pairs, solved } = comparisons;
        Size {
            operations: operations as f64,
            comparisons: pairs as f64 * A_PAIR + solved as f64 * A_SOLUTION,
        }
    }

    /// Operations and operands alone.
    pub fn operations(self) -> f64 {
        self.operations
    }

    /// All of it.
    pub fn all(self) -> f64 {
        self.grown(1.0)
    }

    /// About that of a form with so many times the operations. Pairs may grow by more; what they took is known once it is
    /// priced.
    pub fn grown(self, growth: f64) -> f64 {
        (self.operations + self.comparisons) * growth
    }
}
