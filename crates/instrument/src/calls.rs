//! Calls, in both copies: who is called, how labels go along, what comes back.

use crate::abi::*;
use crate::cx::Result;
use crate::emit::{Emitter, Labelled};
use crate::gaps::{called, Called};
use crate::intrinsics;
use crate::types::{self, Leaf};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::values::*;
use parallax_trace::format::*;

/// What a call leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Callee<'c> {
    /// Instrumented code of this module.
    Instrumented,
    /// The runtime: takes labels, gives none.
    Runtime,
    Intrinsic(FunctionValue<'c>),
    /// Code without instrumentation.
    External(FunctionValue<'c>),
    Pointer,
    Assembler,
}

/// Can a call of this function hand back a label?
pub fn may_return_symbolic(f: FunctionValue) -> bool {
    f.count_basic_blocks() > 0 || crate::models::is_instrumented_model(&f.get_name().to_string_lossy())
}

impl<'c> Emitter<'_, 'c> {
    pub fn callee(&self, call: InstructionValue<'c>) -> Callee<'c> {
        let function = match called(call) {
            Called::Function(f) => f,
            Called::Assembler => return Callee::Assembler,
            Called::Pointer => return Callee::Pointer,
        };
        let name = function.get_name().to_bytes();
        if name.starts_with(b"llvm.") {
            Callee::Intrinsic(function)
        } else if may_return_symbolic(function) && !self.opaque.contains(&function) {
            Callee::Instrumented
        } else if name.starts_with(RUNTIME_PREFIX.as_bytes()) {
            Callee::Runtime
        } else {
            Callee::External(function)
        }
    }

    fn arguments(&self, call: InstructionValue<'c>) -> Vec<BasicValueEnum<'c>> {
        let count = CallSiteValue::try_from(call).map_or(0, |c| c.count_arguments());
        (0..count).filter_map(|k| call.get_operand(k).and_then(Operand::value)).collect()
    }

    /// The callee's calling context: ours and this site, mixed.
    fn enter_context(&self, site: u32) -> Result<()> {
        let (cx, Some(context)) = (self.cx, self.context) else { return Ok(()) };
        let mixed = cx.builder.build_int_add(context, cx.label(site.wrapping_add(1)), "c")?;
        let mixed = cx.builder.build_int_mul(mixed, cx.label(0x9E37_79B1), "c")?;
        cx.tls_store(TLS_CONTEXT, mixed)
    }
}

/// Size of the type that an attribute of a parameter names.
fn byval_bytes<'c>(e: &Emitter<'_, 'c>, attribute: Option<Attribute>) -> Option<u64> {
    let attribute = attribute?;
    let ty = types::basic(attribute.get_type_value())?;
    Some(e.cx.layout.get_abi_size(&ty))
}

fn byval_kind() -> u32 {
    Attribute::get_named_enum_kind_id("byval")
}

/// At the entry of a function: labels of structs that were passed by value.
pub fn receive_structs(e: &mut Emitter<'_, '_>) -> Result<()> {
    let mut slot = 0;
    for (k, parameter) in e.function.get_param_iter().enumerate() {
        let attribute = e.function.get_enum_attribute(AttributeLoc::Param(k as u32), byval_kind());
        let Some(len) = byval_bytes(e, attribute) else { continue };
        if slot < MAX_BYVAL {
            let address = e.cx.as_word(parameter)?;
            e.cx.call(e.cx.abi.byval, &[address.into(), e.cx.word(len).into(), e.cx.label(slot).into()])?;
        }
        slot += 1;
    }
    Ok(())
}

/// Before a call: where structs passed by value come from. One that no slot is left for, or that is a
/// variadic argument, is made concrete.
fn send_structs<'c>(
    e: &Emitter<'_, 'c>,
    call: InstructionValue<'c>,
    values: &[BasicValueEnum<'c>],
    number: u32,
) -> Result<()> {
    let (cx, Ok(site)) = (e.cx, CallSiteValue::try_from(call)) else { return Ok(()) };
    let fixed = site.get_called_fn_type().count_param_types() as usize;
    let mut slot = 0;
    for (k, value) in values.iter().enumerate() {
        let attribute = site.get_enum_attribute(AttributeLoc::Param(k as u32), byval_kind());
        let Some(len) = byval_bytes(e, attribute) else { continue };
        let address = cx.as_word(*value)?;
        if slot < MAX_BYVAL && k < fixed {
            cx.builder.build_store(cx.tls_field(TLS_BYVAL + slot)?, address)?;
        } else {
            let reason = cx.label(CONCRETE_WIDE.into());
            let arguments = [address.into(), cx.zero().into(), cx.word(len).into(), reason.into()];
            cx.call(cx.abi.load_opaque, &[&arguments[..], &[cx.label(number).into()]].concat())?;
        }
        slot += 1;
    }
    Ok(())
}

/// A call in the fast copy.
pub fn fast_call(e: &mut Emitter<'_, '_>, i: usize) -> Result<()> {
    let cx = e.cx;
    let (call, site) = (e.body.insts[i].value, e.body.insts[i].site);
    match e.callee(call) {
        Callee::Intrinsic(f) => intrinsics::fast(e, i, f)?,
        Callee::Instrumented | Callee::Pointer => {
            send_structs(e, call, &e.arguments(call), site)?;
            e.enter_context(site)?;
            cx.builder.insert_instruction(&call, None);
        }
        Callee::Runtime => cx.builder.insert_instruction(&call, None),
        Callee::External(f) => {
            let arguments = e.arguments(call);
            escape_pointees(e, f, &arguments, site)?;
            e.enter_context(site)?;
            cx.builder.insert_instruction(&call, None);
            // It may have called back into instrumented code.
            cx.tls_store(TLS_RET, cx.zero())?;
        }
        Callee::Assembler => {
            assembler_memory(e, call, &e.arguments(call), site)?;
            cx.builder.insert_instruction(&call, None);
        }
    }
    Ok(())
}

/// Memory that is an operand of inline assembly: what it reads is made concrete, what it writes has no
/// labels, and which of the two it does is not asked.
fn assembler_memory<'c>(
    e: &Emitter<'_, 'c>,
    call: InstructionValue<'c>,
    values: &[BasicValueEnum<'c>],
    number: u32,
) -> Result<()> {
    let (cx, Ok(site)) = (e.cx, CallSiteValue::try_from(call)) else { return Ok(()) };
    let kind = Attribute::get_named_enum_kind_id("elementtype");
    for (k, value) in values.iter().enumerate() {
        let attribute = site.get_enum_attribute(AttributeLoc::Param(k as u32), kind);
        let Some(len) = byval_bytes(e, attribute) else { continue };
        let (address, len) = (cx.as_word(*value)?, cx.word(len));
        let (reason, number) = (cx.label(CONCRETE_ASM.into()), cx.label(number));
        let arguments = [address.into(), cx.zero().into(), len.into(), reason.into(), number.into()];
        cx.call(cx.abi.load_opaque, &arguments)?;
        cx.call(cx.abi.clear, &[address.into(), len.into()])?;
    }
    Ok(())
}

fn name_constant<'c>(e: &Emitter<'_, 'c>, f: FunctionValue<'c>) -> Result<PointerValue<'c>> {
    let text = f.get_name().to_string_lossy();
    let global = format!("plx.name.{text}");
    if let Some(known) = e.cx.module.get_global(&global) {
        return Ok(known.as_pointer_value());
    }
    Ok(e.cx.builder.build_global_string_ptr(&text, &global)?.as_pointer_value())
}

