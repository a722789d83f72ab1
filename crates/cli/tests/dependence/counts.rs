//! How often every block ran, against LLVM's own coverage instrumentation on the same cleaned-up module; and what
//! must hold of every trace whatever the program.

use crate::support::{tool, Program, Recorded};
use parallax_execute::TestCase;
use parallax_trace::dependence::Event;
use std::fmt::Write;
use std::process::Command;

/// One guard for every block, in module order; counted, and printed at the end.
const COUNTERS: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static uint64_t counts[1 << 20];
static uint32_t guards;
static void report(void) {
    FILE *f = fopen(getenv("COUNTS"), "w");
    for (uint32_t i = 1; i <= guards; i++) fprintf(f, "%lu\n", (unsigned long)counts[i]);
    fclose(f);
}
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    if (start == stop || *start) return;
    for (uint32_t *g = start; g < stop; g++) *g = ++guards;
    atexit(report);
}
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) { counts[*guard]++; }
"#;

/// For every block of a module as text, whether it only says that it cannot be reached; such blocks get no guard.
fn unreachable(text: &str) -> Vec<bool> {
    let mut found = Vec::new();
    let (mut inside, mut first) = (false, false);
    for line in text.lines() {
        let label = line.split_once(':').is_some_and(|(l, _)| !l.is_empty() && !l.contains([' ', '\t']));
        if line.starts_with("define ") {
            (inside, first) = (true, true);
        } else if line == "}" {
            inside = false;
        } else if inside && label {
            first = true;
        } else if inside && first && !line.trim().is_empty() && !line.trim().starts_with(['#', ';']) {
            found.push(line.trim().starts_with("unreachable"));
            first = false;
        }
    }
    found
}

/// Runs of every block as LLVM counts them.
fn counted(program: &Program, arguments: &[&str]) -> Vec<u64> {
    let file = |name: &str| program.directory.join(name).to_str().unwrap().to_owned();
    let cleaned = parallax_instrument::clean_up(&program.bitcode, &program.directory.join("cache")).unwrap();
    std::fs::write(file("counters.c"), COUNTERS).unwrap();
    let flags = [
        "-passes=module(sancov-module)",
        "-sanitizer-coverage-level=2",
        "-sanitizer-coverage-prune-blocks=0",
        "-sanitizer-coverage-trace-pc-guard",
        "-o",
    ];
    tool("opt-19", &[&flags[..], &[&file("guarded.bc"), cleaned.to_str().unwrap()]].concat());
    tool("clang-19", &["-O0", "-w", "-o", &file("guarded"), &file("guarded.bc"), &file("counters.c")]);
    let status =
        Command::new(file("guarded")).args(arguments).env("COUNTS", file("counts")).output().unwrap();
    assert!(status.status.code().is_some());
    let text = std::fs::read_to_string(file("counts")).unwrap();
    let mut counts = text.lines().map(|l| l.parse().unwrap());
    tool("llvm-dis-19", &["-o", &file("cleaned.ll"), cleaned.to_str().unwrap()]);
    let blocks = unreachable(&std::fs::read_to_string(file("cleaned.ll")).unwrap());
    let all = blocks.into_iter().map(|skipped| if skipped { 0 } else { counts.next().unwrap() }).collect();
    assert_eq!(counts.next(), None, "a guard for every block");
    all
}

fn blocks(program: &Program, recorded: &Recorded) -> Vec<u64> {
    let mut counts = vec![0; *program.map.first_block.last().unwrap() as usize];
    for (_, event) in &recorded.events {
        if let Event::Block { block } = event {
            counts[*block as usize] += 1;
        }
    }
    counts
}

/// Calls and returns nest, every block is of the function that is running.
fn well_nested(program: &Program, recorded: &Recorded) {
    let mut stack = Vec::new();
    for event in recorded.of_thread(0) {
        match event {
            Event::Enter { function } => stack.push(function),
            Event::Return { at } => {
                assert_eq!(stack.pop(), Some(program.map.function_of_instruction(at)))
            }
            Event::Block { block } => {
                assert_eq!(stack.last(), Some(&program.map.function_of_block(block)))
            }
            Event::Load { at, .. } | Event::Store { at, .. } | Event::Call { at, .. } => {
                assert_eq!(stack.last(), Some(&program.map.function_of_instruction(at)))
            }
            _ => {}
        }
    }
    assert!(stack.is_empty(), "main has returned, and so have all others");
}

