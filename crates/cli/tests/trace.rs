//! `parallax trace` from end to end: sources in, text, JSON and SMT-LIB out.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn command(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parallax"));
    command.args(args).current_dir(directory);
    command.env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command
}

fn with_files(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(directory.path().join(name), content).unwrap();
    }
    directory
}

#[track_caller]
fn succeed(directory: &Path, args: &[&str]) -> String {
    let Output { status, stdout, stderr } = command(directory, args).output().unwrap();
    assert!(status.success(), "{status}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// The JSON document of a run of `prog.c` with these arguments.
#[track_caller]
fn json(source: &str, args: &[&str]) -> Value {
    let directory = with_files(&[("prog.c", source)]);
    let args = [&["trace", "prog.c", "--format", "json"], args].concat();
    serde_json::from_str(&succeed(directory.path(), &args)).unwrap()
}

fn conditions(json: &Value) -> Vec<&str> {
    let branches = json["branches"].as_array().unwrap().iter();
    branches.filter(|b| b["libc"] == false).map(|b| b["condition"].as_str().unwrap()).collect()
}

/// No condition contradicts the run.
#[track_caller]
fn sound(json: &Value) {
    assert_eq!(json["stats"]["violations"], 0);
    assert_eq!(json["stats"]["inconsistent"], 0);
}

/// The stores keep the compiler from turning the switch into arithmetic.
const OPTIONS: &str = r#"
volatile int seen;
int main(int argc, char **argv) {
    if (argc < 2)
        return 9;
    if (argv[1][0] == '-') {
        switch (argv[1][1]) {
        case 'n': seen = 1; return 4;
        case 'x': seen = 2; return 5;
        default: seen = 3; return 6;
        }
    }
    return 7;
}
"#;

#[test]
fn branches_and_switches_are_shown_with_line_direction_and_formula() {
    let run = json(OPTIONS, &["--", "-x"]);
    sound(&run);
    assert_eq!(run["exit"], 5);
    assert_eq!(run["branches"].as_array().unwrap().len(), 1);
    assert_eq!(run["branches"][0]["file"], "prog.c");
    assert_eq!(run["branches"][0]["line"], 6);
    assert_eq!(run["branches"][0]["function"], "main");
    assert_eq!(conditions(&run), ["argv[1][0] == '-'"]);
    assert_eq!(run["switches"][0]["condition"], "argv[1][1] == 'x'");
    assert_eq!(run["switches"][0]["line"], 7);

    let other = json(OPTIONS, &["--", "-?"]);
    assert_eq!(other["exit"], 6);
    assert_eq!(other["switches"][0]["default"], true);
    assert_eq!(other["switches"][0]["condition"], "argv[1][1] not in {'n', 'x'}");

    let none = json(OPTIONS, &["--", "x-"]);
    assert_eq!(none["exit"], 7);
    assert_eq!(conditions(&none), ["argv[1][0] != '-'"]);
}

#[test]
fn the_text_says_what_happened_and_how_it_ended() {
    let directory = with_files(&[("prog.c", OPTIONS)]);
    let text = succeed(directory.path(), &["trace", "prog.c", "--", "-n"]);
    for part in ["prog.c:6:9", "taken: argv[1][0] == '-'", "case: argv[1][1] == 'n'", "exit status 4"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn a_solver_accepts_the_path_condition_and_finds_the_input_again() {
    let directory = with_files(&[("prog.c", OPTIONS)]);
    let script = succeed(directory.path(), &["trace", "prog.c", "--format", "smtlib", "--", "-x"]);
    let mut z3 = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program z3 is needed for this test: run scripts/setup.sh");
    z3.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let answer = String::from_utf8(z3.wait_with_output().unwrap().stdout).unwrap();
    let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(answer.starts_with("sat"), "{answer}");
    assert!(answer.contains("|argv[1][0]| () (_ BitVec 8) #x2d"), "{answer}");
    assert!(answer.contains("|argv[1][1]| () (_ BitVec 8) #x78"), "{answer}");
}

#[test]
fn inputs_that_are_not_chosen_are_not_symbolic() {
    let run = json(OPTIONS, &["--symbolic", "stdin", "--", "-x"]);
    assert_eq!(run["exit"], 5);
    assert_eq!(run["inputs"][0]["symbolic"], false);
    assert_eq!(run["stats"]["branches"], 0);
    assert_eq!(run["stats"]["switches"], 0);
}

#[test]
fn an_environment_variable_is_an_input() {
    let source = r#"
    #include <stdlib.h>
    int main(void) { char *v = getenv("LEVEL"); return v != 0 && v[0] == '3' ? 1 : 0; }
    "#;
    let run = json(source, &["--env", "LEVEL=3"]);
    sound(&run);
    assert_eq!(run["exit"], 1);
    let names: Vec<_> =
        run["inputs"].as_array().unwrap().iter().map(|i| i["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"$LEVEL"), "{names:?}");
}

#[test]
fn a_trace_survives_an_abort() {
    let source = r#"
    #include <stdlib.h>
    int main(int argc, char **argv) { if (argc > 1 && argv[1][0] == 'a') abort(); return 0; }
    "#;
    let run = json(source, &["--", "a"]);
    sound(&run);
    assert_eq!(run["exit"], Value::Null);
    assert_eq!(run["signal"], 6);
    assert_eq!(conditions(&run), ["argv[1][0] == 'a'"]);
}

const ENDLESS: &str = r#"
int main(int argc, char **argv) {
    volatile unsigned long n = 0;
    if (argc > 1 && argv[1][0] == 'x')
        for (;;)
            n++;
    return 0;
}
"#;

#[test]
fn a_trace_survives_a_kill_on_time_out_and_the_limit_is_kept() {
    let before = Instant::now();
    let run = json(ENDLESS, &["--time", "300ms", "--", "x"]);
    sound(&run);
    assert_eq!(run["limit"], "time");
    assert_eq!(run["stats"]["finished"], false);
    assert_eq!(conditions(&run), ["argv[1][0] == 'x'"]);
    let seconds = run["stats"]["seconds"].as_f64().unwrap();
    assert!((0.3..1.3).contains(&seconds), "{seconds}");
    assert!(before.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_trace_that_outgrows_its_limit_is_cut_and_says_so() {
    let source = r#"
    int main(int argc, char **argv) {
        unsigned n = 0;
        for (int i = 0; argc > 1 && argv[1][i]; i++)
            if (argv[1][i] == 'x')
                n++;
        return n;
    }
    "#;
    let long = "xy".repeat(200);
    let run = json(source, &["--trace-events", "1K", "--", &long]);
    sound(&run);
    assert_eq!(run["exit"], 200);
    assert_eq!(run["stats"]["cut"], true);
    assert!(run["stats"]["dropped_events"].as_u64().unwrap() > 0);
    assert!(run["stats"]["branches"].as_u64().unwrap() > 0, "what fitted is still there");
    assert!(run["notes"][0].as_str().unwrap().contains("cut"), "{}", run["notes"]);
}

#[test]
fn an_interrupt_ends_everything_at_once() {
    let directory = with_files(&[("prog.c", ENDLESS)]);
    // Built and cached, so that the next one is in its run when the signal comes.
    succeed(directory.path(), &["trace", "prog.c", "--", "y"]);
    let child = command(directory.path(), &["trace", "prog.c", "--time", "100s", "--", "x"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(4));
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let before = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(before.elapsed() < Duration::from_secs(5));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("interrupted"), "{stderr}");
}

#[test]
fn a_program_built_with_the_wrapper_is_traced_after_it_was_renamed() {
    let directory = with_files(&[("prog.c", OPTIONS)]);
    let built = Command::new(env!("CARGO_BIN_EXE_parallax-cc"))
        .args(["-O2", "-o", "first", "prog.c"])
        .env("PARALLAX_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .current_dir(directory.path())
        .status();
    assert!(built.unwrap().success());
    fs::rename(directory.path().join("first"), directory.path().join("second")).unwrap();
    let text = succeed(directory.path(), &["trace", "second", "--format", "json", "--", "-x"]);
    let run: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(conditions(&run), ["argv[1][0] == '-'"]);
}

#[test]
fn a_tree_is_built_in_a_private_copy() {
    let makefile = "prog: prog.c\n\t$(CC) -o prog prog.c\n";
    let directory = with_files(&[("prog.c", OPTIONS), ("Makefile", makefile)]);
    let args = ["trace", ".", "--build", "make", "--format", "json", "--", "-n"];
    let run: Value = serde_json::from_str(&succeed(directory.path(), &args)).unwrap();
    assert_eq!(run["exit"], 4);
    let mut left: Vec<PathBuf> =
        fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name().into()).collect();
    left.sort();
    assert_eq!(left, [PathBuf::from("Makefile"), PathBuf::from("prog.c")]);
}

#[test]
fn a_coverage_build_counts_edges_only() {
    let run = json(OPTIONS, &["--mode", "coverage", "--", "-n"]);
    assert_eq!(run["mode"], "coverage");
    assert_eq!(run["exit"], 4);
    assert_eq!(run["stats"]["branches"], 0);
    let (covered, all) = (&run["stats"]["edges_covered"], &run["stats"]["edges"]);
    assert!(0 < covered.as_u64().unwrap() && covered.as_u64() < all.as_u64(), "{covered} of {all}");
}

#[test]
fn a_machine_that_lacks_everything_is_told_what_to_install() {
    let directory = with_files(&[]);
    let output = command(directory.path(), &["doctor"]).env("PATH", directory.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    for package in ["clang-19", "llvm-19", "lld-19"] {
        assert!(text.contains(&format!("apt-get install {package}")), "{text}");
    }
}

#[test]
fn a_machine_that_is_set_up_passes() {
    let directory = with_files(&[]);
    let text = succeed(directory.path(), &["doctor"]);
    assert!(text.lines().count() > 10, "{text}");
    assert!(!text.contains("MISSING"), "{text}");
}

#[test]
fn the_shipped_example_is_seen_through_from_options_to_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = "examples/records/stock.csv";
    let program = "examples/records/records.c";
    let args = ["trace", program, "--format", "json", "--", "--min", "5", "--sum", file];
    let run: Value = serde_json::from_str(&succeed(&root, &args)).unwrap();
    sound(&run);
    assert_eq!(run["exit"], 0);
    assert_eq!(run["stdout"], "bolt: 12 at 5\ntotal: 60\n");
    assert_eq!(run["options"][0]["short"], "m:n:su");
    assert!(conditions(&run).contains(&format!("{file}[0] == '#'").as_str()), "{:?}", conditions(&run));
    let outputs = run["outputs"].as_array().unwrap();
    let written: String = outputs.iter().map(|o| o["bytes"].as_str().unwrap()).collect();
    assert_eq!(written, "bolt: 12 at 5\ntotal: 60\n");
    let symbolic: usize = outputs.iter().map(|o| o["symbolic"].as_array().unwrap().len()).sum();
    // The name, the quantity, the price and the total come from the input.
    assert_eq!(symbolic, "bolt".len() + "12".len() + "5".len() + "60".len());
    let ended = run["ends_of_input"].as_array().unwrap().iter().any(|e| e["input"] == file);
    assert!(ended, "{}", run["ends_of_input"]);
}
