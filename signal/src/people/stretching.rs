//! How a password is stretched before it is sent (H53), told to anybody who asks. An account with a vault has a salt of its own. So
//! that nobody learns whether a username exists, one that nobody has is answered like one account or the other, always the same.

use heliograph_shared::api::vaults::Stretch;
use heliograph_shared::names::Username;
use heliograph_shared::opaque::Opaque;
use heliograph_storage::secrets::Secret;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::Error;

/// What clients of this version choose (RFC 9106, section 4, the second recommendation, with one lane).
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;

/// Answers for a username that nobody has: half of them with a salt, which follows from the secret and the name.
///
/// # Errors
/// [`Error::Internal`].
pub fn made_up(username: &Username, secret: &Secret) -> Result<Option<Stretch>, Error> {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
    let mut mac = mac.map_err(|_| Error::Internal)?;
    mac.update(username.key().as_bytes());
    let bytes: [u8; 32] = mac.finalize().into_bytes().into();
    let (salt, rest) = bytes.split_at(16);
    let has_vault = rest.first().is_some_and(|byte| byte % 2 == 0);
    let stretch =
        Stretch { salt: Opaque::new(salt.to_vec()), memory_kib: MEMORY_KIB, passes: PASSES };
    Ok(has_vault.then_some(stretch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h53_a_name_that_nobody_has_is_answered_like_one_account_or_the_other_and_always_the_same() {
        let secret = Secret::new([7; 32]);
        let of = |n: u32, secret| {
            made_up(&Username::parse(&format!("nobody{n}")).unwrap(), secret).unwrap()
        };
        let answers: Vec<_> = (0..64).map(|n| of(n, &secret)).collect();
        let again: Vec<_> = (0..64).map(|n| of(n, &secret)).collect();
        assert_eq!(answers, again);
        let salts: std::collections::BTreeSet<_> =
            answers.iter().flatten().map(|stretch| stretch.salt.as_bytes().to_vec()).collect();
        assert!((16..48).contains(&salts.len()), "{}", salts.len());
        let other = Secret::new([8; 32]);
        assert_ne!(answers, (0..64).map(|n| of(n, &other)).collect::<Vec<_>>());
    }
}
