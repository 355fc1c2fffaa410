//! Why there is no certificate from an ACME server, in words for its operator.

use std::time::Duration;

use instant_acme::{Error as AcmeError, Order, Problem};

use crate::https::error::Error as HttpsError;

/// Time for a renewal. A server that answers no more, or a proxy on the way to it, must not stop them for good.
pub(super) const LONGEST: Duration = Duration::from_mins(10);
/// How the ACME server says that an account is of no use any more (RFC 8555, section 6.7): it is not known, or somebody
/// has deactivated it.
const NO_ACCOUNT: [&str; 2] =
    ["urn:ietf:params:acme:error:accountDoesNotExist", "urn:ietf:params:acme:error:unauthorized"];
/// How it says that there were too many requests (RFC 8555, section 6.6).
const TOO_MANY: &str = "urn:ietf:params:acme:error:rateLimited";

/// Why there is no new certificate.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// The ACME server could not be asked, or has refused.
    #[error(transparent)]
    Acme(#[from] AcmeError),
    /// It did not accept the proof of a name.
    #[error("{name}: {why}")]
    Refused {
        /// The name.
        name: String,
        /// The ACME server's words.
        why: String,
    },
    /// It offers no proof by a handshake.
    #[error("the ACME server does not offer tls-alpn-01 for {0}")]
    NoChallenge(String),
    /// It does not answer.
    #[error("the ACME server has not given one within {} minutes", LONGEST.as_secs() / 60)]
    Slow,
    /// What it gave is no good by this machine's clock.
    #[error("the new one has to be renewed at once; the clock of this machine may be wrong")]
    Due,
    /// What it gave cannot be used or stored.
    #[error(transparent)]
    Https(#[from] HttpsError),
    /// The account cannot be stored.
    #[error(transparent)]
    AccountFile(HttpsError),
    /// The account cannot be written or read.
    #[error("the account at the ACME server cannot be used")]
    Account(#[source] serde_json::Error),
}

impl Error {
    /// What the log says first.
    pub(super) fn headline(&self) -> &'static str {
        match self {
            Self::Due => "the certificate of the ACME server is no good here",
            Self::Https(_) => "the certificate of the ACME server could not be used or stored",
            Self::Account(_) | Self::AccountFile(_) => {
                "the account at the ACME server could not be used or stored"
            }
            Self::Refused { .. } => {
                "no certificate from the ACME server; its names must lead here, and port 443 be open"
            }
            Self::Acme(AcmeError::Api(problem)) if is_too_many(problem) => {
                "no certificate: the ACME server has had too many requests from here"
            }
            Self::Acme(AcmeError::Api(_)) | Self::NoChallenge(_) => {
                "no certificate: the ACME server does not give one"
            }
            Self::Acme(_) | Self::Slow => "no certificate: the ACME server could not be asked",
        }
    }
}

/// Whether the ACME server has had enough of this one for a while.
fn is_too_many(problem: &Problem) -> bool {
    problem.r#type.as_deref() == Some(TOO_MANY)
}

/// Whether an order was refused because of its account.
pub(super) fn is_useless(problem: &Problem) -> bool {
    problem.r#type.as_deref().is_some_and(|kind| NO_ACCOUNT.contains(&kind))
}

/// Why an order is refused: the words of the ACME server on the first name whose proof it did not accept, else those on
/// the order.
pub(super) async fn refusal(order: &mut Order, words: &str) -> Error {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let name = authorization.identifier().to_string();
        let Ok(state) = authorization.refresh().await else { continue };
        if let Some(problem) = state.challenges.iter().find_map(|tried| tried.error.as_ref()) {
            return Error::Refused { name, why: problem.to_string() };
        }
    }
    Error::Refused { name: "the order".to_owned(), why: words.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p4_only_a_refused_proof_is_said_to_need_the_port() {
        let refused = Error::Refused { name: "a.example".to_owned(), why: "no".to_owned() };
        assert!(refused.headline().contains("port 443"));
        let why = || HttpsError::NoDomain;
        for other in [Error::Slow, Error::Due, Error::AccountFile(why()), Error::Https(why())] {
            assert!(!other.headline().contains("port 443"), "{other:?}");
        }
        assert!(Error::AccountFile(why()).headline().contains("account"));
    }
}