/// Symbolic bytes behind pointers handed to code without instrumentation.
fn escape_pointees<'c>(
    e: &Emitter<'_, 'c>,
    f: FunctionValue<'c>,
    arguments: &[BasicValueEnum<'c>],
    site: u32,
) -> Result<()> {
    let cx = e.cx;
    if e.model || harmless(f) {
        return Ok(());
    }
    for argument in arguments.iter().filter(|a| a.is_pointer_value()) {
        if argument.into_pointer_value().is_const() {
            continue;
        }
        // Not every pointer points (`LC_GLOBAL_LOCALE` is -1): it must at least stay inside the table.
        let address = cx.as_word(*argument)?;
        let address = cx.builder.build_and(address, cx.word(USER_ADDRESSES), "p")?;
        let has = cx.has_shadow(address)?;
        let name = name_constant(e, f)?;
        cx.when(has, || {
            cx.call(cx.abi.escape_pointee, &[name.into(), address.into(), cx.label(site).into()])
        })?;
    }
    Ok(())
}

/// Functions that do not look at the bytes behind their pointer arguments in a way that matters.
fn harmless(f: FunctionValue) -> bool {
    const NAMES: &[&str] = &[
        "_setjmp",
        "setjmp",
        "__sigsetjmp",
        "longjmp",
        "siglongjmp",
        "atexit",
        "abort",
        "__assert_fail",
        "clearerr",
        "fileno",
        "ferror",
        "feof",
        "ferror_unlocked",
        "feof_unlocked",
        "fileno_unlocked",
        "__freading",
        "__fwriting",
        "__fpending",
        "__fbufsize",
        "setlocale",
        "bindtextdomain",
        "textdomain",
        "sigemptyset",
        "sigaddset",
        "sigprocmask",
        "fclose",
        "fflush",
    ];
    NAMES.iter().any(|n| f.get_name().to_bytes() == n.as_bytes())
}

