//! Numbers for inputs, the same in the traces of both versions.

use crate::shape;
use parallax_execute::TestCase;
use parallax_solve::{Pool, Query, Var, VarId};
use parallax_trace::request::Source;

/// The index is the number of the input in the pool.
#[derive(Clone, Debug, Default)]
pub struct Names {
    list: Vec<Source>,
}

impl Names {
    pub fn number(&mut self, source: &Source) -> u32 {
        let known = self.list.iter().position(|s| s == source);
        known.unwrap_or_else(|| {
            self.list.push(source.clone());
            self.list.len() - 1
        }) as u32
    }

    pub fn source(&self, input: u32) -> Option<&Source> {
        self.list.get(input as usize)
    }

    /// The byte that a variable stands for, in a test case.
    pub fn byte(&self, test: &TestCase, var: Var) -> Option<u8> {
        shape::byte(test, self.source(var.input)?, var.offset)
    }

    /// A function that gives the bytes of a test case, as evaluation wants it.
    pub fn bytes<'n>(&'n self, pool: &'n Pool, test: &'n TestCase) -> impl Fn(VarId) -> u8 + 'n {
        move |var| self.byte(test, pool.var(var)).unwrap_or(0)
    }

    /// The test case that a model stands for.
    pub fn apply(&self, test: &TestCase, model: &parallax_solve::Model, query: &Query) -> TestCase {
        let mut changed = test.clone();
        for (var, value) in model.changes(query) {
            if let Some(source) = self.source(var.input) {
                shape::set_byte(&mut changed, source, var.offset, value);
            }
        }
        changed
    }

    /// What a byte is called in formulas for people and in SMT-LIB: `stdin[3]`.
    pub fn shown(&self, var: Var) -> String {
        let name = match self.source(var.input) {
            Some(Source::Argument(n)) => format!("argv[{n}]"),
            Some(Source::Stdin) => "stdin".to_owned(),
            Some(Source::Env(name)) => format!("${}", name.escape_ascii()),
            Some(Source::File(path)) => path.escape_ascii().to_string(),
            None => format!("input{}", var.input),
        };
        format!("{name}[{}]", var.offset)
    }
}
