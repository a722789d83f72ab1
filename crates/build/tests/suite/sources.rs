//! Files, trees, git revisions and patches; the cache; and everything that can be wrong with them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::{check_relinked, output_of, request_for, testdata, Sandbox};
use parallax_build::{build, BuildError, Request, Source};

fn git(sandbox: &Sandbox, tree: &Path, command: &str) -> String {
    sandbox.run(tree, &format!("git -c user.name=t -c user.email=t@t {command}"))
}

/// A repository whose revisions print 1 and 2, with a working tree that does not compile.
fn repository(sandbox: &Sandbox) -> std::path::PathBuf {
    let tree = sandbox.tree("history");
    git(sandbox, &tree, "init -q -b trunk");
    git(sandbox, &tree, "add -A");
    git(sandbox, &tree, "commit -qm one");
    let main = fs::read_to_string(tree.join("main.c")).unwrap();
    fs::write(tree.join("main.c"), main.replace("1)", "2)")).unwrap();
    git(sandbox, &tree, "commit -qam two");
    fs::write(tree.join("main.c"), "work in progress").unwrap();
    tree
}

fn revision(directory: &Path, revision: &str) -> Request {
    let source = Source::Git { directory: directory.to_path_buf(), revision: revision.to_string() };
    Request { command: Some("make".into()), ..request_for(source) }
}

#[test]
fn a_single_file_is_built_with_headers_from_its_directory() {
    let sandbox = Sandbox::new();
    let file = sandbox.path().join("old.c");
    fs::write(sandbox.path().join("value.h"), "#define VALUE 5\n").unwrap();
    fs::write(
        &file,
        "#include \"value.h\"\n#include <stdio.h>\nint main(void) { printf(\"%d\\n\", VALUE); }\n",
    )
    .unwrap();
    let request = request_for(Source::File(file));
    let version = build(&request, &sandbox.cache()).unwrap();
    assert_eq!(check_relinked(&version), "5\n");
    // A changed header is a changed version.
    fs::write(sandbox.path().join("value.h"), "#define VALUE 6\n").unwrap();
    assert_eq!(output_of(&build(&request, &sandbox.cache()).unwrap().native), "6\n");
}

#[test]
fn a_file_that_does_not_compile_shows_the_compilers_message_and_the_command() {
    let sandbox = Sandbox::new();
    let request = request_for(Source::File(testdata("broken").join("main.c")));
    let message = build(&request, &sandbox.cache()).unwrap_err().to_string();
    assert!(message.contains("main.c:3:12: error: use of undeclared identifier 'missing'"), "{message}");
    assert!(message.contains("-O1"), "{message}");
}

#[test]
fn the_native_compiler_can_be_chosen() {
    let sandbox = Sandbox::new();
    let mut request = request_for(Source::Tree(testdata("archive")));
    request.command = Some("make".into());
    request.native_cc = Some("gcc -DX".into());
    let version = build(&request, &sandbox.cache()).unwrap();
    assert_eq!(check_relinked(&version), "42\n");
    assert!(sandbox
        .run(sandbox.path(), &format!("readelf -p .comment {}", version.native.display()))
        .contains("GCC:"));
    request.native_cc = Some("no-such-compiler".into());
    let message = build(&request, &sandbox.cache()).unwrap_err().to_string();
    assert!(message.contains("no-such-compiler"), "{message}");
}

#[test]
fn a_failing_build_keeps_its_tree_and_log_and_the_next_one_starts_afresh() {
    let sandbox = Sandbox::new();
    let flag = sandbox.path().join("flag");
    let command = format!("test ! -e left-over && touch left-over && test -e {} && make", flag.display());
    let error = sandbox.build("archive", &command, "program").unwrap_err();
    let BuildError::BuildFailed { directory, log, .. } = &error else { panic!("{error}") };
    assert!(directory.join("left-over").exists() && log.is_file());
    // Nor does another build sweep it away.
    sandbox.build("statics", "$CC -fcommon main.c other.c -o program", "program").unwrap();
    assert!(directory.join("left-over").exists());
    fs::write(&flag, "").unwrap();
    assert_eq!(output_of(&sandbox.build("archive", &command, "program").unwrap().native), "42\n");
}

