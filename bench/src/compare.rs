//! Native and symbolic run of the same test case: alike or not.
//!
//! In: two runs. Out: nothing, or the first thing that differs, in words.

use parallax_execute::{Output, Run};

/// Bytes of context shown around the first difference.
const SHOWN: usize = 40;

/// The first difference that a user could see.
pub fn difference(native: &Run, symbolic: &Run) -> Option<String> {
    if native.outcome != symbolic.outcome {
        return Some(format!("{:?} natively, {:?} symbolically", native.outcome, symbolic.outcome));
    }
    let streams =
        [("stdout", &native.stdout, &symbolic.stdout), ("stderr", &native.stderr, &symbolic.stderr)];
    for (name, a, b) in streams {
        if a != b {
            return Some(format!("{name}: {}", first(a, b)));
        }
    }
    if native.files != symbolic.files || native.files_truncated != symbolic.files_truncated {
        let other = native.files.iter().zip(&symbolic.files).find(|(a, b)| a != b);
        return Some(match other {
            Some((a, b)) => format!("files: {a:?} natively, {b:?} symbolically"),
            None => format!("files: {} natively, {} symbolically", native.files.len(), symbolic.files.len()),
        });
    }
    None
}

fn first(a: &Output, b: &Output) -> String {
    let at = a.bytes.iter().zip(&b.bytes).take_while(|(x, y)| x == y).count();
    let part = |o: &Output| {
        let end = o.bytes.len().min(at + SHOWN);
        format!("{:?}", String::from_utf8_lossy(&o.bytes[at.min(end)..end]))
    };
    format!("at byte {at}: {} natively, {} symbolically", part(a), part(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_execute::{Content, FileChange, Outcome};
    use std::time::Duration;

    fn run(stdout: &str, files: Vec<FileChange>) -> Run {
        Run {
            outcome: Outcome::Exited(0),
            stdout: Output { bytes: stdout.into(), truncated: false },
            stderr: Output::default(),
            files,
            files_truncated: false,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    }

    #[test]
    fn every_visible_difference_is_named() {
        let base = run("same", vec![]);
        assert_eq!(difference(&base, &base), None);
        assert_eq!(
            difference(&base, &run("sane", vec![])).as_deref(),
            Some("stdout: at byte 2: \"me\" natively, \"ne\" symbolically")
        );
        assert!(difference(&base, &Run { outcome: Outcome::TimedOut, ..base.clone() }).is_some());
        let error = Output { bytes: b"x".to_vec(), truncated: false };
        assert!(difference(&base, &Run { stderr: error, ..base.clone() }).is_some());
        let made = FileChange::Created { path: "f".into(), mode: 0o644, content: Content::Directory };
        assert!(difference(&base, &run("same", vec![made])).is_some());
    }
}
