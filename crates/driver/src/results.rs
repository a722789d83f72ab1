//! What a person is shown of a run: the arguments of the call, and what it left, as C values.
//!
//! In: an input; the standard output of a driver. Out: names and values.

use crate::layout::{Object, Value};
use crate::literal;
use crate::plan::Plan;
use crate::set::{bytes_of, part};
use crate::types::{Class, Scalar};

/// A name, and its value as C writes it.
pub type Named = (String, String);

/// The arguments that an input stands for; driven variables come after the parameters.
pub fn arguments(plan: &Plan, input: &[u8]) -> Vec<Named> {
    if plan.harness {
        let size = ("size".to_owned(), input.len().to_string());
        return vec![("data".to_owned(), literal::string(input)), size];
    }
    let mut list: Vec<Named> =
        plan.parameters.iter().map(|p| (p.name.clone(), value(&p.value, input))).collect();
    if plan.drive_variables.is_some_and(|at| part(input, at, 1)[0] & 1 == 1) {
        for variable in &plan.variables {
            let driven = variable.value.as_ref().map(|own| value(own, input));
            list.extend(driven.map(|text| (format!("global {}", variable.shared.name), text)));
        }
    }
    list
}

fn value(of: &Value, input: &[u8]) -> String {
    match of {
        Value::Scalar { .. } | Value::Size { .. } => {
            bytes_of(of, input).map_or("0".to_owned(), |(scalar, bytes)| literal::scalar(scalar, &bytes))
        }
        Value::Block { at, scalar, count } => literal::block(scalar, &part(input, *at, scalar.bytes * count)),
        Value::Text { at, length } => {
            let bytes = part(input, *at, *length);
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            literal::string(&bytes[..end])
        }
        Value::Raw { at, bytes } => literal::block(&Scalar::unsigned(1), &part(input, *at, *bytes)),
        Value::Struct { members } => {
            let one = |(name, own): &(String, Value)| match name.is_empty() {
                true => value(own, input),
                false => format!(".{name} = {}", value(own, input)),
            };
            format!("{{{}}}", members.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        Value::Array { elements } => {
            format!("{{{}}}", elements.iter().map(|one| value(one, input)).collect::<Vec<_>>().join(", "))
        }
        Value::Pointer { null: Some(at), .. } if part(input, *at, 1)[0] & 1 == 0 => "NULL".to_owned(),
        Value::Pointer { object, .. } => behind(object, input),
        Value::Given(expression) => expression.clone(),
        Value::Zero => "0".to_owned(),
    }
}

fn behind(object: &Object, input: &[u8]) -> String {
    match &object.content {
        Value::Struct { .. } | Value::Raw { .. } => format!("&{}", value(&object.content, input)),
        content => value(content, input),
    }
}

/// What a driver wrote, line by line. Lines that the program itself printed are not among them.
pub fn results(stdout: &[u8]) -> Vec<Named> {
    let text = String::from_utf8_lossy(stdout);
    text.lines().filter_map(line).collect()
}

/// `LABEL LETTER VALUES`.
fn line(line: &str) -> Option<Named> {
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|word| word.len() == 1 && "ducbfps".contains(word))?;
    let (label, letter, values) = (words[..at].join(" "), words[at], &words[at + 1..]);
    if label.is_empty() || values.is_empty() {
        return None;
    }
    let text = match letter {
        "p" => pointer(values)?,
        "s" => literal::string(&hex(values[0], false)?),
        letter => numbers(letter, values)?,
    };
    Some((label, text))
}

fn pointer(words: &[&str]) -> Option<String> {
    let (place, before) = words.split_last()?;
    let text = match place.split_once('+') {
        Some((name, offset)) => match i64::from_str_radix(offset, 16).ok()? {
            0 => name.to_owned(),
            offset => format!("{name} + {offset}"),
        },
        None => (*place).replace("null", "NULL"),
    };
    Some(before.iter().map(|word| format!("{word} ")).collect::<String>() + &text)
}

fn numbers(letter: &str, words: &[&str]) -> Option<String> {
    let class = match letter {
        "d" => Class::Signed,
        "u" => Class::Unsigned,
        "c" => Class::Char,
        "b" => Class::Bool,
        _ => Class::Float,
    };
    if let [word] = words {
        if *word == "nan" {
            return Some("not a number".to_owned());
        }
        let bytes = hex(word, true)?;
        return Some(literal::scalar(&Scalar { class, bytes: bytes.len() }, &bytes));
    }
    let step = words.iter().find(|word| **word != "nan")?.len() / 2;
    // Any not-a-number will do.
    let one = |word: &&str| if *word == "nan" { Some(vec![0xff; step]) } else { hex(word, true) };
    let bytes = words.iter().map(one).collect::<Option<Vec<_>>>()?.concat();
    Some(literal::block(&Scalar { class, bytes: step }, &bytes))
}

fn hex(word: &str, lowest_first: bool) -> Option<Vec<u8>> {
    if word.len() % 2 == 1 || !word.is_ascii() {
        return None;
    }
    let pairs = (0..word.len() / 2).map(|i| u8::from_str_radix(&word[2 * i..2 * i + 2], 16).ok());
    let mut bytes: Vec<u8> = pairs.collect::<Option<_>>()?;
    if lowest_first {
        bytes.reverse();
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::results;

    #[test]
    fn what_a_driver_wrote_is_read_as_c_values() {
        let text =
            b"own output\nreturn d fffffffe\na u 01 00 02 00\nq p s+00000003\nr p null\nt s 6162\nx f nan\n";
        let shown: Vec<String> =
            results(text).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(shown, ["return=-2", "a={1, 0, 2}", "q=s + 3", "r=NULL", "t=\"ab\"", "x=not a number"]);
    }
}
