//! What external functions do: for the points-to analysis, and as data flow.
//!
//! In: the name of a function. Out: a [`Summary`], or nothing if it is unknown. The table is text in a small
//! notation, one line for functions that do the same:
//!
//! | notation | meaning |
//! | --- | --- |
//! | `r0` `w0` `r2..` `w2..` | reads, writes the memory that argument 0 (2 and all after it) points to |
//! | `rr0` `ww0` | and the memory that pointers found there point to |
//! | `=V` | returns V |
//! | `*P=V` | stores V to the memory of P |
//! | `A<B` `A<B:2` | copies the memory of B to that of A (as many bytes as argument 2 says) |
//! | `call3(V,…)` `callm0(V,…)` | calls argument 3, or a function pointer found in the memory of argument 0 |
//! | `in` `out` | takes something from, does something to, the world outside the program |
//! | `g` | writes the variables of `getopt` |
//!
//! Values: `0` an argument; `0+` a pointer anywhere into its object; `0*` `0**` what is found in memory there; `new`, `new(0)`,
//! `new(0*1)` fresh memory (of that many bytes); `static`, `s` memory of the function's own, `s*` what is found there; `env` the environment;
//! `ret` the returned pointer; `call3` what the called function returned; `o` the variable `optarg`; `unknown` anything.
//!
//! Always holds: every line of the table can be read (a test reads them all).

mod table;

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Something that a summary speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Arg(u32),
    /// A pointer anywhere into the object that the argument points to.
    Into(u32),
    /// What is found in memory that the argument points to, `depth` times.
    Found {
        arg: u32,
        depth: u32,
    },
    /// Memory of the function's own.
    Static,
    FoundInStatic,
    Environment,
    /// Fresh memory; its size is the product of these arguments, if any.
    New {
        size: [Option<u32>; 2],
    },
    Returned,
    Called(Target),
    OptArg,
    Unknown,
}

/// Which function is called back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Arg(u32),
    /// Any function pointer in the memory of the argument.
    InMemory(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub arg: u32,
    /// This argument and all after it.
    pub rest: bool,
    /// Also what pointers in that memory point to.
    pub deep: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Return(Value),
    Store { to: Value, value: Value },
    Copy { to: Value, from: Value, len: Option<u32> },
    Call { target: Target, args: Vec<Value> },
}

/// What one external function does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub effects: Vec<Effect>,
    pub reads: Vec<Touch>,
    pub writes: Vec<Touch>,
    pub input: bool,
    pub output: bool,
    /// Writes `optind`, `optopt` and `optarg`.
    pub getopt: bool,
}

impl Summary {
    /// Does it give back fresh memory and nothing else but what it was given?
    pub fn allocates(&self) -> bool {
        let fresh = |e: &Effect| matches!(e, Effect::Return(Value::New { .. }));
        let harmless = |e: &Effect| {
            fresh(e) || matches!(e, Effect::Return(Value::Arg(_)) | Effect::Copy { to: Value::Returned, .. })
        };
        self.effects.iter().any(fresh) && self.effects.iter().all(harmless)
    }

    /// May it keep a pointer that it is given, or hand it to other code?
    pub fn keeps(&self, arg: u32) -> bool {
        let speaks = |v: &Value| matches!(v, Value::Arg(a) | Value::Into(a) if *a == arg);
        self.effects.iter().any(|e| match e {
            Effect::Store { value, .. } => speaks(value),
            Effect::Call { args, .. } => args.iter().any(speaks),
            _ => false,
        })
    }

    /// Does it return a pointer that it was given?
    pub fn returns(&self, arg: u32) -> bool {
        self.effects.iter().any(|e| matches!(e, Effect::Return(Value::Arg(a) | Value::Into(a)) if *a == arg))
    }
}

static SUMMARIES: LazyLock<FxHashMap<&'static str, Summary>> = LazyLock::new(|| {
    let mut map = FxHashMap::default();
    for (names, text) in table::TABLE {
        // A line that cannot be read would leave its functions unknown, which is safe; a test finds it.
        if let Some(summary) = parse(text) {
            for name in names.split_whitespace() {
                map.insert(name, summary.clone());
            }
        }
    }
    map
});

/// The summary of an external function, if it is known.
pub fn summary(name: &str) -> Option<&'static Summary> {
    let plain = |n: &str| SUMMARIES.get(n);
    let bare = name.strip_prefix("__isoc99_").or(name.strip_prefix("__isoc23_")).unwrap_or(name);
    plain(name).or_else(|| plain(bare)).or_else(|| plain(bare.strip_suffix("64")?))
}

fn parse(text: &str) -> Option<Summary> {
    let mut summary = Summary::default();
    for word in text.split_whitespace() {
        match word {
            "in" => summary.input = true,
            "out" => summary.output = true,
            "g" => summary.getopt = true,
            _ => parse_word(&mut summary, word)?,
        }
    }
    Some(summary)
}

