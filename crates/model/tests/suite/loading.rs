//! What the loader finds in a program, against what the source says.

use crate::common::*;
use parallax_model::*;

fn shapes() -> Program {
    program("shapes.c")
}

#[test]
fn functions_with_a_body_come_first_in_module_order() {
    let p = shapes();
    let names: Vec<&str> = p.defined_functions().map(|f| p.func(f).name.as_str()).collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(sorted, ["before", "first", "leave", "main", "pick", "second"]);
    assert!(p.functions[p.defined as usize..].iter().all(|f| !f.is_defined()));
    let at = |name| names.iter().position(|n| *n == name).unwrap();
    assert!(at("pick") < at("main"), "functions are in the order of the module");
}

#[test]
fn blocks_and_instructions_are_contiguous_and_cover_everything() {
    let p = shapes();
    let (mut block, mut inst) = (0, 0);
    for f in p.defined_functions() {
        let function = p.func(f);
        assert_eq!((function.blocks.start, function.insts.start), (block, inst));
        for b in function.blocks.iter() {
            assert_eq!((p.block(b).func, p.block(b).insts.start), (f, inst));
            inst = p.block(b).insts.end;
            assert!(p.inst(p.terminator(b)).op.is_terminator());
            let others = p.block(b).insts.iter().rev().skip(1);
            assert!(others.into_iter().all(|i| !p.inst(i).op.is_terminator() && p.inst(i).block == b));
            assert!(p.successors(b).iter().all(|s| function.blocks.contains(*s)));
        }
        block = function.blocks.end;
        assert_eq!(function.insts.end, inst);
    }
    assert_eq!((block as usize, inst as usize), (p.blocks.len(), p.insts.len()));
}

#[test]
fn places_are_those_of_the_source() {
    let p = shapes();
    let pick = p.func(func(&p, "pick"));
    assert!(p.file(pick.file.unwrap()).ends_with("programs/shapes.c"));
    let start = line("shapes.c", "int pick(");
    // The declaration, the brace, eight lines, the brace: that is where `ret` is.
    assert_eq!((pick.line, pick.end_line), (start, start + 10));
    let switch = the(&p, "pick", |op| matches!(op, Op::Switch));
    let loc = p.loc(switch).unwrap();
    assert_eq!((loc.line, loc.inlined_at), (line("shapes.c", "switch (chosen"), None));
}

#[test]
fn inlined_code_knows_its_own_place_and_that_of_the_call() {
    let directory = tempfile::tempdir().unwrap();
    let (source, bitcode) = (directory.path().join("p.c"), directory.path().join("p.bc"));
    let text =
        "static int odd(int x) {\n    return x * 7;\n}\nint main(int c, char **v) {\n  return odd(c);\n}\n";
    std::fs::write(&source, text).unwrap();
    let mut clang = std::process::Command::new("clang-19");
    clang.args(["-O2", "-g", "-c", "-emit-llvm"]).arg(&source).arg("-o").arg(&bitcode);
    assert!(clang.status().unwrap().success());
    let p = load(&std::fs::read(&bitcode).unwrap()).unwrap();
    let product = the(&p, "main", |op| matches!(op, Op::Binary(BinaryOp::Mul)));
    let loc = p.loc(product).unwrap();
    let call = p.locs[loc.inlined_at.unwrap().index()];
    assert_eq!((loc.line, loc.col, call.line, call.col), (2, 14, 5, 10));
    assert!(call.inlined_at.is_none());
}

#[test]
fn a_switch_has_its_cases_in_operands_and_successors() {
    let p = shapes();
    let switch = the(&p, "pick", |op| matches!(op, Op::Switch));
    let minus_three = u64::from(-3i32 as u32);
    let operands = p.operands(switch);
    assert!(matches!(operands[0], Operand::Inst(i) if matches!(p.inst(i).op, Op::Load { .. })));
    assert_eq!(operands[1..], [0, minus_three].map(|value| Operand::Int { bits: 32, value }));
    let lines: Vec<u32> = p.successors(p.inst(switch).block).iter().map(|b| p.block(*b).line).collect();
    let wanted = ["return table", "return handlers", "return chosen"];
    assert_eq!(lines, wanted.map(|text| line("shapes.c", text)));
}

#[test]
fn address_computations_know_fields_and_bytes() {
    let p = shapes();
    // chosen->name.length: flag and color take 8 bytes, text another 8.
    let load = insts(&p, "pick", |op| matches!(op, Op::Load { .. }))
        .into_iter()
        .find(|i| p.loc(*i).unwrap().line == line("shapes.c", "return chosen"))
        .unwrap();
    let (mut address, mut offset) = (p.operands(load)[0], 0);
    let mut fields = Vec::new();
    while let Operand::Inst(i) = address {
        let Op::Gep(g) = p.inst(i).op else { break };
        offset += p.gep(g).offset;
        fields.insert(0, p.gep(g).path.clone());
        address = p.operands(i)[0];
    }
    assert_eq!(address, Operand::Arg { func: func(&p, "pick"), index: 0 });
    assert_eq!(offset, 16);
    let steps: Vec<_> = fields.concat().into_iter().filter(|s| matches!(s, PathStep::Field(_))).collect();
    assert_eq!(steps, [PathStep::Field(2), PathStep::Field(1)]);
}