#[test]
fn a_tree_is_never_written() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    let listing = || sandbox.run(&tree, "ls -lA --time-style=full-iso; cat *");
    let before = listing();
    let request = Request { command: Some("make".into()), ..request_for(Source::Tree(tree.clone())) };
    let version = build(&request, &sandbox.cache()).unwrap();
    assert_eq!(output_of(&version.native), "42\n");
    assert_eq!(listing(), before);
}

#[test]
fn make_sees_in_the_copy_the_times_of_the_original() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("history");
    // Were times lost, make would run the rule, which fails.
    fs::write(
        tree.join("Makefile"),
        "program: main.c generated\n\t$(CC) main.c -o program\ngenerated: input\n\tfalse\n",
    )
    .unwrap();
    sandbox.run(&tree, "touch -d '2 hours ago' generated; touch -d '3 hours ago' input");
    let request = Request { command: Some("make".into()), ..request_for(Source::Tree(tree)) };
    assert_eq!(output_of(&build(&request, &sandbox.cache()).unwrap().native), "1\n");
}

#[test]
fn the_second_build_of_the_same_thing_runs_no_command() {
    let sandbox = Sandbox::new();
    let counter = sandbox.path().join("counter");
    let command = format!("echo x >>{} && make", counter.display());
    let first = sandbox.build("archive", &command, "program").unwrap();
    let second = sandbox.build("archive", &command, "program").unwrap();
    assert_eq!(first, second);
    assert_eq!(fs::read_to_string(&counter).unwrap(), "x\n");
}

#[test]
fn two_builds_of_the_same_thing_at_once_run_the_command_once() {
    let sandbox = Sandbox::new();
    let counter = sandbox.path().join("counter");
    let command = format!("echo x >>{} && sleep 0.3 && make", counter.display());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| sandbox.build("archive", &command, "program").unwrap());
        }
    });
    assert_eq!(fs::read_to_string(&counter).unwrap(), "x\n");
}

#[test]
fn a_tree_is_built_once_for_all_its_programs() {
    let sandbox = Sandbox::new();
    let counter = sandbox.path().join("counter");
    let command = format!("echo x >>{} && make && cp program twin", counter.display());
    let first = sandbox.build("archive", &command, "program").unwrap();
    let second = sandbox.build("archive", &command, "twin").unwrap();
    assert_eq!(first.source_root, second.source_root);
    assert!(second.native.ends_with("twin"));
    assert!(sandbox.build("archive", &command, "misspelt").is_err());
    assert_eq!(fs::read_to_string(&counter).unwrap(), "x\n");
    // What somebody has cleaned away is built again.
    fs::remove_file(&second.native).unwrap();
    assert_eq!(output_of(&sandbox.build("archive", &command, "twin").unwrap().native), "42\n");
    assert_eq!(fs::read_to_string(&counter).unwrap(), "x\nx\n");
}

#[test]
fn an_interrupted_build_is_started_afresh() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("archive", "make", "program").unwrap();
    // What a kill leaves: a tree with half of its files, and no word that it is complete.
    let entry = version.source_root.parent().unwrap();
    fs::remove_file(entry.join("built.json")).unwrap();
    fs::write(version.source_root.join("libnumbers.a"), "half an archive").unwrap();
    sandbox.build("statics", "$CC -fcommon main.c other.c -o program", "program").unwrap();
    assert!(!entry.exists(), "swept by another build");
    let again = sandbox.build("archive", "make", "program").unwrap();
    assert_eq!(output_of(&again.native), "42\n");
}

/// A build that takes a second, in a cache that the environment names.
fn slow_request(sandbox_path: &Path) -> (Request, parallax_build::Cache) {
    let log = sandbox_path.join("log").display().to_string();
    let command = format!("echo start >>{log} && sleep 1 && make && echo end >>{log}");
    let request = Request { command: Some(command), ..request_for(Source::Tree(testdata("archive"))) };
    (request, parallax_build::Cache::at(sandbox_path.join("cache")))
}

#[test]
#[ignore = "started and killed by a_build_that_is_killed_leaves_no_entry"]
fn slow_build() {
    let path = std::env::var_os("SANDBOX").unwrap();
    let (request, cache) = slow_request(Path::new(&path));
    build(&request, &cache).unwrap();
}

