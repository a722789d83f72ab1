//! Is what a run left behind well formed? Used once, by [`Trace::decode`].
//!
//! In: a trace whose regions lie inside the arena. Out: nothing, or the first thing that is wrong.
//! After this: operands have smaller labels than their node, widths fit, inputs and tables exist, the
//! labels of events exist and conditions are one bit wide.

use crate::format::*;
use crate::reader::{DecodeError, Event, OutputByte, Trace};
use std::collections::HashMap;

/// Checks every node and every table that a node reads.
pub(crate) fn nodes(trace: &Trace) -> Result<(), DecodeError> {
    let mut tables = HashMap::new();
    for label in 1..trace.nodes().len() {
        let label = label as Label;
        node(trace, label, &mut tables).map_err(|reason| DecodeError::Node { label, reason })?;
    }
    Ok(())
}

/// Checks one node. `tables` remembers the largest label in every table seen.
fn node(trace: &Trace, label: Label, tables: &mut HashMap<u32, Label>) -> Result<(), &'static str> {
    let node = &trace.nodes()[label as usize];
    let op = Op::from_u8(node.op).ok_or("no such operator")?;
    if !(1..=64).contains(&node.width) {
        return Err("its width is not 1 to 64 bits");
    }
    if node.value & !mask(node.width) != 0 {
        return Err("its value is wider than itself");
    }
    // Width of an operand, which must be made before the node.
    let width = |operand: Label| match operand {
        0 => Err("an operand is label 0"),
        o if o >= label => Err("an operand is not older than the node"),
        o => Ok(trace.nodes()[o as usize].width),
    };
    let fits = |ok: bool| if ok { Ok(()) } else { Err("the widths of its operands do not fit") };
    match op {
        Op::Const => Ok(()),
        Op::Input => input(trace, node),
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::UDiv
        | Op::SDiv
        | Op::URem
        | Op::SRem
        | Op::Shl
        | Op::LShr
        | Op::AShr
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::UMulHigh
        | Op::SMulHigh => fits(width(node.a)? == node.width && width(node.b)? == node.width),
        Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::UMulOverflow | Op::SMulOverflow => {
            fits(node.width == 1 && width(node.a)? == width(node.b)?)
        }
        Op::ZExt | Op::SExt => fits(width(node.a)? <= node.width),
        Op::Extract => fits(u64::from(node.b) + u64::from(node.width) <= u64::from(width(node.a)?)),
        Op::Concat => fits(width(node.a)? + width(node.b)? == node.width),
        Op::Ite => fits(width(node.a)? == 1 && width(node.b)? == node.width && width(node.c)? == node.width),
        Op::Read => {
            fits(width(node.a)? == 64 && node.width % 8 == 0)?;
            read(trace, label, node.b, tables)
        }
        op => {
            let operands = [node.a, node.b, node.c];
            let mut widths = [0; 3];
            for (at, operand) in operands.iter().take(op.arity()).enumerate() {
                widths[at] = width(*operand)?;
            }
            fits(crate::float::fits(op, node.width, widths, operands))
        }
    }
}

fn input(trace: &Trace, node: &Node) -> Result<(), &'static str> {
    let input = trace.inputs().get(node.a as usize).ok_or("no such input")?;
    if node.width != 8 {
        return Err("an input byte is not 8 bits wide");
    }
    input.byte(node.b).map(|_| ()).ok_or("past the end of its input")
}

fn read(
    trace: &Trace,
    label: Label,
    offset: u32,
    seen: &mut HashMap<u32, Label>,
) -> Result<(), &'static str> {
    let largest = match seen.get(&offset) {
        Some(largest) => *largest,
        None => {
            let table = trace.table(offset).ok_or("its table is not in the trace")?;
            let mut largest = 0;
            for entry in (0..table.bytes.len()).map(|i| table.label(i)).filter(|l| *l != 0) {
                let node = trace.nodes().get(entry as usize).ok_or("a table entry has no node")?;
                if node.width != 8 {
                    return Err("a table entry is not 8 bits wide");
                }
                largest = largest.max(entry);
            }
            seen.insert(offset, largest);
            largest
        }
    };
    if largest >= label {
        return Err("a table entry is not older than the node");
    }
    Ok(())
}

/// Checks every event.
pub(crate) fn events(trace: &Trace) -> Result<(), DecodeError> {
    let mut events = trace.events();
    loop {
        let offset = events.offset();
        let event = match events.try_next() {
            None => return Ok(()),
            Some(event) => event,
        };
        event
            .and_then(|event| labels(trace, &event))
            .map_err(|reason| DecodeError::Event { offset, reason })?;
    }
}

fn labels(trace: &Trace, event: &Event) -> Result<(), &'static str> {
    let exists = |label: Label| {
        if (label as usize) < trace.nodes().len().max(1) {
            Ok(())
        } else {
            Err("its label has no node")
        }
    };
    let width_is = |label: Label, width: fn(u8) -> bool| match trace.nodes().get(label as usize) {
        Some(node) if label != 0 && width(node.width) => Ok(()),
        _ => Err("its label is not a condition or value of the right width"),
    };
    let input_exists = |input: u32| {
        trace.inputs().get(input as usize).map(|_| ()).ok_or("it is about an input that does not exist")
    };
    match *event {
        Event::Branch { label, .. } | Event::Guard { label, .. } => width_is(label, |w| w == 1),
        Event::Switch { label, .. } => width_is(label, |_| true),
        Event::Concrete { label, .. }
        | Event::Escape { label, .. }
        | Event::Watch { label, .. }
        | Event::Compare { label, .. } => exists(label),
        Event::Output { bytes, .. } => {
            for byte in bytes.iter() {
                if let OutputByte::Symbolic(label) = byte {
                    width_is(label, |w| w == 8)?;
                }
            }
            Ok(())
        }
        Event::EndOfInput { input, .. } | Event::Read { input, .. } => input_exists(input),
        Event::Options { .. } | Event::Note { .. } => Ok(()),
    }
}
