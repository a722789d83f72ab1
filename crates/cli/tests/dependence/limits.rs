//! Traces that do not fit, and chunks that hold anything.

use crate::support::Program;
use parallax_execute::{ArenaSizes, TestCase};
use parallax_trace::dependence::records::{CHUNK_BYTES, RECORD};
use parallax_trace::dependence::{Chunk, Decoder};
use parallax_trace::format::{FLAG_EVENTS_FULL, FLAG_FINISHED};

const LONG: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned t[256];
int main(int argc, char **argv) {
    unsigned n = atoi(argv[1]), s = 0;
    for (unsigned i = 0; i < n; i++) { t[i & 255] += i; s = s * 31 + t[(i * 7) & 255]; }
    printf("%u\n", s);
    return 0;
}
"#;

/// Three chunks.
pub fn small() -> ArenaSizes {
    ArenaSizes { events: (3 * CHUNK_BYTES + 4096) as u64, nodes: 0, tables: 0, ..ArenaSizes::default() }
}

#[test]
fn a_trace_that_outgrows_its_memory_is_cut_or_streamed_but_never_wrong() {
    let mut roomy = Program::build("roomy", LONG);
    let mut tight = Program::build_with("tight", LONG, small());
    let test = TestCase::with_args(["100000"]);
    let whole = roomy.record(&test);
    assert_eq!(whole.flags & (FLAG_EVENTS_FULL | FLAG_FINISHED), FLAG_FINISHED);
    assert!(whole.events.len() > 400_000);

    let cut = tight.record(&test);
    assert_eq!(cut.flags & (FLAG_EVENTS_FULL | FLAG_FINISHED), FLAG_EVENTS_FULL | FLAG_FINISHED);
    assert!(cut.events.len() > 50_000 && cut.events.len() < whole.events.len());
    assert_eq!(cut.events[..], whole.events[..cut.events.len()], "what is there is the beginning");

    let streamed = tight.stream(&test);
    assert_eq!(streamed.flags & (FLAG_EVENTS_FULL | FLAG_FINISHED), FLAG_FINISHED);
    assert_eq!(streamed.run.stdout, whole.run.stdout);
    assert!(streamed.events == whole.events, "streamed {} of {}", streamed.events.len(), whole.events.len());

    // The next run finds nothing of the one before.
    let short = tight.record(&TestCase::with_args(["10"]));
    assert_eq!(short.events, roomy.record(&TestCase::with_args(["10"])).events);
}

#[test]
fn chunks_of_any_content_are_decoded_or_refused() {
    let program = Program::build("any", LONG);
    let mut random = fastrand::Rng::with_seed(3);
    let mut refused = 0;
    for round in 0..3000u32 {
        let words: Vec<u64> = (0..64)
            .map(|_| match random.u8(0..5) {
                0 => random.u64(0..1 + program.map.segments.len() as u64),
                1 => RECORD | random.u64(0..12) << 56 | random.u64(0..9),
                2 => random.u64(..),
                _ => random.u64(0..1 << 20),
            })
            .collect();
        let chunk = Chunk { thread: random.u32(0..3), sequence: round.into(), words: &words };
        let mut events = 0;
        refused += Decoder::new(&program.map).decode(&chunk, |_, _| events += 1).is_err() as u32;
    }
    assert!(refused > 500 && refused < 3000, "{refused}");
}
