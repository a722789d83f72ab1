//! The environment of an invocation, as far as a test case has to bring it along.
//!
//! In: the environment of an invocation, that in which the suite was started, the program. Out: the variables that differ from those of every run of Parallax.
//!
//! What the user's own environment holds is not kept, but for language and time zone: it is not the suite's. What shells and make set for themselves is not kept
//! either. Of the rest, first what the program itself names or the C library looks at; should that not replay, all of it.

use std::cell::RefCell;
use std::collections::HashMap;

/// Variables, in the order of the environment.
pub type Variables = Vec<(Vec<u8>, Vec<u8>)>;

/// Set by shells and make for themselves, or by every run of Parallax for that run.
const OWN: [&str; 18] = [
    "_",
    "SHLVL",
    "OLDPWD",
    "PWD",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "MAKE_TERMOUT",
    "MAKE_TERMERR",
    "MAKEOVERRIDES",
    "MAKEFILES",
    "GNUMAKEFLAGS",
    "PATH",
    "LD_LIBRARY_PATH",
    "HOME",
    "TMPDIR",
    "TERM",
    "LD_BIND_NOW",
];
/// What the C library looks at.
const LIBRARY: [&str; 6] = ["POSIXLY_CORRECT", "COLUMNS", "LINES", "NLSPATH", "LOCPATH", "RES_OPTIONS"];
/// Functions without which a program looks neither at language nor at time zone.
const OF_LOCALE: [&[u8]; 2] = [b"setlocale", b"newlocale"];
const OF_TIME: [&[u8]; 4] = [b"localtime", b"mktime", b"strftime", b"tzset"];
/// Language and time zone: fixed in every run of Parallax, so that they count even if the suite did not set them.
const ALWAYS: [&str; 3] = ["LANG", "LANGUAGE", "TZ"];
const LOCALE: &[u8] = b"LC_";
const WHOLE_LOCALE: &[u8] = b"LC_ALL";

/// Which of the differing variables are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unkept {
    /// Those that the program does not name.
    NotNamed,
    Nothing,
}

/// What a program names.
#[derive(Default)]
pub struct Image {
    bytes: Vec<u8>,
    known: RefCell<HashMap<Vec<u8>, bool>>,
}

impl Image {
    /// `bytes`: the file of the program.
    pub fn new(bytes: Vec<u8>) -> Image {
        Image { bytes, known: RefCell::default() }
    }

    fn names(&self, text: &[u8]) -> bool {
        let find = || !text.is_empty() && self.bytes.windows(text.len()).any(|window| window == text);
        *self.known.borrow_mut().entry(text.to_vec()).or_insert_with(find)
    }
}

/// `own`: the environment in which the suite was started.
pub fn differing(env: &Variables, own: &Variables, image: &Image, unkept: Unkept) -> Variables {
    let all = unkept == Unkept::Nothing || image.names(b"\0environ\0");
    let is = |names: &[&str], name: &[u8]| names.iter().any(|known| known.as_bytes() == name);
    let locale = |name: &[u8]| name.starts_with(LOCALE) || is(&ALWAYS, name);
    let wanted = |name: &[u8], value: &[u8]| {
        if locale(name) {
            let needed = if name == b"TZ" { &OF_TIME[..] } else { &OF_LOCALE[..] };
            return all || needed.iter().any(|function| image.names(function));
        }
        let differs = !own.iter().any(|(other, known)| other == name && known == value);
        differs && !is(&OWN, name) && (all || is(&LIBRARY, name) || image.names(name))
    };
    let mut kept: Variables = env.iter().filter(|(name, value)| wanted(name, value)).cloned().collect();
    // Where it is not set, the others count; in a run of Parallax it is.
    let speaks = |value: &[u8]| !value.is_empty() && value != b"C" && value != b"POSIX";
    let whole = kept.iter().any(|(name, value)| name == WHOLE_LOCALE && !value.is_empty());
    let others = kept.iter().any(|(name, value)| name != b"TZ" && speaks(value) && locale(name));
    if whole || !others {
        // Parts of a locale that another setting hides, or that are as in every run.
        let plain = |(name, value): &(Vec<u8>, Vec<u8>)| {
            name == WHOLE_LOCALE && speaks(value) || name == b"TZ" || !locale(name)
        };
        kept.retain(plain);
    } else {
        kept.retain(|(name, _)| name != WHOLE_LOCALE);
        kept.push((WHOLE_LOCALE.to_vec(), Vec::new()));
    }
    kept.retain(|(name, value)| name != b"TZ" || value != b"UTC0");
    kept.sort();
    kept.dedup_by(|a, b| a.0 == b.0);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(text: &[&str]) -> Variables {
        let pair = |entry: &&str| entry.split_once('=').map(|(n, v)| (n.into(), v.into())).unwrap();
        text.iter().map(pair).collect()
    }

    fn kept(env: &[&str], unkept: Unkept) -> Variables {
        differing(
            &variables(env),
            &variables(&["MINE=1", "SAME=x"]),
            &Image::new(b"..MODE\0..MINE..setlocale\0mktime".to_vec()),
            unkept,
        )
    }

    #[test]
    fn what_the_suite_sets_and_the_program_names_is_kept() {
        let env = ["MODE=a", "OTHER=b", "MINE=1", "SAME=x", "PATH=/x", "POSIXLY_CORRECT=1", "MAKEFLAGS=j"];
        assert_eq!(kept(&env, Unkept::NotNamed), variables(&["MODE=a", "POSIXLY_CORRECT=1"]));
        assert_eq!(kept(&env, Unkept::Nothing), variables(&["MODE=a", "OTHER=b", "POSIXLY_CORRECT=1"]));
        assert_eq!(kept(&["MINE=2"], Unkept::NotNamed), variables(&["MINE=2"]));
    }

    #[test]
    fn a_program_that_does_not_look_at_the_locale_is_not_given_one() {
        let env = variables(&["LANG=de", "TZ=EST5"]);
        assert_eq!(
            differing(&env, &variables(&[]), &Image::new(b"nothing".to_vec()), Unkept::NotNamed),
            vec![]
        );
        assert_eq!(
            differing(&env, &variables(&[]), &Image::new(b"nothing".to_vec()), Unkept::Nothing).len(),
            3
        );
    }

    #[test]
    fn the_locale_is_as_the_program_saw_it() {
        let kept = |env: &[&str]| kept(env, Unkept::NotNamed);
        assert_eq!(kept(&["LANG=C", "LC_ALL=C"]), vec![]);
        assert_eq!(kept(&["LANG=de", "LC_ALL=C"]), vec![]);
        assert_eq!(kept(&["LANG=de", "LC_ALL=fr"]), variables(&["LC_ALL=fr"]));
        assert_eq!(kept(&["LANG=C.UTF-8"]), variables(&["LANG=C.UTF-8", "LC_ALL="]));
        assert_eq!(kept(&["TZ=UTC0"]), vec![]);
        assert_eq!(kept(&["TZ=EST5"]), variables(&["TZ=EST5"]));
    }
}