#[test]
fn a_build_that_is_killed_leaves_no_entry() {
    let sandbox = Sandbox::new();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "sources::slow_build"])
        .env("SANDBOX", sandbox.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let log = sandbox.path().join("log");
    while !log.exists() {
        assert!(child.try_wait().unwrap().is_none(), "ended before it was killed");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let builds = sandbox.cache().root().join("builds");
    let versions = sandbox.run(&builds, "find . -name built.json");
    assert_eq!(versions, "");
    let (request, cache) = slow_request(sandbox.path());
    assert_eq!(output_of(&build(&request, &cache).unwrap().native), "42\n");
    // The shell of the killed build died with it.
    assert_eq!(fs::read_to_string(log).unwrap(), "start\nstart\nend\n");
}

#[test]
fn a_submodule_is_part_of_its_revision() {
    let sandbox = Sandbox::new();
    let inner = repository(&sandbox);
    let outer = sandbox.path().join("outer");
    fs::create_dir(&outer).unwrap();
    git(&sandbox, &outer, "init -q");
    git(
        &sandbox,
        &outer,
        &format!("-c protocol.file.allow=always submodule --quiet add {} sub", inner.display()),
    );
    git(&sandbox, &outer, "commit -qm outer");
    let mut request = revision(&outer, "HEAD");
    request.command = Some("make -C sub".into());
    assert_eq!(output_of(&build(&request, &sandbox.cache()).unwrap().native), "2\n");
}

#[test]
fn a_program_that_the_build_does_not_make_is_answered_with_those_it_makes() {
    let sandbox = Sandbox::new();
    let message = sandbox.build("two", "make", "three").unwrap_err().to_string();
    assert!(message.contains("no program three") && message.contains("bin/one, bin/two"), "{message}");
    let request = Request { command: Some("make".into()), ..request_for(Source::Tree(testdata("two"))) };
    let message = build(&request, &sandbox.cache()).unwrap_err().to_string();
    assert!(message.contains("--program") && message.contains("bin/one, bin/two"), "{message}");
}

#[test]
fn a_program_is_found_by_its_name_alone() {
    let sandbox = Sandbox::new();
    let version = sandbox.build("two", "make", "two").unwrap();
    assert!(version.native.ends_with("bin/two"));
}

#[test]
fn a_build_that_makes_no_program_says_so() {
    let sandbox = Sandbox::new();
    let message = sandbox.build("archive", "true", "program").unwrap_err().to_string();
    assert!(message.contains("no program at all"), "{message}");
}

#[test]
fn a_tree_that_was_built_before_is_answered_with_the_way_out() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("archive");
    sandbox.run(&tree, "make CC=clang-19");
    let mut request = Request { command: Some("make".into()), ..request_for(Source::Tree(tree)) };
    request.program = Some("program".into());
    let message = build(&request, &sandbox.cache()).unwrap_err().to_string();
    assert!(message.starts_with("program: built before") && message.contains("make clean"), "{message}");
    request.program = None;
    let message = build(&request, &sandbox.cache()).unwrap_err().to_string();
    assert!(message.contains("clean-up"), "{message}");
    request.command = Some("rm -f *.o *.a program && make".into());
    assert_eq!(output_of(&build(&request, &sandbox.cache()).unwrap().native), "42\n");
}

#[test]
fn a_tree_without_a_build_command_is_refused() {
    let sandbox = Sandbox::new();
    let error = build(&request_for(Source::Tree(testdata("archive"))), &sandbox.cache()).unwrap_err();
    assert!(error.to_string().contains("--build"));
}

#[test]
fn a_git_revision_is_built_without_touching_the_repository() {
    let sandbox = Sandbox::new();
    let tree = repository(&sandbox);
    let state = || {
        sandbox.run(&tree, "find . -printf '%p %T@ %s\\n' | sort; GIT_OPTIONAL_LOCKS=0 git status --porcelain; git worktree list")
    };
    let before = state();
    for (name, expected) in [("HEAD", "2\n"), ("trunk~1", "1\n")] {
        let version = build(&revision(&tree, name), &sandbox.cache()).unwrap();
        assert_eq!(output_of(&version.native), expected);
    }
    assert_eq!(state(), before);
}

#[test]
fn a_revision_is_built_in_the_subdirectory_where_the_user_stands() {
    let sandbox = Sandbox::new();
    let top = sandbox.path().join("top");
    fs::create_dir(&top).unwrap();
    let tree = sandbox.tree("history");
    sandbox.run(&top, &format!("mv {} sub", tree.display()));
    git(&sandbox, &top, "init -q && git add -A");
    git(&sandbox, &top, "commit -qm one");
    let version = build(&revision(&top.join("sub"), "HEAD"), &sandbox.cache()).unwrap();
    assert!(version.native.ends_with("sub/program"));
}

