//! Are two whole-program modules the same code?
//!
//! In: two files of bitcode, and which names of the program the world outside it can see. Out: yes only if everything that decides what the program does is the
//! same, in the same order: functions, instructions, constants, variables, first values, types, attributes.
//!
//! Always holds: debug information, the names of the source files, and names that only the program itself can see are not looked at: names of locals, of types, of
//! static functions and variables, and of others that are not seen outside. They are replaced by numbers in the order in which they appear, so what is
//! called alike within one version must be called alike within the other. Everything else counts, as LLVM itself writes it out. `__LINE__`, `__FILE__`, `__func__` and what
//! `assert` prints are constants of the code, and count.

use crate::clean;
use crate::cx::Result;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How far two modules are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// In all that LLVM writes out.
    All,
    /// Without what flags of the compiler add to the same instructions: attributes of functions, what is known about aliases, how long variables live.
    Instructions,
}

/// Do two modules hold the same code? `seen`: names of functions and variables with external linkage that something outside the programs may know; none, if that is
/// not known and every such name counts.
pub fn same_code(modules: [&Path; 2], seen: Option<&BTreeSet<String>>, depth: Depth) -> Result<bool> {
    let [old, new] = modules.map(|module| text(module, seen, depth));
    Ok(old? == new?)
}

/// The module without what means nothing, written out.
fn text(bitcode: &Path, seen: Option<&BTreeSet<String>>, depth: Depth) -> Result<String> {
    let context = Context::create();
    let module = clean::read(&context, bitcode)?;
    module.strip_debug_info();
    module.set_source_file_name("");
    module.set_name("");
    nameless(&module);
    let own = own_names(&module, seen);
    let mut text = module.print_to_string().to_string();
    if depth == Depth::Instructions {
        text = instructions(&text);
    }
    Ok(Numbered::new(&own, &text).text(&text))
}

/// A module as text without metadata, groups of attributes and calls that say how long variables live.
fn instructions(text: &str) -> String {
    let added = |line: &&str| {
        line.is_empty()
            || line.starts_with('!')
            || line.starts_with("attributes #")
            || line.contains("@llvm.lifetime.")
    };
    let kept = text.lines().filter(|line| !added(line) && !line.starts_with("; Function Attrs:"));
    kept.map(|line| without_notes(line).to_owned() + "\n").collect()
}

/// A line without the metadata and the groups of attributes at its end. Quotes may hold anything; such lines stay as they are.
fn without_notes(line: &str) -> &str {
    if line.contains('"') {
        return line;
    }
    let line = line.find(", !").map_or(line, |at| &line[..at]);
    let line = line.strip_suffix(" {").unwrap_or(line);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    line.rsplit_once(" #").filter(|(_, rest)| number(rest)).map_or(line, |(line, _)| line)
}

/// Takes the names from parameters, blocks and results.
fn nameless(module: &Module) {
    for function in module.get_functions() {
        function.get_param_iter().for_each(|parameter| parameter.set_name(""));
        for block in function.get_basic_block_iter() {
            block.set_name("");
            // What has no result has no name.
            block.get_instructions().for_each(|inst| drop(inst.set_name("")));
        }
    }
}

/// Functions and variables whose names nobody else knows.
fn own_names(module: &Module, seen: Option<&BTreeSet<String>>) -> BTreeSet<String> {
    // A name that begins like this may mean something to the compiler or the C library, seen or not.
    let reserved = |name: &str| name == "main" || name.starts_with('_') || name.starts_with("llvm.");
    let is_own = |name: &str, linkage: Linkage| match linkage {
        Linkage::Internal | Linkage::Private => !name.starts_with("llvm."),
        // Inline functions of C are of the second kind; in a whole program there is one of each.
        Linkage::External | Linkage::LinkOnceODR => {
            !reserved(name) && seen.is_some_and(|seen| !seen.contains(name))
        }
        _ => false,
    };
    let functions = module.get_functions().filter(|f| f.count_basic_blocks() > 0);
    let functions = functions.map(|f| (f.get_name().to_string_lossy().into_owned(), f.get_linkage()));
    let variables = module.get_globals().filter(|g| g.get_initializer().is_some());
    let variables = variables.map(|g| (g.get_name().to_string_lossy().into_owned(), g.get_linkage()));
    functions
        .chain(variables)
        .filter(|(name, linkage)| is_own(name, *linkage))
        .map(|(name, _)| name)
        .collect()
}

