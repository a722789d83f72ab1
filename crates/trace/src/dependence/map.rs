//! What the words of a segment mean: made by the instrumenter, kept in the program map.
//!
//! Functions, blocks, instructions and globals have the numbers of docs/internals.md ("Numbers").

use serde::{Deserialize, Serialize};

/// Static part of every trace of a program in dependence mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DependenceMap {
    /// Names of functions with a body; index = function number.
    pub functions: Vec<String>,
    /// First block and first instruction of each function, and one more entry with the totals.
    pub first_block: Vec<u32>,
    pub first_instruction: Vec<u32>,
    /// Names of called or referenced functions without a body.
    pub external: Vec<String>,
    /// Names of globals; index = global number.
    pub globals: Vec<String>,
    /// Function of each segment.
    pub segments: Vec<u32>,
    /// End of each segment's steps in `steps`; they begin where the previous segment's end.
    pub ends: Vec<u32>,
    pub steps: Vec<Step>,
}

/// What one instruction of a segment does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "(u8, u32, u64)", try_from = "(u8, u32, u64)")]
pub struct Step {
    pub kind: StepKind,
    /// Number of the instruction; of the argument for [`StepKind::Argument`], unused for blocks and entries.
    pub instruction: u32,
    /// Bytes of an access or object, number of a block, function or callee.
    pub value: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum StepKind {
    /// Function `value` entered.
    Enter = 0,
    /// Block `value` entered.
    Block = 1,
    /// `value` bytes read at the word.
    Load = 2,
    Store = 3,
    /// An atomic operation: both.
    Update = 4,
    /// Stack variable of `value` bytes at the word.
    Stack = 5,
    /// Stack variable whose size is a second word.
    StackDynamic = 6,
    /// A struct of `value` bytes passed by value: a copy of the caller's, at the word.
    Argument = 7,
    /// Memory copied: three words, to, from, bytes.
    Copy = 8,
    /// Memory filled: two words, to, bytes.
    Fill = 9,
    /// Call of function `value` (or `EXTERNAL` and the index of its name). The last step of a segment.
    Call = 10,
    /// Call through the pointer in the word. The last step of a segment.
    CallPointer = 11,
    /// Inline assembler, whose effects are not recorded.
    Assembler = 12,
    Return = 13,
    /// A call that can return more than once (`setjmp`) has returned.
    Again = 14,
    /// The result of the instruction, in the word; only where values are recorded.
    Value = 15,
    /// A parameter of function `value`, in the word; only where values are recorded.
    Parameter = 16,
}

impl StepKind {
    const ALL: [StepKind; 17] = {
        use StepKind::*;
        [
            Enter,
            Block,
            Load,
            Store,
            Update,
            Stack,
            StackDynamic,
            Argument,
            Copy,
            Fill,
            Call,
            CallPointer,
            Assembler,
            Return,
            Again,
            Value,
            Parameter,
        ]
    };

    /// Words that the step takes in the segment's record.
    pub const fn words(self) -> usize {
        use StepKind::*;
        match self {
            Enter | Block | Call | Assembler | Return | Again => 0,
            Load | Store | Update | Stack | Argument | CallPointer | Value | Parameter => 1,
            StackDynamic | Fill => 2,
            Copy => 3,
        }
    }
}

impl From<Step> for (u8, u32, u64) {
    fn from(s: Step) -> (u8, u32, u64) {
        (s.kind as u8, s.instruction, s.value)
    }
}

impl TryFrom<(u8, u32, u64)> for Step {
    type Error = &'static str;

    fn try_from((kind, instruction, value): (u8, u32, u64)) -> Result<Step, &'static str> {
        let kind = *StepKind::ALL.get(kind as usize).ok_or("no such step")?;
        Ok(Step { kind, instruction, value })
    }
}

impl DependenceMap {
    /// Steps of a segment, empty for a number that is none.
    pub fn steps(&self, segment: usize) -> &[Step] {
        let end = self.ends.get(segment).copied().unwrap_or(0) as usize;
        let start = if segment == 0 { 0 } else { self.ends.get(segment - 1).copied().unwrap_or(0) as usize };
        self.steps.get(start..end).unwrap_or(&[])
    }

    /// The function with this block.
    pub fn function_of_block(&self, block: u32) -> u32 {
        self.first_block.partition_point(|first| *first <= block).saturating_sub(1) as u32
    }

    /// The function with this instruction.
    pub fn function_of_instruction(&self, instruction: u32) -> u32 {
        self.first_instruction.partition_point(|first| *first <= instruction).saturating_sub(1) as u32
    }

    /// Name of a callee as it stands in call steps and function records.
    pub fn callee(&self, number: u32) -> Option<&str> {
        let (names, index) = match number & super::records::EXTERNAL {
            0 => (&self.functions, number),
            flag => (&self.external, number & !flag),
        };
        names.get(index as usize).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_kind_survives_writing_and_reading() {
        for (number, kind) in StepKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            let step = Step { kind, instruction: 7, value: 1 << 40 };
            let text = serde_json::to_string(&step).unwrap();
            assert_eq!(serde_json::from_str::<Step>(&text).unwrap(), step);
        }
    }

    #[test]
    fn a_block_on_the_border_belongs_to_the_function_that_it_begins() {
        let map = DependenceMap { first_block: vec![0, 3, 4], ..DependenceMap::default() };
        assert_eq!([0, 2, 3].map(|b| map.function_of_block(b)), [0, 0, 1]);
    }
}