#[test]
fn a_variable_index_has_the_size_of_the_element_as_scale() {
    let p = shapes();
    let option = p
        .types
        .iter()
        .find(|t| matches!(&t.kind, TypeKind::Struct(s) if s.name.as_deref() == Some("struct.option")));
    // 4 + 4 + 16 + 1 + padding + 8
    assert_eq!(option.unwrap().size, 40);
    let scales: Vec<u64> = insts(&p, "pick", |op| matches!(op, Op::Gep(_)))
        .into_iter()
        .filter(|i| p.loc(*i).unwrap().line == line("shapes.c", "return table"))
        .filter_map(|i| match p.inst(i).op {
            Op::Gep(g) => p.gep(g).terms.first().map(|t| t.scale),
            _ => None,
        })
        .collect();
    assert_eq!(scales, [40]);
}

#[test]
fn initialisers_hold_numbers_strings_and_addresses() {
    let p = shapes();
    let handlers = p.global(p.global_named("handlers").unwrap());
    assert!(handlers.constant && handlers.linkage == Linkage::Internal);
    let Some(Operand::Const(c)) = handlers.initialiser else { panic!() };
    assert_eq!(
        p.constant(c).kind.operands(),
        [Operand::Func(func(&p, "first")), Operand::Func(func(&p, "second"))]
    );
    let table = p.global_named("table").unwrap();
    let Some(Operand::Const(c)) = p.global(table).initialiser else { panic!() };
    let Operand::Const(entry) = p.constant(c).kind.operands()[0] else { panic!() };
    let fields = p.constant(entry).kind.operands();
    assert_eq!(fields[..2], [1, 5].map(|value| Operand::Int { bits: 32, value }));
    let Operand::Const(name) = fields[2] else { panic!() };
    let Operand::Const(text) = p.constant(name).kind.operands()[0] else { panic!() };
    assert_eq!(p.constant(text).kind, ConstKind::Bytes(b"abc\0\0\0\0\0".to_vec()));
    let Some(Operand::Const(next)) = fields.last().copied() else { panic!() };
    let ConstKind::Gep { gep, operands } = &p.constant(next).kind else { panic!() };
    assert_eq!((p.gep(*gep).offset, operands[0]), (40, Operand::Global(table)));
    assert!(p.global(p.global_named("elsewhere").unwrap()).external());
}

#[test]
fn names_of_the_source_are_known() {
    let p = shapes();
    let pick = p.func(func(&p, "pick"));
    let names: Vec<_> = pick.params.iter().map(|p| p.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["chosen", "amount"]);
    let main = func(&p, "main");
    let locals: Vec<&str> =
        p.variables.iter().filter(|v| v.func == main && v.arg.is_none()).map(|v| v.name.as_str()).collect();
    assert!(locals.contains(&"total") && locals.contains(&"i"), "{locals:?}");
    // `total` has its address taken and stays in memory; `i` is a phi.
    let named = |wanted: fn(&Op) -> bool| -> Vec<&str> {
        let found = insts(&p, "main", wanted).into_iter().filter_map(|i| p.variable_of(i));
        found.map(|v| p.variable(v).name.as_str()).collect()
    };
    assert_eq!(named(|op| matches!(op, Op::Alloca { .. })), ["total"]);
    assert_eq!(named(|op| matches!(op, Op::Phi { .. })), ["i"]);
}

#[test]
fn members_and_enumerators_are_known() {
    let p = shapes();
    let structure = p.types.iter().find_map(|t| match &t.kind {
        TypeKind::Struct(s) if s.name.as_deref() == Some("struct.option") => s.debug,
        _ => None,
    });
    let structure = structure.expect("the structure of the source is found");
    let name = |offset| p.member_name(structure, offset);
    assert_eq!(name(0).as_deref(), Some("flag"));
    assert_eq!(name(4).as_deref(), Some("color"));
    assert_eq!(name(16).as_deref(), Some("name.length"));
    assert_eq!(name(24).as_deref(), Some("small"));
    assert_eq!(name(32).as_deref(), Some("next"));
    let values = p.debug_types.iter().find_map(|t| match t {
        DebugType::Enum { name: Some(name), values, .. } if name == "color" => Some(values),
        _ => None,
    });
    let values: Vec<_> = values.unwrap().iter().map(|e| (e.name.as_str(), e.value)).collect();
    assert_eq!(values, [("RED", 0), ("GREEN", 5), ("BLUE", -3)]);
}

