//! Who else may use the database.

/// Who else may use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    Alone,
    WithNodes,
}
