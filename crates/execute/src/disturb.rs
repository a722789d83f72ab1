//! Executables that do the same, in a memory that looks otherwise.
//!
//! In: an executable and a number. Out: the same executable, with a few instructions before its entry point that fill the stack
//! with what the number says, and with some more pages of code that are never run. A program that reads a variable before it
//! has written it, or prints how much memory it uses or how many page faults it had, does something else for every number.
//!
//! Always holds: what is not understood stays as it is. A program that reads only what it has written itself cannot tell.

const PAGE: u64 = 4096;
/// Pages of the stack that are filled at least, and how many more there may be.
const FILLED_PAGES: u64 = 16;
const MORE_PAGES: u64 = 48;

const ELF_64_LITTLE: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
const MACHINE_X86_64: u16 = 62;
const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const READ_EXECUTE: u32 = 5;

/// The executable with its entry point moved, and the length that the file must have (the rest is zeros). `None`: not for this
/// machine, or not understood.
pub fn disturbed(executable: &[u8], number: u64) -> Option<(Vec<u8>, u64)> {
    let mut bytes = executable.to_vec();
    if !bytes.starts_with(&ELF_64_LITTLE) || u16_at(&bytes, 18)? != MACHINE_X86_64 {
        return None;
    }
    let (table, size, count) =
        (u64_at(&bytes, 32)? as usize, u16_at(&bytes, 54)? as usize, u16_at(&bytes, 56)? as usize);
    let headers = (0..count).map(|i| table + i * size);
    let kind = |at: usize| u32_at(executable, at);
    let last_load = headers.clone().filter(|at| kind(*at) == Some(PT_LOAD)).max()?;
    // Segments to load must be in order, and a note is nothing that a program needs.
    let note = headers.clone().filter(|at| kind(*at) == Some(PT_NOTE)).find(|at| *at > last_load)?;
    let end_of = |at: usize| u64_at(executable, at + 16)?.checked_add(u64_at(executable, at + 40)?);
    let end = headers.filter(|at| kind(*at) == Some(PT_LOAD)).filter_map(end_of).max()?;
    let random = &mut Numbers(number);
    let address = end.checked_next_multiple_of(PAGE)?.checked_add((1 + random.below(MORE_PAGES)) * PAGE)?;
    let offset = (bytes.len() as u64).next_multiple_of(PAGE);
    let length = (1 + random.below(MORE_PAGES)) * PAGE;
    let entry = u64_at(&bytes, 24)?;
    bytes.resize(offset as usize, 0);
    bytes.extend(fill_stack(address, entry, random)?);
    bytes[24..32].copy_from_slice(&address.to_le_bytes());
    let segment = [offset, address, address, length, length, PAGE];
    bytes[note..note + 4].copy_from_slice(&PT_LOAD.to_le_bytes());
    bytes[note + 4..note + 8].copy_from_slice(&READ_EXECUTE.to_le_bytes());
    for (i, field) in segment.into_iter().enumerate() {
        bytes[note + 8 + 8 * i..note + 16 + 8 * i].copy_from_slice(&field.to_le_bytes());
    }
    Some((bytes, offset + length))
}

/// Machine code at `address` that fills the stack below what is in use and goes on at `entry`. The one register that means
/// something at an entry point, `rdx`, is left alone.
fn fill_stack(address: u64, entry: u64, random: &mut Numbers) -> Option<Vec<u8>> {
    let depth = ((FILLED_PAGES + random.below(MORE_PAGES)) * PAGE) as u32;
    let mut code = Vec::new();
    code.extend([0x48, 0x8d, 0xbc, 0x24]); // lea rdi, [rsp - depth]
    code.extend((depth as i32).wrapping_neg().to_le_bytes());
    code.extend([0x48, 0xb8]); // mov rax, number
    code.extend(random.next().to_le_bytes());
    code.extend([0x48, 0xbe]); // mov rsi, another
    code.extend((random.next() | 1).to_le_bytes());
    code.push(0xb9); // mov ecx, count
    code.extend((depth / 8).to_le_bytes());
    code.extend([0x48, 0x89, 0x07]); // mov [rdi], rax
    code.extend([0x48, 0x83, 0xc7, 0x08]); // add rdi, 8
    code.extend([0x48, 0x01, 0xf0]); // add rax, rsi
    code.extend([0xff, 0xc9]); // dec ecx
    code.extend([0x75, 0xf2]); // jnz to the first of these four
    code.push(0xe9); // jmp entry
    let after = address + code.len() as u64 + 4;
    let distance = i32::try_from(entry.wrapping_sub(after) as i64).ok()?;
    code.extend(distance.to_le_bytes());
    Some(code)
}

/// Numbers that follow from one (SplitMix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes_at(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes_at(bytes, at).map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_executable_is_left_alone() {
        assert!(disturbed(b"", 1).is_none());
        assert!(disturbed(b"#!/bin/sh\n", 1).is_none());
        let mut header = vec![0; 64];
        header[..6].copy_from_slice(&ELF_64_LITTLE);
        header[18] = MACHINE_X86_64 as u8;
        header[56] = 200;
        header[54] = 56;
        assert!(disturbed(&header, 1).is_none());
    }

    #[test]
    fn any_damage_to_a_header_is_survived() {
        let own = std::fs::read("/proc/self/exe").expect("this very program");
        let mut random = Numbers(5);
        for _ in 0..2000 {
            let mut head = own[..4096].to_vec();
            for _ in 0..4 {
                let at = random.below(1024) as usize;
                head[at] = random.next() as u8;
            }
            let _ = disturbed(&head, 7);
        }
    }
}