#[test]
fn calls_know_what_they_call_and_whether_it_returns() {
    let p = shapes();
    let call = the(&p, "pick", |op| matches!(op, Op::Call { callee: Callee::Indirect, .. }));
    assert_eq!(p.call_arguments(call).len(), 2);
    assert!(
        matches!(p.called_pointer(call), Some(Operand::Inst(i)) if matches!(p.inst(i).op, Op::Load { .. }))
    );
    let flags = |f: &str, callee: &str| {
        let callee = Callee::Direct(func(&p, callee));
        p.inst(the(&p, f, |op| op.call().is_some_and(|c| c.0 == callee))).op.call().unwrap().2
    };
    assert!(flags("main", "leave").noreturn && flags("leave", "exit").noreturn);
    assert!(!flags("main", "pick").noreturn && flags("main", "_setjmp").returns_twice);
    let asm = the(&p, "main", |op| matches!(op.call(), Some((Callee::Asm(_), ..))));
    let Some((Callee::Asm(asm), ..)) = p.inst(asm).op.call() else { panic!() };
    assert_eq!(p.asms[asm.index()].text, "nop");
    the(&p, "main", |op| matches!(op, Op::AtomicRmw { op: RmwOp::Add, .. }));
    let taken: Vec<&str> =
        p.functions.iter().filter(|f| f.address_taken && f.is_defined()).map(|f| f.name.as_str()).collect();
    assert_eq!(taken, ["before", "first", "second"], "the constructor's list holds an address");
    assert_eq!(p.constructors, [func(&p, "before")]);
}

#[test]
fn a_stored_model_comes_back_as_it_was() {
    let p = shapes();
    assert_eq!(Program::from_bytes(&p.to_bytes()).unwrap(), p);
    assert!(Program::from_bytes(&p.to_bytes()[..100]).is_err());
    let mut other = p.to_bytes();
    other[8] ^= 1;
    let error = Program::from_bytes(&other).unwrap_err().to_string();
    assert!(error.contains("another version"), "{error}");
}

#[test]
fn bitcode_without_debug_info_has_code_but_no_places() {
    let p = load_with(&source("shapes.c"), &[]);
    let with = shapes();
    assert!(!p.has_debug_info && with.has_debug_info);
    assert_eq!((p.blocks.len(), p.insts.len()), (with.blocks.len(), with.insts.len()));
    assert!(p.insts.iter().all(|i| i.loc.is_none()) && p.files.is_empty());
}

#[test]
fn a_program_of_one_empty_function_is_one_block() {
    let p = program_of("void f(void) {}\n");
    assert_eq!((p.defined, p.blocks.len(), p.insts.len()), (1, 1, 1));
    assert_eq!(p.insts[0].op, Op::Ret);
}

#[test]
fn computed_gotos_are_switches_over_their_labels() {
    let p = program_of(
        "int f(int n) {\n  static void *const to[] = {&&a, &&b, &&c};\n  goto *to[n];\n\
         a: return 4;\nb: return 7;\nc: return 9;\n}\n",
    );
    let jump = the(&p, "f", |op| matches!(op, Op::Switch { .. }));
    // One more for what is no label.
    assert_eq!(p.successors(p.inst(jump).block).len(), 4);
}

/// The assembler is given a label, and with it the real address.
#[test]
fn computed_gotos_of_the_assembler_have_all_their_labels_as_successors() {
    let p = program_of(
        "int f(int n) {\n  static void *const to[] = {&&a, &&b, &&c};\n  __asm__ volatile(\"\" : : \"i\"(&&a));\n  goto *to[n];\n\
         a: return 4;\nb: return 7;\nc: return 9;\n}\n",
    );
    let jump = the(&p, "f", |op| matches!(op, Op::IndirectBr));
    assert_eq!(p.successors(p.inst(jump).block).len(), 3);
    let table = p.globals.iter().find(|g| g.name.contains("to")).unwrap();
    let Some(Operand::Const(c)) = table.initialiser else { panic!() };
    for entry in p.constant(c).kind.operands() {
        let Operand::Const(address) = entry else { panic!() };
        let ConstKind::BlockAddress(b) = p.constant(*address).kind else { panic!() };
        assert_eq!(p.block(b).func, func(&p, "f"));
    }
}

#[test]
fn wide_and_odd_constants_keep_their_value() {
    let p = program_of(
        "__int128 w = ((__int128)1 << 100) + 5;\n\
         double d(void) { return 0.1; }\nlong double l(long double x) { return x * 0.5L; }\n",
    );
    let kinds: Vec<&ConstKind> = p.consts.iter().map(|c| &c.kind).collect();
    assert!(kinds.contains(&&ConstKind::Wide((1 << 100) + 5)));
    let tenth = ConstKind::Float { kind: FloatKind::Double, bits: 0.1f64.to_bits(), exact: true };
    assert!(kinds.contains(&&tenth));
    let half = ConstKind::Float { kind: FloatKind::X86Fp80, bits: 0.5f64.to_bits(), exact: true };
    assert!(kinds.contains(&&half));
}

#[test]
fn bytes_that_are_no_bitcode_are_an_error() {
    assert!(load(b"not bitcode").is_err());
    assert!(load(b"").is_err());
}