/// Programs of loops, switches, recursion, short circuits and arrays; no undefined behaviour, same text for same seed.
fn random_program(seed: u64) -> String {
    let mut r = fastrand::Rng::with_seed(seed);
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\nstatic unsigned t[16], *h;\n");
    let functions = r.u32(2..6);
    for f in 0..functions {
        let _ = writeln!(
            text,
            "static unsigned f{f}(unsigned a, unsigned d) {{\n  unsigned x = a, v[4] = {{a, d, 1, 2}};"
        );
        for _ in 0..r.u32(2..7) {
            statement(&mut r, &mut text, f, 2);
        }
        let _ = writeln!(text, "  return x ^ v[x & 3];\n}}");
    }
    text.push_str("int main(int argc, char **argv) {\n  unsigned s = atoi(argv[1]);\n  h = malloc(64);\n");
    text.push_str("  for (int i = 0; i < 16; i++) t[i] = h[i] = i * s;\n");
    for f in 0..functions {
        let _ = writeln!(text, "  s += f{f}(s, 3);");
    }
    text.push_str("  printf(\"%u %u\\n\", s, t[s & 15]);\n  free(h);\n  return s & 63;\n}\n");
    text
}

fn statement(r: &mut fastrand::Rng, text: &mut String, f: u32, depth: u32) {
    let n = r.u32(1..9);
    let _ = match r.u32(0..if depth == 0 { 4 } else { 9 }) {
        0 => writeln!(text, "  v[x & 3] += t[(x >> {n}) & 15];"),
        1 => writeln!(text, "  t[x & 15] = x * {n} + d;"),
        2 => writeln!(text, "  h[(x + {n}) & 15] ^= v[a & 3];"),
        3 => writeln!(text, "  x = x * 31 + h[v[{}] & 15];", n & 3),
        4 if f > 0 => writeln!(text, "  if (d && x & {n}) x += f{}(x, d - 1);", r.u32(0..f)),
        4 | 5 => writeln!(text, "  if (d > 1) x += f{f}(x >> 1, d - 2);"),
        6 => {
            let _ = writeln!(text, "  for (unsigned i = 0; i < {n}; i++) {{");
            statement(r, text, f, depth - 1);
            writeln!(text, "  if ((x & {n}) == {n} || !(t[i] & 3)) continue; x++; }}")
        }
        7 => {
            let _ = writeln!(text, "  if (x % {n} > 1 && (a & 1 || d)) {{");
            statement(r, text, f, depth - 1);
            let _ = writeln!(text, "  }} else {{");
            statement(r, text, f, depth - 1);
            writeln!(text, "  }}")
        }
        _ => {
            let _ = writeln!(text, "  switch (x & 3) {{ case 0:");
            statement(r, text, f, depth - 1);
            let _ = writeln!(text, "  case 1: x += {n}; break; case 2:");
            statement(r, text, f, depth - 1);
            writeln!(text, "  break; default: x ^= d; }}")
        }
    };
}

const PROGRAMS: u64 = 12;

#[test]
fn every_block_runs_as_often_as_llvm_itself_counts() {
    let mut total = 0;
    for seed in 0..PROGRAMS {
        let mut program = Program::build(&format!("random{seed}"), &random_program(seed));
        for argument in ["1", "77"] {
            let recorded = program.record(&TestCase::with_args([argument]));
            let (mine, theirs) = (blocks(&program, &recorded), counted(&program, &[argument]));
            assert_eq!(mine, theirs, "program {seed}, argument {argument}");
            well_nested(&program, &recorded);
            total += mine.iter().sum::<u64>();
        }
    }
    assert!(total > 5_000, "the programs do next to nothing: {total} blocks");
}
