//! Do two ELF files behave the same when they are loaded and run?
//!
//! In: the bytes of two programs or shared libraries, and the trees that they were built in. Out: the names of the parts that differ; none, if all is shown to be the
//! same.
//!
//! Always holds: everything that the kernel or the loader maps counts (code, data, headers, dynamic section, interpreter, symbol versions, relocations, thread-local
//! storage), and so does every other byte of the file, whether it belongs to a section or was appended. The exceptions are bytes that nothing reads at run time and that
//! differ between harmless versions: the contents (not the presence) of debug information and of the tables of names that only debuggers use, the build-id, which is a hash of
//! the others, the records of the wrapper, and where the table of sections lies. A run path that leads into the file's own tree leads into the other tree in the
//! other file. A program that may look at its own file ([`looks_at_itself`]) gets only the last two exceptions.

use std::ops::Range;
use std::path::Path;

use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader};
use object::{elf, Endianness};

use crate::record::{find, LINK_SECTION, OBJECT_SECTION};

type Elf32 = elf::FileHeader32<Endianness>;
type Elf64 = elf::FileHeader64<Endianness>;

/// One of the two files.
#[derive(Clone, Copy)]
pub(crate) struct Image<'a> {
    pub content: &'a [u8],
    /// The private copy in which it was built.
    pub tree: Option<&'a Path>,
    /// Debug information, names and build-id count, too.
    pub strict: bool,
}

/// A piece of a file with the name under which a difference is reported.
#[derive(PartialEq)]
struct Part {
    name: String,
    bytes: Vec<u8>,
}

/// Names of the parts in which two files differ, at most one for each part.
pub(crate) fn differences(old: Image, new: Image) -> Vec<String> {
    if old.content == new.content {
        return Vec::new();
    }
    match (parts(old), parts(new)) {
        (Some(old), Some(new)) => different_parts(&old, &new),
        _ => vec!["its content".to_owned()],
    }
}

/// The bytes that are loaded into memory.
pub(crate) fn loaded(content: &[u8]) -> Vec<u8> {
    let segments = match kind(content) {
        Some(elf::ELFCLASS32) => layout::<Elf32>(content).map(|layout| layout.segments),
        _ => layout::<Elf64>(content).map(|layout| layout.segments),
    };
    segments.unwrap_or_default().into_iter().flat_map(|range| content[range].to_vec()).collect()
}

/// Words by which a program gets at its own file or headers; libraries that read debug information.
const LOOKS: &[&str] = &[
    "/proc/",
    "getauxval",
    "dl_iterate_phdr",
    "__ehdr_start",
    "libbfd",
    "libdw.so",
    "libelf.so",
    "libunwind",
    "libbacktrace",
];

/// May a program of which these are the loaded bytes, or the code as text, read its own file?
pub(crate) fn looks_at_itself(bytes: &[u8]) -> bool {
    LOOKS.iter().any(|word| find(bytes, word.as_bytes()).is_some())
}

fn different_parts(old: &[Part], new: &[Part]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (these, those) in [(old, new), (new, old)] {
        for part in these {
            let same = those.iter().any(|other| other == part);
            if !same && !names.contains(&part.name) {
                names.push(part.name.clone());
            }
        }
    }
    // Segments consist of sections, mostly; if a section is to blame, it says more.
    if names.iter().any(|name| name.starts_with("section ")) {
        names.retain(|name| !name.starts_with("segment "));
    }
    if names.is_empty() && old != new {
        names.push("the order of its sections".to_owned());
    }
    names
}

fn kind(content: &[u8]) -> Option<u8> {
    let magic = content.get(..4)? == elf::ELFMAG;
    magic.then(|| content.get(4).copied())?
}

fn parts(image: Image) -> Option<Vec<Part>> {
    match kind(image.content)? {
        elf::ELFCLASS32 => parts_of::<Elf32>(image),
        elf::ELFCLASS64 => parts_of::<Elf64>(image),
        _ => None,
    }
}

/// Where things are in a file.
struct Layout {
    /// What is mapped.
    segments: Vec<Range<usize>>,
    sections: Vec<Section>,
    /// Everything that belongs to something.
    covered: Vec<Range<usize>>,
}

struct Section {
    name: String,
    /// Kind, flags, address, size, alignment.
    head: Vec<u64>,
    content: Range<usize>,
    is_loaded: bool,
}

/// A range of a file that lies within it.
fn within(offset: u64, size: u64, content: &[u8]) -> Option<Range<usize>> {
    let (start, end) = (usize::try_from(offset).ok()?, usize::try_from(offset.checked_add(size)?).ok()?);
    (end <= content.len()).then_some(start..end)
}

