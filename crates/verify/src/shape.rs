//! Shapes of test cases: how many arguments there are, and how long every input is.
//!
//! In: the first test case, which kinds of inputs vary, and bounds. Out: shapes in order of size, and for each the test case that its
//! exploration starts from.
//!
//! Always holds: within a shape only bytes differ; an input that does not vary is what it is in the first test case; no two shapes of an
//! enumeration are equal.

use parallax_execute::TestCase;
use parallax_search::Varied;
use parallax_trace::request::Source;
use serde::{Deserialize, Serialize};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Arguments are made of this byte at first; other inputs of the first test case's bytes, then zeros.
const FILLER: u8 = b'a';

/// The lengths of what varies.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shape {
    /// Length of each argument; `None` if the arguments do not vary.
    pub arguments: Option<Vec<usize>>,
    pub stdin: Option<usize>,
    /// Files that vary, in the order of the test case.
    pub files: Vec<(PathBuf, usize)>,
}

/// What is enumerated.
#[derive(Clone, Debug)]
pub struct Bounds {
    pub varied: Varied,
    /// Smallest and largest size of a shape; see [`Shape::size`].
    pub least: usize,
    pub most: usize,
    /// Most shapes of one size.
    pub shapes: usize,
}

/// The shapes of one size.
pub struct OfSize {
    pub shapes: Vec<Shape>,
    /// There are more than the bounds allow.
    pub is_cut: bool,
}

impl Shape {
    /// Bytes of everything that varies, and one for each argument.
    pub fn size(&self) -> usize {
        let arguments: usize = self.arguments.iter().flatten().map(|length| length + 1).sum();
        arguments + self.stdin.unwrap_or(0) + self.files.iter().map(|(_, length)| length).sum::<usize>()
    }

    /// The bytes that vary.
    pub fn bytes(&self) -> Vec<(Source, u32)> {
        let mut list = Vec::new();
        let mut add = |source: Source, length: usize| {
            list.extend((0..length as u32).map(|offset| (source.clone(), offset)));
        };
        for (number, length) in (1..).zip(self.arguments.iter().flatten()) {
            add(Source::Argument(number), *length);
        }
        add(Source::Stdin, self.stdin.unwrap_or(0));
        for (path, length) in &self.files {
            add(Source::File(path.as_os_str().as_bytes().to_vec()), *length);
        }
        list
    }

    /// A test case of this shape, as near to `first` as can be.
    pub fn base(&self, first: &TestCase) -> TestCase {
        let fitted = |bytes: &[u8], length: usize, filler: u8| {
            let mut bytes = bytes.to_vec();
            bytes.resize(length, filler);
            bytes
        };
        let mut test = first.clone();
        if let Some(lengths) = &self.arguments {
            let known = |i: usize| first.argv.get(i).map_or(&[][..], |argument| argument);
            test.argv =
                lengths.iter().enumerate().map(|(i, length)| fitted(known(i), *length, FILLER)).collect();
        }
        if let Some(length) = self.stdin {
            test.stdin = fitted(&first.stdin, length, 0);
        }
        for (path, length) in &self.files {
            for file in test.files.iter_mut().filter(|file| file.0 == *path) {
                file.1 = fitted(&file.1, *length, 0);
            }
        }
        test
    }
}

/// How many values a byte of an input can have: an argument holds no NUL.
pub fn values_of(source: &Source) -> u64 {
    if may_be_nul(source) {
        256
    } else {
        255
    }
}

/// Can a byte of this input be 0?
pub fn may_be_nul(source: &Source) -> bool {
    matches!(source, Source::Stdin | Source::File(_))
}

/// Puts a byte into a test case; false if there is no such byte.
pub fn set_byte(test: &mut TestCase, source: &Source, offset: u32, value: u8) -> bool {
    let bytes = match source {
        Source::Argument(n) => (*n as usize).checked_sub(1).and_then(|i| test.argv.get_mut(i)),
        Source::Stdin => Some(&mut test.stdin),
        Source::File(path) => {
            let path = PathBuf::from(std::ffi::OsString::from_vec(path.clone()));
            test.files.iter_mut().find(|file| file.0 == path).map(|file| &mut file.1)
        }
        Source::Env(name) => test.env.iter_mut().find(|e| e.0 == *name).map(|e| &mut e.1),
    };
    let place = bytes.and_then(|bytes| bytes.get_mut(offset as usize));
    place.map(|place| *place = value).is_some()
}

/// The byte of a test case; `None` if there is no such byte.
pub fn byte(test: &TestCase, source: &Source, offset: u32) -> Option<u8> {
    let bytes = match source {
        Source::Argument(n) => test.argv.get((*n as usize).checked_sub(1)?),
        Source::Stdin => Some(&test.stdin),
        Source::File(path) => {
            test.files.iter().find(|file| file.0.as_os_str().as_bytes() == &path[..]).map(|file| &file.1)
        }
        Source::Env(name) => test.env.iter().find(|e| e.0 == *name).map(|e| &e.1),
    };
    bytes?.get(offset as usize).copied()
}

/// All shapes of one size.
pub fn of_size(size: usize, first: &TestCase, bounds: &Bounds) -> OfSize {
    let Bounds { varied, shapes: most, .. } = bounds;
    let mut shapes = Vec::new();
    let mut is_cut = false;
    let files = if varied.files { first.files.len() } else { 0 };
    // Sizes of the arguments together, of standard input, of each file.
    let parts = usize::from(varied.arguments) + usize::from(varied.stdin) + files;
    for division in divisions(size, parts, *most) {
        let mut division = division.into_iter();
        let arguments = match varied.arguments {
            true => lengths(division.next().unwrap_or(0), *most).into_iter().map(Some).collect(),
            false => vec![None],
        };
        let stdin = varied.stdin.then(|| division.next().unwrap_or(0));
        let files: Vec<(PathBuf, usize)> =
            first.files.iter().zip(division).map(|(file, length)| (file.0.clone(), length)).collect();
        for arguments in arguments {
            if shapes.len() >= *most {
                is_cut = true;
                break;
            }
            shapes.push(Shape { arguments, stdin, files: files.clone() });
        }
    }
    OfSize { shapes, is_cut }
}

