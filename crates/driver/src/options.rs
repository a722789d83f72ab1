//! What the user says about the input of a function.
//!
//! In: the texts of `--bound`, `--argument` and the other options. Out: [`Options`].

use crate::error::Error;
use std::collections::BTreeMap;

/// Most elements of a buffer, and most characters of a string, where nothing else is said.
pub const DEFAULT_LENGTH: usize = 8;
/// Most pointers that lead from a parameter to a structure of a linked type.
pub const DEFAULT_DEPTH: usize = 4;
/// Most bytes of one input.
pub const MOST_INPUT: usize = 4096;

/// Of one function.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `NAME`, or `FILE:NAME` where several have it.
    pub function: String,
    pub bounds: Bounds,
    /// C expressions over the parameters.
    pub assume: Vec<String>,
    /// Functions whose calls are compared.
    pub observe: Vec<String>,
    /// A C expression instead of input, by parameter.
    pub arguments: BTreeMap<String, String>,
    /// C text that these expressions may refer to.
    pub helpers: String,
}

/// How large things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub length: usize,
    pub depth: usize,
    /// Of single parameters.
    pub of: BTreeMap<String, usize>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { length: DEFAULT_LENGTH, depth: DEFAULT_DEPTH, of: BTreeMap::new() }
    }
}

impl Bounds {
    /// Of texts such as `len=8`.
    pub fn parse(texts: &[String]) -> Result<Bounds, Error> {
        let mut bounds = Bounds::default();
        for text in texts {
            let (name, number) = pair("--bound", text, "NAME=NUMBER, such as len=8")?;
            let wrong = |problem: &str| Error::Option {
                option: "--bound",
                text: text.clone(),
                problem: problem.to_owned(),
            };
            let number: usize = number.parse().map_err(|_| wrong("the part after = must be a number"))?;
            if number == 0 || number > 255 {
                return Err(wrong("must be from 1 to 255"));
            }
            match name {
                "len" => bounds.length = number,
                "depth" => bounds.depth = number,
                name => {
                    bounds.of.insert(name.to_owned(), number);
                }
            }
        }
        Ok(bounds)
    }

    /// Of a parameter.
    pub fn length_of(&self, parameter: &str) -> usize {
        self.of.get(parameter).copied().unwrap_or(self.length)
    }
}

/// Of texts such as `compare=by_name`.
pub fn arguments(texts: &[String]) -> Result<BTreeMap<String, String>, Error> {
    let one = |text: &String| {
        let (name, value) = pair("--argument", text, "PARAMETER=EXPRESSION")?;
        Ok((name.to_owned(), value.to_owned()))
    };
    texts.iter().map(one).collect()
}

fn pair<'t>(option: &'static str, text: &'t str, form: &str) -> Result<(&'t str, &'t str), Error> {
    let split = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    split.filter(|(name, value)| !name.is_empty() && !value.is_empty()).ok_or_else(|| Error::Option {
        option,
        text: text.to_owned(),
        problem: format!("must be {form}"),
    })
}
