//! What drives a function: its signature in both versions, the layout of its input, what is shown.
//!
//! In: the models of both versions, and what the user says. Out: a [`Plan`], or the reason why there is none.
//!
//! Always holds: both versions are driven by the same layout, and show the same things.

use crate::error::Error;
use crate::globals::{is_written, reached, shared, Reached, Shared};
use crate::layout::{name_of, Builder, Types, Value};
use crate::options::{Options, MOST_INPUT};
use crate::signature::{find, Signature};
use crate::sizes;
use crate::types::{described, kind, Kind};
use parallax_model::{DebugTypeId, Linkage, Program};

/// Names of functions that a fuzzer calls: bytes, and how many.
pub const HARNESS: &str = "LLVMFuzzerTestOneInput";
/// Bytes of a variable that is driven; larger ones keep what they have.
const MOST_OF_GLOBAL: usize = 64;

/// A parameter, or one that only one version has and the user gives.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    /// In the versions that have it.
    pub types: [Option<DebugTypeId>; 2],
    pub value: Value,
}

/// A variable of the program.
#[derive(Clone, Debug)]
pub struct Variable {
    pub shared: Shared,
    /// None: it keeps what the program gave it.
    pub value: Option<Value>,
}

/// Everything about a function that its drivers are made of.
pub struct Plan<'p> {
    pub programs: [&'p Program; 2],
    pub options: Options,
    pub signatures: [Signature; 2],
    pub parameters: Vec<Parameter>,
    pub variables: Vec<Variable>,
    /// The byte that says whether variables are driven.
    pub drive_variables: Option<usize>,
    /// Bytes of the input.
    pub input: usize,
    /// The whole of standard input is one buffer.
    pub harness: bool,
    /// Functions whose calls are shown, as each version has them.
    pub observed: Vec<[Signature; 2]>,
    pub notes: Vec<String>,
}

pub fn plan<'p>(programs: [&'p Program; 2], options: &Options) -> Result<Plan<'p>, Error> {
    let signatures = signatures(programs, &options.function)?;
    let mut plan = Plan {
        programs,
        options: options.clone(),
        harness: signatures[0].name == HARNESS,
        parameters: Vec::new(),
        variables: Vec::new(),
        drive_variables: None,
        input: 0,
        observed: Vec::new(),
        notes: Vec::new(),
        signatures,
    };
    for name in &options.observe {
        let found = self::signatures(programs, name).map_err(|error| Error::Option {
            option: "--observe",
            text: name.clone(),
            problem: error.to_string(),
        })?;
        plan.observed.push(found);
    }
    if plan.harness {
        return Ok(plan);
    }
    check_result(&plan)?;
    let mut builder = Builder::new(programs, options.bounds.clone());
    plan.parameters = parameters(&plan, &mut builder)?;
    check_names(&plan)?;
    let reached = [0, 1].map(|i| reached(programs[i], plan.signatures[i].func));
    plan.variables = variables(&plan, &mut builder, [&reached[0], &reached[1]]);
    plan.drive_variables = plan.variables.iter().any(|v| v.value.is_some()).then(|| builder.flag());
    plan.input = builder.next;
    plan.notes.append(&mut builder.notes);
    if plan.input > MOST_INPUT {
        let name = options.function.clone();
        return Err(Error::TooLarge { name, bytes: plan.input, most: MOST_INPUT });
    }
    Ok(plan)
}

fn signatures(programs: [&Program; 2], name: &str) -> Result<[Signature; 2], Error> {
    match [find(programs[0], name, "the old"), find(programs[1], name, "the new")] {
        [Ok(old), Ok(new)] => Ok([old, new]),
        [Err(Error::NoSuchFunction { name, near, hint, .. }), Err(Error::NoSuchFunction { .. })] => {
            Err(Error::NoSuchFunction { name, which: "neither", near, hint })
        }
        [Err(error), _] | [_, Err(error)] => Err(error),
    }
}

fn check_result(plan: &Plan) -> Result<(), Error> {
    let results = [0, 1].map(|i| plan.signatures[i].result);
    let alike = match [0, 1].map(|i| kind(plan.programs[i], results[i])) {
        [Kind::Scalar(old), Kind::Scalar(new)] => (old.letter() == 'f') == (new.letter() == 'f'),
        [Kind::Pointer { .. }, Kind::Pointer { .. }] | [Kind::Struct { .. }, Kind::Struct { .. }] => true,
        [Kind::Void, _] | [_, Kind::Void] => true,
        _ => false,
    };
    if alike {
        return Ok(());
    }
    let [old, new] = [0, 1].map(|i| described(plan.programs[i], results[i]));
    Err(Error::Results { name: plan.options.function.clone(), old, new })
}

