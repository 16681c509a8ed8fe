//! Putting together what the lanes of a wave found best, each for itself.

use fpgacc_frontend::ir::{BinaryOp, ExprId, Stmt, StmtKind, VarId};
use fpgacc_kernel_analysis::faults;

use super::best::Best;
use super::writer::{Writer, put};
use crate::around_loop::private_variable;

/// Registers of all lanes.
pub struct Found {
    /// The best.
    value: VarId,
    /// The step in which it was found; less than 0: there was a better one before.
    step: VarId,
    /// What goes with it.
    others: Vec<VarId>,
}

impl Found {
    /// All of them.
    pub fn registers(&self) -> impl Iterator<Item = VarId> + '_ {
        [self.value, self.step]
            .into_iter()
            .chain(self.others.iter().copied())
    }
}

impl Writer<'_> {
    /// The registers of one.
    pub fn of_best(&mut self, one: &Best) -> Found {
        let own = |writer: &mut Self, var: VarId| {
            let ty = writer.function.vars[var].ty.ty;
            let name = writer.fresh(var, "lanes");
            writer.registers(name, ty)
        };
        let value = own(self, one.var);
        let others = one.others.iter().map(|(var, _)| own(self, *var)).collect();
        let name = self.fresh(one.var, "steps");
        let ty = self.types.int();
        let step = self.registers(name, ty);
        Found {
            value,
            step,
            others,
        }
    }

    /// What a lane begins with.
    pub fn begin_best(&mut self, one: &Best, found: &Found, lane: VarId) -> Vec<Stmt> {
        let vars = one.others.iter().map(|(var, _)| *var);
        let mut begun = Vec::new();
        for (var, register) in vars.zip(&found.others).chain([(one.var, &found.value)]) {
            let value = self.function.use_var(var);
            begun.push(self.assigned(*register, lane, value));
        }
        let never = self.int(-1);
        begun.push(self.assigned(found.step, lane, never));
        begun
    }

    /// Lets each lane find one of its own.
    pub fn find_best(
        &mut self,
        (one, found): (&Best, &Found),
        (step, lane): (VarId, VarId),
        inside: &mut Vec<Stmt>,
    ) {
        let others = one.others.iter().map(|(_, location)| *location);
        let others = others.zip(found.others.iter().copied());
        let own = [one.read, one.location].map(|slot| (slot, found.value));
        for (slot, register) in others.chain(own) {
            let register = self.register(register, lane);
            self.function.exprs.replace_by(slot, register);
        }
        let iteration = self.sum(self.wave.iteration, (step, lane));
        let noted = self.assigned(found.step, lane, iteration);
        put(
            inside,
            one.store,
            &[Stmt::new(StmtKind::Expr(one.store)), noted],
        );
    }

    /// The best of all lanes: declarations, and what is done for each lane.
    pub fn best_of_all(&mut self, one: &Best, found: &Found) -> [Stmt; 2] {
        let name = self.fresh(one.var, "step");
        let ty = self.types.int();
        let seen = private_variable(self.function, name, ty);
        let never = self.int(-1);
        let combined = self.over_lanes(|own, lane| vec![own.better((one, found), seen, lane)]);
        [Stmt::define(seen, never), combined]
    }

    /// `if (lanes[lane] > best || lanes[lane] == best && steps[lane] < step) { .. }`
    fn better(&mut self, (one, found): (&Best, &Found), seen: VarId, lane: VarId) -> Stmt {
        let (strict, earlier) = match one.op {
            BinaryOp::Gt => (BinaryOp::Gt, BinaryOp::Lt),
            BinaryOp::Lt => (BinaryOp::Lt, BinaryOp::Lt),
            // The last one of equal ones.
            BinaryOp::Ge => (BinaryOp::Gt, BinaryOp::Ge),
            _ => (BinaryOp::Lt, BinaryOp::Ge),
        };
        let mut cond = self.compared(strict, (found.value, one.var), lane);
        if !faults::is_on("wavefront-ties-lost") {
            let equal = self.compared(BinaryOp::Eq, (found.value, one.var), lane);
            let first = self.compared(earlier, (found.step, seen), lane);
            let tie = self.both(BinaryOp::And, equal, first);
            cond = self.both(BinaryOp::Or, cond, tie);
        }
        let vars = one.others.iter().map(|(var, _)| *var);
        let vars = vars.zip(found.others.iter().copied());
        let mut then = Vec::new();
        for (var, register) in vars.chain([(one.var, found.value), (seen, found.step)]) {
            let register = self.register(register, lane);
            then.push(self.function.assign_var(var, register));
        }
        Stmt::only_if(cond, then)
    }

    fn compared(&mut self, op: BinaryOp, (registers, var): (VarId, VarId), lane: VarId) -> ExprId {
        let register = self.register(registers, lane);
        let var = self.function.use_var(var);
        self.both(op, register, var)
    }

    fn both(&mut self, op: BinaryOp, x: ExprId, y: ExprId) -> ExprId {
        self.function.exprs.binary(self.types, op, x, y)
    }
}
