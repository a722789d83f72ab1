//! The fork server inside a program. This test program is itself the instrumented one: like the runtime
//! library it serves from a constructor, before `main`.

mod common;
use common::*;
use parallax_execute::*;
use parallax_trace::format::{Header, FLAG_FINISHED, FORMAT_VERSION, MAGIC};
use parallax_trace::request::{Request, Source};
use std::io::{Read, Write};
use std::time::Duration;

#[path = "../../runtime/src/server.rs"]
#[allow(dead_code)]
mod server;

#[used]
#[link_section = ".init_array"]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    if std::env::var_os("PARALLAX_SERVE").is_some() {
        reserve_shadow();
    }
    if let Some(request) = server::serve(server::Hooks::NONE) {
        std::process::exit(program(&request));
    }
}

/// Reserves far more than any memory limit, as the runtime does for its tables.
fn reserve_shadow() {
    const SHADOW: usize = 256 << 30;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let at =
        unsafe { libc::mmap(std::ptr::null_mut(), SHADOW, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    assert_ne!(at, libc::MAP_FAILED);
}

/// What the instrumented program does, by its first argument.
fn program(request: &Request) -> i32 {
    let arguments: Vec<&[u8]> = request
        .inputs
        .iter()
        .filter(|i| matches!(i.source, Source::Argument(_)))
        .map(|i| i.bytes.as_slice())
        .collect();
    match arguments.first().copied().unwrap_or_default() {
        b"inputs" => {
            for input in &request.inputs {
                println!("{:?} {:?} {}", input.source, text(&input.bytes), input.symbolic);
            }
        }
        b"streams" => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).unwrap();
            std::io::stdout().write_all(&bytes).unwrap();
            std::io::stderr().write_all(&std::fs::read("f").unwrap()).unwrap();
            std::fs::write("g", "made").unwrap();
        }
        b"record" => record(),
        b"where" => {
            let here = std::env::current_dir().unwrap();
            let heap = Box::new(1);
            println!("{} {:p} {}", std::process::id(), heap, here.display());
        }
        b"descriptors" => {
            // SAFETY: fcntl on any number is harmless.
            let open = (0..1024).filter(|fd| unsafe { libc::fcntl(*fd, libc::F_GETFD) } >= 0);
            println!("{:?}", open.collect::<Vec<_>>());
        }
        b"crash" => std::process::abort(),
        b"sleep" => std::thread::sleep(Duration::from_secs(1000)),
        b"allocate" => {
            let mut kept: Vec<Vec<u8>> = Vec::new();
            loop {
                let mut block: Vec<u8> = Vec::new();
                if block.try_reserve_exact(1 << 20).is_err() {
                    println!("{}", kept.len());
                    return 3;
                }
                block.resize(1 << 20, 1);
                kept.push(block);
            }
        }
        _ => {}
    }
    0
}

/// Leaves marks in the arena, as the runtime would.
fn record() {
    let (arena, len) = server::arena().unwrap();
    // SAFETY: the arena is mapped for the life of the process, starts with a header, and nobody else writes.
    unsafe {
        let header = &mut *(arena as *mut Header);
        assert!(header.events_offset as usize <= len);
        *arena.add(header.coverage_offset as usize + 7) += 1;
        header.events_len += 16;
        header.flags |= FLAG_FINISHED;
    }
}

fn executor(options: Options) -> Executor {
    Executor::new(&std::env::current_exe().unwrap(), Kind::Instrumented, options).unwrap()
}

#[test]
fn inputs_arrive_in_order_with_their_numbers() {
    let test = TestCase {
        argv: vec![b"inputs".to_vec(), b"x".to_vec()],
        stdin: b"in".to_vec(),
        files: vec![("f".into(), b"file".to_vec())],
        env: vec![(b"E".to_vec(), b"env".to_vec())],
        ..TestCase::default()
    };
    let symbolic = Symbolic { stdin: false, ..Symbolic::default() };
    let mut executor = executor(Options { symbolic, ..options() });
    let run = executor.run(&test, &Limits::default()).unwrap();
    let expected = "Argument(1) \"inputs\" true\nArgument(2) \"x\" true\nStdin \"in\" false\n\
        File([102]) \"file\" true\nEnv([69]) \"env\" true\n";
    assert_eq!(text(&run.stdout.bytes), expected);
}

