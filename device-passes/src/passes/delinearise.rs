//! `delinearise`: a loop over all elements of an array that divides its counter by the length of a row becomes
//! a nest, over rows and over the elements of each.
//!
//! `for (i = 0; i < w * h; i++) { x = i % w; y = i / w; .. }` visits rows one after the other, but nothing in
//! its text says so: a quotient is no linear function, and neither addresses nor dependences are known after
//! it. The nest has the same iterations in the same order, and its counters are the remainder and the quotient
//! (Grosser, Ramanujam, Pouchet, Sadayappan and Pop, "Optimistic delinearization of parametrically sized
//! arrays", ICS 2015, give addresses their dimensions back; here loops get them). Loops over work-groups and
//! their work-items count as one loop where the body only asks for `group * size + item`.
//!
//! What the body computes of its counter before all else is followed with the remainder in a range: in
//! `(i + 1) % w` the last element of a row is another case than the rest. Each value becomes a sum of the
//! nest's counters, or a choice between such.

mod codegen;
mod plan;
mod prefix;
mod values;

use fpgacc_frontend::ir::{FunctionId, Module};

use crate::pass::{About, Context, LaunchContract, Outcome, Pass, Requirement};

/// Loops are looked at again so often: rows of planes are rows of rows.
const ROUNDS: usize = 4;

/// The pass.
pub struct Delinearise;

impl Pass for Delinearise {
    fn about(&self) -> About {
        About {
            name: super::DELINEARISE,
            description: "make nests over rows of loops that divide by their length, in single work-items",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &["specialise", "known-sizes", "ndrange-to-loop"],
        }
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let (planned, others) = plan::plan(module, kernel);
            if round == 0 {
                missed = others;
            }
            if planned.is_empty() {
                break;
            }
            if round == 0 {
                module.functions[kernel].make_names_unique(context.names);
            }
            // The last first: the indices of the others stay.
            for rows in planned.iter().rev() {
                codegen::apply(module, kernel, rows);
            }
            done.extend(planned.into_iter().map(|rows| rows.done));
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}
