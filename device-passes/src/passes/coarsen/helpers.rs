//! Functions that a kernel calls and that ask for ids or sizes which are others now: they take the
//! lane's number as a further parameter.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    Callee, Expr, FileNames, Function, FunctionId, Module, Scalar, Stmt, VarId,
};
use fpgacc_kernel_analysis::calls;

use crate::passes::coarsen::lanes::{self, Lanes};
use crate::passes::ndrange_to_loop::work_items::helpers::{copy_of, shared_with_others};
use crate::passes::ndrange_to_loop::work_items::ids::Target;
use crate::passes::ndrange_to_loop::work_items::queries;

/// The functions that take a lane, and what to call instead.
#[derive(Default)]
pub struct Helpers {
    replacement: BTreeMap<FunctionId, FunctionId>,
}

impl Helpers {
    /// Finds these functions among `callees`, all that the kernel reaches, and rewrites them: in place if
    /// only this kernel uses them, else as copies.
    pub fn rewrite(
        module: &mut Module,
        kernel: FunctionId,
        callees: &[FunctionId],
        lanes: &Lanes,
    ) -> Self {
        let asking = asking(module, callees, lanes);
        let shared = match asking.is_empty() {
            true => BTreeSet::new(),
            false => shared_with_others(module, kernel),
        };
        let mut helpers = Helpers::default();
        for &id in &asking {
            let rewritten = match shared.contains(&id) {
                true => copy_of(module, id, kernel),
                false => id,
            };
            helpers.replacement.insert(id, rewritten);
        }
        for &rewritten in helpers.replacement.values() {
            helpers.rewrite_one(module, rewritten, lanes);
        }
        helpers
    }

    fn rewrite_one(&self, module: &mut Module, rewritten: FunctionId, lanes: &Lanes) {
        let taken = module.global_names();
        let mut function = module.functions[rewritten].clone();
        let Some(body) = function.body.take() else {
            return;
        };
        let int = module.types.scalar(Scalar::Int);
        let lane = function.add_var("lane", int, &taken);
        function.params.push(lane);
        let stmts = &body.stmts;
        lanes::replace(module, &mut function, &taken, stmts, (lanes, Some(lane)));
        self.pass_lane(module, &mut function, &taken, stmts, Some(lane));
        function.body = Some(body);
        module.functions[rewritten] = function;
    }

    /// Adds the lane to the calls in `stmts` of functions that take one, and redirects them. Where lanes do
    /// not differ, any will do.
    pub fn pass_lane(
        &self,
        module: &mut Module,
        function: &mut Function,
        taken: &FileNames,
        stmts: &[Stmt],
        lane: Option<VarId>,
    ) {
        for (call, callee) in calls::calls_in(function, stmts) {
            let Some(to) = self.replacement.get(&callee) else {
                continue;
            };
            let mut target = Target {
                function: &mut *function,
                types: &mut module.types,
                taken,
            };
            let lane = match lane {
                Some(lane) => target.function.use_var(lane),
                None => target.int(0),
            };
            let exprs = &mut function.exprs;
            let (mut expr, ty) = (exprs.get(call).clone(), exprs.ty(call));
            if let Expr::Call { callee, args } = &mut expr {
                *callee = Callee::Function(*to);
                args.push(lane);
            }
            exprs.replace(call, expr, ty);
        }
    }
}

/// The functions that ask, or call one that does.
fn asking(module: &Module, callees: &[FunctionId], lanes: &Lanes) -> BTreeSet<FunctionId> {
    let asks = |id: &FunctionId| {
        let function = &module.functions[*id];
        let body = function.body.as_ref();
        let queries = body.map(|body| queries::find(module, function, &body.stmts));
        let mut queries = queries.into_iter().flatten();
        queries.any(|(_, query)| lanes.changes(query))
    };
    let mut asking: BTreeSet<FunctionId> = callees.iter().copied().filter(asks).collect();
    loop {
        let before = asking.len();
        for &id in callees {
            let called = calls::callees(&module.functions[id]);
            if called.iter().any(|(callee, _)| asking.contains(callee)) {
                asking.insert(id);
            }
        }
        if asking.len() == before {
            return asking;
        }
    }
}
