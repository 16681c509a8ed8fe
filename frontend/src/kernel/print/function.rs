//! Functions.

use crate::ir::{Function, FunctionId};

use super::printer::Printer;
use super::types::{AttrPosition, attributes, join, storage_word};
use super::wrap::WIDTH;

impl Printer<'_> {
    pub(super) fn prototype(&mut self, id: FunctionId) {
        let function = &self.module.functions[id];
        let ahead = function.attrs.len();
        self.lines.place(function.span, ahead);
        self.header(function, ";");
    }

    pub(super) fn function(&mut self, id: FunctionId) {
        let module = self.module;
        let function = &module.functions[id];
        let Some(body) = &function.body else {
            return self.prototype(id);
        };
        let comments: Vec<&str> = function.comments.iter().flat_map(|c| c.lines()).collect();
        let ahead = comments.len() + function.attrs.len();
        self.lines.place_apart(function.span, ahead);
        for comment in comments {
            self.lines.line(&comment_line(comment));
        }
        self.function = Some(function);
        self.header(function, " {");
        self.lines.indent();
        self.stmts(function, &body.stmts);
        self.lines.dedent();
        self.lines.line("}");
        self.function = None;
    }

    /// Attributes, each on a line of its own, then the rest of the head with `end` after it.
    fn header(&mut self, function: &Function, end: &str) {
        for attr in &function.attrs {
            self.lines.line(&attributes(std::slice::from_ref(attr)));
        }
        let params = self.params(function);
        let flat = self.head(function, &params.join(", "));
        if flat.len() + end.len() <= WIDTH {
            return self.lines.line(&format!("{flat}{end}"));
        }
        let lead = self.head(function, "").trim_end_matches(')').len();
        let head = self.head(function, &filled(&params, lead));
        self.lines.line(&format!("{head}{end}"));
    }

    fn params(&mut self, function: &Function) -> Vec<String> {
        if function.params.is_empty() {
            return vec!["void".to_string()];
        }
        let declare = |&param| {
            self.declare_variable(&function.vars[param], AttrPosition::BeforeName)
                .text()
        };
        function.params.iter().map(declare).collect()
    }

    fn head(&mut self, function: &Function, params: &str) -> String {
        let declarator = format!("{}({params})", function.name);
        let declaration = self.declare(function.ret, "", declarator).text();
        join(&[
            if function.is_kernel { "__kernel" } else { "" },
            storage_word(function.storage),
            if function.is_inline { "inline" } else { "" },
            &declaration,
        ])
    }
}

/// Parameters on as many lines as they need, below the first one; or, where that leaves them little
/// room, on lines of their own.
fn filled(params: &[String], lead: usize) -> String {
    let longest = params.iter().map(String::len).max().unwrap_or(0);
    let (mut text, indent) = match lead + longest + 3 <= WIDTH {
        true => (String::new(), lead),
        false => (format!("\n{:8}", ""), 8),
    };
    let mut column = indent;
    for (index, param) in params.iter().enumerate() {
        // A comma or the end of the head stands after.
        if index > 0 && column + param.len() + 4 > WIDTH {
            text.push_str(&format!(",\n{:indent$}", ""));
            column = indent;
        } else if index > 0 {
            text.push_str(", ");
            column += 2;
        }
        text.push_str(param);
        column += param.len();
    }
    text
}

/// A comment that ends with its line, whatever stands in it.
pub(super) fn comment_line(text: &str) -> String {
    let text = text.trim_end();
    let stop = if text.ends_with('\\') || text.ends_with("??/") {
        " ."
    } else {
        ""
    };
    format!("// {text}{stop}")
}
