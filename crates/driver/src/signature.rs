//! The function that the user named, in one version.
//!
//! In: a program model and a name. Out: its [`Signature`] from the debug information, or which functions have a similar name.

use crate::error::Error;
use crate::types::described;
use parallax_model::{DebugType, DebugTypeId, FuncId, Linkage, Program};

/// How many similar names a message lists, and how similar they are.
const NEAR_LISTED: usize = 5;
const NEAR: usize = 3;

/// The type of a function, with the names of its parameters.
#[derive(Clone, Debug)]
pub struct Signature {
    pub func: FuncId,
    /// As the linker knows it.
    pub symbol: String,
    /// As the source has it.
    pub name: String,
    pub is_static: bool,
    pub result: Option<DebugTypeId>,
    pub params: Vec<Param>,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: String,
    pub ty: DebugTypeId,
}

/// Finds a function of a version, which is called `which` in messages.
pub fn find(program: &Program, wanted: &str, which: &'static str) -> Result<Signature, Error> {
    let (file, name) = match wanted.rsplit_once(':') {
        Some((file, name)) => (Some(file), name),
        None => (None, wanted),
    };
    let is_there = |id: &FuncId| {
        let function = program.func(*id);
        let path = function.file.map_or("", |file| program.file(file));
        function.display_name() == name && file.is_none_or(|file| path.ends_with(file))
    };
    let found: Vec<FuncId> = program.defined_functions().filter(is_there).collect();
    match found[..] {
        [one] => signature(program, one, wanted),
        [] => Err(no_such(program, wanted, name, which)),
        _ => {
            let place = |id: &FuncId| {
                let file = program.func(*id).file.map_or("", |file| program.file(file));
                format!("{}:{name}", file.trim_start_matches("./"))
            };
            let list = found.iter().map(place).collect::<Vec<_>>().join(", ");
            Err(Error::Ambiguous { name: wanted.to_owned(), list })
        }
    }
}

fn no_such(program: &Program, wanted: &str, name: &str, which: &'static str) -> Error {
    let mut near: Vec<(usize, &str)> = program
        .defined_functions()
        .map(|id| program.func(id).display_name())
        .map(|other| (distance(name, other), other))
        .filter(|(distance, other)| *distance <= NEAR.min(name.len() / 2).max(1) || other.contains(name))
        .collect();
    near.sort();
    near.dedup();
    let names: Vec<&str> = near.iter().take(NEAR_LISTED).map(|(_, name)| *name).collect();
    Error::NoSuchFunction {
        name: wanted.to_owned(),
        which,
        near: if names.is_empty() { String::new() } else { format!("; similar: {}", names.join(", ")) },
        hint: match names.is_empty() {
            true => " (compilers drop static functions that nothing calls)",
            false => "",
        },
    }
}

/// How many characters must be put in, taken out or replaced to make one name of the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn signature(program: &Program, func: FuncId, wanted: &str) -> Result<Signature, Error> {
    let function = program.func(func);
    let no_type = || Error::NoType { name: wanted.to_owned() };
    let id = function.debug.ok_or_else(no_type)?;
    let DebugType::Func { types } = program.debug_type(id) else { return Err(no_type()) };
    let Some((result, params)) = types.split_first() else { return Err(no_type()) };
    if function.attributes.variadic {
        let list: Vec<String> = params.iter().flatten().map(|ty| described(program, Some(*ty))).collect();
        let signature = format!("{} {}({}, ...)", described(program, *result), wanted, list.join(", "));
        return Err(Error::Variadic { name: wanted.to_owned(), signature });
    }
    // A function that is declared without a prototype ends its list with nothing.
    let params = params.iter().flatten().enumerate();
    let params = params.map(|(i, ty)| Param { name: parameter_name(program, func, i), ty: *ty }).collect();
    Ok(Signature {
        func,
        symbol: function.name.clone(),
        name: function.display_name().to_owned(),
        is_static: function.linkage == Linkage::Internal,
        result: *result,
        params,
    })
}

fn parameter_name(program: &Program, func: FuncId, index: usize) -> String {
    let mut variables = program.variables.iter();
    let own = variables.find(|v| v.func == func && v.arg == Some(index as u32) && !v.name.is_empty());
    own.map_or_else(|| format!("arg{}", index + 1), |variable| variable.name.clone())
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn the_distance_of_names_counts_single_changes() {
        assert_eq!(distance("prase", "parse"), 2);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
