//! The printer on modules made by hand.

use crate::ir::{
    AddressSpace, Arm, BinaryOp, Block, CaseLabel, Expr, Field, Init, InitItem, Item, LoopHints,
    QualType, Qualifiers, Record, RecordKind, Scalar, Stmt, StmtKind, Type, Typedef, UnaryOp,
};
use crate::kernel::LineDirectives;
use crate::kernel::handmade::{Build, decl};
use crate::source::Span;

#[test]
fn differences_keep_their_order() {
    let mut b = Build::new();
    let (x, y, z) = (b.int_var("a"), b.int_var("b"), b.int_var("c"));
    let inner = b.binary(BinaryOp::Sub, y, z);
    let outer = b.binary(BinaryOp::Sub, x, inner);
    assert_eq!(b.expr_text(outer), "a - (b - c)");

    let mut b = Build::new();
    let (x, y, z) = (b.int_var("a"), b.int_var("b"), b.int_var("c"));
    let inner = b.binary(BinaryOp::Sub, x, y);
    let outer = b.binary(BinaryOp::Sub, inner, z);
    assert_eq!(b.expr_text(outer), "a - b - c");
}

#[test]
fn signs_do_not_run_together() {
    let mut b = Build::new();
    let a = b.int_var("a");
    let once = b.unary(UnaryOp::Minus, a);
    let twice = b.unary(UnaryOp::Minus, once);
    assert_eq!(b.expr_text(twice), "-(-a)");

    let mut b = Build::new();
    let (a, five) = (b.int_var("a"), b.int(-5));
    let negated = b.unary(UnaryOp::Minus, five);
    let sum = b.binary(BinaryOp::Sub, a, negated);
    assert_eq!(b.expr_text(sum), "a - -(-5)");
}

#[test]
fn operands_that_people_misread_stand_in_parentheses() {
    let mut b = Build::new();
    let (x, y, z) = (b.int_var("a"), b.int_var("b"), b.int_var("c"));
    let and = b.binary(BinaryOp::And, y, z);
    let or = b.binary(BinaryOp::Or, x, and);
    assert_eq!(b.expr_text(or), "a || (b && c)");

    let mut b = Build::new();
    let (x, y, z) = (b.int_var("a"), b.int_var("b"), b.int_var("c"));
    let sum = b.binary(BinaryOp::Add, y, z);
    let shift = b.binary(BinaryOp::Shl, x, sum);
    assert_eq!(b.expr_text(shift), "a << (b + c)");
}

#[test]
fn conditionals_and_commas_nest() {
    let mut b = Build::new();
    let (x, y, z) = (b.int_var("a"), b.int_var("b"), b.int_var("c"));
    let (p, q) = (b.int_var("p"), b.int_var("q"));
    let then = b.cond(x, y, z);
    let outer = b.cond(p, then, q);
    assert_eq!(b.expr_text(outer), "p ? (a ? b : c) : q");

    let mut b = Build::new();
    let (x, y, z) = (b.int_var("a"), b.int_var("b"), b.int_var("c"));
    let (p, q) = (b.int_var("p"), b.int_var("q"));
    let otherwise = b.cond(x, y, z);
    let outer = b.cond(p, q, otherwise);
    assert_eq!(b.expr_text(outer), "p ? q : a ? b : c");

    let mut b = Build::new();
    let (x, y) = (b.int_var("a"), b.int_var("b"));
    let comma = b.comma(x, y);
    let int = b.scalar(Scalar::Int);
    let call = b.f.exprs.call_builtin("abs", int, vec![comma]);
    assert_eq!(b.expr_text(call), "abs((a, b))");
}

#[test]
fn literals_have_the_type_that_they_have_in_the_module() {
    let cases = [
        (Scalar::Int, i128::from(i32::MIN), "-2147483647 - 1"),
        (Scalar::Int, -7, "-7"),
        (Scalar::UInt, 7, "7u"),
        (
            Scalar::Long,
            i128::from(i64::MIN),
            "-9223372036854775807L - 1",
        ),
        (
            Scalar::ULong,
            i128::from(u64::MAX),
            "18446744073709551615UL",
        ),
        (Scalar::Char, -1, "(char)-1"),
        (Scalar::Bool, 1, "true"),
    ];
    for (scalar, value, text) in cases {
        let mut b = Build::new();
        let ty = b.scalar(scalar);
        let spelling = None;
        let literal = b.f.exprs.add(Expr::Int { value, spelling }, ty, None);
        assert_eq!(b.expr_text(literal), text);
    }
    let cases = [
        (Scalar::Float, 1.0, "1.0f"),
        (Scalar::Float, f64::from(0.1f32), "0.1f"),
        (Scalar::Float, 1e30f32.into(), "1e30f"),
        (Scalar::Float, f64::INFINITY, "INFINITY"),
        (Scalar::Float, f64::NEG_INFINITY, "-INFINITY"),
        (Scalar::Float, f64::NAN, "NAN"),
        (Scalar::Float, -0.0, "-0.0f"),
        (Scalar::Double, 0.1, "0.1"),
        (Scalar::Double, f64::INFINITY, "(double)INFINITY"),
        (Scalar::Double, f64::NAN, "as_double(0x7ff8000000000000UL)"),
        (Scalar::Half, 1.5, "(half)1.5f"),
    ];
    for (scalar, value, text) in cases {
        let mut b = Build::new();
        let ty = b.scalar(scalar);
        let literal = b.f.exprs.float(ty, value);
        assert_eq!(b.expr_text(literal), text);
    }
}

