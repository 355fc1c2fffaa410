//! A file that somebody uploads, and the form that carries it.

use super::person::Person;
use super::server::{Answer, TestServer};

/// A file: its name as the form writes it, its declared type, its bytes.
#[derive(Clone)]
pub struct File {
    pub name: String,
    pub kind: String,
    pub bytes: Vec<u8>,
}

/// A png of so many bytes, as far as anybody looks.
pub fn png(size: usize) -> File {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let last = bytes.len();
    bytes.extend((last..size).map(|n| u8::try_from((n ^ (n >> 8) ^ (n >> 16)) & 0xff).unwrap()));
    bytes.truncate(size);
    File { name: "a.png".to_owned(), kind: "image/png".to_owned(), bytes }
}

impl File {
    pub fn called(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    pub fn of(kind: &str, bytes: &[u8]) -> Self {
        Self { name: "a".to_owned(), kind: kind.to_owned(), bytes: bytes.to_vec() }
    }

    /// The form, and the header that says what it is.
    pub fn form(&self) -> (Vec<u8>, (&'static str, &'static str)) {
        let (mut body, end) = self.around();
        body.extend(&self.bytes);
        body.extend(end);
        (body, ("content-type", "multipart/form-data; boundary=x"))
    }

    /// What stands before the bytes in the form, and what behind them.
    pub fn around(&self) -> (Vec<u8>, Vec<u8>) {
        let head = format!(
            "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{}\"\r\ncontent-type: {}\r\n\r\n",
            self.name, self.kind
        );
        (head.into_bytes(), b"\r\n--x--\r\n".to_vec())
    }
}

impl TestServer {
    pub async fn takes(&self, file: &File) -> Answer {
        self.takes_at("/api/upload/", file).await
    }

    pub async fn takes_at(&self, path: &str, file: &File) -> Answer {
        let (body, kind) = file.form();
        self.send("POST", path, &[kind], &body).await
    }
}

impl Person<'_> {
    pub async fn uploads(&mut self, path: &str, file: &File) -> Answer {
        let (body, kind) = file.form();
        self.sends("POST", path, &[kind], &body).await
    }
}
