//! Templates of the standard library: what they hold.

use std::rc::Rc;

use super::kind::{Container, Kind};
use crate::location::{ANY, SIZE, Step};
use crate::syntax::ast::Type;

/// What a name with template arguments is, as far as it is known.
pub(super) fn kind(name: &str) -> Option<Kind> {
    let (base, args) = arguments(name)?;
    let base = base.strip_prefix("std::").unwrap_or(base);
    let base = base.strip_prefix("cl::").unwrap_or(base);
    let ty = |index: usize| args.get(index).map(|a| parse(a));
    let container = match base {
        "vector" | "deque" | "list" | "VECTOR_CLASS" | "valarray" | "initializer_list" => {
            Container::Sequence {
                element: ty(0)?,
                fixed: None,
            }
        }
        "array" => Container::Sequence {
            element: ty(0)?,
            fixed: Some(args.get(1)?.trim().parse().ok()?),
        },
        "map" | "unordered_map" | "multimap" => Container::Map {
            entry: Type {
                base: format!("std::pair<{},{}>", args.first()?, args.get(1)?),
                ..Type::default()
            },
        },
        "pair" => Container::Pair {
            first: ty(0)?,
            second: ty(1)?,
        },
        "unique_ptr" | "shared_ptr" | "function" => return Some(Kind::Pointer),
        "basic_string" | "basic_string_view" => return Some(Kind::String),
        _ => return None,
    };
    Some(Kind::Container(Rc::new(container)))
}

/// A template's name and its arguments.
pub(crate) fn arguments(name: &str) -> Option<(&str, Vec<&str>)> {
    let inside = name.strip_suffix('>')?;
    let (base, inside) = inside.split_once('<')?;
    let mut args = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                args.push(inside[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    args.push(inside[start..].trim());
    (depth == 0).then_some((base, args))
}

/// A type as it is spelled as a template's argument.
pub(crate) fn parse(text: &str) -> Type {
    let mut ty = Type::default();
    let mut rest = text.trim();
    loop {
        if let Some(before) = rest.strip_suffix(['*', '&']) {
            match rest.ends_with('*') {
                true => ty.pointers = ty.pointers.saturating_add(1),
                false => ty.reference = true,
            }
            rest = before.trim_end();
        } else if let Some(before) = rest.strip_suffix("const") {
            rest = before.trim_end();
        } else {
            break;
        }
    }
    if let Some(after) = rest.strip_prefix("const ") {
        ty.pointee_const = ty.pointers > 0;
        rest = after.trim_start();
    }
    for word in ["struct ", "class ", "typename "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    ty.function = rest.contains('(');
    ty.base = rest.to_string();
    ty
}

/// The type of a part of a container.
pub(crate) fn part_type(kind: &Kind, step: &Step) -> Option<Type> {
    let Kind::Container(container) = kind else {
        return None;
    };
    if let Step::Field(name) = step
        && **name == *SIZE
    {
        return Some(Type {
            base: "size_t".to_string(),
            ..Type::default()
        });
    }
    match (&**container, step) {
        (Container::Sequence { element, .. }, Step::Index(_)) => Some(element.clone()),
        (Container::Sequence { element, .. }, Step::Field(name)) => {
            (**name == *ANY).then(|| element.clone())
        }
        (Container::Map { entry }, _) => Some(entry.clone()),
        (Container::Pair { first, second }, Step::Field(name)) => match &**name {
            "first" => Some(first.clone()),
            "second" => Some(second.clone()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_distinguished() {
        let (base, args) = arguments("std::map<std::string,vector<pair<int,char*>>>").unwrap();
        assert_eq!(base, "std::map");
        assert_eq!(args, ["std::string", "vector<pair<int,char*>>"]);
        assert_eq!(arguments("a>b"), None);
        assert_eq!(arguments("vector<f(a,b)>").unwrap().1, ["f(a,b)"]);
    }

    #[test]
    fn types_are_read() {
        let ty = parse("const unsigned int*");
        assert_eq!(
            (&*ty.base, ty.pointers, ty.pointee_const),
            ("unsigned int", 1, true)
        );
    }
}
