//! Never a wrong proof: every input of a size, run natively on both versions, is in exactly one partition and does what that partition is called.

use super::*;
use parallax_solve::{smtlib_reader, Constraint, Pool, Program};
use std::io::Write;
use std::process::Stdio;

/// Old and new bodies of a function of two bytes, of which the first is read and the second may be.
const PAIRS: [[&str; 2]; 4] = [
    ["return a > 100 ? a - 100 : 100 - a;", "return a >= 100 ? a - 100 : 100 - a + (a == 7);"],
    [
        "int n = 0; while (a) { n += a & 1; a >>= 1; } return n;",
        "int n = 0; for (; a; a &= a - 1) n++; return n;",
    ],
    [
        "switch (a) { case 'a': return 1; case 'b': return 2; default: return 0; }",
        "return a == 'a' ? 1 : a == 'b' ? 2 : a == 'c' ? 3 : 0;",
    ],
    [
        "static const char t[4] = {3, 1, 2, 0}; return t[a & 3];",
        "a &= 3; return a == 0 ? 3 : a == 3 ? 0 : a;",
    ],
];

fn program(body: &str) -> String {
    format!(
        "#include <stdio.h>\nstatic int f(int a) {{ {body} }}\nint main(void) {{ int c = getchar(); return c < 0 ? 0 : f(c); }}\n"
    )
}

fn native(versions: &Versions, name: &str) -> std::path::PathBuf {
    let binary = versions.path().join(name.trim_end_matches(".c"));
    let built = Command::new("cc").arg("-o").arg(&binary).arg(versions.path().join(name)).status().unwrap();
    assert!(built.success());
    binary
}

fn exit(binary: &Path, input: u8) -> Option<i32> {
    let mut child = Command::new(binary).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&[input]).unwrap();
    child.wait().unwrap().code()
}

/// Whether an input of one byte is in the partition of a formula.
fn membership(versions: &Versions, partition: &Value) -> impl FnMut(u8) -> bool {
    let path = versions.path().join(partition["formula"].as_str().unwrap());
    let mut pool = Pool::new();
    let read = smtlib_reader::read(&mut pool, &fs::read_to_string(path).unwrap()).unwrap();
    let roots: Vec<_> = read.constraints.iter().map(|constraint: &Constraint| constraint.expr).collect();
    let mut program = Program::new(&pool, &roots);
    move |input| {
        program.run(&|_| input);
        (0..roots.len()).all(|root| program.value(root) == 1)
    }
}

#[test]
fn every_input_is_in_one_partition_and_does_what_it_is_called() {
    let mut equal = 0;
    for ([old, new], kind) in PAIRS.into_iter().zip(["paths", "slices", "paths", "slices"]) {
        let versions = Versions::new(&program(old), &program(new));
        let verified = versions.verify(&[
            "--partitions",
            kind,
            "--min-input",
            "1",
            "--max-input",
            "1",
            "--samples",
            "20",
        ]);
        let json: Value = serde_json::from_slice(&verified.output.stdout).unwrap();
        assert_eq!(
            (&json["shares"]["weak"], &json["shares"]["unexplored"]),
            (&0.0.into(), &0.0.into()),
            "{json:#}"
        );
        let binaries = ["old.c", "new.c"].map(|name| native(&versions, name));
        let found = partitions(&json, 1);
        let mut members: Vec<_> = found.iter().map(|partition| membership(&versions, partition)).collect();
        for input in 0..=255 {
            let of: Vec<usize> = (0..members.len()).filter(|i| members[*i](input)).collect();
            assert_eq!(of.len(), 1, "{input} is in {of:?}: {json:#}");
            let [a, b] = [0, 1].map(|side| exit(&binaries[side], input));
            let status = if a == b { "equal" } else { "different" };
            assert_eq!(found[of[0]]["status"], status, "{input}: {a:?} {b:?}");
            equal += usize::from(a == b);
        }
    }
    assert!((900..1024).contains(&equal), "most inputs are alike, and some are not: {equal}");
}

#[test]
fn arguments_end_where_their_shape_says() {
    let old = "#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    if (argc != 2) return argc;
    if (strcmp(argv[1], \"-n\") == 0) return 9;
    return argv[1][0] == '-';
}
";
    let new = old.replace(
        "strcmp(argv[1], \"-n\") == 0",
        "argv[1][0] == '-' && argv[1][1] * 2 == 'n' * 2 && argv[1][2] == 0",
    );
    let versions = Versions::new(old, &new);
    let json = versions.verify(&["--symbolic", "argv", "--max-input", "3"]).json(0);
    assert_eq!(json["verdict"], "equivalent-within", "{json:#}");
    assert_eq!(
        (&json["scope"]["arguments"], &json["stats"]["divergences"]),
        (&serde_json::json!([0, 3]), &0.into())
    );
    let sums = json["shapes"].as_array().unwrap().iter().map(|shape| &shape["shares"]["equal"]);
    assert!(sums.into_iter().all(|share| *share == 1.0), "{json:#}");
}
