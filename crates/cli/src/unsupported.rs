//! What Parallax does not follow, for the program that has it.
//!
//! In: the map of an instrumented program, and what its build left without bitcode. Out: warnings, each with what to do.
//!
//! Always holds: everything that is named here has a line on the page `docs/book/unsupported.md` (a test compares them).

use parallax_build::{MissingBitcode, Version};
use parallax_report::place::{plain_function, Place};
use parallax_trace::sites::{ProgramMap, SiteKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The page that says more.
pub const PAGE: &str = "docs/book/unsupported.md";
/// Functions and places that one warning names.
const LISTED: usize = 3;

/// Functions of libc whose effects are not followed: by name, what is lost.
const CALLS: &[(&[&str], &str)] = &[
    (
        &["socket", "connect", "accept", "accept4", "listen", "getaddrinfo", "gethostbyname"],
        "a run reaches no network: sockets cannot be made; feed the same data through standard input or a file",
    ),
    (
        &["pthread_create", "thrd_create", "clone"],
        "what threads other than the first compute from the input is not followed; a switch for a single thread helps, if the program has one",
    ),
    (
        &["fork", "vfork", "posix_spawn", "posix_spawnp", "system", "popen", "execv", "execve", "execvp", "execl", "execlp", "execle"],
        "what other processes compute from the input is not followed; only what they print and leave is compared",
    ),
    (
        &["dlopen", "dlmopen"],
        "code of plugins is not instrumented: what it computes from the input is not followed; link it into the program, if its build can",
    ),
    (
        &["fputwc", "putwc", "putwchar", "fputws", "wprintf", "fwprintf", "vwprintf", "vfwprintf", "swprintf", "vswprintf"],
        "how wide characters that are printed depend on the input is not followed; what is printed is compared",
    ),
    (
        &["shmget", "shm_open", "msgget", "semget", "mq_open"],
        "shared memory, semaphores and message queues between processes are not there in a run",
    ),
];

/// What both versions have that is not followed. Nothing twice.
pub fn warnings(maps: [&ProgramMap; 2], built: &[Version; 2]) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for map in maps {
        for warning in not_instrumented(map).into_iter().chain(calls(map)) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    let missing = built.iter().flat_map(|version| &version.without_bitcode);
    for object in
        missing.map(|missing| format!("no bitcode for {missing}; what it does to the input is not seen"))
    {
        if !warnings.contains(&object) {
            warnings.push(object);
        }
    }
    warnings
}

/// Code of which no trace shows anything, in words: functions that were left as they are, objects without bitcode.
pub fn unseen(maps: [&ProgramMap; 2], built: &[Version; 2]) -> Option<String> {
    let functions = maps.iter().flat_map(|map| &map.opaque).map(|(name, _)| format!("`{name}`"));
    let objects = built.iter().flat_map(|version| &version.without_bitcode);
    let names: BTreeSet<String> = functions.chain(objects.map(plain_name)).collect();
    let is = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty()).then(|| format!("{} {is} not instrumented", listed(names.into_iter().collect())))
}

/// The source of an object, or its name: where it lies in the private copy of a tree means nothing to a person.
fn plain_name(missing: &MissingBitcode) -> String {
    let name = Path::new(&missing.object).file_name().map(|name| name.to_string_lossy().into_owned());
    missing.source.clone().or(name).unwrap_or_else(|| missing.object.clone())
}

/// Functions that were left as they are.
fn not_instrumented(map: &ProgramMap) -> Vec<String> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, reason) in &map.opaque {
        by_reason.entry(reason).or_default().push(name);
    }
    let warning = |(reason, names): (&str, Vec<&str>)| {
        let (is, uses) = if names.len() == 1 { ("is", "uses") } else { ("are", "use") };
        format!(
            "{} {uses} {reason} and {is} not instrumented: what is computed there from the input is not followed{} (see {PAGE})",
            listed(names.iter().map(|name| format!("`{name}`")).collect()),
            advice(reason),
        )
    };
    by_reason.into_iter().map(warning).collect()
}

fn advice(reason: &str) -> &'static str {
    match reason {
        "computed goto" => {
            "; build with the option that makes the loop a switch (for Lua -DLUA_USE_JUMPTABLE=0, for CPython --without-computed-gotos)"
        }
        "asm goto" => "; build with the plain C version of that code, if there is one",
        "C++ exceptions" => "; build with -fno-exceptions, if the program can do without",
        _ => "",
    }
}

/// Calls of functions whose effects are not followed.
fn calls(map: &ProgramMap) -> Vec<String> {
    let mut warnings = Vec::new();
    for (names, what) in CALLS {
        let mut places: Vec<String> = Vec::new();
        for (site, info) in (0..).zip(&map.sites).filter(|(_, info)| info.kind == SiteKind::Call) {
            let callee = info.callee.as_deref().map(plain_function);
            let Some(callee) = callee.filter(|callee| names.contains(&callee.as_str())) else { continue };
            let place = Place::of(map, site);
            // Models of libc functions call the real ones.
            if !place.libc {
                places.push(format!("`{callee}` at {place}"));
            }
        }
        if !places.is_empty() {
            places.dedup();
            warnings.push(format!("calls of {}: {what} (see {PAGE})", listed(places)));
        }
    }
    warnings
}

fn listed(mut items: Vec<String>) -> String {
    let more = items.len().saturating_sub(LISTED);
    items.truncate(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    items.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_told_is_on_the_page() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE);
        let page = std::fs::read_to_string(page).unwrap();
        for (names, _) in CALLS {
            for name in *names {
                assert!(page.contains(&format!("`{name}`")), "{name} is not on {PAGE}");
            }
        }
    }

    #[test]
    fn functions_that_are_not_instrumented_are_named_with_the_reason_and_what_to_do() {
        let opaque =
            ["run", "step", "loop", "jump"].map(|name| (name.to_owned(), "computed goto".to_owned()));
        let map = ProgramMap { opaque: opaque.to_vec(), ..ProgramMap::default() };
        let warnings = not_instrumented(&map);
        assert_eq!(warnings.len(), 1);
        for part in ["`run`, `step`, `loop` and 1 more use computed goto", "-DLUA_USE_JUMPTABLE=0", PAGE] {
            assert!(warnings[0].contains(part), "{}", warnings[0]);
        }
    }
}
