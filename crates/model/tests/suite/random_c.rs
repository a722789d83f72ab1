//! Random C programs full of flags, enums, fields, correlated branches and calls with constants.

/// Text of a program whose `main` takes its input as first argument.
pub fn random_program(rng: &mut fastrand::Rng) -> String {
    let mut text = String::from(
        "struct s { int a; unsigned char b; short c; };\nstatic struct s s, t = {3, 1, 2};\n\
         static int g, h;\nstatic unsigned char flag;\nint shared;\n\
         static const int table[4] = {0, 5, 0, 7};\nint puts(const char *);\n",
    );
    let functions = rng.u32(1..4);
    for f in 0..functions {
        text += &format!("static int f{f}(int x, struct s *p) {{\nint y = {};\n", rng.i32(-2..4));
        for _ in 0..rng.u32(1..4) {
            statement(rng, &mut text, f, 2, true);
        }
        text += &format!("return {};\n}}\n", value(rng, true));
    }
    text += "int main(int x, char **v) {\nint y = 0;\n";
    for _ in 0..rng.u32(3..7) {
        statement(rng, &mut text, functions, 3, false);
    }
    text + "return y;\n}\n"
}

fn place(rng: &mut fastrand::Rng, pointer: bool) -> &'static str {
    let all = ["x", "y", "g", "h", "flag", "shared", "s.a", "s.b", "t.c", "t.a", "p->a", "p->b", "p->c"];
    all[rng.usize(0..if pointer { 13 } else { 10 })]
}

fn constant(rng: &mut fastrand::Rng) -> i32 {
    if rng.u32(0..5) == 0 {
        rng.i32(-300..300)
    } else {
        rng.i32(-2..6)
    }
}

fn value(rng: &mut fastrand::Rng, pointer: bool) -> String {
    match rng.u32(0..9) {
        0..=3 => constant(rng).to_string(),
        4..=5 => place(rng, pointer).to_string(),
        6 => format!("{} + {}", place(rng, pointer), constant(rng)),
        7 => format!("table[{} & 3]", place(rng, pointer)),
        _ => format!("({} ? {} : {})", condition(rng, pointer), constant(rng), place(rng, pointer)),
    }
}

fn condition(rng: &mut fastrand::Rng, pointer: bool) -> String {
    let place = place(rng, pointer);
    let relation = ["==", "!=", "<", ">", "<=", ">="][rng.usize(0..6)];
    match rng.u32(0..8) {
        0 => place.to_string(),
        1 => format!("!{place}"),
        2 => format!("{place} & {}", rng.u32(1..8)),
        3 => format!("({} && {})", condition(rng, pointer), condition(rng, pointer)),
        4 => format!("({} || {})", condition(rng, pointer), condition(rng, pointer)),
        5 => format!("(unsigned) {place} {relation} {}u", rng.u32(0..9)),
        _ => format!("{place} {relation} {}", constant(rng)),
    }
}

fn statement(rng: &mut fastrand::Rng, text: &mut String, callable: u32, depth: u32, pointer: bool) {
    let block = |rng: &mut fastrand::Rng, text: &mut String| {
        for _ in 0..rng.u32(1..3) {
            statement(rng, text, callable, depth - 1, pointer);
        }
    };
    match rng.u32(0..if depth == 0 { 5 } else { 10 }) {
        0..=2 => *text += &format!("{} = {};\n", place(rng, pointer), value(rng, pointer)),
        3 if callable > 0 => {
            let object = ["&s", "&t"][rng.usize(0..2)];
            let callee = rng.u32(0..callable);
            *text += &format!("{} = f{callee}({}, {object});\n", place(rng, pointer), value(rng, pointer));
        }
        3..=4 => *text += "puts(\"here\");\n",
        5..=7 => {
            *text += &format!("if ({}) {{\n", condition(rng, pointer));
            block(rng, text);
            *text += "} else {\n";
            block(rng, text);
            *text += "}\n";
        }
        8 => {
            *text += &format!("switch ({}) {{\n", place(rng, pointer));
            for case in 0..rng.u32(1..4) {
                *text += &format!("case {}:\n", case * 2);
                block(rng, text);
                *text += ["break;\n", ""][rng.usize(0..2)];
            }
            *text += "default:\n";
            block(rng, text);
            *text += "}\n";
        }
        _ => {
            *text += &format!("for (int i = 0; i < {}; i++) {{\n", rng.u32(1..4));
            block(rng, text);
            *text += "}\n";
        }
    }
}
