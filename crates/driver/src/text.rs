//! The C text of a driver, and of a kept test.
//!
//! In: a [`Plan`]. Out: for each version a program that reads an input, calls the function and writes down what it left; for an input, a small C file that does the same with the
//! values in its text.
//!
//! Always holds: the texts of both versions differ only in how types and symbols are declared.

use crate::declare::Declarations;
use crate::layout::Value;
use crate::plan::{Parameter, Plan};
use crate::set::Setter;
use crate::show::{step, Shower};
use crate::types::{kind, Kind};
use std::fmt::Write;

/// Helpers of a driver, in C.
const PRELUDE: &str = include_str!("prelude.c");
const OBJECTS: &str = include_str!("objects.c");
/// Helpers of a kept test.
const KEPT: &str = include_str!("kept.c");
/// What a harness needs besides.
const HARNESS: &str = include_str!("harness.c");
/// The function as the driver calls it.
const CALLED: &str = "parallax_function";

/// The driver of one version.
pub fn driver(plan: &Plan, version: usize) -> String {
    if plan.harness {
        return format!("#define PARALLAX_INPUT 65536\n{PRELUDE}{OBJECTS}{HARNESS}");
    }
    let mut parts = Parts::new(plan, version, None);
    let body = parts.body();
    let observed = crate::observed::wrappers(plan, version, &mut parts.declarations);
    let definitions = parts.declarations.definitions();
    let mut text = format!("#define PARALLAX_INPUT {}\n{PRELUDE}{OBJECTS}", plan.input);
    text.push_str(&definitions);
    text.push_str(&parts.outside);
    text.push_str(&observed);
    if !plan.options.helpers.is_empty() {
        let _ = write!(text, "#line 1 \"--helpers\"\n{}\n#line 1 \"driver.c\"\n", plan.options.helpers);
    }
    text.push_str(&parts.prototypes);
    text.push_str(&parts.functions);
    let _ = write!(
        text,
        "int main(void) {{\n    parallax_take_all();\n{body}    parallax_end(\"{}\");\n    return 0;\n}}\n",
        plan.signatures[version].name
    );
    text
}

/// A C file that calls the function with the values of an input.
pub fn kept(plan: &Plan, input: &[u8]) -> String {
    let version = 1;
    let mut parts = Parts::new(plan, version, Some(input));
    let body = parts.body();
    let definitions = parts.declarations.definitions();
    let name = &plan.signatures[version].name;
    let mut text = KEPT.replace("FUNCTION", name);
    let _ = write!(
        text,
        "#ifdef SOURCE\n#define main main_of_source\n#include SOURCE\n#undef main\n#else\n{definitions}{}#endif\n",
        parts.outside
    );
    text.push_str(&plan.options.helpers);
    let _ = write!(
        text,
        "{}{}\nint main(void) {{\n{body}    parallax_buffers();\n    return 0;\n}}\n",
        parts.prototypes, parts.functions
    );
    text.replace("parallax_", "call_")
}

struct Parts<'p, 'a> {
    plan: &'a Plan<'p>,
    version: usize,
    input: Option<&'a [u8]>,
    declarations: Declarations<'p>,
    /// Declarations of the function and of variables.
    outside: String,
    prototypes: String,
    functions: String,
}

impl<'p, 'a> Parts<'p, 'a> {
    fn new(plan: &'a Plan<'p>, version: usize, input: Option<&'a [u8]>) -> Self {
        let (outside, prototypes, functions) = Default::default();
        let declarations = Declarations::new(plan.programs[version]);
        Parts { plan, version, input, declarations, outside, prototypes, functions }
    }

