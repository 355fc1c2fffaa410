//! By what an end is known: a certificate of its own for each connection, of which the other end has heard the hash. Both prove
//! that they have its key, as the two ends of DTLS do for WebRTC (RFC 8827, section 5.6.4).

use std::sync::Arc;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::version::TLS13;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig,
    SignatureScheme,
};
use sha2::{Digest as _, Sha256};

/// SHA-256 of a certificate in DER.
pub(super) type Fingerprint = [u8; 32];

/// What is spoken on the connection (RFC 7301).
const PROTOCOL: &[u8] = b"heliograph/1";
/// The name in the certificates, which says nothing.
pub(super) const NAME: &str = "heliograph.invalid";

/// What an end shows and signs with.
pub(super) struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// One that was never used; `None` where the system gives no random bytes.
    pub(super) fn fresh() -> Option<Self> {
        let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).ok()?;
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into();
        Some(Self { certificate: made.cert.der().clone(), key })
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        fingerprint(&self.certificate)
    }

    /// For the end that connects, which takes the end of that fingerprint for the other one.
    pub(super) fn client(self, theirs: Fingerprint) -> Option<QuicClientConfig> {
        let provider = Arc::new(ring::default_provider());
        let pinned = Arc::new(Pinned::new(theirs, &provider));
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_protocol_versions(&[&TLS13]).ok()?;
        let builder = builder.dangerous().with_custom_certificate_verifier(pinned);
        let mut config = builder.with_client_auth_cert(vec![self.certificate], self.key).ok()?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        config.resumption = rustls::client::Resumption::disabled();
        config.try_into().ok()
    }

    /// For the end that is connected to. It lets in only the end of that fingerprint.
    pub(super) fn server(self, theirs: Fingerprint) -> Option<QuicServerConfig> {
        let provider = Arc::new(ring::default_provider());
        let pinned = Arc::new(Pinned::new(theirs, &provider));
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder.with_protocol_versions(&[&TLS13]).ok()?;
        let builder = builder.with_client_cert_verifier(pinned);
        let mut config = builder.with_single_cert(vec![self.certificate], self.key).ok()?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        config.send_tls13_tickets = 0;
        config.try_into().ok()
    }
}

fn fingerprint(certificate: &CertificateDer<'_>) -> Fingerprint {
    Sha256::digest(certificate).into()
}

/// Takes one certificate, whatever it says of itself.
#[derive(Debug)]
struct Pinned {
    fingerprint: Fingerprint,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn new(fingerprint: Fingerprint, provider: &Arc<CryptoProvider>) -> Self {
        Self { fingerprint, provider: provider.clone() }
    }

    fn check(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        if fingerprint(certificate) == self.fingerprint {
            return Ok(());
        }
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn check_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// QUIC knows TLS 1.3 alone (RFC 9001, section 4.2).
fn never() -> Error {
    Error::General("TLS 1.2 is not spoken here".to_owned())
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(certificate).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(never())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes()
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(certificate).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(never())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes()
    }
}
