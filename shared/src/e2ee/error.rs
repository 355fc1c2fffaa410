//! Why something does not open.

/// Why something sealed does not open, or what a peer says is refused. It tells no more than that: which byte was wrong
/// is nobody's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It does not have the form that the protocol gives it.
    #[error("this is not what it should be by its form")]
    Malformed,
    /// It is sealed for another beam key.
    #[error("this is sealed for another key")]
    UnknownKey,
    /// It was sealed by somebody without the key, for another purpose or place, or was changed on the way.
    #[error("this is not what its sender sealed")]
    NotAuthentic,
    /// The bytes are no point of the curve P-256, or no private key of it.
    #[error("this is not a key of P-256")]
    NoKey,
    /// More than one envelope or chunk can hold.
    #[error("this is too long to be sealed")]
    TooLong,
    /// The page has sealed as much as it can number.
    #[error("this page has no numbers left")]
    Spent,
}
