//! `specialise`: scalar parameters that have the same value at every launch become constants.
//!
//! The parameter stays, so that the host notices nothing; its uses become the literal. Where the
//! kernel assigns to the parameter, a variable that starts with the constant takes its place. The
//! runtime compares what the host set with the constant at each launch ([`Guard::Scalar`]).

use fpgacc_frontend::ir::{
    Expr, ExprId, Function, FunctionId, Module, Scalar, Stmt, Type, VarId, VarRef,
};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::scalars;
use fpgacc_kernel_analysis::variables::{self, Access};
use fpgacc_launch_facts::{Known, Launch};
use fpgacc_runtime::guard::{Guard, ScalarFact, ScalarKind};

use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

/// What forms with constants in place of parameters are called by.
pub const FORM: &str = "constants";

/// The pass.
pub struct Specialise;

impl Pass for Specialise {
    fn about(&self) -> About {
        About {
            name: super::SPECIALISE,
            description: "make scalar parameters constants where all launches pass the same value",
            level: 1,
            requires: &[Requirement::EntryPoint, Requirement::KnownLaunches],
            ..About::default()
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        !params(module, kernel).is_empty()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let params = params(module, kernel);
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        for param in &params {
            let function = &module.functions[kernel];
            match value(param, context.launches) {
                Passed::Constant(bits) => {
                    if let Some(launch) = only_seen(param, context) {
                        missed.push(seen_note(function, param, bits, launch));
                        continue;
                    }
                    let fact = param.fact(bits);
                    done.push(done_note(function, param, &fact, context.launches));
                    put(&mut module.functions[kernel], param, &fact, context);
                    if !faults::is_on("scalar-guard-lost") {
                        contract.guard(Guard::Scalar(fact));
                    }
                }
                Passed::Different(first, second) => {
                    missed.push(missed_note(function, param, &[first, second]));
                }
                Passed::Unknown => {}
            }
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}

/// A scalar parameter that the kernel uses.
struct Param {
    /// Its index among the parameters.
    index: u32,
    var: VarId,
    scalar: Scalar,
    /// The kernel assigns to it, or takes its address.
    changes: bool,
}

impl Param {
    fn fact(&self, bits: u64) -> ScalarFact {
        scalars::fact(self.index, self.scalar, bits)
    }
}

/// The parameters that may become constants.
fn params(module: &Module, kernel: FunctionId) -> Vec<Param> {
    let function = &module.functions[kernel];
    let uses = variables::uses(&module.types, function);
    let param = |(index, &var): (u32, &VarId)| {
        let Type::Scalar(scalar) = module.types.resolve(function.vars[var].ty.ty) else {
            return None;
        };
        let accesses = uses.get(&var)?;
        let is_read = accesses.iter().any(|access| *access != Access::Named);
        // Kernels cannot have parameters of these types, or only with an extension.
        let is_common = !matches!(scalar, Scalar::Bool | Scalar::Half);
        (is_read && is_common).then(|| Param {
            index,
            var,
            scalar,
            changes: accesses.iter().any(|access| access.may_write()),
        })
    };
    (0..).zip(&function.params).filter_map(param).collect()
}

/// What the launches of a kernel pass.
enum Passed<'l> {
    /// The same bits.
    Constant(u64),
    /// These two launches pass different constants.
    Different((&'l Launch, u64), (&'l Launch, u64)),
    /// Some launch passes what is not known.
    Unknown,
}

fn value<'l>(param: &Param, launches: &[&'l Launch]) -> Passed<'l> {
    let mut all = Vec::new();
    for launch in launches {
        // A launch of an unknown kernel says nothing of this one's arguments.
        let value = launch.argument(param.index);
        let bits = value.and_then(|value| scalars::bits(value, param.scalar));
        match (&launch.kernels, bits) {
            (Known::Is(_), Some(bits)) => all.push((*launch, bits)),
            _ => return Passed::Unknown,
        }
    }
    let Some(&first) = all.first() else {
        return Passed::Unknown;
    };
    match all.iter().find(|(_, bits)| *bits != first.1) {
        Some(&other) => Passed::Different(first, other),
        None => Passed::Constant(first.1),
    }
}

