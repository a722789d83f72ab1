//! Pairs that are hard to follow: a clear outcome for each.

use crate::support::{arguments, Pair};
use parallax_follow::{chain, what, Cut, Limits, Track};

fn tracks(name: &str, old: &str, new: &str, words: &[&str]) -> Vec<Track> {
    Pair::build(name, old, new).follow(&arguments(words), Limits::default(), |_, run| run.tracks.clone())
}

#[test]
fn a_run_that_is_too_long_is_cut_and_says_so() {
    let text = "int main(int argc, char **argv) { volatile int s = 0; for (int i = 0; i < 100000; i++) s += i; return s + 1 > 3; }";
    let mut pair = Pair::build("long", text, &text.replace("+ 1", "+ 2"));
    let most = Limits { instances: 5000, ..Limits::default() };
    pair.follow(&arguments(&[]), most, |_, run| {
        assert_eq!(run.cut, Some(Cut::Length));
        assert!(run.instances.iter().sum::<u64>() <= 5100, "{:?}", run.instances);
    });
    pair.follow(&arguments(&[]), Limits::default(), |_, run| {
        assert_eq!(run.cut, None);
        assert!(run.tracks[0].infected.is_some() || run.tracks[0].executed);
    });
}

#[test]
fn recursion_without_end_is_followed_until_the_stack_is_used_up() {
    let text =
        "static int f(volatile int *p, int n) { int a[64]; a[n & 63] = *p; return f(p, n + 1) + a[3]; }\n\
                int main(void) { volatile int x = 1; return f(&x, 2); }";
    let most = Limits { instances: 300_000, ..Limits::default() };
    let mut pair = Pair::build("endless", text, &text.replace("&x, 2", "&x, 3"));
    pair.follow(&arguments(&[]), most, |_, run| {
        assert!(run.tracks.iter().any(|track| track.propagated.is_some()));
        assert!(run.graph.len() < 2000, "{}", run.graph.len());
    });
}

#[test]
fn a_second_thread_is_counted_and_left_out() {
    let text = "#include <pthread.h>\n#include <stdio.h>\nstatic int n;\n\
                static void *work(void *p) { for (int i = 0; i < 100; i++) n += i; return p; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0);\n\
                int k = n + 1;\nprintf(\"%d\\n\", k); return 0; }";
    let mut pair = Pair::build("threads", text, &text.replace("n + 1", "n + 2"));
    pair.follow(&arguments(&[]), Limits::default(), |_, run| {
        assert!(run.elsewhere > 100);
        assert!(run.tracks[0].output.is_some());
    });
}

#[test]
fn a_version_that_crashes_in_the_middle_shows_it_where_it_ends() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\
                volatile int *p = malloc(8);\n*p = 3;\nint n = atoi(argv[1]);\n\
                if (n > 5)\n p = 0;\nint m = *p + 1;\nprintf(\"%d\\n\", m);\nreturn 0; }";
    let found = tracks("crash", text, &text.replace("n > 5", "n > 4"), &["5"]);
    assert!(found[0].output.is_some(), "{found:?}");
    let found = tracks("crash-not", text, &text.replace("n > 5", "n > 4"), &["1"]);
    assert!(found[0].executed && found[0].infected.is_none(), "{found:?}");
}

#[test]
fn versions_with_different_numbers_of_outputs_are_followed_past_them() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n int n = atoi(argv[1]);\n\
                for (int i = 0; i < n; i++)\n  printf(\"%d\\n\", i);\n\
                int m = n * 2;\n printf(\"%d\\n\", m);\n return 0; }";
    let new = text.replace("i < n;", "i < n - 1;").replace("n * 2", "n * 3");
    let found = tracks("outputs", text, &new, &["4"]);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|track| track.output.is_some()), "{found:?}");
}

#[test]
fn a_change_of_data_alone_infects_what_reads_it() {
    let text = "#include <stdio.h>\nint table[3] = {1, 2, 3};\nint main(int argc, char **argv) {\n\
                int a = table[argc];\nprintf(\"%d\\n\", a > 5);\nreturn 0; }";
    let found = tracks("data", text, &text.replace("2, 3", "4, 3"), &[]);
    assert!(found.iter().any(|track| track.infected.is_some() && track.output.is_none()), "{found:?}");
    let found = tracks("data-not", text, &text.replace("2, 3", "2, 4"), &[]);
    assert!(found.iter().all(|track| track.infected.is_none()), "{found:?}");
}

#[test]
fn a_change_in_a_header_that_touches_many_functions_is_followed() {
    let mut text = "#include <stdio.h>\nstatic inline int twist(int n) { return n ^ 5; }\n".to_owned();
    for k in 0..300 {
        text += &format!("static int f{k}(int n) {{ return twist(n) + {k}; }}\n");
    }
    text += "int main(int argc, char **argv) { int s = 0;\n";
    (0..300).for_each(|k| text += &format!("s += f{k}(s);\n"));
    text += "printf(\"%d\\n\", s); return 0; }\n";
    let found = tracks("header", &text, &text.replace("n ^ 5", "n ^ 6"), &[]);
    assert!(found.iter().any(|track| track.output.is_some()));
}

#[test]
fn a_chain_leads_from_the_change_to_the_output_with_both_values() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nstatic int g;\nstatic int f(int a) {\n int b = a * 2;\n return b; }\n\
                int main(int argc, char **argv) {\n int n = atoi(argv[1]);\n int m = n + 3;\n g = f(m);\n printf(\"%d\\n\", g);\n return 0; }";
    let mut pair = Pair::build("chain", text, &text.replace("n + 3", "n + 4"));
    pair.follow(&arguments(&["5"]), Limits::default(), |pairing, run| {
        let end = run.tracks[0].output.expect("it is printed").node;
        let steps = chain(&run.graph, pairing, 0, end, 8);
        let told: Vec<String> =
            steps.iter().map(|step| format!("{} {}", step.place.line, step.what)).collect();
        assert_eq!(
            told,
            [
                "9 `m` is 9 instead of 8",
                "10 what `f` is given is 9 instead of 8",
                "5 `b` is 18 instead of 16",
                "6 the result of `f` is 18 instead of 16",
                "10 the result of `f` is 18 instead of 16",
                "11 what `printf` is given is 18 instead of 16"
            ]
        );
        assert_eq!(what(pairing, run.graph.node(1).unwrap()), "`m` is 9 instead of 8");
    });
}