#[test]
fn streams_and_files_are_those_of_the_test_case() {
    let mut executor = executor(options());
    for content in ["first", "second longer", "3"] {
        let test = TestCase {
            argv: vec![b"streams".to_vec()],
            stdin: content.into(),
            files: vec![("f".into(), content.to_uppercase().into_bytes())],
            ..TestCase::default()
        };
        let run = executor.run(&test, &Limits::default()).unwrap();
        assert_eq!(run.outcome, Outcome::Exited(0));
        assert_eq!(text(&run.stdout.bytes), content);
        assert_eq!(text(&run.stderr.bytes), content.to_uppercase());
        let made = Content::File(Output { bytes: b"made".to_vec(), truncated: false });
        assert_eq!(run.files, [FileChange::Created { path: "g".into(), mode: 0o644, content: made }]);
    }
}

#[test]
fn the_arena_holds_what_the_last_run_recorded_and_nothing_older() {
    let mut executor = executor(options());
    for _ in 0..3 {
        executor.run(&TestCase::with_args(["record"]), &Limits::default()).unwrap();
        let header = executor.arena().header();
        assert_eq!((header.magic, header.version), (MAGIC, FORMAT_VERSION));
        assert_eq!((header.events_len, header.nodes_len, header.flags), (16, 1, FLAG_FINISHED));
        assert_eq!(executor.arena().bytes()[header.coverage_offset as usize + 7], 1);
    }
    executor.run(&TestCase::with_args(["nothing"]), &Limits::default()).unwrap();
    let header = executor.arena().header();
    assert_eq!((header.events_len, header.flags), (0, 0));
    assert_eq!(executor.arena().bytes()[header.coverage_offset as usize + 7], 0);
}

#[test]
fn every_run_starts_from_the_same_state() {
    let mut executor = executor(options());
    let mut run = || executor.run(&TestCase::with_args(["where"]), &Limits::default()).unwrap().stdout;
    let first = run();
    assert!(!first.bytes.is_empty());
    assert!((0..5).all(|_| run() == first));
}

#[test]
fn the_servers_descriptors_are_hidden_from_the_program() {
    for namespaces in [true, false] {
        let mut executor = executor(Options { namespaces, ..options() });
        let run = executor.run(&TestCase::with_args(["descriptors"]), &Limits::default()).unwrap();
        assert_eq!(text(&run.stdout.bytes), "[0, 1, 2]\n");
    }
}

#[test]
fn crashes_time_limits_and_memory_limits_end_the_run_but_not_the_server() {
    let mut executor = executor(options());
    let mut run = |word, limits: &Limits| executor.run(&TestCase::with_args([word]), limits).unwrap();
    assert_eq!(run("crash", &Limits::default()).outcome, Outcome::Signaled(libc::SIGABRT));
    assert_eq!(run("sleep", &short()).outcome, Outcome::TimedOut);
    let limits = Limits { memory: 64 << 20, ..Limits::default() };
    let allocated = run("allocate", &limits);
    assert_eq!(allocated.outcome, Outcome::Exited(3));
    let mebibytes: u32 = text(&allocated.stdout.bytes).trim().parse().unwrap();
    assert!((40..=64).contains(&mebibytes), "{mebibytes}");
    assert_eq!(run("nothing", &Limits::default()).outcome, Outcome::Exited(0));
}

#[test]
fn a_program_that_does_not_serve_is_named_as_such() {
    let directory = directory();
    let cases = [
        ("plain", "int main() { return 0; }", ""),
        ("complains", r#"int main() { fprintf(stderr, "usage: x"); return 2; }"#, "usage: x"),
        ("crashes", "__attribute__((constructor)) void c() { abort(); } int main() {}", ""),
        ("hangs", "int main() { sleep(1000); }", "no answer"),
    ];
    for (name, body, said) in cases {
        let program = compile(directory.path(), name, body);
        let options = Options { start_time: Duration::from_millis(500), ..options() };
        let Err(error) = Executor::new(&program, Kind::Instrumented, options) else {
            panic!("{name} serves")
        };
        assert!(matches!(error, Error::DoesNotServe { .. }), "{name}: {error}");
        let message = error.to_string();
        assert!(
            message.contains(name) && message.contains(said) && message.contains("parallax-cc"),
            "{message}"
        );
        assert!(!process_with(program.to_str().unwrap()), "{name} is still there");
    }
}
