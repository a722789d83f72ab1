//! A test case as handed to a run: encoded by the engine into the arena, decoded by the runtime.
//!
//! The index of an input in [`Request::inputs`] is the input number in [`crate::format::Op::Input`].
//! Files and standard input exist on disk already (the engine wrote them below `directory`); their
//! bytes are repeated here so that the runtime labels a byte only if it still is what it was.

/// Where an input comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// `argv[n]`, n ≥ 1.
    Argument(u32),
    Stdin,
    /// A file, path relative to [`Request::root`].
    File(Vec<u8>),
    /// An environment variable.
    Env(Vec<u8>),
}

/// One input: every byte of it a variable, if `symbolic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub source: Source,
    pub bytes: Vec<u8>,
    pub symbolic: bool,
}

impl Input {
    /// The byte at an offset. Arguments and environment variables have one more byte than `bytes`: the
    /// terminating NUL.
    pub fn byte(&self, offset: u32) -> Option<u8> {
        let terminated = matches!(self.source, Source::Argument(_) | Source::Env(_));
        match self.bytes.get(offset as usize) {
            None if terminated && offset as usize == self.bytes.len() => Some(0),
            byte => byte.copied(),
        }
    }
}

/// Everything a run needs to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    pub argv0: Vec<u8>,
    /// Absolute path of the run's working directory, inside its scratch directory.
    pub directory: Vec<u8>,
    /// Absolute path of the directory that the paths of files are relative to: that one, or one above it.
    pub root: Vec<u8>,
    /// Absolute path of the directory with the standard streams ([`crate::control::STREAM_NAMES`]).
    pub streams: Vec<u8>,
    /// Environment that is not an input, `NAME=value`.
    pub fixed_env: Vec<Vec<u8>>,
    /// Arguments in order, then the rest in any order.
    pub inputs: Vec<Input>,
    /// Program to execute (native runner only; empty for a fork server).
    pub program: Vec<u8>,
}

impl Request {
    /// Flat little-endian encoding: every string is a u32 length and its bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for s in [&self.argv0, &self.directory, &self.root, &self.streams, &self.program] {
            put(&mut out, s);
        }
        put_u32(&mut out, self.fixed_env.len() as u32);
        for s in &self.fixed_env {
            put(&mut out, s);
        }
        put_u32(&mut out, self.inputs.len() as u32);
        for input in &self.inputs {
            encode_input(&mut out, input);
        }
        out
    }

    /// The inverse of [`Request::encode`]; `None` if the bytes are not a request.
    pub fn decode(bytes: &[u8]) -> Option<Request> {
        let mut at = Cursor { bytes };
        let argv0 = at.string()?;
        let directory = at.string()?;
        let root = at.string()?;
        let streams = at.string()?;
        let program = at.string()?;
        let fixed_env = (0..at.u32()?).map(|_| at.string()).collect::<Option<_>>()?;
        let inputs = (0..at.u32()?).map(|_| at.input()).collect::<Option<_>>()?;
        let request = Request { argv0, directory, root, streams, fixed_env, inputs, program };
        at.bytes.is_empty().then_some(request)
    }
}

fn put_u32(out: &mut Vec<u8>, n: u32) {
    out.extend_from_slice(&n.to_le_bytes());
}

fn put(out: &mut Vec<u8>, s: &[u8]) {
    put_u32(out, s.len() as u32);
    out.extend_from_slice(s);
}

fn encode_input(out: &mut Vec<u8>, input: &Input) {
    let (tag, number, name): (u32, u32, &[u8]) = match &input.source {
        Source::Argument(n) => (0, *n, b""),
        Source::Stdin => (1, 0, b""),
        Source::File(path) => (2, 0, path),
        Source::Env(name) => (3, 0, name),
    };
    put_u32(out, tag);
    put_u32(out, number);
    put(out, name);
    put(out, &input.bytes);
    put_u32(out, input.symbolic as u32);
}

struct Cursor<'a> {
    bytes: &'a [u8],
}

impl Cursor<'_> {
    fn u32(&mut self) -> Option<u32> {
        let (head, rest) = self.bytes.split_first_chunk::<4>()?;
        self.bytes = rest;
        Some(u32::from_le_bytes(*head))
    }

    fn string(&mut self) -> Option<Vec<u8>> {
        let len = self.u32()? as usize;
        let s = self.bytes.get(..len)?.to_vec();
        self.bytes = &self.bytes[len..];
        Some(s)
    }

    fn input(&mut self) -> Option<Input> {
        let (tag, number) = (self.u32()?, self.u32()?);
        let name = self.string()?;
        let source = match tag {
            0 => Source::Argument(number),
            1 => Source::Stdin,
            2 => Source::File(name),
            3 => Source::Env(name),
            _ => return None,
        };
        Some(Input { source, bytes: self.string()?, symbolic: self.u32()? == 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_survives_encoding() {
        let request = Request {
            argv0: b"prog".to_vec(),
            directory: b"/tmp/x/sub".to_vec(),
            root: b"/tmp/x".to_vec(),
            streams: b"/tmp/io".to_vec(),
            fixed_env: vec![b"LC_ALL=C".to_vec()],
            inputs: vec![
                Input { source: Source::Argument(1), bytes: b"-n".to_vec(), symbolic: true },
                Input { source: Source::Stdin, bytes: vec![0, 255], symbolic: false },
                Input { source: Source::File(b"a b".to_vec()), bytes: vec![], symbolic: true },
                Input { source: Source::Env(b"HOME".to_vec()), bytes: b"/".to_vec(), symbolic: true },
            ],
            program: b"/bin/true".to_vec(),
        };
        assert_eq!(Request::decode(&request.encode()), Some(request.clone()));
        let bytes = request.encode();
        for cut in 0..bytes.len() {
            assert_eq!(Request::decode(&bytes[..cut]), None, "cut at {cut}");
        }
    }
}
