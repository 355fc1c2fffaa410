//! What is sent of a password (E16), and the vault that opens with the rest of it (E17).

use heliograph_shared::api::vaults::{self, LoginWay};
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::stretching::{Parts, Stretch};
use heliograph_shared::e2ee::vault::{Opens, Vault};
use zeroize::Zeroizing;

use super::text::encode;

/// What becomes of a password.
pub enum Proof {
    /// It is sent as it was typed: the account has no vault that it opens.
    AsTyped,
    /// A part of it is sent, and the other opens the vault.
    Stretched(Parts),
}

/// Why nothing is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsent {
    /// The server wants the password as it was typed, and this device knows that the account has a vault.
    #[error("the server says that this account has no vault, but it had one on this device")]
    WantsPassword,
    /// The server wants it stretched so little that all passwords could be tried, or so much that this device would be kept busy.
    #[error("the server wants the password stretched too little or too much")]
    Stretch,
}

impl Proof {
    /// Decides what is sent of a password. It takes a second and 64 MiB where the account has a vault.
    ///
    /// `knows_vault` says whether this device knows that the account has a vault, and `is_from_operator` whether the person says that the
    /// operator has given the password, so that the server has seen it anyway.
    ///
    /// # Errors
    /// Why nothing is.
    pub fn of(
        password: &str,
        way: &LoginWay,
        knows_vault: bool,
        is_from_operator: bool,
    ) -> Result<Self, Unsent> {
        match &way.stretch {
            Some(told) => {
                let salt = told.salt.as_bytes().try_into().map_err(|_| Unsent::Stretch)?;
                let stretch = Stretch { salt, memory_kib: told.memory_kib, passes: told.passes };
                stretch.parts(password).map(Self::Stretched).map_err(|_| Unsent::Stretch)
            }
            None if knows_vault && !is_from_operator => Err(Unsent::WantsPassword),
            None => Ok(Self::AsTyped),
        }
    }

    /// What is sent for a password.
    #[must_use]
    pub fn sent(&self, password: &str) -> Zeroizing<String> {
        Zeroizing::new(match self {
            Self::AsTyped => password.to_owned(),
            Self::Stretched(parts) => encode(parts.login.expose()),
        })
    }

    /// What opens the vault; `None` for a password of which the server has all.
    #[must_use]
    pub const fn opener(&self) -> Option<&Secret<32>> {
        match self {
            Self::AsTyped => None,
            Self::Stretched(parts) => Some(&parts.vault),
        }
    }
}

/// The vault of the account, right after a login.
#[derive(Clone)]
pub enum OwnVault {
    /// It is open.
    Open(Vault),
    /// The account has none.
    None,
    /// The server denies or hides it, shows one that the password does not open, or the operator has replaced the password.
    Locked,
}

impl OwnVault {
    /// Opens what the server shows. `knows_vault` is as for [`Proof::of`].
    #[must_use]
    pub fn open(shown: Option<&vaults::Vault>, proof: &Proof, knows_vault: bool) -> Self {
        let Some(shown) = shown else {
            // After a login by a password that the server has seen anyway, the account was made anew.
            let is_anew = matches!(proof, Proof::AsTyped);
            return if knows_vault && !is_anew { Self::Locked } else { Self::None };
        };
        Self::unwrapped(shown, proof).map_or(Self::Locked, Self::Open)
    }

    fn unwrapped(shown: &vaults::Vault, proof: &Proof) -> Option<Vault> {
        let sealed = Zeroizing::new(encode(shown.by_password.as_ref()?.as_bytes()));
        let public = shown.public_key.as_bytes().try_into().ok()?;
        Vault::unwrap(&sealed, proof.opener()?, Opens::Password, &public).ok()
    }
}