fn parse_word(summary: &mut Summary, word: &str) -> Option<()> {
    if let Some(value) = word.strip_prefix('=') {
        summary.effects.push(Effect::Return(parse_value(value)?));
    } else if let Some((to, value)) = word.strip_prefix('*').and_then(|w| w.split_once('=')) {
        let to = parse_value(to)?;
        touch_value(&mut summary.writes, to);
        summary.effects.push(Effect::Store { to, value: parse_value(value)? });
    } else if let Some((to, from)) = word.split_once('<') {
        let (from, len) = match from.split_once(':') {
            Some((from, len)) => (from, Some(len.parse().ok()?)),
            None => (from, None),
        };
        let (to, from) = (parse_value(to)?, parse_value(from)?);
        touch_value(&mut summary.writes, to);
        touch_value(&mut summary.reads, from);
        summary.effects.push(Effect::Copy { to, from, len });
    } else if word.starts_with("call") {
        let (target, args) = word.strip_suffix(')')?.split_once('(')?;
        let args = args.split(',').filter(|a| !a.is_empty()).map(parse_value).collect::<Option<_>>()?;
        summary.effects.push(Effect::Call { target: parse_target(target)?, args });
    } else if let Some(rest) = word.strip_prefix('r') {
        summary.reads.push(parse_touch(rest, 'r')?);
    } else {
        summary.writes.push(parse_touch(word.strip_prefix('w')?, 'w')?);
    }
    Some(())
}

fn parse_touch(text: &str, letter: char) -> Option<Touch> {
    let (deep, text) = match text.strip_prefix(letter) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (rest, text) = match text.strip_suffix("..") {
        Some(number) => (true, number),
        None => (false, text),
    };
    Some(Touch { arg: text.parse().ok()?, rest, deep })
}

/// Storing to, or copying from, an argument's memory is also a write, or read, of it.
fn touch_value(touches: &mut Vec<Touch>, value: Value) {
    let (arg, deep) = match value {
        Value::Arg(arg) | Value::Into(arg) => (arg, false),
        Value::Found { arg, .. } => (arg, true),
        _ => return,
    };
    touches.push(Touch { arg, rest: false, deep });
}

fn parse_target(text: &str) -> Option<Target> {
    let text = text.strip_prefix("call")?;
    match text.strip_prefix('m') {
        Some(arg) => Some(Target::InMemory(arg.parse().ok()?)),
        None => Some(Target::Arg(text.parse().ok()?)),
    }
}

fn parse_value(text: &str) -> Option<Value> {
    Some(match text {
        "static" | "s" => Value::Static,
        "s*" => Value::FoundInStatic,
        "env" | "e" => Value::Environment,
        "ret" => Value::Returned,
        "o" => Value::OptArg,
        "unknown" => Value::Unknown,
        "new" => Value::New { size: [None, None] },
        _ if text.starts_with("new(") => {
            let inside = text.strip_prefix("new(")?.strip_suffix(')')?;
            let mut args = inside.split('*').map(|a| a.parse().ok());
            Value::New { size: [args.next()?, args.next().flatten()] }
        }
        _ if text.starts_with("call") => Value::Called(parse_target(text)?),
        _ => {
            let number = text.trim_end_matches(['+', '*']);
            let arg = number.parse().ok()?;
            match &text[number.len()..] {
                "" => Value::Arg(arg),
                "+" => Value::Into(arg),
                stars if stars.chars().all(|c| c == '*') => Value::Found { arg, depth: stars.len() as u32 },
                _ => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_line_of_the_table_can_be_read_and_names_each_function_once() {
        let mut seen = BTreeSet::new();
        for (names, text) in table::TABLE {
            assert!(parse(text).is_some(), "{names}: {text}");
            for name in names.split_whitespace() {
                assert!(seen.insert(name), "{name} stands twice");
            }
        }
    }

    #[test]
    fn a_copy_is_a_read_and_a_write() {
        let strcpy = summary("strcpy").unwrap();
        assert!(strcpy.writes.iter().any(|t| t.arg == 0) && strcpy.reads.iter().any(|t| t.arg == 1));
        assert!(strcpy.returns(0) && !strcpy.keeps(0) && !strcpy.allocates());
    }

    #[test]
    fn names_of_other_editions_mean_the_same() {
        assert_eq!(summary("__isoc99_sscanf"), summary("sscanf"));
        assert_eq!(summary("lseek64"), summary("lseek"));
        assert_eq!(summary("no_such_function"), None);
    }

    #[test]
    fn callbacks_get_what_the_documentation_says() {
        let qsort = summary("qsort").unwrap();
        let call = Effect::Call { target: Target::Arg(3), args: vec![Value::Into(0), Value::Into(0)] };
        assert!(qsort.effects.contains(&call));
    }
}
