//! Functions whose calls are compared (`--observe`).
//!
//! In: a [`Plan`]. Out: for each such function one of the driver that writes down the arguments and calls it; [`redirected`] says which
//! calls go there.
//!
//! Always holds: the arguments arrive as they were; pointers are shown by what they lead to, not by their addresses.

use crate::declare::Declarations;
use crate::plan::Plan;
use crate::show::Shower;
use crate::types::{kind, Kind};
use std::fmt::Write;

/// The function of the driver that stands in for one of the version.
fn stand_in(symbol: &str) -> String {
    format!("parallax_observe_{symbol}")
}

/// Which calls of a version go to which function of the driver.
pub fn redirected(plan: &Plan, version: usize) -> Vec<(String, String)> {
    let one = |pair: &[crate::signature::Signature; 2]| {
        let symbol = pair[version].symbol.clone();
        (symbol.clone(), stand_in(&symbol))
    };
    plan.observed.iter().map(one).collect()
}

pub(crate) fn wrappers<'p>(plan: &Plan<'p>, version: usize, declarations: &mut Declarations<'p>) -> String {
    let mut text = String::new();
    for (i, pair) in plan.observed.iter().enumerate() {
        let own = &pair[version];
        let parameters = |declarations: &mut Declarations| {
            let one = |(at, p): (usize, &crate::signature::Param)| {
                declarations.declare(Some(p.ty), &format!("argument_{at}"))
            };
            let list: Vec<String> = own.params.iter().enumerate().map(one).collect();
            if list.is_empty() {
                "void".to_owned()
            } else {
                list.join(", ")
            }
        };
        let list = parameters(declarations);
        let real = declarations.declare(own.result, &format!("parallax_real_{i}({list})"));
        let symbol = stand_in(&own.symbol);
        let head = declarations.declare(own.result, &format!("parallax_observe_{i}({list})"));
        let mut shower = Shower::new(plan.programs, version, declarations);
        for (at, p) in own.params.iter().enumerate() {
            let other = pair[1 - version].params.get(at);
            if let Some(other) = other {
                let types = if version == 0 { [p.ty, other.ty] } else { [other.ty, p.ty] };
                // What a structure holds when it is passed is not followed: the call is what counts.
                match kind(plan.programs[version], Some(p.ty)) {
                    Kind::Pointer { to, .. } if shower.is_structure(to) => {
                        let _ = writeln!(
                            shower.text,
                            "    parallax_pointer(\"call {}({})\", argument_{at});",
                            own.name, p.name
                        );
                    }
                    _ => shower.show(
                        types,
                        &format!("argument_{at}"),
                        &format!("call {}({})", own.name, p.name),
                    ),
                }
            }
        }
        let shown = shower.text;
        let names: Vec<String> = (0..own.params.len()).map(|at| format!("argument_{at}")).collect();
        let call = format!("parallax_real_{i}({})", names.join(", "));
        let call = match kind(plan.programs[version], own.result) {
            Kind::Void => call,
            _ => format!("return {call}"),
        };
        let _ = write!(
            text,
            "extern {real} __asm__(\"{}\");\nextern {head} __asm__(\"{symbol}\");\n{head} {{\n    parallax_text(\"call {}\\n\");\n{shown}    {call};\n}}\n",
            own.symbol, own.name
        );
    }
    text
}
