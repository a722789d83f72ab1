//! The memory that this process itself uses.
//!
//! In: nothing. Out: how many bytes, and a way to give back to the machine what was freed. Memory that is shared with programs under test
//! ([`crate::Arena`]) is not counted here: its size is a limit of its own.

use std::fs;

/// Bytes of private memory in use; 0 where the kernel does not say.
pub fn used_memory() -> u64 {
    // SAFETY: `sysconf` touches no memory of ours.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let pages = fs::read_to_string("/proc/self/statm").ok().and_then(|text| private_pages(&text));
    pages.unwrap_or(0) * u64::try_from(page).unwrap_or(0)
}

/// The second number is what is resident, the third what of it is shared.
fn private_pages(statm: &str) -> Option<u64> {
    let mut numbers = statm.split_whitespace().skip(1).map(str::parse::<u64>);
    let (resident, shared) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(resident.saturating_sub(shared))
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
    fn what_is_shared_is_not_counted() {
        assert_eq!(private_pages("900 300 120 5 0 60 0"), Some(180));
        assert_eq!(private_pages("900"), None);
    }
}
