//! Decoding: what a run wrote comes back; what no run can have written is an error, never a panic.

mod common;

use fastrand::Rng;
use parallax_trace::format::*;
use parallax_trace::reader::{DecodeError, Event, OutputByte, Trace};
use parallax_trace::request::{Input, Source};
use parallax_trace::synth::{bytes, Synth};

fn stdin(content: &[u8]) -> Vec<Input> {
    vec![Input { source: Source::Stdin, bytes: content.to_vec(), symbolic: true }]
}

fn raw(kind: u8, x: u32, y: u32, z: u32) -> RawEvent {
    RawEvent { kind, x, y, z, ..RawEvent::default() }
}

#[test]
fn every_kind_of_event_comes_back_as_it_was_written() {
    let mut synth = Synth::new(stdin(b"ab"));
    let byte = synth.input(0, 0);
    let other = synth.input(0, 1);
    let condition = synth.node(Op::Ult, 1, byte, other, 0);
    synth.branch(7, condition);
    synth.event(raw(KIND_SWITCH, 8, byte, 5), &3u32.to_le_bytes());
    synth.event(raw(KIND_SWITCH, 8, byte, 5), &u32::MAX.to_le_bytes());
    synth.event(RawEvent { aux: GUARD_INDEX, flag: 1, ..raw(KIND_GUARD, 9, condition, 5) }, &[]);
    synth.event(RawEvent { aux: CONCRETE_FLOAT, ..raw(KIND_CONCRETE, 10, byte, 5) }, &[]);
    synth.event(raw(KIND_ESCAPE, 11, byte, 4), b"sqrt");
    synth.event(raw(KIND_END_OF_INPUT, 0, 2, 0), &[]);
    let words: Vec<u8> =
        [u32::from(b'x'), OUTPUT_SYMBOLIC | byte].iter().flat_map(|w| w.to_le_bytes()).collect();
    synth.event(RawEvent { flag: 1, ..raw(KIND_OUTPUT, 3, 2, 12) }, &words);
    synth.event(raw(KIND_WATCH, 13, byte, 5), &97u64.to_le_bytes());
    synth.event(raw(KIND_OPTIONS, 1, 0, 17), b"ab:\nlong\t1\t108\nxy");
    synth.event(raw(KIND_COMPARE, byte, 0, 5), b"token");
    synth.event(raw(KIND_NOTE, NOTE_FORK, 0, 0), &[]);
    synth.event(raw(KIND_READ, 0, 0, 2), &[]);

    let trace = synth.trace();
    let events: Vec<Event> = trace.events().collect();
    assert_eq!(events[0], Event::Branch { site: 7, label: condition, taken: true, context: 0 });
    assert_eq!(events[1], Event::Switch { site: 8, label: byte, case: Some(3), context: 5 });
    assert_eq!(events[2], Event::Switch { site: 8, label: byte, case: None, context: 5 });
    let guard = Event::Guard { site: 9, label: condition, held: true, context: 5, guard: GUARD_INDEX };
    assert_eq!(events[3], guard);
    assert_eq!(events[4], Event::Concrete { site: 10, label: byte, reason: CONCRETE_FLOAT, context: 5 });
    assert_eq!(events[5], Event::Escape { site: 11, label: byte, function: b"sqrt" });
    assert_eq!(events[6], Event::EndOfInput { input: 0, offset: 2 });
    let Event::Output { fd: 3, file: true, site: 12, bytes } = events[7] else { panic!("{:?}", events[7]) };
    let written: Vec<_> = bytes.iter().collect();
    assert_eq!(written, [OutputByte::Concrete(b'x'), OutputByte::Symbolic(byte)]);
    assert_eq!(events[8], Event::Watch { site: 13, label: byte, value: 97, context: 5 });
    assert_eq!(events[9], Event::Options { style: 1, table: b"ab:\nlong\t1\t108\nxy" });
    assert_eq!(events[10], Event::Compare { label: byte, token: b"token" });
    assert_eq!(events[11], Event::Note { note: NOTE_FORK });
    assert_eq!(events[12], Event::Read { input: 0, offset: 0, len: 2 });
    assert_eq!(events.len(), 13);
}