    /// Its own parameters.
    fn parameters(&self) -> Vec<&'a Parameter> {
        let own = |parameter: &&Parameter| parameter.types[self.version].is_some();
        self.plan.parameters.iter().filter(own).collect()
    }

    /// The statements of `main`.
    fn body(&mut self) -> String {
        self.declare();
        let mut text = self.arguments();
        text.push_str(&self.variables());
        if self.input.is_none() && !self.plan.options.assume.is_empty() {
            text.push_str(&self.assumptions());
        }
        let signature = &self.plan.signatures[self.version];
        let names: Vec<&str> = self.parameters().into_iter().map(|parameter| &*parameter.name).collect();
        let called = self.called();
        let call = format!("{called}({})", names.join(", "));
        match kind(self.plan.programs[self.version], signature.result) {
            Kind::Void => {
                let _ = writeln!(text, "    {call};");
            }
            _ => {
                let result = self.declarations.declare(signature.result, "parallax_result");
                let _ = writeln!(text, "    {result} = {call};");
            }
        }
        text.push_str(&self.results());
        text
    }

    /// Ends the run where one does not hold. They may name variables of the program, too.
    fn assumptions(&self) -> String {
        let mut text = String::new();
        let hidden = |name: &str| self.plan.parameters.iter().any(|parameter| parameter.name == name);
        let variables = self.plan.variables.iter().map(|variable| &*variable.shared.name).enumerate();
        let variables: Vec<(usize, &str)> = variables.filter(|(_, name)| !hidden(name)).collect();
        for (i, name) in &variables {
            let _ = writeln!(text, "#define {name} {}", self.variable(*i));
        }
        for assumption in &self.plan.options.assume {
            let _ = writeln!(text, "#line 1 \"--assume\"\n    if (!({assumption})) parallax_quiet();");
        }
        for (_, name) in &variables {
            let _ = writeln!(text, "#undef {name}");
        }
        text + "#line 1 \"driver.c\"\n"
    }

    fn called(&self) -> &'a str {
        match self.input {
            Some(_) => &self.plan.signatures[self.version].name,
            None => CALLED,
        }
    }

    /// The function and the variables, under names that hide nothing.
    fn declare(&mut self) {
        let plan = self.plan;
        let signature = &plan.signatures[self.version];
        let list: Vec<String> =
            signature.params.iter().map(|p| self.declarations.declare(Some(p.ty), "")).collect();
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        let declared = self.declarations.declare(signature.result, &format!("{}({list})", self.called()));
        let alias = |symbol: &str| match self.input {
            Some(_) => String::new(),
            None => format!(" __asm__(\"{symbol}\")"),
        };
        let _ = writeln!(self.outside, "extern {declared}{};", alias(&signature.symbol));
        for (i, variable) in plan.variables.iter().enumerate() {
            let shared = &variable.shared;
            let name = self.variable(i);
            let declared = self.declarations.declare(Some(shared.types[self.version]), &name);
            let _ = writeln!(self.outside, "extern {declared}{};", alias(&shared.symbols[self.version]));
        }
    }

    fn variable(&self, i: usize) -> String {
        match self.input {
            Some(_) => self.plan.variables[i].shared.name.clone(),
            None => format!("parallax_variable_{i}"),
        }
    }

    fn arguments(&mut self) -> String {
        let mut setter = Setter { input: self.input, text: String::new(), indent: 1 };
        for parameter in self.parameters() {
            let declared = self.declarations.declare(parameter.types[self.version], &parameter.name);
            let _ = writeln!(setter.text, "    {declared} = {{0}};");
        }
        for parameter in self.parameters() {
            setter.set(&parameter.name, &parameter.value, &parameter.name);
        }
        setter.text
    }

    /// Variables get values of the input, if it says so.
    fn variables(&self) -> String {
        let Some(flag) = self.plan.drive_variables else { return String::new() };
        let on = self.input.map(|input| input.get(flag).is_some_and(|byte| byte & 1 == 1));
        if on == Some(false) {
            return String::new();
        }
        let mut setter = Setter { input: self.input, text: String::new(), indent: 2 };
        for (i, variable) in self.plan.variables.iter().enumerate() {
            if let Some(value) = &variable.value {
                setter.set(&self.variable(i), value, &variable.shared.name);
            }
        }
        match on {
            Some(_) => setter.text,
            None => format!("    if (parallax_input[{flag}] & 1) {{\n{}    }}\n", setter.text),
        }
    }

    /// What is written down after the call.
    fn results(&mut self) -> String {
        let (plan, version) = (self.plan, self.version);
        let parameters = self.parameters();
        let variables: Vec<String> = (0..plan.variables.len()).map(|i| self.variable(i)).collect();
        let mut shower = Shower::new(plan.programs, version, &mut self.declarations);
        if let [Some(old), Some(new)] = [0, 1].map(|i| plan.signatures[i].result) {
            shower.show([old, new], "parallax_result", "return");
        }
        for parameter in parameters {
            behind(plan, &mut shower, parameter);
        }
        for (variable, name) in plan.variables.iter().zip(variables) {
            shower.show(variable.shared.types, &name, &format!("global {}", variable.shared.name));
        }
        let Shower { text, functions, prototypes, .. } = shower;
        self.functions = functions;
        self.prototypes = prototypes;
        match self.input {
            Some(_) => text,
            None => text + "    parallax_buffers();\n",
        }
    }
}

/// What a parameter leads to, unless the dump of the buffers shows it.
fn behind(plan: &Plan, shower: &mut Shower, parameter: &Parameter) {
    let Value::Pointer { object, .. } = &parameter.value else { return };
    let [Some(old), Some(new)] = parameter.types else { return };
    let to = |version: usize, ty| match kind(plan.programs[version], Some(ty)) {
        Kind::Pointer { to, .. } => to,
        _ => None,
    };
    let [Some(old), Some(new)] = [to(0, old), to(1, new)] else { return };
    if object.scalar.is_some() || step(plan.programs[0], Some(old)) == 0 {
        return;
    }
    let name = &parameter.name;
    if object.capacity == 1 && shower.is_structure(Some(old)) {
        let number = shower.function([old, new]);
        let test = format!("parallax_pointer(\"{name}\", {name})");
        let _ = writeln!(shower.text, "    if ({test}) parallax_show_{number}({name});");
        return;
    }
    let _ = writeln!(shower.text, "    if (!parallax_gone({name})) {{");
    for i in 0..object.capacity {
        shower.show([old, new], &format!("{name}[{i}]"), &format!("{name}[{i}]"));
    }
    shower.text.push_str("    }\n");
}
