//! Modules, functions, variables and the definitions of types.

use std::collections::{BTreeMap, BTreeSet};

use super::arena::{Arena, Id, SharedArena};
use super::expr::{ExprId, Exprs, Init};
use super::names::{FileNames, Kept};
use super::stmt::Block;
use super::types::{AddressSpace, QualType, Type, TypeId, Types};
use crate::source::Span;

/// A handle to a [`Record`].
pub type RecordId = Id<Record>;
/// A handle to an [`Enum`].
pub type EnumId = Id<Enum>;
/// A handle to a [`Typedef`].
pub type TypedefId = Id<Typedef>;
/// A handle to a [`Global`].
pub type GlobalId = Id<Global>;
/// A handle to a [`Function`].
pub type FunctionId = Id<Function>;
/// A handle to a [`Variable`] of a function.
pub type VarId = Id<Variable>;

/// The language of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// OpenCL C 1.0 to 1.2: pointers without a space are private.
    Cl12,
    /// OpenCL C 2.0 and later: pointers without a space are generic.
    Cl20,
}

/// One translation unit.
#[derive(Clone, Debug)]
pub struct Module {
    /// The language.
    pub dialect: Dialect,
    /// All types.
    pub types: Types,
    /// Structs and unions.
    pub records: Arena<Record>,
    /// Enumerations.
    pub enums: Arena<Enum>,
    /// Typedefs of the source; add with [`Module::add_typedef`].
    pub typedefs: Arena<Typedef>,
    /// Program-scope variables.
    pub globals: Arena<Global>,
    /// Functions, defined or only declared.
    pub functions: SharedArena<Function>,
    /// Expressions of global initialisers and enumerators.
    pub exprs: Exprs,
    /// What stands at file scope, in the order of the source.
    pub items: Vec<Item>,
    /// See [`Module::keep_names`].
    pub(super) kept_names: Option<Kept>,
}

/// Something at file scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A struct's or union's definition, or its forward declaration where `defined` is false.
    Record {
        /// Which.
        id: RecordId,
        /// With its fields.
        defined: bool,
    },
    /// An enumeration.
    Enum(EnumId),
    /// A typedef.
    Typedef(TypedefId),
    /// A variable.
    Global(GlobalId),
    /// A function's prototype.
    Prototype(FunctionId),
    /// A function's definition.
    Function(FunctionId),
    /// A pragma, such as `OPENCL EXTENSION cl_khr_fp64 : enable`, without `#pragma`.
    Pragma(String),
}

/// An attribute: `name` or `name(args)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attr {
    /// Its name, without underscores around it.
    pub name: String,
    /// The text between its parentheses.
    pub args: Option<String>,
}

impl Attr {
    /// Its arguments as integers, if all of them are plain integer literals.
    pub fn integers(&self) -> Option<Vec<u64>> {
        let args = self.args.as_deref()?;
        args.split(',').map(|arg| arg.trim().parse().ok()).collect()
    }
}

/// Struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RecordKind {
    Struct,
    Union,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Struct or union.
    pub kind: RecordKind,
    /// Its tag; `None` for one that only a typedef or a variable names.
    pub tag: Option<String>,
    /// Its fields; `None` while it is only declared.
    pub fields: Option<Vec<Field>>,
    /// Such as `packed`.
    pub attrs: Vec<Attr>,
    /// Its definition.
    pub span: Option<Span>,
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; `None` for an anonymous struct or union member.
    pub name: Option<String>,
    /// Its type.
    pub ty: QualType,
    /// Width of a bit field.
    pub bits: Option<u64>,
    /// Such as `aligned(16)`.
    pub attrs: Vec<Attr>,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its tag.
    pub tag: Option<String>,
    /// Its constants.
    pub enumerators: Vec<Enumerator>,
    /// Its definition.
    pub span: Option<Span>,
}

/// A constant of an enumeration.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: String,
    /// The value as written, in [`Module::exprs`].
    pub written: Option<ExprId>,
    /// The value.
    pub value: i64,
}

/// Another name for a type.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: QualType,
    /// Such as `aligned(16)`.
    pub attrs: Vec<Attr>,
    /// Its declaration.
    pub span: Option<Span>,
}

/// A storage class as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Storage {
    None,
    Static,
    Extern,
}

/// A variable of a function: a parameter or a local.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type and qualifiers (`restrict` of a pointer stands here).
    pub ty: QualType,
    /// Where the variable itself lies; `Private` for parameters.
    pub space: AddressSpace,
    /// As written.
    pub storage: Storage,
    /// Such as `aligned(16)`, `numbanks(4)`, `local_mem_size(1024)`.
    pub attrs: Vec<Attr>,
    /// Its declaration.
    pub span: Option<Span>,
}

