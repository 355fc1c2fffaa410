//! Why a server was not reached.

use std::io;

/// Why a server was not reached, or does not do what it was asked for. The texts of a server are in it as they came.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The address is none by http or https.
    #[error("this is no address of a server")]
    NoAddress,
    /// Which certificates this machine trusts is not known.
    #[error("this machine does not say which certificates it trusts: {0}")]
    Trust(#[source] rustls::Error),
    /// The name leads nowhere.
    #[error("its name leads to no address")]
    Name(#[source] Option<io::Error>),
    /// Nothing listens there, or nothing gets through.
    #[error("no connection: {0}")]
    Connect(#[source] io::Error),
    /// The handshake of TLS failed.
    #[error("no secure connection: {0}")]
    Tls(#[source] io::Error),
    /// The connection broke before the answer.
    #[error("the connection broke off: {0}")]
    Broken(String),
    /// It took too long.
    #[error("no answer in time")]
    Late,
    /// The server refuses.
    #[error("it answers {status}{}", reason(detail))]
    Refused {
        /// The status (RFC 9110, section 15).
        status: u16,
        /// Why, for a person.
        detail: String,
    },
    /// The login is over.
    #[error("nobody is logged in there any more")]
    LoggedOut,
    /// What is kept of a login cannot be read or written.
    #[error("what is kept of the login: {0}")]
    Store(#[from] io::Error),
    /// The answer is none of this product's servers.
    #[error("what answers there is no Heliograph")]
    Strange,
}

/// What follows a status. Some that stand in front of a server give no reason.
fn reason(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(": {detail}") }
}

impl Failure {
    /// A task of this program has failed.
    pub(in crate::io) fn failed(why: tokio::task::JoinError) -> Self {
        Self::Store(why.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_a_reason_is_told_by_its_status_alone() {
        let refused = |detail: &str| Failure::Refused { status: 302, detail: detail.to_owned() };
        assert_eq!(refused("").to_string(), "it answers 302");
        assert_eq!(refused("no room").to_string(), "it answers 302: no room");
    }
}
