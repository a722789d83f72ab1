//! Why no driver can be made, in words for the user: which parameter, why, and what can be given instead.

/// What is wrong with a function, a bound or an assumption.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("--function {name}: {which} version has no function of that name{near}{hint}")]
    NoSuchFunction { name: String, which: &'static str, near: String, hint: &'static str },

    #[error("--function {name}: several functions have that name; say which one: {list}")]
    Ambiguous { name: String, list: String },

    #[error("--function {name}: no debug information about its type; build with -g")]
    NoType { name: String },

    #[error(
        "--function {name}: a variadic function ({signature}): which arguments it may be given is not in its type; write a function that \
         calls it with a fixed list and name that one"
    )]
    Variadic { name: String, signature: String },

    #[error(
        "--function {name}: parameter {number}, `{parameter}` ({ty}), cannot be driven: {reason}; give it as a C expression with \
         --argument '{parameter}=EXPRESSION'{example}"
    )]
    Parameter {
        name: String,
        number: usize,
        parameter: String,
        ty: String,
        reason: String,
        example: &'static str,
    },

    #[error(
        "--function {name}: the versions differ in parameter {number}: {old} in the old version, {new} in the new one; {hint}"
    )]
    Signatures { name: String, number: usize, old: String, new: String, hint: String },

    #[error("--function {name}: the versions differ in what is returned: {old} in the old version, {new} in the new one")]
    Results { name: String, old: String, new: String },

    #[error("{option} {text}: {problem}")]
    Option { option: &'static str, text: String, problem: String },

    #[error(
        "--function {name}: its input takes {bytes} bytes, more than {most}; lower --bound len=N or depth=N"
    )]
    TooLarge { name: String, bytes: usize, most: usize },
}