#[test]
fn a_node_that_uses_a_younger_one_is_refused() {
    let mut synth = Synth::new(stdin(b"ab"));
    let (a, b) = (synth.input(0, 0), synth.input(0, 1));
    let sum = synth.node(Op::Add, 8, a, b, 0);
    let mut arena = synth.arena();
    let header: Header = *bytemuck_header(&arena);
    let node = header.nodes_offset as usize + sum as usize * size_of::<Node>();
    // Operand `a` is at byte 4 of a node.
    set_u32(&mut arena, node + 4, sum);
    let error = Trace::decode(bytes(&arena), synth.inputs()).unwrap_err();
    assert_eq!(error, DecodeError::Node { label: sum, reason: "an operand is not older than the node" });
}

#[test]
fn another_format_version_is_refused_with_advice() {
    let synth = Synth::new(vec![]);
    let mut arena = synth.arena();
    set_u32(&mut arena, 8, FORMAT_VERSION + 1);
    let error = Trace::decode(bytes(&arena), &[]).unwrap_err();
    assert_eq!(error, DecodeError::Version(FORMAT_VERSION + 1));
    assert!(error.to_string().contains("instrument the program again"), "{error}");
}

#[test]
fn a_cut_arena_is_an_error_at_every_length() {
    let mut rng = Rng::with_seed(1);
    let synth = common::random(&mut rng, 60);
    let arena = synth.arena();
    let whole = bytes(&arena);
    assert!(Trace::decode(whole, synth.inputs()).is_ok());
    // The last region may end in padding.
    for cut in 0..whole.len() - 8 {
        assert!(Trace::decode(&whole[..cut], synth.inputs()).is_err(), "cut at {cut}");
    }
}

#[test]
fn random_corruption_never_panics_anything_that_reads_a_trace() {
    let mut rng = Rng::with_seed(2);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..4000 {
        let synth = common::random(&mut rng, 50);
        let mut arena = synth.arena();
        for _ in 0..rng.usize(1..4) {
            let at = pick_byte(&mut rng, arena.len() * 8);
            let word = arena[at / 8] ^ (u64::from(rng.u8(1..)) << (at % 8 * 8));
            arena[at / 8] = word;
        }
        match Trace::decode(bytes(&arena), synth.inputs()) {
            Ok(trace) => {
                read_everything(&trace);
                accepted += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "corruption must hit and miss: {accepted} {refused}");
}

#[test]
fn garbage_in_every_field_of_the_header_and_everywhere_else_is_an_error_or_a_trace() {
    let mut rng = Rng::with_seed(3);
    let extremes =
        [0, 1, 7, 4095, 4096, 1 << 20, 1 << 31, 1 << 32, 1 << 62, u64::MAX / 16, u64::MAX - 7, u64::MAX];
    let fields = size_of::<Header>() / 8;
    for round in 0..6000 {
        let synth = common::random(&mut rng, 30);
        let mut arena = synth.arena();
        // Magic and version are checked by themselves; with others in their place nothing else would be read.
        let field = 2 + round % (fields - 2);
        arena[field] = if rng.bool() { rng.choice(extremes).unwrap_or(0) } else { rng.u64(..) };
        if round % 3 == 0 {
            let from = rng.usize(HEADER_BYTES / 8..arena.len());
            arena[from..].fill_with(|| rng.u64(..));
        }
        if let Ok(trace) = Trace::decode(bytes(&arena), synth.inputs()) {
            read_everything(&trace);
        }
        let header = *bytemuck_header(&arena);
        let _ = parallax_trace::dependence::chunks(bytes(&arena), &header);
    }
}

/// Half of the time in the header's fields, otherwise anywhere behind the header.
fn pick_byte(rng: &mut Rng, len: usize) -> usize {
    if rng.u8(..4) == 0 {
        rng.usize(..size_of::<Header>())
    } else {
        rng.usize(HEADER_BYTES..len)
    }
}

fn read_everything(trace: &Trace) {
    use parallax_trace::formula::{FormulaLimits, Printer};
    trace.check_self(&[]);
    let mut printer = Printer::new(trace, FormulaLimits::default());
    for label in 0..trace.nodes().len() as u32 {
        printer.value(label);
    }
    parallax_trace::smtlib::script(trace, &trace.conditions(&[]), &|site| site.to_string());
}

fn bytemuck_header(arena: &[u64]) -> &Header {
    bytemuck::from_bytes(&bytes(arena)[..size_of::<Header>()])
}

fn set_u32(arena: &mut [u64], at: usize, value: u32) {
    let shift = at % 8 * 8;
    let word = &mut arena[at / 8];
    *word = (*word & !(0xffff_ffff << shift)) | (u64::from(value) << shift);
}