#[test]
fn the_least_int_is_an_operand_like_any_difference() {
    let mut b = Build::new();
    let (a, least) = (b.int_var("a"), b.int(i64::from(i32::MIN)));
    let product = b.binary(BinaryOp::Mul, least, a);
    assert_eq!(b.expr_text(product), "(-2147483647 - 1) * a");
}

#[test]
fn components_of_a_vector_literal_are_asked_of_the_literal() {
    let mut b = Build::new();
    let float = b.scalar(Scalar::Float);
    let float2 = b.module.types.intern(Type::Vector(Scalar::Float, 2));
    let (x, y) = (b.int_var("a"), b.int_var("b"));
    let elements = vec![x, y];
    let literal = b.f.exprs.add(Expr::VectorLit { elements }, float2, None);
    let swizzle = Expr::Swizzle {
        base: literal,
        components: vec![1],
        spelling: "y".to_string(),
    };
    let swizzle = b.f.exprs.add(swizzle, float, None);
    assert_eq!(b.expr_text(swizzle), "((float2)(a, b)).y");
}

#[test]
fn declarators_follow_c() {
    let mut b = Build::new();
    let float = b.scalar(Scalar::Float);
    let row = b.array(float, 17);
    let tile = b.array(row, 16);
    let to_row = b.pointer(row, AddressSpace::Local);
    let to_global = b.pointer(float, AddressSpace::Global);
    let pointers = b.array(to_global, 4);
    let to_pointer = b.pointer(to_global, AddressSpace::Local);
    let vars = [
        b.local("tile", tile, AddressSpace::Local),
        b.local("rows", to_row, AddressSpace::Private),
        b.local("buffers", pointers, AddressSpace::Local),
        b.local("p", to_pointer, AddressSpace::Private),
    ];
    let text = b.print(vars.map(|var| decl(var, None)).to_vec());
    let expected = "\
void f(void) {
    __local float tile[16][17];
    __local float (*rows)[17];
    __global float *__local buffers[4];
    __global float *__local *p;
}
";
    assert_eq!(text, expected);
}

#[test]
fn parameters_keep_qualifiers_and_break_into_lines() {
    let mut b = Build::new();
    b.f.is_kernel = true;
    b.f.set_attr("reqd_work_group_size", Some("64, 1, 1".to_string()));
    b.f.comments.push("ndrange-to-loop: done \\".to_string());
    let float = b.scalar(Scalar::Float);
    let pointee = QualType {
        ty: float,
        quals: Qualifiers::CONST,
    };
    let space = AddressSpace::Global;
    let pointer = b.module.types.intern(Type::Pointer { pointee, space });
    for name in ["a_long_name_for_input", "a_long_name_for_more"] {
        let var = b.param(name, pointer);
        b.f.vars[var].ty.quals = Qualifiers::RESTRICT;
    }
    let expected = "\
// ndrange-to-loop: done \\ .
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void f(__global const float *restrict a_long_name_for_input,
                __global const float *restrict a_long_name_for_more) {
}
";
    let text = b.print(Vec::new());
    assert_eq!(text, expected);
}

#[test]
fn a_record_without_a_tag_is_written_inside_its_typedef() {
    let mut b = Build::new();
    let float = b.scalar(Scalar::Float);
    let record = b.module.records.add(Record {
        kind: RecordKind::Struct,
        tag: None,
        fields: Some(vec![Field {
            name: Some("x".to_string()),
            ty: QualType::plain(float),
            bits: None,
            attrs: Vec::new(),
        }]),
        attrs: Vec::new(),
        span: None,
    });
    let ty = b.module.types.intern(Type::Record(record));
    let (typedef, _) = b.module.add_typedef(Typedef {
        name: "S".to_string(),
        ty: QualType::plain(ty),
        attrs: Vec::new(),
        span: None,
    });
    b.module.items.push(Item::Record {
        id: record,
        defined: true,
    });
    b.module.items.push(Item::Typedef(typedef));
    // A pass may forget the typedef's name; the record's only name is the typedef all the same.
    let var = b.local("s", ty, AddressSpace::Private);
    let text = b.print(vec![decl(var, None)]);
    let expected = "\
typedef struct {
    float x;
} S;

