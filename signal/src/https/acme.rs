//! Certificates from an ACME server (RFC 8555). This server proves that the names lead to it in a handshake on port 443
//! (tls-alpn-01, RFC 8737), so no port but that of https has to be open.

mod error;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use heliograph_shared::time::Millis;
use instant_acme::{
    Account, AccountBuilder, AccountCredentials, AuthorizationStatus, ChallengeType,
    Error as AcmeError, Identifier, NewAccount, NewOrder, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::CertifiedKey;
use tokio::time::{sleep, timeout};

use crate::clock::Clock;
use crate::error::causes;
use crate::https::acme::error::{Error, LONGEST, is_useless, refusal};
use crate::https::certificate::{self, About, Shown, write_private};
use crate::https::error::Error as HttpsError;
use crate::https::options::{Domain, Options};

/// The file of the certificate and its key. It is one, so that they always fit.
const CERTIFICATE: &str = "certificate.pem";
/// How often a certificate is looked at.
const LOOK: Duration = Duration::from_hours(1);
/// Pause after a failure. Let's Encrypt allows five failed proofs of a name in an hour.
const FIRST_PAUSE: Duration = Duration::from_mins(15);
/// The pause doubles up to this.
const LONGEST_PAUSE: Duration = Duration::from_hours(6);
/// How long the ACME server is asked whether it has looked.
const PATIENCE: RetryPolicy = RetryPolicy::new().timeout(Duration::from_mins(2));

/// The certificate of some names at an ACME server.
#[derive(Debug)]
struct Acme {
    names: Vec<String>,
    contact: Option<String>,
    directory: String,
    root: Option<PathBuf>,
    folder: PathBuf,
    clock: Clock,
    /// The account, as long as it is not stored: a full disk is no reason to register another one.
    unwritten_account: Option<String>,
    /// The shown certificate and its key, until they are stored.
    unwritten: Option<String>,
    /// Whether a useless account has been replaced since the last certificate. A server that refuses the new one too has
    /// other reasons.
    is_replaced: bool,
    /// Whether the stored account is the one that was replaced.
    is_stored_one_useless: bool,
}

/// Shows the stored certificate, if it is for these names, and renews it as long as handshakes show it.
///
/// # Errors
/// [`HttpsError`] without a name, or when the folder cannot be made.
pub fn open(
    options: &Options,
    data: &Path,
    clock: Clock,
    shown: &Arc<Shown>,
) -> Result<(), HttpsError> {
    let mut names: Vec<_> = options.domains.iter().map(|Domain(name)| name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Err(HttpsError::NoDomain);
    }
    let folder = folder(data);
    fs::create_dir_all(&folder).map_err(|error| HttpsError::File(folder.clone(), error))?;
    let acme = Acme {
        names,
        contact: options.contact.clone(),
        directory: options.directory.clone(),
        root: options.root.clone(),
        folder,
        clock,
        unwritten_account: None,
        unwritten: None,
        is_replaced: false,
        is_stored_one_useless: false,
    };
    if let Some(stored) = acme.stored() {
        shown.show(stored);
    }
    tokio::spawn(keep_fresh(acme, Arc::downgrade(shown)));
    Ok(())
}

fn folder(data: &Path) -> PathBuf {
    data.join("tls").join("acme")
}

/// Where a certificate and its key are kept.
#[must_use]
pub fn paths(data: &Path) -> (PathBuf, PathBuf) {
    let file = folder(data).join(CERTIFICATE);
    (file.clone(), file)
}

/// Asks for a certificate whenever the shown one is due, as long as it is shown.
async fn keep_fresh(mut acme: Acme, shown: Weak<Shown>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let Some(shown) = shown.upgrade() else { return };
        let outcome = acme.look(&shown).await;
        shown.prove(HashMap::new());
        drop(shown);
        match outcome {
            Ok(()) => {
                pause = FIRST_PAUSE;
                sleep(LOOK).await;
            }
            Err(error) => {
                pause = pause_after(&error, pause);
                tracing::error!(error = causes(&error), again_in = ?pause, "{}", error.headline());
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// The pause after a failure, where `pause` would be next.
const fn pause_after(error: &Error, pause: Duration) -> Duration {
    match error {
        // Each attempt has ordered a certificate, of which the ACME server gives few a week.
        Error::Due => LONGEST_PAUSE,
        _ => pause,
    }
}

/// When a certificate is to be renewed: with a third of its time left, as Let's Encrypt recommends.
fn due(about: &About) -> Millis {
    about.ends - about.ends.since(about.begins) / 3
}

impl Acme {
    fn certificate_file(&self) -> PathBuf {
        self.folder.join(CERTIFICATE)
    }

    fn account_file(&self) -> PathBuf {
        self.folder.join("account.json")
    }

    /// The certificate of the last run, with its key in the same file. `None` when it is for other names, or has ended.
    fn stored(&self) -> Option<CertifiedKey> {
        let file = self.certificate_file();
        let stored = certificate::read(&file, &file).ok()?;
        let about = About::of(&stored)?;
        (about.names == self.names && self.clock.now() < about.ends).then_some(stored)
    }

    /// Renews the certificate if it is due, and stores what is not stored yet.
    async fn look(&mut self, shown: &Shown) -> Result<(), Error> {
        let is_due = self.is_due(shown);
        let renewed = if is_due { self.renew(shown).await } else { Ok(()) };
        let stored = self.store();
        renewed?;
        stored?;
        if is_due && self.is_due(shown) { Err(Error::Due) } else { Ok(()) }
    }

    async fn renew(&mut self, shown: &Shown) -> Result<(), Error> {
        tracing::info!(names = ?self.names, directory = self.directory, "asking for a certificate");
        let pem = timeout(LONGEST, self.order(shown)).await.map_err(|_| Error::Slow)??;
        let fresh = certificate::parse(&pem)?;
        let ends = About::of(&fresh).map(|about| about.ends.get());
        tracing::info!(names = ?self.names, ends, "a new certificate");
        // It is shown first: a full disk is no reason to order another one.
        shown.show(fresh);
        self.unwritten = Some(pem);
        self.is_replaced = false;
        Ok(())
    }

    fn store(&mut self) -> Result<(), Error> {
        if let Some(account) = &self.unwritten_account {
            if self.is_stored_one_useless {
                self.put_account_aside().map_err(Error::AccountFile)?;
                self.is_stored_one_useless = false;
            }
            write_private(&self.account_file(), account).map_err(Error::AccountFile)?;
            self.unwritten_account = None;
        }
        if let Some(pem) = &self.unwritten {
            write_private(&self.certificate_file(), pem)?;
            self.unwritten = None;
        }
        Ok(())
    }

    fn is_due(&self, shown: &Shown) -> bool {
        let about = shown.certificate().and_then(|certificate| About::of(&certificate));
        about.is_none_or(|about| self.clock.now() >= due(&about))
    }

    /// The account at the ACME server: the one that there is, else a new one.
    async fn account(&mut self) -> Result<Account, Error> {
        let stored = || fs::read_to_string(self.account_file()).ok();
        let known = self.unwritten_account.clone().or_else(stored);
        let known = known.and_then(|text| serde_json::from_str::<Stored>(&text).ok());
        if let Some(known) = known.filter(|known| known.directory == self.directory) {
            return Ok(self.builder()?.from_credentials(known.credentials).await?);
        }
        self.new_account().await
    }

    async fn new_account(&mut self) -> Result<Account, Error> {
        let contact = self.contact.as_ref().map(|mail| format!("mailto:{mail}"));
        let contact: Vec<_> = contact.as_deref().into_iter().collect();
        let new = NewAccount {
            contact: &contact,
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let (account, credentials) =
            self.builder()?.create(&new, self.directory.clone(), None).await?;
        let stored = Stored { directory: self.directory.clone(), credentials };
        self.unwritten_account = Some(serde_json::to_string(&stored).map_err(Error::Account)?);
        Ok(account)
    }

    /// Makes a new account instead of a useless one, which is put aside when this one is stored.
    async fn replace_account(&mut self) -> Result<Account, Error> {
        tracing::warn!("the ACME server takes this server's account no more; a new one is made");
        let account = self.new_account().await?;
        self.is_replaced = true;
        self.is_stored_one_useless = true;
        Ok(account)
    }

    /// Renames the file of the account, to a name that no earlier one has.
    fn put_account_aside(&self) -> Result<(), HttpsError> {
        let file = self.account_file();
        let numbered = (2_u32..).map(|number| format!("account.old-{number}.json"));
        let mut names = std::iter::once("account.old.json".to_owned()).chain(numbered);
        let aside = names.find_map(|name| {
            let path = self.folder.join(name);
            (!path.exists()).then_some(path)
        });
        let Some(aside) = aside else { return Ok(()) };
        match fs::rename(&file, &aside) {
            Ok(()) => tracing::warn!(old = %aside.display(), "the useless account is put aside"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(HttpsError::File(file, error)),
        }
        Ok(())
    }

    fn builder(&self) -> Result<AccountBuilder, AcmeError> {
        self.root.as_ref().map_or_else(Account::builder, Account::builder_with_root)
    }

    /// Proves the names, and returns the key and the certificate chain as PEM.
    async fn order(&mut self, shown: &Shown) -> Result<String, Error> {
        let names: Vec<_> = self.names.iter().cloned().map(Identifier::Dns).collect();
        let wanted = NewOrder::new(&names);
        let mut order = match self.account().await?.new_order(&wanted).await {
            Err(AcmeError::Api(problem)) if is_useless(&problem) && !self.is_replaced => {
                self.replace_account().await?.new_order(&wanted).await?
            }
            order => order?,
        };
        let mut proofs = HashMap::new();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let name = authorization.identifier().to_string();
            let mut challenge = authorization
                .challenge(ChallengeType::TlsAlpn01)
                .ok_or_else(|| Error::NoChallenge(name.clone()))?;
            let proof = proof(&name, challenge.key_authorization().digest().as_ref())?;
            proofs.insert(name.clone(), Arc::new(proof));
            shown.prove(proofs.clone());
            // The answer may tell already that the proof was not found.
            let asked = challenge.set_ready().await;
            asked.map_err(|error| Error::Refused { name, why: error.to_string() })?;
        }
        match order.poll_ready(&PATIENCE).await {
            Ok(OrderStatus::Invalid) => return Err(refusal(&mut order, "is invalid").await),
            Err(AcmeError::Api(problem)) => {
                return Err(refusal(&mut order, &problem.to_string()).await);
            }
            ready => ready?,
        };
        let key = order.finalize().await?;
        let chain = order.poll_certificate(&PATIENCE).await?;
        Ok(key + &chain)
    }
}

/// The certificate that proves a name (RFC 8737, section 3). `digest` is that of the key authorization.
fn proof(name: &str, digest: &[u8]) -> Result<CertifiedKey, HttpsError> {
    let mut params = CertificateParams::new([name.to_owned()]).map_err(HttpsError::Making)?;
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
    let key = KeyPair::generate().map_err(HttpsError::Making)?;
    let certificate = params.self_signed(&key).map_err(HttpsError::Making)?;
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    // Not compared with its key: rustls reads no certificate with this extension, which is critical.
    let key = rustls::crypto::ring::sign::any_supported_type(&key).map_err(HttpsError::Rustls)?;
    Ok(CertifiedKey::new(vec![certificate.der().clone()], key))
}

/// The file of the account. An account is only good at its own server.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    directory: String,
    credentials: AccountCredentials,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p4_a_certificate_is_renewed_with_a_third_of_its_time_left() {
        let day = 24 * 60 * 60 * 1000;
        let about =
            About { begins: Millis::new(0), ends: Millis::new(90 * day), names: Vec::new() };
        assert_eq!(due(&about), Millis::new(60 * day));
    }

    #[test]
    fn p4_a_clock_that_is_wrong_costs_few_certificates() {
        assert_eq!(pause_after(&Error::Due, FIRST_PAUSE), LONGEST_PAUSE);
        assert_eq!(pause_after(&Error::Slow, FIRST_PAUSE), FIRST_PAUSE);
    }
}