fn layout<Elf: FileHeader<Endian = Endianness>>(content: &[u8]) -> Option<Layout> {
    let header = Elf::parse(content).ok()?;
    let endian = header.endian().ok()?;
    let table =
        |offset: u64, size: u16, count: usize| within(offset, u64::from(size) * count as u64, content);
    let programs = header.program_headers(endian, content).ok()?;
    let sections = header.sections(endian, content).ok()?;
    let mut covered = vec![
        0..usize::from(header.e_ehsize(endian)),
        table(header.e_phoff(endian).into(), header.e_phentsize(endian), programs.len())?,
        table(header.e_shoff(endian).into(), header.e_shentsize(endian), sections.len())?,
    ];
    let mut segments = Vec::new();
    for program in programs.iter().filter(|program| program.p_type(endian) == elf::PT_LOAD) {
        segments.push(within(program.p_offset(endian).into(), program.p_filesz(endian).into(), content)?);
    }
    covered.extend(segments.iter().cloned());
    let mut found = Vec::new();
    for section in sections.iter() {
        let empty = section.sh_type(endian) == elf::SHT_NOBITS || section.sh_type(endian) == elf::SHT_NULL;
        let size: u64 = if empty { 0 } else { section.sh_size(endian).into() };
        let range = if empty { 0..0 } else { within(section.sh_offset(endian).into(), size, content)? };
        let flags: u64 = section.sh_flags(endian).into();
        let kind = u64::from(section.sh_type(endian));
        let (address, align) = (section.sh_addr(endian).into(), section.sh_addralign(endian).into());
        let name = sections.section_name(endian, section).ok()?;
        covered.push(range.clone());
        found.push(Section {
            name: String::from_utf8_lossy(name).into_owned(),
            head: vec![kind, flags, address, section.sh_size(endian).into(), align],
            content: range,
            is_loaded: flags & u64::from(elf::SHF_ALLOC) != 0,
        });
    }
    Some(Layout { segments, sections: found, covered })
}

fn parts_of<Elf: FileHeader<Endian = Endianness>>(image: Image) -> Option<Vec<Part>> {
    let layout = layout::<Elf>(image.content)?;
    let header = Elf::parse(image.content).ok()?;
    let bytes = masked::<Elf>(header, image)?;
    let mut parts =
        vec![Part { name: "the headers".to_owned(), bytes: headers(&bytes, &layout.covered[..2]) }];
    for (number, range) in layout.segments.iter().enumerate() {
        parts.push(Part { name: format!("segment {number}"), bytes: bytes[range.clone()].to_vec() });
    }
    for section in layout.sections.iter().filter(|section| !is_record(section)) {
        let mut part = Part { name: format!("section {}", section.name), bytes: Vec::new() };
        if section.is_loaded || image.strict || !is_for_debuggers(&section.name) {
            part.bytes = section.head.iter().flat_map(|number| number.to_le_bytes()).collect();
            part.bytes.extend(&bytes[section.content.clone()]);
        }
        parts.push(part);
    }
    let gaps = gaps(&layout.covered, bytes.len());
    for gap in gaps {
        let name = if gap.end == bytes.len() { "bytes after its end" } else { "bytes between its sections" };
        // Padding is as long as what precedes it asks for.
        if gap.end == bytes.len() || bytes[gap.clone()].iter().any(|&byte| byte != 0) {
            parts.push(Part { name: name.to_owned(), bytes: bytes[gap].to_vec() });
        }
    }
    Some(parts)
}

/// Sections of our own. One that is loaded is not.
fn is_record(section: &Section) -> bool {
    [OBJECT_SECTION, LINK_SECTION].contains(&section.name.as_str()) && !section.is_loaded
}

/// Sections that nothing looks at when the program runs.
fn is_for_debuggers(name: &str) -> bool {
    [".symtab", ".strtab", ".shstrtab"].contains(&name)
        || [".debug_", ".zdebug_"].iter().any(|prefix| name.starts_with(prefix))
}

fn headers(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
    ranges.iter().flat_map(|range| bytes[range.clone()].to_vec()).collect()
}

/// What no range covers, in order.
fn gaps(covered: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let mut covered = covered.to_vec();
    covered.sort_by_key(|range| range.start);
    let (mut gaps, mut end) = (Vec::new(), 0);
    for range in covered {
        if range.start > end {
            gaps.push(end..range.start);
        }
        end = end.max(range.end);
    }
    if end < length {
        gaps.push(end..length);
    }
    gaps
}

