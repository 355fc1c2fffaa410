//! Why a message or frame is refused, as its sender is told (S14); the socket stays.

use heliograph_shared::decode::Subject;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::socket::ServerMessage;

/// A refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    detail: &'static str,
    code: ErrorCode,
    subject: Subject,
}

impl Refusal {
    /// A sentence for a person, and the same for a program.
    #[must_use]
    pub const fn new(detail: &'static str, code: ErrorCode) -> Self {
        Self { detail, code, subject: Subject { id: None, to: None } }
    }

    /// The same, naming what was refused.
    #[must_use]
    pub const fn about(self, subject: Subject) -> Self {
        Self { subject, ..self }
    }
}

impl From<Refusal> for ServerMessage {
    fn from(Refusal { detail, code, subject: Subject { id, to } }: Refusal) -> Self {
        Self::Error { message: detail.to_owned(), extra: code, id, to }
    }
}