/// How many inputs the shapes of one size have together. Arguments of size `n` are divided in as many ways as there are compositions of it,
/// each of 255 to the power of its bytes: (255 + 1)^(n - 1) in all.
pub fn inputs_of_size(size: usize, first: &TestCase, varied: &Varied) -> f64 {
    let files = if varied.files { first.files.len() } else { 0 };
    let arguments = |n: usize| if n == 0 { 1.0 } else { 256f64.powi(n as i32 - 1) };
    let bytes = |n: usize| 256f64.powi(n as i32);
    // How many inputs of each size up to the wanted one there are with the parts so far.
    let mut counts: Vec<f64> = (0..=size).map(|n| if n == 0 { 1.0 } else { 0.0 }).collect();
    let mut add = |of: &dyn Fn(usize) -> f64| {
        counts = (0..=size).map(|n| (0..=n).map(|part| counts[n - part] * of(part)).sum()).collect();
    };
    if varied.arguments {
        add(&arguments);
    }
    for _ in 0..usize::from(varied.stdin) + files {
        add(&bytes);
    }
    counts[size]
}

/// The ways to divide a size among so many parts; not many more than `most`. With no parts there is only the size 0.
fn divisions(size: usize, parts: usize, most: usize) -> Vec<Vec<usize>> {
    match parts {
        0 if size == 0 => vec![vec![]],
        0 => vec![],
        1 => vec![vec![size]],
        _ => {
            let mut all = Vec::new();
            for first in 0..=size {
                for mut rest in divisions(size - first, parts - 1, most) {
                    rest.insert(0, first);
                    all.push(rest);
                }
                if all.len() > most {
                    break;
                }
            }
            all
        }
    }
}

/// The lists of lengths with this size, each argument counted with one byte more than it has, the shortest lists first.
fn lengths(size: usize, most: usize) -> Vec<Vec<usize>> {
    fn extend(left: usize, list: &mut Vec<usize>, all: &mut Vec<Vec<usize>>, most: usize) {
        if left == 0 {
            all.push(list.clone());
            return;
        }
        for taken in (1..=left).rev() {
            if all.len() > most {
                return;
            }
            list.push(taken - 1);
            extend(left - taken, list, all, most);
            list.pop();
        }
    }
    let mut all = Vec::new();
    extend(size, &mut Vec::new(), &mut all, most);
    all.sort_by_key(Vec::len);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn bounds(most: usize) -> Bounds {
        Bounds { varied: Varied::default(), least: 0, most, shapes: 10_000 }
    }

    #[test]
    fn shapes_of_a_size_are_all_there_once_and_have_it() {
        let first = TestCase { files: vec![("f".into(), vec![1])], ..TestCase::default() };
        for size in 0..6 {
            let OfSize { shapes, is_cut } = of_size(size, &first, &bounds(9));
            assert!(!is_cut && shapes.iter().all(|shape| shape.size() == size));
            let different: BTreeSet<&Shape> = shapes.iter().collect();
            assert_eq!(different.len(), shapes.len());
            // Compositions of every part of the size, times the ways to divide the rest among standard input and the file.
            let expected: usize =
                (0..=size).map(|n| if n == 0 { 1 } else { 1 << (n - 1) } * (size - n + 1)).sum();
            assert_eq!(shapes.len(), expected, "size {size}");
        }
    }

    #[test]
    fn the_inputs_of_a_size_are_those_of_its_shapes() {
        let first = TestCase { files: vec![("f".into(), vec![1])], ..TestCase::default() };
        for size in 0..5 {
            let shapes = of_size(size, &first, &bounds(9)).shapes;
            let inputs = |shape: &Shape| crate::count::total(&shape.bytes()).unwrap() as f64;
            let sum: f64 = shapes.iter().map(inputs).sum();
            assert_eq!(inputs_of_size(size, &first, &Varied::default()), sum, "size {size}");
        }
    }

    #[test]
    fn what_does_not_vary_stays_and_what_is_cut_is_said() {
        let varied = Varied { arguments: false, ..Varied::default() };
        let first = TestCase { stdin: b"xyz".to_vec(), ..TestCase::with_args(["-n"]) };
        let of = of_size(2, &first, &Bounds { varied, ..bounds(2) });
        assert_eq!(of.shapes, [Shape { arguments: None, stdin: Some(2), files: vec![] }]);
        let base = of.shapes[0].base(&first);
        assert_eq!((base.argv, base.stdin), (vec![b"-n".to_vec()], b"xy".to_vec()));
        assert!(of_size(9, &first, &Bounds { shapes: 3, ..bounds(9) }).is_cut);
    }

    #[test]
    fn a_byte_that_was_put_in_is_read_back() {
        let mut test = TestCase { files: vec![("d/f".into(), vec![0; 2])], ..TestCase::with_args(["abc"]) };
        for source in [Source::Argument(1), Source::File(b"d/f".to_vec())] {
            assert!(set_byte(&mut test, &source, 1, 7));
            assert_eq!(byte(&test, &source, 1), Some(7));
            assert!(!set_byte(&mut test, &source, 9, 7));
        }
    }
}