impl Variable {
    /// A variable that no source declares.
    pub fn new(name: String, ty: TypeId, space: AddressSpace) -> Self {
        Variable {
            name,
            ty: QualType::plain(ty),
            space,
            storage: Storage::None,
            attrs: Vec::new(),
            span: None,
        }
    }
}

/// A program-scope variable, `__constant` or a channel mostly.
#[derive(Clone, Debug)]
pub struct Global {
    /// Name, type, space and attributes.
    pub variable: Variable,
    /// Its value, in [`Module::exprs`].
    pub init: Option<Init>,
}

/// Any variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VarRef {
    /// A parameter or local of the function at hand.
    Local(VarId),
    /// A program-scope variable.
    Global(GlobalId),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// `__kernel`.
    pub is_kernel: bool,
    /// `inline` as written.
    pub is_inline: bool,
    /// `static` or `extern` as written.
    pub storage: Storage,
    /// What it returns.
    pub ret: QualType,
    /// Its parameters, in order, in [`Self::vars`].
    pub params: Vec<VarId>,
    /// Such as `reqd_work_group_size(64, 1, 1)`.
    pub attrs: Vec<Attr>,
    /// Parameters and locals; add locals that passes make with [`Function::add_var`].
    pub vars: Arena<Variable>,
    /// Its expressions.
    pub exprs: Exprs,
    /// Its body; `None` for one that is only declared.
    pub body: Option<Block>,
    /// Lines that the printer writes as comments above it: one for each rewrite.
    pub comments: Vec<String>,
    /// Its name in the source.
    pub span: Option<Span>,
}

impl Function {
    /// A function that no source declares, without parameters or a body.
    pub fn new(name: String, ret: TypeId) -> Self {
        Function {
            name,
            is_kernel: false,
            is_inline: false,
            storage: Storage::None,
            ret: QualType::plain(ret),
            params: Vec::new(),
            attrs: Vec::new(),
            vars: Arena::default(),
            exprs: Exprs::default(),
            body: None,
            comments: Vec::new(),
            span: None,
        }
    }

    /// The attribute with this name.
    pub fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.iter().find(|attr| attr.name == name)
    }

    /// Sets an attribute, in place of one with the same name.
    pub fn set_attr(&mut self, name: &str, args: Option<String>) {
        let attr = Attr {
            name: name.to_string(),
            args,
        };
        match self.attrs.iter_mut().find(|old| old.name == name) {
            Some(old) => *old = attr,
            None => self.attrs.push(attr),
        }
    }

    /// `reqd_work_group_size`, if it is there with literal sizes.
    pub fn reqd_work_group_size(&self) -> Option<[u64; 3]> {
        self.attr("reqd_work_group_size")?
            .integers()?
            .try_into()
            .ok()
    }

    /// Makes a private variable with a name that nothing in this function has: `hint`, or `hint`
    /// with a number after it. `taken` holds the module's own names ([`Module::global_names`]).
    pub fn add_var(&mut self, hint: &str, ty: TypeId, taken: &FileNames) -> VarId {
        let name = self.fresh_name(hint, taken);
        self.vars
            .add(Variable::new(name, ty, AddressSpace::Private))
    }

    /// A name that nothing in this function and in `taken` has, nor a function of OpenCL's that is
    /// called here: a variable would hide it.
    pub fn fresh_name(&self, hint: &str, taken: &FileNames) -> String {
        let names = self.vars.iter().map(|(_, variable)| variable.name.as_str());
        let names = names.chain(self.exprs.called_builtins());
        let similar: BTreeSet<&str> = names.filter(|name| name.starts_with(hint)).collect();
        let used = |name: &str| taken.contains(name) || similar.contains(name);
        match used(hint) {
            true => numbered(hint, 2, used).0,
            false => hint.to_string(),
        }
    }

    /// Renames locals until no two variables of this function share a name, and none hides a name
    /// of file scope that the function may use. Parameters keep their names.
    pub fn make_names_unique(&mut self, taken: &FileNames) {
        let mut seen: BTreeSet<String> = self
            .params
            .iter()
            .map(|&param| self.vars[param].name.clone())
            .collect();
        // Many variables may share one name: names are looked up, and numbers go on where they ended.
        let names = self.vars.iter().map(|(_, variable)| variable.name.clone());
        let mut names: BTreeSet<String> = names.collect();
        let mut next: BTreeMap<String, usize> = BTreeMap::new();
        for id in self.vars.ids() {
            if self.params.contains(&id) {
                continue;
            }
            let name = self.vars[id].name.clone();
            if !taken.contains(&name) && seen.insert(name.clone()) {
                continue;
            }
            let hint = format!("{name}_2");
            let used = |name: &str| taken.contains(name) || names.contains(name);
            let fresh = match used(&hint) {
                true => {
                    let first = next.get(&hint).copied().unwrap_or(2);
                    let (fresh, number) = numbered(&hint, first, used);
                    next.insert(hint, number + 1);
                    fresh
                }
                false => hint,
            };
            names.insert(fresh.clone());
            seen.insert(fresh.clone());
            self.vars[id].name = fresh;
        }
    }
}