/// Parameters in order; those that only one version has come last.
fn parameters(plan: &Plan, builder: &mut Builder) -> Result<Vec<Parameter>, Error> {
    let lists = [0, 1].map(|i| &plan.signatures[i].params);
    let names: Vec<(&str, DebugTypeId)> = lists[0].iter().map(|p| (&*p.name, p.ty)).collect();
    let sizes = sizes::of(plan.programs[0], &names);
    let mut parameters = Vec::new();
    for i in 0..lists[0].len().max(lists[1].len()) {
        let types = [0, 1].map(|version| lists[version].get(i).map(|p| p.ty));
        let name = lists[0].get(i).or(lists[1].get(i)).map_or(String::new(), |p| p.name.clone());
        let value = match (plan.options.arguments.get(&name), types) {
            (Some(expression), _) => Value::Given(expression.clone()),
            (None, [Some(old), Some(new)]) => {
                let bound = |pointer: usize| {
                    let own = &plan.options.bounds.of;
                    own.get(&name).copied().unwrap_or_else(|| builder.bounds.length_of(names[pointer].0))
                };
                match sizes.most(i, bound) {
                    Some(most) => builder.size(most, [old, new]),
                    None => one(plan, builder, i, &name, [old, new], sizes.is_sized(i))?,
                }
            }
            _ => return Err(only_one(plan, i, &name)),
        };
        parameters.push(Parameter { name, types, value });
    }
    Ok(parameters)
}

fn one(
    plan: &Plan,
    builder: &mut Builder,
    i: usize,
    name: &str,
    types: Types,
    sized: bool,
) -> Result<Value, Error> {
    let function = plan.options.function.clone();
    let pointers = [0, 1].map(|v| matches!(kind(plan.programs[v], Some(types[v])), Kind::Pointer { .. }));
    if pointers[0] != pointers[1] {
        let [old, new] = [0, 1].map(|v| format!("`{}`", name_of(plan.programs[v], types[v])));
        let hint =
            "no input can be given to both; name a function that both call with the same types".to_owned();
        return Err(Error::Signatures { name: function, number: i + 1, old, new, hint });
    }
    builder.parameter(name, types, sized).map_err(|reason| Error::Parameter {
        name: function,
        number: i + 1,
        parameter: name.to_owned(),
        ty: name_of(plan.programs[0], types[0]),
        example: match reason.starts_with("a function") {
            true => ", where EXPRESSION names a function of the program or of a file given with --helpers",
            false => "",
        },
        reason,
    })
}

fn only_one(plan: &Plan, i: usize, name: &str) -> Error {
    let said = |version: usize| match plan.signatures[version].params.get(i) {
        Some(p) => format!("`{} {}`", name_of(plan.programs[version], p.ty), p.name),
        None => "none".to_owned(),
    };
    Error::Signatures {
        name: plan.options.function.clone(),
        number: i + 1,
        old: said(0),
        new: said(1),
        hint: format!("give it as a C expression with --argument '{name}=EXPRESSION'"),
    }
}

/// Options about parameters that the function does not have.
fn check_names(plan: &Plan) -> Result<(), Error> {
    let given = plan.options.arguments.keys().map(|name| ("--argument", name));
    let bounded = plan.options.bounds.of.keys().map(|name| ("--bound", name));
    let unknown = |(_, name): &(&str, &String)| plan.parameters.iter().all(|p| p.name != **name);
    let Some((option, name)) = given.chain(bounded).find(unknown) else { return Ok(()) };
    let names: Vec<&str> = plan.parameters.iter().map(|p| &*p.name).collect();
    let also = if option == "--bound" { "; besides, there are `len` and `depth`" } else { "" };
    let problem = match names.is_empty() {
        true => format!("the function has no parameters{also}"),
        false => format!("no such parameter; there are {}{also}", names.join(", ")),
    };
    Err(Error::Option { option, text: name.clone(), problem })
}

/// Variables that the function can reach; those that it can also be given values for.
fn variables(plan: &Plan, builder: &mut Builder, reached: [&Reached; 2]) -> Vec<Variable> {
    let mut found = Vec::new();
    for shared in shared(plan.programs, reached) {
        let before = builder.next;
        let value = builder.global(shared.types).ok();
        let fits = builder.next - before <= MOST_OF_GLOBAL && builder.next > before;
        // What nothing writes is a constant by another name; but a number may be there for the user of a library to set.
        let varies = (0..2).all(|i| {
            let program = plan.programs[i];
            let number = matches!(kind(program, Some(shared.types[i])), Kind::Scalar(_));
            program.global_named(&shared.symbols[i]).is_some_and(|id| {
                let is_seen = program.global(id).linkage != Linkage::Internal;
                (number && is_seen) || is_written(program, id)
            })
        });
        let value = value.filter(|_| fits && varies);
        if value.is_none() {
            builder.next = before;
        }
        found.push(Variable { shared, value });
    }
    found
}
