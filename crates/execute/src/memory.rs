//! The memory that this process itself uses.
//!
//! In: nothing. Out: how many bytes, and a way to give back to the machine what was freed. Memory that is shared with programs under test
//! ([`crate::Arena`]) counts as far as this process has looked at it; the code of programs and libraries does not.

use std::fs;

/// Bytes of memory in use; 0 where the kernel does not say.
pub fn used_memory() -> u64 {
    fs::read_to_string("/proc/self/status").map_or(0, |status| counted(&status))
}

/// What is ours alone, and what is shared without being a file.
fn counted(status: &str) -> u64 {
    let kilobytes = |name: &str| -> Option<u64> {
        let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
        rest.split_whitespace().next()?.parse().ok()
    };
    ["RssAnon:", "RssShmem:"].iter().filter_map(|name| kilobytes(name)).sum::<u64>() << 10
}

/// Gives freed memory back to the machine.
pub fn trim_memory() {
    // SAFETY: the allocator's own function; it may be called at any time, from any thread.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_written_counts_and_freed_memory_does_not() {
        const SIZE: u64 = 64 << 20;
        let before = used_memory();
        let block = vec![1u8; SIZE as usize];
        let full = used_memory();
        assert!(full >= before + SIZE / 2, "{before} {full}");
        drop(std::hint::black_box(block));
        trim_memory();
        assert!(used_memory() <= full - SIZE / 2, "{full} {}", used_memory());
    }

    #[test]
    fn code_of_libraries_is_not_counted() {
        let status = "VmRSS:\t 900 kB\nRssAnon:\t     300 kB\nRssFile:\t  500 kB\nRssShmem:\t 100 kB\n";
        assert_eq!(counted(status), 400 << 10);
        assert_eq!(counted(""), 0);
    }

    #[test]
    fn a_trace_counts_until_it_is_forgotten() {
        let sizes = crate::ArenaSizes { events: 64 << 20, ..crate::ArenaSizes::default() };
        let mut arena = crate::Arena::new(&sizes).unwrap();
        arena.fill_events(64 << 20);
        let full = used_memory();
        arena.forget_trace();
        assert!(used_memory() <= full - (32 << 20), "{full} {}", used_memory());
        assert_eq!((arena.header().events_len, arena.trace_bytes()), (0, 0));
    }
}
