//! The copies that the server has of files, and how it gives them.

use std::collections::BTreeMap;

use heliograph_device::engine::contract::{CopyId, Input, Output};
use heliograph_device::file_size::CHUNK_BYTES;
use heliograph_shared::e2ee::file_chunks::FileCipher;
use heliograph_shared::ids::ItemId;

use super::world::{Event, World, content, ms, seal};

/// What is given at once, every 100 ms.
const PORTION: usize = 256 * 1024;

pub fn url(id: ItemId) -> String {
    format!("/api/uploads/{}", id.uuid())
}

#[derive(Default)]
pub struct Copies {
    pub files: BTreeMap<String, Vec<u8>>,
    /// Bytes that were given.
    pub read: u64,
    /// So many portions more are given before each request breaks; `None` for any number.
    pub breaks_after: Option<u32>,
    /// Whether nothing is answered.
    pub is_silent: bool,
    reading: BTreeMap<(usize, CopyId), Reading>,
}

struct Reading {
    url: String,
    at: usize,
    end: usize,
}

impl Copies {
    /// Forgets what is read after its last portion.
    fn portion(&mut self, device: usize, copy: CopyId) -> Option<Input> {
        let reading = self.reading.get_mut(&(device, copy))?;
        if self.is_silent {
            return None;
        }
        let Some(file) = self.files.get(&reading.url) else {
            return Some(Input::CopyFailed { copy, is_gone: true });
        };
        if let Some(left) = &mut self.breaks_after {
            if *left == 0 {
                return Some(Input::CopyFailed { copy, is_gone: false });
            }
            *left -= 1;
        }
        let end = reading.end.min(reading.at + PORTION);
        let bytes = file[reading.at..end].to_vec();
        reading.at = end;
        self.read += bytes.len() as u64;
        if reading.at == reading.end {
            self.reading.remove(&(device, copy));
        }
        Some(Input::CopyBytes { copy, bytes })
    }
}

impl World {
    /// The server has a copy of a file, as its device shares it.
    pub fn stores(&mut self, id: ItemId, size: usize, is_sealed: bool) {
        let bytes = if is_sealed { sealed(id, size) } else { content(id, size) };
        self.copies.files.insert(url(id), bytes);
    }

    /// Does what an engine asks for.
    pub fn copy(&mut self, at: usize, output: Output) {
        let copy = match output {
            Output::ReadCopy { copy, url, start, bytes } => {
                let start = usize::try_from(start).unwrap();
                let end = start + usize::try_from(bytes).unwrap();
                self.copies.reading.insert((at, copy), Reading { url, at: start, end });
                copy
            }
            Output::CopyRoom(copy) => copy,
            Output::StopCopy(copy) => {
                self.copies.reading.remove(&(at, copy));
                return;
            }
            other => panic!("{other:?}"),
        };
        if let Some(input) = self.copies.portion(at, copy) {
            let life = self.devices[at].life;
            self.at(self.now + ms(100), Event::Answer { at, life, input });
        }
    }
}

/// A file as it is stored in a beam that is sealed (E7).
fn sealed(id: ItemId, size: usize) -> Vec<u8> {
    let seal = seal(id);
    let cipher = FileCipher::sealing(&seal.key, seal.salt);
    let file = content(id, size);
    let mut bytes = cipher.header().to_vec();
    let mut chunks: Vec<&[u8]> = file.chunks(usize::try_from(CHUNK_BYTES).unwrap()).collect();
    if size.is_multiple_of(usize::try_from(CHUNK_BYTES).unwrap()) {
        chunks.push(&[]);
    }
    for (at, chunk) in (0..).zip(chunks) {
        bytes.extend(cipher.seal(at, chunk).unwrap());
    }
    bytes
}
