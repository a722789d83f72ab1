//! A program around one function, made from its type in the debug information.
//!
//! In: the models of two versions, the name of a function, what the user says about its input. Out: a [`Plan`]: the C text of a driver for each version, that reads an input of a
//! fixed layout from standard input, calls the function and writes down what it left; the same call as a small C file for any input; arguments and results as C values.
//!
//! Always holds: both versions are driven by one layout. A function that cannot be driven is an error that names the parameter. Nothing is compiled here and nothing
//! is run: `build` makes programs of the texts.

mod declare;
mod error;
mod example;
mod globals;
mod layout;
mod literal;
mod observed;
mod options;
mod plan;
mod results;
mod set;
mod show;
mod signature;
mod sizes;
mod text;
mod types;

pub use error::Error;
pub use options::{arguments, Bounds, Options};
pub use plan::{plan, Plan, HARNESS};
pub use results::{results, Named};

use parallax_model::Program;
use std::collections::BTreeSet;

impl Plan<'_> {
    /// An input with a little of everything: numbers that are not zero, strings that are not empty, pointers that lead somewhere.
    pub fn example(&self) -> Vec<u8> {
        let mut input = vec![0; self.input];
        let parameters = self.parameters.iter().map(|parameter| &parameter.value);
        parameters.for_each(|value| example::fill(value, &mut input));
        input
    }

    /// The C text of the driver of a version.
    pub fn driver(&self, version: usize) -> String {
        text::driver(self, version)
    }

    /// A C file that makes the call of an input.
    pub fn kept(&self, input: &[u8]) -> String {
        text::kept(self, input)
    }

    /// The call that an input stands for.
    pub fn call(&self, input: &[u8]) -> Vec<Named> {
        results::arguments(self, input)
    }

    /// Symbols of a version that its driver names.
    pub fn visible(&self, version: usize) -> BTreeSet<String> {
        let functions = self.observed.iter().map(|pair| pair[version].symbol.clone());
        let variables = self.variables.iter().map(|variable| variable.shared.symbols[version].clone());
        let own = self.signatures[version].symbol.clone();
        functions.chain(variables).chain([own]).collect()
    }

    /// Calls of a version that go to its driver.
    pub fn redirected(&self, version: usize) -> Vec<(String, String)> {
        let memory = ["free", "realloc"].map(|name| (name.to_owned(), format!("parallax_{name}")));
        let uses = |name: &str| {
            self.programs[version]
                .function_named(name)
                .is_some_and(|id| is_outside(self.programs[version], id))
        };
        let memory = memory.into_iter().filter(|(name, _)| uses(name));
        observed::redirected(self, version).into_iter().chain(memory).collect()
    }
}

fn is_outside(program: &Program, id: parallax_model::FuncId) -> bool {
    !program.func(id).is_defined()
}
