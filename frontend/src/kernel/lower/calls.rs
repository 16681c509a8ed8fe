//! Calls of the program's functions and of OpenCL's own.

use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span as SyntaxSpan};

use super::scope::Symbol;
use super::{Lowered, Lowerer, Reported};
use crate::diag::Diagnostic;
use crate::ir::{Callee, Expr, ExprId, FunctionId, Scalar, Type, TypeId};
use crate::kernel::builtins::functions::{Builtin, Ret, conversion, function, nearest};
use crate::kernel::builtins::types::{atomic_value, builtin_type};

impl Lowerer<'_> {
    pub(super) fn call(&mut self, node: &Node<CallExpression>) -> Lowered<ExprId> {
        let Expression::Identifier(callee) = &node.node.callee.node else {
            return Err(self.error(node.node.callee.span, "this is not a function"));
        };
        let name = callee.node.name.as_str();
        let symbol = self.scopes.find(name);
        // Arguments first: what is wrong in them is reported even if the function is unknown.
        let mut args = Vec::with_capacity(node.node.arguments.len());
        let mut broken = false;
        for argument in &node.node.arguments {
            match self.expression(argument) {
                Ok(value) => args.push(value),
                Err(Reported) => broken = true,
            }
        }
        let known = match symbol {
            Some(Symbol::Function(id)) => Known::Function(id, name),
            Some(Symbol::Broken) => return Err(Reported),
            Some(_) => {
                let message = format!("`{name}` is not a function");
                return Err(self.error(callee.span, message));
            }
            None => self.builtin(name, callee.span)?,
        };
        if broken {
            return Err(Reported);
        }
        match known {
            Known::Function(id, name) => {
                let id = self.pick_overload(id, name, &args);
                self.call_function(id, args, node)
            }
            Known::Conversion(ty) => self.call_conversion(name, ty, args, node),
            Known::Builtin(builtin) => self.call_builtin(name, builtin, args, node),
        }
    }

    fn builtin(&mut self, name: &str, at: SyntaxSpan) -> Lowered<Known<'static>> {
        if let Some(ty) = conversion(name) {
            return Ok(Known::Conversion(self.module.types.intern(ty)));
        }
        if let Some(builtin) = function(name) {
            return Ok(Known::Builtin(builtin));
        }
        if matches!(name, "enqueue_kernel" | "enqueue_marker") || name.starts_with("get_kernel_") {
            return Err(self.unsupported(at, "enqueueing on the device is"));
        }
        if name.starts_with("__builtin_") {
            return Err(
                self.unsupported(at, &format!("`{name}`, which is some compiler's own, is"))
            );
        }
        let message = format!("the function `{name}` is not declared");
        let own = self.scopes.names();
        let near = nearest(name, &own);
        let diagnostic = Diagnostic::error(message);
        let diagnostic = match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        };
        Err(self.report(at, diagnostic))
    }

    fn check_argument_count(
        &mut self,
        name: &str,
        found: usize,
        (least, most): (usize, usize),
        at: SyntaxSpan,
    ) -> Lowered<()> {
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let wanted = match (least, most) {
            (1, 1) => "1 argument".to_string(),
            (least, most) if least == most => format!("{least} arguments"),
            (least, usize::MAX) => format!("at least {least} arguments"),
            (least, most) => format!("{least} to {most} arguments"),
        };
        Err(self.error(at, format!("`{name}` takes {wanted}, not {found}")))
    }

    /// The overloadable function that fits arguments best: same types, else one to which all convert.
    fn pick_overload(&mut self, first: FunctionId, name: &str, args: &[ExprId]) -> FunctionId {
        let candidates = self.overloads.get(name).cloned().unwrap_or_default();
        if candidates.len() < 2 {
            return first;
        }
        let types: Vec<TypeId> = args.iter().map(|&arg| self.value_type(arg)).collect();
        let mut convertible = None;
        for id in candidates {
            let function = &self.module.functions[id];
            let params: Vec<TypeId> = function
                .params
                .iter()
                .map(|&param| function.vars[param].ty.ty)
                .collect();
            if params.len() != args.len() {
                continue;
            }
            let params: Vec<TypeId> = params
                .into_iter()
                .map(|ty| self.module.types.canonical(ty))
                .collect();
            if params == types {
                return id;
            }
            let fits = args
                .iter()
                .zip(&types)
                .zip(&params)
                .all(|((&arg, &from), &to)| from == to || self.converts(arg, from, to));
            if fits && convertible.is_none() {
                convertible = Some(id);
            }
        }
        convertible.unwrap_or(first)
    }

    fn call_function(
        &mut self,
        id: FunctionId,
        args: Vec<ExprId>,
        node: &Node<CallExpression>,
    ) -> Lowered<ExprId> {
        let function = &self.module.functions[id];
        let name = function.name.clone();
        let ret = function.ret.ty;
        let types: Vec<TypeId> = function
            .params
            .iter()
            .map(|&param| function.vars[param].ty.ty)
            .collect();
        self.check_argument_count(&name, args.len(), (types.len(), types.len()), node.span)?;
        for ((&arg, ty), syntax) in args.iter().zip(types).zip(&node.node.arguments) {
            self.check_convertible(arg, ty, "passed", syntax.span)?;
        }
        let call = Expr::Call {
            callee: Callee::Function(id),
            args,
        };
        self.add(call, ret, node.span)
    }

    fn call_conversion(
        &mut self,
        name: &str,
        ty: TypeId,
        args: Vec<ExprId>,
        node: &Node<CallExpression>,
    ) -> Lowered<ExprId> {
        self.check_argument_count(name, args.len(), (1, 1), node.span)?;
        let from = self.value_type(args[0]);
        let width = |lowerer: &Self, ty| lowerer.module.types.as_vector(ty).map_or(1, |(_, w)| w);
        let arithmetic = self.module.types.component(from).is_some();
        let same_shape = name.starts_with("as_") || width(self, from) == width(self, ty);
        if !arithmetic || !same_shape {
            let message = format!("`{name}` does not take a `{}`", self.type_name(from));
            return Err(self.error(node.node.arguments[0].span, message));
        }
        self.add_builtin(name, args, ty, node.span)
    }

    fn add_builtin(
        &mut self,
        name: &str,
        args: Vec<ExprId>,
        ty: TypeId,
        at: SyntaxSpan,
    ) -> Lowered<ExprId> {
        let call = Expr::Call {
            callee: Callee::Builtin(name.to_string()),
            args,
        };
        self.add(call, ty, at)
    }

    fn call_builtin(
        &mut self,
        name: &str,
        builtin: Builtin,
        args: Vec<ExprId>,
        node: &Node<CallExpression>,
    ) -> Lowered<ExprId> {
        let counts = (builtin.min_args, builtin.max_args);
        self.check_argument_count(name, args.len(), counts, node.span)?;
        let types: Vec<TypeId> = args.iter().map(|&arg| self.value_type(arg)).collect();
        for (&ty, syntax) in types.iter().zip(&node.node.arguments) {
            if matches!(self.module.types.resolve(ty), Type::Void) {
                return Err(self.error(syntax.span, "a `void` value cannot be an argument"));
            }
        }
        let Some(ty) = self.result(builtin.ret, &types) else {
            let shown: Vec<String> = types
                .iter()
                .map(|&ty| format!("`{}`", self.type_name(ty)))
                .collect();
            let message = format!("`{name}` does not take {}", shown.join(", "));
            return Err(self.error(node.span, message));
        };
        self.add_builtin(name, args, ty, node.span)
    }

    /// A builtin's result type; `None` if the arguments do not fit.
    fn result(&mut self, ret: Ret, args: &[TypeId]) -> Option<TypeId> {
        let first = args.first().copied();
        match ret {
            Ret::Is(name) => builtin_type(name).map(|ty| self.module.types.intern(ty)),
            Ret::Common => self.common(args),
            Ret::Word => {
                let common = self.common(args)?;
                match self.shape(common)? {
                    (_, 1) => Some(self.module.types.promoted(common)),
                    _ => Some(common),
                }
            }
            Ret::Float => {
                let common = self.common(args)?;
                self.floating(common)
            }
            Ret::First => first.filter(|&ty| !matches!(self.module.types.get(ty), Type::Void)),
            Ret::FirstFloat => self.floating(first?),
            Ret::Element => {
                let common = self.common(args)?;
                let floating = self.floating(common)?;
                let (scalar, _) = self.shape(floating)?;
                Some(self.module.types.scalar(scalar))
            }
            Ret::Mask => {
                let common = self.common(args)?;
                let floating = self.floating(common)?;
                Some(self.module.types.truth(floating))
            }
            Ret::Ints => {
                let (_, width) = self.shape(first?)?;
                Some(self.vector(Scalar::Int, width))
            }
            Ret::Unsigned => {
                let common = self.common(args)?;
                let (scalar, width) = self.shape(common)?;
                Some(self.vector(unsigned(scalar)?, width))
            }
            Ret::Upsampled => {
                let (scalar, width) = self.shape(first?)?;
                Some(self.vector(twice(scalar)?, width))
            }
            Ret::Pointee => {
                let (pointee, _) = self.module.types.as_pointer(first?)?;
                let value = match self.module.types.resolve(pointee.ty) {
                    Type::Opaque(name) => Type::Scalar(atomic_value(&name)?),
                    Type::Scalar(scalar) => Type::Scalar(scalar),
                    _ => return None,
                };
                Some(self.module.types.intern(value))
            }
            Ret::AtomicValue => {
                let (pointee, _) = self.module.types.as_pointer(first?)?;
                match self.module.types.resolve(pointee.ty) {
                    Type::Opaque(name) => atomic_value(&name),
                    _ => None,
                }
                .map(|scalar| self.module.types.scalar(scalar))
            }
            Ret::Load(width) => {
                let (pointee, _) = self.module.types.as_pointer(*args.get(1)?)?;
                let scalar = self.module.types.as_scalar(pointee.ty)?;
                Some(self.vector(scalar, width))
            }
            Ret::Shuffled => {
                let (scalar, _) = self.module.types.as_vector(first?)?;
                let (_, width) = self.module.types.as_vector(*args.last()?)?;
                Some(self.vector(scalar, width))
            }
            Ret::ChannelElement => match self.module.types.resolve(first?) {
                Type::Channel(element) => Some(element),
                _ => None,
            },
            Ret::Pixel => match self.module.types.resolve(first?) {
                Type::Opaque(name) if name.contains("depth_t") => {
                    Some(self.module.types.scalar(Scalar::Float))
                }
                Type::Opaque(_) => Some(self.vector(Scalar::Float, 4)),
                _ => None,
            },
            Ret::ImageDim => match self.module.types.resolve(first?) {
                Type::Opaque(name) if name.ends_with("image3d_t") => {
                    Some(self.vector(Scalar::Int, 4))
                }
                Type::Opaque(_) => Some(self.vector(Scalar::Int, 2)),
                _ => None,
            },
            Ret::Space(space) => {
                let (pointee, _) = self.module.types.as_pointer(first?)?;
                Some(self.module.types.intern(Type::Pointer { pointee, space }))
            }
            Ret::Nan => {
                let (scalar, width) = self.shape(first?)?;
                let float = match scalar.size() {
                    2 => Scalar::Half,
                    8 => Scalar::Double,
                    _ => Scalar::Float,
                };
                Some(self.vector(float, width))
            }
        }
    }

    /// Element and width; scalars have width 1.
    fn shape(&self, ty: TypeId) -> Option<(Scalar, u8)> {
        let types = &self.module.types;
        types
            .as_vector(ty)
            .or_else(|| types.as_scalar(ty).map(|scalar| (scalar, 1)))
    }

    fn vector(&mut self, scalar: Scalar, width: u8) -> TypeId {
        match width {
            1 => self.module.types.scalar(scalar),
            width => self.module.types.intern(Type::Vector(scalar, width)),
        }
    }

    /// The common type of arithmetic arguments: their vector, else by C's conversions without
    /// promotion of equal types. `None` if one is neither scalar nor vector.
    fn common(&mut self, args: &[TypeId]) -> Option<TypeId> {
        let mut common: Option<TypeId> = None;
        for &arg in args {
            self.shape(arg)?;
            let arg = self.module.types.canonical(arg);
            common = Some(match common {
                None => arg,
                Some(common) if common == arg => common,
                Some(common) => {
                    let vectors = (
                        self.module.types.as_vector(common),
                        self.module.types.as_vector(arg),
                    );
                    if let (Some(a), Some(b)) = vectors
                        && a.1 != b.1
                    {
                        return None;
                    }
                    self.module.types.usual(common, arg)
                }
            });
        }
        common
    }

    /// A type with integers made `float`.
    fn floating(&mut self, ty: TypeId) -> Option<TypeId> {
        let (scalar, width) = self.shape(ty)?;
        if scalar.is_float() {
            return Some(self.module.types.canonical(ty));
        }
        (width == 1).then(|| self.module.types.scalar(Scalar::Float))
    }
}

enum Known<'s> {
    Function(FunctionId, &'s str),
    Conversion(TypeId),
    Builtin(Builtin),
}

fn unsigned(scalar: Scalar) -> Option<Scalar> {
    Some(match scalar {
        Scalar::Char | Scalar::UChar => Scalar::UChar,
        Scalar::Short | Scalar::UShort => Scalar::UShort,
        Scalar::Int | Scalar::UInt | Scalar::Bool => Scalar::UInt,
        Scalar::Long | Scalar::ULong => Scalar::ULong,
        Scalar::Half | Scalar::Float | Scalar::Double => return None,
    })
}

fn twice(scalar: Scalar) -> Option<Scalar> {
    Some(match scalar {
        Scalar::Char => Scalar::Short,
        Scalar::UChar => Scalar::UShort,
        Scalar::Short => Scalar::Int,
        Scalar::UShort => Scalar::UInt,
        Scalar::Int => Scalar::Long,
        Scalar::UInt => Scalar::ULong,
        _ => return None,
    })
}
