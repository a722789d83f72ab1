//! Programs that were built with a sanitizer.
//!
//! In: the content of a native program. Out: the sanitizer whose runtime is in it, or that it loads.

/// What the start-up code of each sanitizer that reserves memory or traces its process is called.
const RUNTIMES: [(&[u8], &str); 6] = [
    (b"__asan_init", "address sanitizer"),
    (b"__hwasan_init", "hardware-assisted address sanitizer"),
    (b"__tsan_init", "thread sanitizer"),
    (b"__msan_init", "memory sanitizer"),
    (b"__dfsan_init", "data-flow sanitizer"),
    (b"__lsan_init", "leak sanitizer"),
];

/// What such a program needs in its environment: looking for leaks takes the right to trace processes, which no run has. What the
/// user gives with `--env` wins.
pub fn environment() -> Vec<(Vec<u8>, Vec<u8>)> {
    ["ASAN_OPTIONS", "LSAN_OPTIONS"].map(|name| (name.into(), b"detect_leaks=0".to_vec())).to_vec()
}

/// Such a program reserves terabytes of addresses for its shadow memory, and uses few of them: a limit on what it reserves ends
/// it before `main`.
pub fn of(program: &[u8]) -> Option<&'static str> {
    let holds = |name: &[u8]| {
        let at_name = |i: usize| program[i..].starts_with(name) && program.get(i + name.len()) == Some(&0);
        (0..program.len().saturating_sub(name.len())).any(|i| program[i] == b'_' && at_name(i))
    };
    RUNTIMES.iter().find(|(name, _)| holds(name)).map(|(_, sanitizer)| *sanitizer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_runtime_is_found_as_a_whole_symbol() {
        assert_eq!(of(b"\x7fELF\0main\0__asan_init\0x"), Some("address sanitizer"));
        assert_eq!(of(b"\0___tsan_init\0"), Some("thread sanitizer"));
        assert_eq!(of(b"\0__asan_initialise\0"), None);
        assert_eq!(of(b"__asan_init"), None);
    }
}
