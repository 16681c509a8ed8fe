//! Faulty modules, and that each fault is found.

use crate::ir::{
    AddressSpace, BinaryOp, Block, Callee, CaseLabel, Dialect, Expr, ExprId, Function, Init, Item,
    LoopHints, QualType, Qualifiers, Scalar, Stmt, StmtKind, Type, UnaryOp, VarId,
};
use crate::kernel::handmade::{Build, decl};
use crate::kernel::validate;

/// The single fault of a body, without its lead.
fn fault(b: Build, body: Vec<Stmt>) -> String {
    let faults = b.faults(body);
    assert_eq!(faults.len(), 1, "{faults:?}");
    let lead = "invalid kernel IR in 'f': ";
    match faults[0].strip_prefix(lead) {
        Some(message) => message.to_string(),
        None => faults[0].clone(),
    }
}

fn expr(id: ExprId) -> Stmt {
    Stmt::new(StmtKind::Expr(id))
}

fn block(stmts: Vec<Stmt>) -> Stmt {
    Stmt::new(StmtKind::Block(Block::of(stmts)))
}

fn int_local(b: &mut Build, name: &str) -> VarId {
    let int = b.scalar(Scalar::Int);
    b.local(name, int, AddressSpace::Private)
}

#[test]
fn a_good_module_is_valid() {
    let mut b = Build::new();
    let x = int_local(&mut b, "x");
    let zero = b.int(0);
    let one = b.int(1);
    let assign = b.f.assign_var(x, one);
    let faults = b.faults(vec![decl(x, Some(Init::Expr(zero))), assign]);
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn an_expression_with_two_parents() {
    let mut b = Build::new();
    let a = b.int_var("a");
    let sum = b.binary(BinaryOp::Add, a, a);
    let message = fault(b, vec![expr(sum)]);
    assert!(message.contains("more than one parent"), "{message}");
}

#[test]
fn an_expression_that_is_its_own_operand() {
    let mut b = Build::new();
    let a = b.int_var("a");
    let minus = b.unary(UnaryOp::Minus, a);
    let int = b.scalar(Scalar::Int);
    let op = UnaryOp::Minus;
    let operand = minus;
    b.f.exprs.replace(minus, Expr::Unary { op, operand }, int);
    let message = fault(b, vec![expr(minus)]);
    assert!(message.contains("more than one parent"), "{message}");
}

#[test]
fn handles_out_of_range() {
    let mut other = Build::new();
    for name in ["a", "b", "c", "d"] {
        other.int_var(name);
    }
    let foreign_expr = other.int_var("e");
    let foreign_var = other.f.vars.ids().last().expect("it has variables");
    let foreign_type = other.module.types.intern(Type::Vector(Scalar::Int, 16));
    for number in 2..20 {
        other.array(foreign_type, number);
    }
    let foreign_array = other.array(foreign_type, 99);

    let message = fault(Build::new(), vec![expr(foreign_expr)]);
    assert!(message.contains("not of this arena"), "{message}");

    let message = fault(Build::new(), vec![decl(foreign_var, None)]);
    assert!(message.contains("not of the function"), "{message}");

    let mut b = Build::new();
    let x = int_local(&mut b, "x");
    b.f.vars[x].ty = QualType::plain(foreign_array);
    let message = fault(b, vec![decl(x, None)]);
    assert!(message.contains("not of this module"), "{message}");
}

#[test]
fn a_variable_used_outside_its_scope() {
    let mut b = Build::new();
    let x = int_local(&mut b, "x");
    let one = b.int(1);
    let assign = b.f.assign_var(x, one);
    let message = fault(b, vec![block(vec![decl(x, None)]), assign]);
    assert!(message.contains("outside its scope"), "{message}");
}

#[test]
fn a_variable_captured_by_another_of_its_name() {
    let mut b = Build::new();
    let outer = int_local(&mut b, "x");
    let inner = int_local(&mut b, "x");
    let one = b.int(1);
    let assign = b.f.assign_var(outer, one);
    let body = vec![decl(outer, None), block(vec![decl(inner, None), assign])];
    let message = fault(b, body);
    assert!(message.contains("but C finds Local(#1)"), "{message}");
}

#[test]
fn a_builtin_and_a_typedef_hidden_by_a_variable() {
    let mut b = Build::new();
    let local = int_local(&mut b, "get_global_id");
    let zero = b.int(0);
    let size = b.module.types.size_t();
    let call = b.f.exprs.call_builtin("get_global_id", size, vec![zero]);
    let message = fault(b, vec![decl(local, None), expr(call)]);
    assert!(message.contains("means OpenCL's own here"), "{message}");

    let mut b = Build::new();
    let int = b.scalar(Scalar::Int);
    let (typedef, real) = b.module.add_typedef(crate::ir::Typedef {
        name: "real".to_string(),
        ty: QualType::plain(int),
        attrs: Vec::new(),
        span: None,
    });
    b.module.items.push(Item::Typedef(typedef));
    let hides = int_local(&mut b, "real");
    let x = b.local("x", real, AddressSpace::Private);
    let message = fault(b, vec![decl(hides, None), decl(x, None)]);
    assert!(message.contains("'real' means Typedef"), "{message}");
}

#[test]
fn declarations_that_do_not_go_together() {
    let mut b = Build::new();
    let x = int_local(&mut b, "x");
    let body = vec![decl(x, None), block(vec![decl(x, None)])];
    assert!(fault(b, body).contains("is declared twice"));

    let mut b = Build::new();
    let (x, y) = (int_local(&mut b, "x"), int_local(&mut b, "x"));
    let message = fault(b, vec![decl(x, None), decl(y, None)]);
    assert!(message.contains("two variables of one scope"), "{message}");

    let mut b = Build::new();
    let int = b.scalar(Scalar::Int);
    let param = b.param("p", int);
    let message = fault(b, vec![decl(param, None)]);
    assert!(message.contains("'p' is declared again"), "{message}");

    let mut b = Build::new();
    let keyword = int_local(&mut b, "while");
    let message = fault(b, vec![decl(keyword, None)]);
    assert!(message.contains("not a name of C"), "{message}");
}

#[test]
fn jumps_out_of_place() {
    let only = |kind| fault(Build::new(), vec![Stmt::new(kind)]);
    assert!(only(StmtKind::Break).contains("'break' outside"));
    assert!(only(StmtKind::Continue).contains("'continue' outside"));
    let lost = only(StmtKind::Goto("nowhere".to_string()));
    assert!(lost.contains("no label 'nowhere'"), "{lost}");

    // `continue` in a switch needs a loop around it all the same.
    let mut b = Build::new();
    let value = b.int(1);
    let arms = vec![crate::ir::Arm {
        labels: vec![CaseLabel::Default],
        body: vec![Stmt::new(StmtKind::Continue)],
    }];
    let switch = Stmt::new(StmtKind::Switch { value, arms });
    assert!(fault(b, vec![switch]).contains("'continue' outside"));

    let mut b = Build::new();
    let one = b.int(1);
    let message = fault(b, vec![Stmt::new(StmtKind::Return(Some(one)))]);
    assert!(message.contains("return"), "{message}");
}

#[test]
fn a_for_that_starts_with_a_loop() {
    let b = Build::new();
    let never = StmtKind::For {
        init: vec![Stmt::new(StmtKind::Pragma("unroll".to_string()))],
        cond: None,
        step: None,
        body: Block::default(),
        hints: LoopHints::default(),
    };
    let message = fault(b, vec![Stmt::new(never)]);
    assert!(message.contains("first part of a 'for'"), "{message}");
}

#[test]
fn types_that_operands_do_not_make() {
    let mut b = Build::new();
    let (x, y) = (b.int_var("a"), b.int_var("b"));
    let float = b.scalar(Scalar::Float);
    let op = BinaryOp::Add;
    let sum = Expr::Binary { op, lhs: x, rhs: y };
    let sum = b.f.exprs.add(sum, float, None);
    let message = fault(b, vec![expr(sum)]);
    assert!(message.contains("is of type Scalar(Float)"), "{message}");

    let mut b = Build::new();
    let float4 = b.module.types.intern(Type::Vector(Scalar::Float, 4));
    let int = b.scalar(Scalar::Int);
    let (x, y) = (b.var("a", float4), b.var("b", float4));
    let op = BinaryOp::Lt;
    let less = Expr::Binary { op, lhs: x, rhs: y };
    let less = b.f.exprs.add(less, int, None);
    let message = fault(b, vec![expr(less)]);
    assert!(message.contains("make Vector(Int, 4)"), "{message}");
}

#[test]
fn assignments_to_what_is_no_place() {
    let mut b = Build::new();
    let (five, one) = (b.int(5), b.int(1));
    let assign = b.f.exprs.assign(None, five, one);
    assert!(fault(b, vec![expr(assign)]).contains("no lvalue"));

    let mut b = Build::new();
    let x = int_local(&mut b, "x");
    b.f.vars[x].ty.quals = Qualifiers::CONST;
    let one = b.int(1);
    let assign = b.f.assign_var(x, one);
    let message = fault(b, vec![decl(x, None), assign]);
    assert!(message.contains("something const"), "{message}");

    let mut b = Build::new();
    let a = b.int_var("a");
    let minus = b.unary(UnaryOp::Minus, a);
    let int = b.scalar(Scalar::Int);
    let pointer = b.pointer(int, AddressSpace::Private);
    let op = UnaryOp::AddressOf;
    let operand = minus;
    let address = b.f.exprs.add(Expr::Unary { op, operand }, pointer, None);
    assert!(fault(b, vec![expr(address)]).contains("'&' is no lvalue"));
}

#[test]
fn literals_that_lie() {
    let mut b = Build::new();
    let int = b.scalar(Scalar::Int);
    let lie = Expr::Int {
        value: 4,
        spelling: Some("0x5".to_string()),
    };
    let lie = b.f.exprs.add(lie, int, None);
    let message = fault(b, vec![expr(lie)]);
    assert!(message.contains("'0x5' has the value 4"), "{message}");

    let mut b = Build::new();
    let uchar = b.scalar(Scalar::UChar);
    let (value, spelling) = (256, None);
    let big = b.f.exprs.add(Expr::Int { value, spelling }, uchar, None);
    let message = fault(b, vec![expr(big)]);
    assert!(message.contains("does not fit into uchar"), "{message}");
}

#[test]
fn vectors_with_wrong_parts() {
    let mut b = Build::new();
    let float4 = b.module.types.intern(Type::Vector(Scalar::Float, 4));
    let elements = vec![b.int(1), b.int(2), b.int(3)];
    let literal = b.f.exprs.add(Expr::VectorLit { elements }, float4, None);
    let message = fault(b, vec![expr(literal)]);
    assert!(message.contains("too few or too many"), "{message}");

    let mut b = Build::new();
    let float2 = b.module.types.intern(Type::Vector(Scalar::Float, 2));
    let float = b.scalar(Scalar::Float);
    let base = b.var("v", float2);
    let swizzle = Expr::Swizzle {
        base,
        components: vec![2],
        spelling: "z".to_string(),
    };
    let swizzle = b.f.exprs.add(swizzle, float, None);
    let message = fault(b, vec![expr(swizzle)]);
    assert!(message.contains("a component is asked"), "{message}");
}

#[test]
fn calls_with_wrong_arguments() {
    let mut b = Build::new();
    let int = b.scalar(Scalar::Int);
    let mut helper = Build::new();
    let ty = helper.scalar(Scalar::Int);
    assert_eq!(helper.module.types.get(ty), b.module.types.get(int));
    let callee = Function::new("g".to_string(), int);
    let callee = b.module.functions.add(callee);
    b.module.items.push(Item::Prototype(callee));
    let args = vec![b.int(1)];
    let callee = Callee::Function(callee);
    let call = b.f.exprs.add(Expr::Call { callee, args }, int, None);
    let message = fault(b, vec![expr(call)]);
    assert!(message.contains("takes 0 arguments, not 1"), "{message}");
}

#[test]
fn a_function_used_before_it_is_declared() {
    let mut b = Build::new();
    let int = b.scalar(Scalar::Int);
    let late = Build::new().finish(Vec::new()).0;
    let mut callee = late.functions[late.functions.ids().next().expect("one")].clone();
    callee.name = "late".to_string();
    callee.ret = QualType::plain(int);
    callee.body = None;
    let id = b.module.functions.add(callee);
    let callee = Callee::Function(id);
    let args = Vec::new();
    let call = b.f.exprs.add(Expr::Call { callee, args }, int, None);
    let (mut module, _) = b.finish(vec![expr(call)]);
    module.items.push(Item::Prototype(id));
    let faults = validate(&module).expect_err("the call comes too early");
    assert!(
        faults[0].message.contains("outside its scope"),
        "{faults:?}"
    );
}

#[test]
fn kernels_that_no_host_can_launch() {
    let mut b = Build::new();
    b.f.is_kernel = true;
    let float = b.scalar(Scalar::Float);
    let private = b.pointer(float, AddressSpace::Private);
    b.param("p", private);
    let message = fault(b, Vec::new());
    assert!(message.contains("no address space"), "{message}");

    let mut b = Build::new();
    b.f.is_kernel = true;
    let int = b.scalar(Scalar::Int);
    b.f.ret = QualType::plain(int);
    let zero = b.int(0);
    let message = fault(b, vec![Stmt::new(StmtKind::Return(Some(zero)))]);
    assert!(message.contains("a kernel returns"), "{message}");
}

#[test]
fn variables_that_opencl_does_not_take() {
    let mut b = Build::new();
    let int = b.scalar(Scalar::Int);
    let shared = b.local("shared", int, AddressSpace::Local);
    let zero = b.int(0);
    let message = fault(b, vec![decl(shared, Some(Init::Expr(zero)))]);
    assert!(message.contains("has a first value"), "{message}");

    let mut b = Build::new();
    let x = int_local(&mut b, "x");
    b.f.vars[x].ty.quals = Qualifiers::RESTRICT;
    let message = fault(b, vec![decl(x, None)]);
    assert!(message.contains("restrict but no pointer"), "{message}");

    let mut b = Build::new();
    let element = QualType::plain(b.scalar(Scalar::Int));
    let open = Type::Array { element, len: None };
    let open = b.module.types.intern(open);
    let x = b.local("x", open, AddressSpace::Private);
    let message = fault(b, vec![decl(x, None)]);
    assert!(message.contains("has no length"), "{message}");
}

#[test]
fn faults_name_their_function() {
    let mut b = Build::new();
    b.module.dialect = Dialect::Cl20;
    let faults = b.faults(vec![Stmt::new(StmtKind::Break)]);
    assert_eq!(
        faults,
        ["invalid kernel IR in 'f': 'break' outside of a loop or switch"]
    );
}
