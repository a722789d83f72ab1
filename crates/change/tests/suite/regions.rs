//! Changed regions: inputs and outputs (the example of seed 001, section 3).

use crate::common::model;
use parallax_change::{compare, regions, Settings};
use parallax_model::{Op, Operand};

#[test]
fn a_region_takes_in_and_gives_out_what_the_seed_says() {
    // Added: `if (length == 15) state = state + n`, in a loop.
    let old_text = "int out(int);\nint f(int length, int n, int state) {\n    while (out(state)) {\n        state = state * 2;\n    }\n    return state;\n}\n";
    let new_text = old_text.replace("* 2;\n", "* 2;\n        if (length == 15) state = state + n;\n");
    let (old, new) = (model(old_text), model(&new_text));
    let comparison = compare(&old, &new, &Settings::default());
    let regions = regions(&old, &new, &comparison);
    assert_eq!(regions.len(), 1);
    let region = &regions[0];
    assert_eq!(region.old.insts, []);
    let arguments: Vec<u32> = region
        .new
        .inputs
        .iter()
        .filter_map(|o| match o {
            Operand::Arg { index, .. } => Some(*index),
            _ => None,
        })
        .collect();
    assert_eq!(arguments, [0, 1], "length and n");
    let values = region.new.inputs.iter().filter(|o| matches!(o, Operand::Inst(_))).count();
    assert_eq!(values, 1, "state");
    let outputs: Vec<Op> = region.new.outputs.iter().map(|i| new.inst(*i).op).collect();
    assert!(matches!(outputs[..], [Op::Binary(_)]), "state: {outputs:?}");
    assert!(region.new.reads.is_empty() && region.new.writes.is_empty());
}

#[test]
fn memory_is_an_input_and_an_output() {
    let old_text = "int g, h;\nvoid f(int *p) {\n    h = 1;\n}\n";
    let (old, new) =
        (model(old_text), model(&old_text.replace("    h = 1;\n", "    h = 1;\n    *p = g + 1;\n")));
    let comparison = compare(&old, &new, &Settings::default());
    let region = &regions(&old, &new, &comparison)[0];
    let global = new.global_named("g").unwrap();
    assert_eq!(
        region.new.reads.iter().map(|r| r.address).collect::<Vec<_>>(),
        [Some(Operand::Global(global))]
    );
    let func = new.function_named("f").unwrap();
    assert_eq!(region.new.writes[0].address, Some(Operand::Arg { func, index: 0 }));
}

#[test]
fn values_of_both_versions_are_compared_where_they_are_used() {
    let text = "int out(int);\nint main(int c, char **v) {\n    int x = c * 3;\n    return out(x);\n}\n";
    let (old, new) = (model(text), model(&text.replace("c * 3", "c * 4")));
    let comparison = compare(&old, &new, &Settings::default());
    let compared = &regions(&old, &new, &comparison)[0].compared;
    assert_eq!(compared.len(), 1);
    assert!(
        old.inst(compared[0].old_user).op.call().is_some()
            && new.inst(compared[0].new_user).op.call().is_some()
    );
    assert!(matches!((compared[0].old, compared[0].new), (Operand::Inst(_), Operand::Inst(_))));
}
