//! Why a message or frame is refused, as its sender is told (S14). The socket stays open.

use heliograph_shared::decode::Subject;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::socket::ServerMessage;

pub(super) const TOO_OFTEN: Refusal =
    Refusal::new("That was asked too often. Wait a little.", ErrorCode::TooFast);

/// Why something is refused: a sentence for people, a code for programs, and the item or device it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    detail: &'static str,
    code: ErrorCode,
    subject: Subject,
}

impl Refusal {
    /// A refusal with a sentence for people and a code for programs.
    #[must_use]
    pub const fn new(detail: &'static str, code: ErrorCode) -> Self {
        Self { detail, code, subject: Subject { id: None, to: None } }
    }

    /// The code for programs.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        self.code
    }

    /// Adds the item or device that the refusal is about.
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