/// A call in the slow copy. `clone` is not inserted yet; gives the labels of the result.
pub fn slow_call<'c>(
    e: &mut Emitter<'_, 'c>,
    i: usize,
    clone: InstructionValue<'c>,
) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    let (call, site, leaves) = (e.body.insts[i].value, e.body.insts[i].site, e.body.insts[i].leaves.clone());
    let callee = e.callee(call);
    if let Callee::Intrinsic(f) = callee {
        return intrinsics::slow(e, i, f, clone);
    }
    let originals = e.arguments(call);
    let arguments = originals.iter().map(|a| e.operand(*a)).collect::<Result<Vec<_>>>()?;
    let concrete = vec![cx.zero(); leaves.len()];
    match callee {
        Callee::Instrumented | Callee::Pointer => {
            if callee == Callee::Pointer {
                let target = e.nth(i, call.get_num_operands() - 1)?;
                e.concretise(target.labels[0], CONCRETE_CALL_TARGET, site)?;
            }
            let values: Vec<_> = arguments.iter().map(|a| a.value).collect();
            send_structs(e, call, &values, site)?;
            send_labels(e, &arguments)?;
            let variadic = send_variadic(e, call, &arguments)?;
            e.enter_context(site)?;
            cx.builder.insert_instruction(&clone, None);
            cx.tls_store(TLS_ARGS, cx.zero())?;
            if variadic {
                cx.tls_store(TLS_VA, cx.zero())?;
            }
            restore_context(e)?;
            take_results(e, &leaves)
        }
        Callee::Runtime => {
            send_labels(e, &arguments)?;
            cx.builder.insert_instruction(&clone, None);
            cx.tls_store(TLS_ARGS, cx.zero())?;
            if is_operation(call) {
                return take_results(e, &leaves);
            }
            Ok(concrete)
        }
        Callee::External(f) => {
            escape_arguments(e, f, &arguments, site)?;
            e.enter_context(site)?;
            cx.builder.insert_instruction(&clone, None);
            cx.tls_store(TLS_RET, cx.zero())?;
            restore_context(e)?;
            Ok(concrete)
        }
        _ => {
            for label in arguments.iter().flat_map(|a| &a.labels) {
                e.concretise(*label, CONCRETE_ASM, site)?;
            }
            let values: Vec<_> = arguments.iter().map(|a| a.value).collect();
            assembler_memory(e, call, &values, site)?;
            cx.builder.insert_instruction(&clone, None);
            Ok(concrete)
        }
    }
}

/// Does this call ask the runtime for a value that has a label?
fn is_operation(call: InstructionValue) -> bool {
    matches!(called(call), Called::Function(f) if f.get_name().to_bytes().starts_with(OPERATION_PREFIX.as_bytes()))
}

fn restore_context(e: &Emitter<'_, '_>) -> Result<()> {
    match e.context {
        Some(context) => e.cx.tls_store(TLS_CONTEXT, context),
        None => Ok(()),
    }
}

fn escape_arguments<'c>(
    e: &mut Emitter<'_, 'c>,
    f: FunctionValue<'c>,
    arguments: &[Labelled<'c>],
    site: u32,
) -> Result<()> {
    let cx = e.cx;
    let values: Vec<_> = arguments.iter().map(|a| a.value).collect();
    escape_pointees(e, f, &values, site)?;
    if e.model {
        return Ok(());
    }
    for label in arguments.iter().flat_map(|a| &a.labels).filter(|l| !l.is_const()) {
        let name = name_constant(e, f)?;
        cx.call(cx.abi.escape_argument, &[name.into(), (*label).into(), cx.label(site).into()])?;
    }
    Ok(())
}

/// Put the labels of the arguments where the callee looks for them.
fn send_labels<'c>(e: &Emitter<'_, 'c>, arguments: &[Labelled<'c>]) -> Result<()> {
    let cx = e.cx;
    let labels: Vec<_> =
        arguments.iter().flat_map(|a| a.labels.iter().copied()).take(MAX_ARGS as usize).collect();
    send(e, &labels, TLS_ARGS, TLS_ARG_LABEL, cx.label(labels.len() as u32))
}

/// Results of a return, likewise.
pub fn give_results<'c>(e: &Emitter<'_, 'c>, labels: &[IntValue<'c>]) -> Result<()> {
    send(e, labels, TLS_RET, TLS_RET_LABEL, e.cx.label(labels.len() as u32))
}