#[test]
fn a_revision_that_is_not_there_is_an_error_that_names_the_way_out() {
    let sandbox = Sandbox::new();
    let tree = repository(&sandbox);
    let message = |directory: &Path, name: &str| {
        build(&revision(directory, name), &sandbox.cache()).unwrap_err().to_string()
    };
    assert!(message(&tree, "no-such").contains("git fetch"));
    git(&sandbox, sandbox.path(), &format!("clone -q --depth 1 file://{} shallow", tree.display()));
    assert!(message(&sandbox.path().join("shallow"), "HEAD~1").contains("--unshallow"));
    let outside = tempfile::tempdir().unwrap();
    assert!(message(outside.path(), "HEAD").contains("not inside a git repository"));
}

#[test]
fn a_patch_is_applied_to_the_copy() {
    let sandbox = Sandbox::new();
    let tree = sandbox.tree("history");
    let patch = sandbox.path().join("change.patch");
    fs::write(&patch, "--- a/main.c\n+++ b/main.c\n@@ -2,6 +2,6 @@\n \n int main(void)\n {\n-    printf(\"%d\\n\", 1);\n+    printf(\"%d\\n\", 7);\n     return 0;\n }\n").unwrap();
    let mut request = Request { command: Some("make".into()), ..request_for(Source::Tree(tree.clone())) };
    request.patch = Some(patch);
    assert_eq!(output_of(&build(&request, &sandbox.cache()).unwrap().native), "7\n");
    assert!(fs::read_to_string(tree.join("main.c")).unwrap().contains("1)"));
}

#[test]
fn a_patch_that_does_not_apply_is_an_error_that_names_the_hunk() {
    let sandbox = Sandbox::new();
    let patch = sandbox.path().join("change.patch");
    fs::write(&patch, "--- a/main.c\n+++ b/main.c\n@@ -1,2 +1,2 @@\n-#include <stdlib.h>\n+#include <stdio.h>\n \n@@ -4,3 +4,3 @@\n {\n-    printf(\"%d\\n\", 1);\n+    printf(\"%d\\n\", 7);\n     return 0;\n").unwrap();
    let mut request =
        Request { command: Some("make".into()), ..request_for(Source::Tree(testdata("history"))) };
    request.patch = Some(patch);
    let message = build(&request, &sandbox.cache()).unwrap_err().to_string();
    assert!(message.contains("main.c:1") && message.contains("hunk #1"), "{message}");
    request.patch = Some(sandbox.path().join("missing.patch"));
    assert!(matches!(build(&request, &sandbox.cache()).unwrap_err(), BuildError::NoSuchFile(_)));
}

#[test]
fn sources_are_recognised_by_what_they_are() {
    let here = testdata("");
    assert_eq!(Source::parse("archive", &here).unwrap(), Source::Tree(here.join("archive")));
    assert_eq!(Source::parse("broken/main.c", &here).unwrap(), Source::File(here.join("broken/main.c")));
    assert!(
        matches!(Source::parse("git:HEAD~2", &here).unwrap(), Source::Git { revision, .. } if revision == "HEAD~2")
    );
    assert!(matches!(Source::parse("nowhere", &here).unwrap_err(), BuildError::NoSuchFile(_)));
}

#[test]
fn a_cache_that_cannot_be_written_is_an_error_that_names_it() {
    let mut request = request_for(Source::Tree(testdata("archive")));
    request.command = Some("make".into());
    let message = build(&request, &parallax_build::Cache::at("/proc/no-such")).unwrap_err().to_string();
    assert!(message.starts_with("/proc/no-such"), "{message}");
}

#[test]
fn a_build_that_is_stopped_ends_at_once_with_all_that_it_started() {
    let sandbox = Sandbox::new();
    let mark = sandbox.path().join("started");
    let mut request = request_for(Source::Tree(sandbox.tree("two")));
    request.command = Some(format!("(sleep 600 & sleep 600) & touch {}; wait", mark.display()));
    let seen = mark.clone();
    request.stop = parallax_build::Stop::when(move || seen.exists());
    let before = std::time::Instant::now();
    let error = build(&request, &sandbox.cache()).unwrap_err();
    assert!(matches!(error, BuildError::Stopped), "{error}");
    assert!(before.elapsed() < std::time::Duration::from_secs(60));
}