/// The bytes of a file without those that say nothing.
fn masked<Elf: FileHeader<Endian = Endianness>>(header: &Elf, image: Image) -> Option<Vec<u8>> {
    let mut bytes = image.content.to_vec();
    // Place and length of the table of sections, number of the section of their names.
    let places = if header.is_type_64() { [40..48, 60..62, 62..64] } else { [32..36, 48..50, 50..52] };
    for place in places {
        bytes.get_mut(place)?.fill(0);
    }
    let endian = header.endian().ok()?;
    let programs = header.program_headers(endian, image.content).ok()?;
    if !image.strict {
        for range in build_ids::<Elf>(programs, endian, image.content) {
            bytes.get_mut(range)?.fill(0);
        }
    }
    if let Some(tree) = image.tree.and_then(Path::to_str).filter(|tree| !tree.is_empty()) {
        for range in run_paths::<Elf>(programs, endian, image.content) {
            mask_all(bytes.get_mut(range)?, tree.as_bytes());
        }
    }
    Some(bytes)
}

/// Replaces the directory, but not where the text only begins like it or leads out of it again.
fn mask_all(text: &mut [u8], directory: &[u8]) {
    let mut from = 0;
    while let Some(at) = find(&text[from..], directory) {
        let (start, end) = (from + at, from + at + directory.len());
        let rest = text[end..].split(|&byte| byte == b':').next().unwrap_or_default();
        let leaves = rest.split(|&byte| byte == b'/').any(|part| part == b"..");
        if matches!(text.get(end), None | Some(b'/' | b':')) && !leaves {
            text[start..end].fill(b'.');
        }
        from = end;
    }
}

/// Where the hashes of the file's content lie in it.
fn build_ids<Elf: FileHeader<Endian = Endianness>>(
    programs: &[Elf::ProgramHeader],
    endian: Endianness,
    content: &[u8],
) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    for program in programs {
        let Ok(Some(mut notes)) = program.notes(endian, content) else { continue };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == elf::ELF_NOTE_GNU && note.n_type(endian) == elf::NT_GNU_BUILD_ID {
                // The description is a slice of the content.
                let start = note.desc().as_ptr() as usize - content.as_ptr() as usize;
                ranges.push(start..start + note.desc().len());
            }
        }
    }
    ranges
}

/// Where the strings lie that tell the loader where libraries are.
fn run_paths<Elf: FileHeader<Endian = Endianness>>(
    programs: &[Elf::ProgramHeader],
    endian: Endianness,
    content: &[u8],
) -> Vec<Range<usize>> {
    let dynamic = programs.iter().find_map(|program| program.dynamic(endian, content).ok().flatten());
    let dynamic = dynamic.unwrap_or_default();
    let values = |wanted: u32| {
        dynamic
            .iter()
            .filter(move |entry| entry.tag32(endian) == Some(wanted))
            .map(|e| e.d_val(endian).into())
    };
    let Some(strings) = values(elf::DT_STRTAB).next() else { return Vec::new() };
    let place = |address: u64| {
        let inside = |program: &&Elf::ProgramHeader| {
            let start: u64 = program.p_vaddr(endian).into();
            program.p_type(endian) == elf::PT_LOAD
                && address.checked_sub(start).is_some_and(|at| at < program.p_filesz(endian).into())
        };
        let program = programs.iter().find(inside)?;
        let (offset, start): (u64, u64) = (program.p_offset(endian).into(), program.p_vaddr(endian).into());
        usize::try_from(offset + (address - start)).ok()
    };
    let text = |offset: u64| {
        let start = place(strings.checked_add(offset)?)?;
        let length = content.get(start..)?.iter().position(|&byte| byte == 0)?;
        Some(start..start + length)
    };
    values(elf::DT_RUNPATH).chain(values(elf::DT_RPATH)).filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_directories_are_masked() {
        let mut text = b"/a/tree/lib:/a/treetop:/a/tree/../b:/a/tree".to_vec();
        mask_all(&mut text, b"/a/tree");
        assert_eq!(text, b"......./lib:/a/treetop:/a/tree/../b:.......");
    }

    #[test]
    fn gaps_are_what_is_left_over() {
        assert_eq!(gaps(&[0..4, 8..10, 2..5], 12), [5..8, 10..12]);
        assert_eq!(gaps(&[0..4, 4..12], 12), []);
    }

    #[test]
    fn files_that_are_no_elf_files_are_compared_as_they_are() {
        let image = |content| Image { content, tree: None, strict: false };
        assert!(differences(image(b"a"), image(b"a")).is_empty());
        assert_eq!(differences(image(b"a"), image(b"b")), ["its content"]);
    }
}