/// Numbers for names, in the order in which they appear in a text.
struct Numbered<'n> {
    own: &'n BTreeSet<String>,
    /// Words of assembly text: they may be names.
    fixed: BTreeSet<&'n str>,
    numbers: BTreeMap<(char, &'n str), usize>,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '$' | '.' | '_')
}

impl<'n> Numbered<'n> {
    fn new(own: &'n BTreeSet<String>, text: &'n str) -> Numbered<'n> {
        let assembly = text.lines().filter(|line| line.contains(" asm "));
        let assembly = assembly.chain(text.lines().filter(|line| line.starts_with("module asm")));
        let fixed = assembly.flat_map(|line| line.split(|c| !is_word(c))).collect();
        Numbered { own, fixed, numbers: BTreeMap::new() }
    }

    fn text(mut self, text: &'n str) -> String {
        let mut out = String::with_capacity(text.len());
        for line in text.lines() {
            let rest = self.type_of_access(line, &mut out);
            self.line(rest, &mut out);
            out.push('\n');
        }
        out
    }

    fn number(&mut self, sigil: char, name: &'n str, out: &mut String) {
        let next = self.numbers.len();
        let number = *self.numbers.entry((sigil, name)).or_insert(next);
        // No name of LLVM has a colon without quotes.
        out.push_str(&format!("{sigil}:{number}"));
    }

    /// `!5 = !{!"point", !6, i64 0, ...`: a type as the analysis of aliases knows it, by name. What of the line is left.
    fn type_of_access<'l: 'n>(&mut self, line: &'l str, out: &mut String) -> &'l str {
        let parts = || {
            let (head, rest) = line.strip_prefix('!')?.split_once(" = !{!\"")?;
            let (name, rest) = rest.split_once('"')?;
            let (parent, after) = rest.strip_prefix(", !")?.split_once(',')?;
            let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            // C++ has one type whose name LLVM knows.
            let plain =
                digits(head) && digits(parent) && after.starts_with(" i64 ") && name != "vtable pointer";
            plain.then_some((head, name, rest))
        };
        match parts() {
            Some((head, name, rest)) => {
                out.push_str(&format!("!{head} = "));
                self.number('!', name, out);
                rest
            }
            None => line,
        }
    }

    /// A line with numbers for the names outside quotes.
    fn line(&mut self, line: &'n str, out: &mut String) {
        let mut rest = line;
        while let Some(at) = rest.find(['"', '@', '%']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let (sigil, after) = rest.split_at(1);
            // A quote inside quotes is written as a number.
            let end = match sigil {
                "\"" => after.find('"').map_or(after.len(), |n| n + 1),
                _ => after.find(|c| !is_word(c)).unwrap_or(after.len()),
            };
            let name = &after[..end];
            let own = match sigil {
                "@" => self.own.contains(name) && !self.fixed.contains(name),
                // What has a name and begins so is a type: values have numbers.
                "%" => name.starts_with(|c: char| !c.is_ascii_digit()),
                _ => false,
            };
            if own {
                self.number(if sigil == "@" { '@' } else { '%' }, name, out);
            } else {
                out.push_str(&rest[..1 + end]);
            }
            rest = &rest[1 + end..];
        }
        out.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_flags_add_to_instructions_is_taken_out() {
        assert_eq!(
            without_notes("  %3 = load i32, ptr %2, align 4, !tbaa !5"),
            "  %3 = load i32, ptr %2, align 4"
        );
        assert_eq!(without_notes("  call void @f(i32 1) #12"), "  call void @f(i32 1)");
        assert_eq!(without_notes("define i32 @f() #0 {"), "define i32 @f()");
        assert_eq!(without_notes("  %1 = add nsw i32 %0, 1"), "  %1 = add nsw i32 %0, 1");
        let asm = "  call void asm \", !\", \"\"() #4";
        assert_eq!(without_notes(asm), asm);
        let text = "define void @f() #0 {\n  call void @llvm.lifetime.start.p0(i64 4, ptr %1)\n  ret void\n}\nattributes #0 = { cold }\n!5 = !{}\n";
        assert_eq!(instructions(text), "define void @f()\n  ret void\n}\n");
    }
}