/// The first of `hint_<first>`, `hint_<first + 1>`, .. that is not used, and its number.
fn numbered(hint: &str, first: usize, used: impl Fn(&str) -> bool) -> (String, usize) {
    (first..)
        .map(|number| (format!("{hint}_{number}"), number))
        .find(|(name, _)| !used(name))
        .expect("there are more numbers than names")
}

impl Module {
    /// A field of a record, by its index; `None`: nothing is known of the record's fields.
    pub fn field(&self, record: RecordId, field: u32) -> Option<&Field> {
        let fields = self.records[record].fields.as_deref()?;
        fields.get(field as usize)
    }

    /// An empty module.
    pub fn new(dialect: Dialect) -> Self {
        Module {
            dialect,
            types: Types::default(),
            records: Arena::default(),
            enums: Arena::default(),
            typedefs: Arena::default(),
            globals: Arena::default(),
            functions: SharedArena::default(),
            exprs: Exprs::default(),
            items: Vec::new(),
            kept_names: None,
        }
    }

    /// Adds a typedef and gives its type.
    pub fn add_typedef(&mut self, typedef: Typedef) -> (TypedefId, TypeId) {
        self.types.aliases.push(typedef.ty.ty);
        let id = self.typedefs.add(typedef);
        (id, self.types.intern(Type::Typedef(id)))
    }

    /// The kernels that have a body, in order of the source.
    pub fn kernels(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.items.iter().filter_map(|item| match item {
            Item::Function(id) if self.functions[*id].is_kernel => Some(*id),
            _ => None,
        })
    }

    /// The function with this name.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions
            .iter()
            .find(|(_, function)| function.name == name)
            .map(|(id, _)| id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;

    fn function(ret: TypeId) -> Function {
        Function::new("f".to_string(), ret)
    }

    #[test]
    fn names_that_are_there_get_numbers() {
        let mut types = Types::default();
        let int = types.intern(Type::Scalar(Scalar::Int));
        let mut function = function(int);
        let taken = ["g".to_string()].into_iter().collect();
        let names = ["v", "v_2_3", "v", "g", "v", "v", "w"];
        for name in names {
            let id = function.add_var("x", int, &taken);
            function.vars[id].name = name.to_string();
        }
        function.make_names_unique(&taken);
        let names: Vec<&str> = function.vars.iter().map(|(_, v)| v.name.as_str()).collect();
        assert_eq!(names, ["v", "v_2_3", "v_2", "g_2", "v_2_2", "v_2_4", "w"]);
        assert_eq!(function.fresh_name("v", &taken), "v_3");
        assert_eq!(function.fresh_name("g", &taken), "g_3");
        assert_eq!(function.fresh_name("u", &taken), "u");
    }

    #[test]
    fn names_of_functions_that_came_after_they_were_kept_are_taken() {
        let mut module = Module::new(Dialect::Cl12);
        let void = module.types.intern(Type::Void);
        let add = |module: &mut Module, name: &str| {
            let name = name.to_string();
            module.functions.add(Function {
                name,
                ..function(void)
            });
        };
        add(&mut module, "first");
        module.keep_names();
        let mut copy = module.clone();
        add(&mut copy, "second");
        let names = copy.global_names();
        let taken = ["first", "second", "third"].map(|name| names.contains(name));
        assert_eq!(taken, [true, true, false]);
        assert!(!module.global_names().contains("second"));
    }

    /// As many variables of one name as unrolled or inlined text may make.
    #[test]
    fn thousands_of_variables_of_one_name_take_no_time() {
        let mut types = Types::default();
        let int = types.intern(Type::Scalar(Scalar::Int));
        let mut function = function(int);
        let taken = FileNames::default();
        for _ in 0..20_000 {
            let variable = Variable::new("v".to_string(), int, AddressSpace::Private);
            function.vars.add(variable);
        }
        function.make_names_unique(&taken);
        let names: BTreeSet<&str> = function.vars.iter().map(|(_, v)| v.name.as_str()).collect();
        assert_eq!(names.len(), 20_000);
    }
}