/// Store labels from field `first` on, and `count` into field `flag` if any of them is set.
fn send<'c>(
    e: &Emitter<'_, 'c>,
    labels: &[IntValue<'c>],
    flag: u32,
    first: u32,
    count: IntValue<'c>,
) -> Result<()> {
    let cx = e.cx;
    let symbolic: Vec<_> = labels.iter().copied().filter(|l| !l.is_const()).collect();
    let Some(mut any) = symbolic.first().copied() else { return Ok(()) };
    for label in &symbolic[1..] {
        any = cx.builder.build_or(any, *label, "ls")?;
    }
    let set = cx.is_set(any)?;
    cx.when(set, || {
        for (k, label) in labels.iter().enumerate() {
            cx.tls_store(first + k as u32, *label)?;
        }
        cx.tls_store(flag, count)
    })
}

/// Labels of the leaves of a result, taken from where the callee left them.
pub fn take_results<'c>(e: &Emitter<'_, 'c>, leaves: &[Leaf]) -> Result<Vec<IntValue<'c>>> {
    let cx = e.cx;
    if leaves.is_empty() {
        return Ok(vec![]);
    }
    let mut labels = Vec::new();
    for (k, leaf) in leaves.iter().enumerate() {
        labels.push(cx.call_label(cx.abi.result, &[cx.label(k as u32).into(), cx.label(leaf.width).into()])?);
    }
    cx.tls_store(TLS_RET, cx.zero())?;
    Ok(labels)
}

/// Labels of the variadic arguments, laid out as the x86-64 ABI lays out the arguments themselves.
/// True if the call is variadic.
fn send_variadic<'c>(
    e: &Emitter<'_, 'c>,
    call: InstructionValue<'c>,
    arguments: &[Labelled<'c>],
) -> Result<bool> {
    let cx = e.cx;
    let Ok(site) = CallSiteValue::try_from(call) else { return Ok(false) };
    let ty = site.get_called_fn_type();
    if !ty.is_var_arg() {
        return Ok(false);
    }
    let fixed = ty.count_param_types() as usize;
    let mut places: Vec<(u32, IntValue<'c>)> = Vec::new();
    let (mut gp, mut fp, mut overflow) = (0u32, 0u32, 0u32);
    for (k, argument) in arguments.iter().enumerate() {
        let byval = byval_bytes(e, site.get_enum_attribute(AttributeLoc::Param(k as u32), byval_kind()));
        let variadic = k >= fixed;
        let label = argument.labels.first().copied();
        let overflow_padding = overflow % 2;
        let mut spill = |slots: u32, label: Option<IntValue<'c>>| {
            if variadic {
                if let (Some(label), true) = (label, overflow < MAX_VA_OVERFLOW) {
                    places.push((TLS_VA_OVERFLOW + overflow, label));
                }
                overflow += slots;
            }
        };
        match argument.value {
            _ if byval.is_some() => spill(byval.unwrap_or(0).div_ceil(8) as u32, None),
            BasicValueEnum::FloatValue(v) if v.get_type() == cx.context.x86_f80_type() => {
                // Aligned to 16 bytes.
                spill(overflow_padding, None);
                spill(2, None);
            }
            BasicValueEnum::IntValue(v) if v.get_type().get_bit_width() > 64 => {
                // One that fits into registers comes as two words; this one is on the stack, aligned to 16 bytes.
                spill(overflow_padding, None);
                argument.labels.iter().for_each(|label| spill(1, Some(*label)));
            }
            BasicValueEnum::FloatValue(_) | BasicValueEnum::VectorValue(_) if fp < 8 => {
                if let (Some(label), true) = (label, variadic) {
                    places.push((TLS_VA_FP + fp, label));
                }
                fp += 1;
            }
            BasicValueEnum::FloatValue(_) => spill(1, label),
            BasicValueEnum::VectorValue(_) => spill(1, None),
            _ if gp < 6 => {
                if let (Some(label), true) = (label, variadic) {
                    places.push((TLS_VA_GP + gp, label));
                }
                gp += 1;
            }
            _ => spill(1, label),
        }
    }
    write_variadic(e, &places, overflow.min(MAX_VA_OVERFLOW))?;
    Ok(true)
}

fn write_variadic<'c>(e: &Emitter<'_, 'c>, places: &[(u32, IntValue<'c>)], slots: u32) -> Result<()> {
    let cx = e.cx;
    let symbolic: Vec<_> = places.iter().map(|p| p.1).filter(|l| !l.is_const()).collect();
    let Some(mut any) = symbolic.first().copied() else { return Ok(()) };
    for label in &symbolic[1..] {
        any = cx.builder.build_or(any, *label, "ls")?;
    }
    let set = cx.is_set(any)?;
    cx.when(set, || {
        for field in TLS_VA_GP..TLS_VA_OVERFLOW + slots {
            let label = places.iter().find(|p| p.0 == field).map_or(cx.zero(), |p| p.1);
            cx.tls_store(field, label)?;
        }
        cx.tls_store(TLS_VA, cx.label(slots + 1))
    })
}
