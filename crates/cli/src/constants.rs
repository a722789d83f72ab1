//! What the versions print differently whatever the input is.
//!
//! In: the seeds, on all of which the versions differ. Out: runs on inputs near the first seed, for the oracle to learn from which differences
//! are on all of them: such a one is an entry of its own, and the search goes on behind it.
//!
//! Always holds: the inputs depend on nothing but the seeds, so the result does not depend on the number of workers. Where the versions do the
//! same on a seed, nothing differs on every input, and nothing is run.

use crate::error::CliError;
use crate::natives::Natives;
use crate::stability::{self, Conditions, Round};
use parallax_execute::{Run, TestCase};
use parallax_oracle::Rules;
use std::path::Path;
use std::time::Duration;

/// Parts of the first seed that are varied, and so the most inputs that are tried: arguments, standard input, files.
const PARTS: usize = 8;

/// Runs of both versions on the seeds, and on inputs near the first of them. Empty if the versions do the same on a seed.
pub fn probed(
    natives: &mut Natives,
    seeds: &[TestCase],
    first: &Round,
    rules: &Rules,
    time: Duration,
) -> Result<Vec<[Run; 2]>, CliError> {
    let pairs = || first[0].iter().zip(&first[1]);
    let Some(seed) = seeds.first().filter(|_| pairs().all(|(a, b)| rules.digest(a) != rules.digest(b)))
    else {
        return Ok(Vec::new());
    };
    let [old, new] = stability::round(natives, &near(seed), time, Conditions::Usual)?;
    let seeds = pairs().map(|(old, new)| [old.clone(), new.clone()]);
    Ok(seeds.chain(old.into_iter().zip(new).map(|(old, new)| [old, new])).collect())
}

/// Inputs that differ from a seed in one part each, and one that is nearly empty.
fn near(seed: &TestCase) -> Vec<TestCase> {
    let names_file = |argument: &[u8]| {
        let is = |(path, _): &(std::path::PathBuf, Vec<u8>)| path.as_os_str().as_encoded_bytes() == argument;
        seed.files.iter().any(is) || Path::new(&*String::from_utf8_lossy(argument)).is_absolute()
    };
    let mut list = vec![TestCase { stdin: other(&seed.stdin), ..seed.clone() }];
    for (number, argument) in seed.argv.iter().enumerate() {
        // With other options or files most programs only complain.
        if argument.starts_with(b"-") || names_file(argument) {
            continue;
        }
        for changed in [other(argument), longer(argument)] {
            let mut test = seed.clone();
            test.argv[number] = changed;
            list.push(test);
        }
    }
    for number in 0..seed.files.len() {
        let mut test = seed.clone();
        test.files[number].1 = other(&test.files[number].1);
        list.push(test);
    }
    list.truncate(PARTS);
    list.push(TestCase { argv: Vec::new(), stdin: Vec::new(), ..seed.clone() });
    list.push(TestCase { stdin: longer(&seed.stdin), ..seed.clone() });
    list
}

/// The same with another last byte, of the same kind. A line keeps its end.
fn other(bytes: &[u8]) -> Vec<u8> {
    let mut other = bytes.to_vec();
    match other.iter_mut().rev().find(|byte| **byte != b'\n') {
        Some(byte @ (b'0'..=b'8' | b'a'..=b'y' | b'A'..=b'Y')) => *byte += 1,
        Some(byte @ b'9') => *byte = b'1',
        Some(byte) => *byte = b'a',
        None => other.push(b'1'),
    }
    other
}

fn longer(bytes: &[u8]) -> Vec<u8> {
    [bytes, b"1"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_near_a_seed_are_others_and_leave_options_and_names_of_files_alone() {
        let seed = TestCase {
            argv: vec![b"-n".to_vec(), b"19".to_vec(), b"f.txt".to_vec()],
            files: vec![("f.txt".into(), b"one\n".to_vec())],
            ..TestCase::default()
        };
        let list = near(&seed);
        assert!(list.iter().all(|test| *test != seed));
        let arguments: Vec<&[u8]> = list.iter().filter_map(|test| test.argv.get(1)).map(|a| &a[..]).collect();
        assert!(arguments.contains(&&b"11"[..]) && arguments.contains(&&b"191"[..]), "{list:?}");
        assert!(list.iter().all(|test| test.argv.is_empty() || test.argv[2] == b"f.txt"));
        assert!(list.iter().any(|test| test.files[0].1 == b"onf\n"), "{list:?}");
    }
}