void f(void) {
    S s;
}
";
    assert_eq!(text, expected);
}

/// `for (int i = 0, j = 1; i < 4;) {}` with a pragma and an attribute.
fn a_loop(b: &mut Build) -> Stmt {
    let int = b.scalar(Scalar::Int);
    let (i, j) = (
        b.local("i", int, AddressSpace::Private),
        b.local("j", int, AddressSpace::Private),
    );
    let (zero, one, four) = (b.int(0), b.int(1), b.int(4));
    let use_i = b.f.use_var(i);
    let cond = b.binary(BinaryOp::Lt, use_i, four);
    Stmt::new(StmtKind::For {
        init: vec![
            decl(i, Some(Init::Expr(zero))),
            decl(j, Some(Init::Expr(one))),
        ],
        cond: Some(cond),
        step: None,
        body: Block::default(),
        hints: LoopHints {
            pragmas: vec!["unroll 4".to_string()],
            attrs: Vec::new(),
        },
    })
}

#[test]
fn statements_look_like_c() {
    let mut b = Build::new();
    let looped = a_loop(&mut b);
    let (p, q, v) = (b.int_var("p"), b.int_var("q"), b.int_var("v"));
    let (one, two) = (b.int(1), b.int(2));
    let int = b.scalar(Scalar::Int);
    let z = b.local("z", int, AddressSpace::Private);
    let inner = Stmt::new(StmtKind::If {
        cond: q,
        then: Block::default(),
        otherwise: Some(Block::of(vec![Stmt::new(StmtKind::Break)])),
    });
    let chain = Stmt::new(StmtKind::If {
        cond: p,
        then: Block::of(vec![Stmt::new(StmtKind::Continue)]),
        otherwise: Some(Block::of(vec![inner])),
    });
    let switch = Stmt::new(StmtKind::Switch {
        value: v,
        arms: vec![
            Arm {
                labels: vec![CaseLabel::Case(one), CaseLabel::Case(two)],
                body: vec![decl(z, None), Stmt::new(StmtKind::Break)],
            },
            Arm {
                labels: vec![CaseLabel::Default],
                body: Vec::new(),
            },
        ],
    });
    let always = b.int(1);
    let body = Block::of(vec![
        looped,
        chain,
        switch,
        Stmt::new(StmtKind::Label("out".to_string())),
    ]);
    let hints = LoopHints::default();
    let text = b.print(vec![Stmt::new(StmtKind::DoWhile {
        body,
        cond: always,
        hints,
    })]);
    let expected = "\
void f(int p, int q, int v) {
    do {
        #pragma unroll 4
        for (int i = 0, j = 1; i < 4;) {}
        if (p) {
            continue;
        } else if (q) {
        } else {
            break;
        }
        switch (v) {
        case 1:
        case 2: ;
            int z;
            break;
        default: ;
        }
    out: ;
    } while (1);
}
";
    assert_eq!(text, expected);
}

#[test]
fn lines_of_the_source_are_named_where_they_would_differ() {
    let mut b = Build::new();
    let text = "void f() {\n\n\n\n\n\n  return;\n  return;\n\n  return;\n}\n";
    let file = b.sources.add("k.cl", text);
    let span = |start: usize, length: usize| {
        Some(Span {
            file,
            start: start as u32,
            end: (start + length) as u32,
        })
    };
    b.f.span = span(5, 1);
    let stmts = text
        .match_indices("return;")
        .map(|(at, word)| Stmt::at(StmtKind::Return(None), span(at, word.len())))
        .collect();
    let expected = "\
#line 1 \"k.cl\"
void f(void) {
#line 7 \"k.cl\"
    return;
    return;

    return;
}
";
    assert_eq!(b.print_with(stmts, LineDirectives::Needed), expected);
}

#[test]
fn nothing_stands_between_a_pragma_and_its_loop() {
    let mut b = Build::new();
    let file = b.sources.add("k.cl", "\n\n\n\n\n\n\n\nfor");
    let mut looped = a_loop(&mut b);
    looped.span = Some(Span {
        file,
        start: 8,
        end: 11,
    });
    let expected = "\
void f(void) {
#line 8 \"k.cl\"
    #pragma unroll 4
    for (int i = 0, j = 1; i < 4;) {}
}
";
    assert_eq!(b.print_with(vec![looped], LineDirectives::Needed), expected);
}

#[test]
fn a_long_table_breaks_into_lines() {
    let mut b = Build::new();
    let int = b.scalar(Scalar::Int);
    let table = b.array(int, 60);
    let var = b.local("table", table, AddressSpace::Private);
    let items = (0..60)
        .map(|value| InitItem {
            path: Vec::new(),
            value: Init::Expr(b.int(value * 1000)),
        })
        .collect();
    let text = b.print(vec![decl(var, Some(Init::List(items)))]);
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    assert!(text.ends_with("59000\n    };\n}\n"), "{text}");
}
