//! Changes of one line, and whether the state differs right behind it and further on: as followed, and as native builds with printed state show it.

use crate::support::{arguments, shown, Pair};
use parallax_follow::Limits;

/// `HERE` prints what the marked line leaves behind, `LATER` what code on other lines made of it.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SHOW
#define HERE(...) fprintf(stderr, "here " __VA_ARGS__)
#define LATER(...) fprintf(stderr, "later " __VA_ARGS__)
#else
#define HERE(...)
#define LATER(...)
#endif
struct item { int count; int kind; };
static struct item items[8];
static char text[64];
static int total;
static int clamp(int n) {
    LATER("%d\n", n);
    if (n > 100) return 100;
    return n;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int m = atoi(argv[2]);
    int a = n + 2;                                  // A
    HERE("%d\n", a);
    int low = clamp(a);
    LATER("%d\n", low);
    int b = m * 3;                                  // B
    HERE("%d\n", b);
    int bigger = 0;
    if (b > 1000) bigger = 1;
    LATER("%d\n", bigger);
    items[2].count = n - m;                         // C
    HERE("%d\n", items[2].count);
    if (n == 7) items[2].count = 0;
    int many = items[2].count > 50;
    LATER("%d\n", many);
    if (n > 20)                                     // D
        total += 5;
    HERE("%d\n", n > 20 LIMIT);
    LATER("%d\n", total);
    int rounds = 0;
    for (int i = 0; i < (m & 7); i++)               // E
        rounds += 2;
    LATER("%d\n", rounds);
    strcpy(text, "abc");                            // F
    HERE("%s\n", text);
    int length = strlen(text);
    LATER("%d\n", length);
    char *heap = malloc(16);
    memset(heap, n & 3, 8);                         // G
    HERE("%d %d\n", heap[0], heap[7]);
    int first = heap[7] == 3;
    LATER("%d\n", first);
    int unused = n ^ m;                             // H
    HERE("%d\n", unused);
    printf("%d %d %d %d %d %d %d\n", low > 99, bigger, many, length / 8, total, rounds / 4, first);
    free(heap);
    return unused == 12345;
}
"#;

struct Mutant {
    line: &'static str,
    from: &'static str,
    to: &'static str,
    words: [&'static str; 2],
}

const fn mutant(
    line: &'static str,
    from: &'static str,
    to: &'static str,
    n: &'static str,
    m: &'static str,
) -> Mutant {
    Mutant { line, from, to, words: [n, m] }
}

const MUTANTS: [Mutant; 18] = [
    mutant("// A", "n + 2", "n + 3", "5", "1"),
    mutant("// A", "n + 2", "n + 3", "500", "1"),
    mutant("// A", "n + 2", "2 + n + n - n", "5", "1"),
    mutant("// B", "m * 3", "m * 4", "5", "9"),
    mutant("// B", "m * 3", "m * 4", "5", "260"),
    mutant("// B", "m * 3", "m * 4", "5", "0"),
    mutant("// B", "m * 3", "m + m + m", "5", "11"),
    mutant("// C", "n - m", "n + m", "7", "3"),
    mutant("// C", "n - m", "n + m", "9", "0"),
    mutant("// C", "n - m", "n + m", "49", "3"),
    mutant("// C", "[2].count = n - m", "[2].count = n - m + (n == 9)", "9", "1"),
    mutant("// D", "n > 20", "n > 30", "25", "1"),
    mutant("// D", "n > 20", "n > 30", "35", "1"),
    mutant("// F", "abc", "abd", "1", "1"),
    mutant("// F", "abc", "abcd", "1", "1"),
    mutant("// G", "n & 3", "n & 1", "2", "1"),
    mutant("// G", "heap, n & 3, 8", "heap, n & 3, 7", "3", "1"),
    mutant("// H", "n ^ m", "n | m", "3", "1"),
];

impl Mutant {
    fn text(&self) -> String {
        let line = PROGRAM.lines().find(|line| line.ends_with(self.line)).expect("a marked line");
        let changed = line.replacen(self.from, self.to, 1);
        assert_ne!(line, changed, "{}", self.to);
        // The state that a decision leaves is the decision itself.
        let limit = if self.to == "n > 30" { "+ 10" } else { "" };
        PROGRAM.replace(line, &changed).replace("LIMIT", limit)
    }
}

fn lines<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    text.lines().filter(|line| line.starts_with(word)).collect()
}

/// What native builds with printed state show: infected, propagated, seen from outside.
fn printed(name: &str, new: &str, words: &[&str]) -> [bool; 3] {
    let old = PROGRAM.replace("LIMIT", "");
    let [old, new] =
        [("old", &*old), ("new", new)].map(|(v, text)| shown(&format!("{name}-{v}"), text, words));
    let later = lines(&old[0], "later") != lines(&new[0], "later");
    let here = lines(&old[0], "here") != lines(&new[0], "here");
    [here || later, later, old[1] != new[1]]
}

#[test]
fn infected_and_propagated_are_what_printed_state_shows() {
    let mut wrong = Vec::new();
    for (number, mutant) in MUTANTS.iter().enumerate() {
        let name = format!("mutant-{number}");
        let new = mutant.text();
        let expected = printed(&name, &new, &mutant.words);
        let mut pair = Pair::build(&name, &PROGRAM.replace("LIMIT", ""), &new);
        let found = pair.follow(&arguments(&mutant.words), Limits::default(), |_, run| {
            let any = |f: fn(&parallax_follow::Track) -> bool| run.tracks.iter().any(f);
            [any(|t| t.infected.is_some()), any(|t| t.propagated.is_some()), any(|t| t.output.is_some())]
        });
        if found != expected {
            wrong.push(format!(
                "{} -> {} on {:?}: {found:?}, printed {expected:?}",
                mutant.from, mutant.to, mutant.words
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