/// A launch of which runs showed what it passes, and nothing else states: another input may pass another
/// number. With a general version for that, it is worth it.
fn only_seen<'l>(param: &Param, context: &Context<'l>) -> Option<&'l Launch> {
    if context.options.general.seen_counts() {
        return None;
    }
    let mut launches = context.launches.iter().copied();
    launches.find(|launch| !launch.argument_is_proved(param.index))
}

fn seen_note(function: &Function, param: &Param, bits: u64, launch: &Launch) -> Note {
    let variable = &function.vars[param.var];
    let text = format!(
        "parameter '{}' is not made a constant: that the launch at {} passes {} was only seen in a \
         run (with --keep-general it is)",
        variable.name,
        launch.site,
        param.fact(bits)
    );
    Note::new(text, variable.span)
}

/// Puts the constant in the place of the parameter.
fn put(function: &mut Function, param: &Param, fact: &ScalarFact, context: &Context<'_>) {
    let ty = function.vars[param.var].ty.ty;
    let fact = match faults::is_on("scalar-wrong") {
        true => ScalarFact {
            bits: fact.bits ^ 1,
            ..*fact
        },
        false => *fact,
    };
    let uses = uses(function, param.var);
    if !param.changes {
        for id in uses {
            function.exprs.replace(id, literal(&fact), ty);
        }
        return;
    }
    let name = function.vars[param.var].name.clone();
    let local = function.add_var(&name, ty, context.names);
    for id in uses {
        function.point_to(id, local);
    }
    let init = function.exprs.add(literal(&fact), ty, None);
    let declaration = Stmt::define(local, init);
    if let Some(body) = &mut function.body {
        body.stmts.insert(0, declaration);
    }
}

fn uses(function: &Function, var: VarId) -> Vec<ExprId> {
    let mut uses = Vec::new();
    if let Some(body) = &function.body {
        body.for_each_expr(&function.exprs, &mut |id| {
            if *function.exprs.get(id) == Expr::Var(VarRef::Local(var)) {
                uses.push(id);
            }
        });
    }
    uses
}

fn literal(fact: &ScalarFact) -> Expr {
    let unused = 64 - 8 * u32::from(fact.size);
    let integer = |value| Expr::Int {
        value,
        spelling: None,
    };
    match (fact.kind, fact.size) {
        (ScalarKind::Signed, _) => integer(i128::from((fact.bits << unused) as i64 >> unused)),
        (ScalarKind::Unsigned, _) => integer(i128::from(fact.bits)),
        (ScalarKind::Float, 4) => Expr::Float {
            value: f64::from(f32::from_bits(fact.bits as u32)),
            spelling: None,
        },
        (ScalarKind::Float, _) => Expr::Float {
            value: f64::from_bits(fact.bits),
            spelling: None,
        },
    }
}

fn done_note(function: &Function, param: &Param, fact: &ScalarFact, launches: &[&Launch]) -> Note {
    let variable = &function.vars[param.var];
    let is_seen = |launch: &&Launch| !launch.argument_is_proved(param.index);
    let how = match (launches, launches.iter().any(is_seen)) {
        ([launch], false) => format!("as the launch at {} passes it", launch.site),
        (_, false) => format!("as all {} launches pass it", launches.len()),
        (_, true) => "as the recorded runs passed it".to_string(),
    };
    let text = format!(
        "parameter '{}' is the constant {fact}, {how} (checked at each launch)",
        variable.name
    );
    Note::new(text, variable.span).names_form(FORM)
}

fn missed_note(function: &Function, param: &Param, passed: &[(&Launch, u64)]) -> Note {
    let variable = &function.vars[param.var];
    let values = passed.iter().map(|(launch, bits)| {
        let value = param.fact(*bits);
        format!("the launch at {} passes {value}", launch.site)
    });
    let text = format!(
        "parameter '{}' is not made a constant: {}",
        variable.name,
        values.collect::<Vec<_>>().join(", ")
    );
    Note::new(text, variable.span)
}
