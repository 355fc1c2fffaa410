//! The location of the blobs as an operator writes it: a folder, or `s3://bucket?endpoint=…&region=…&allow_http=true`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{BackoffConfig, ClientOptions, RetryConfig};
use url::Url;

use super::Error;

/// Time to connect to the S3 server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// Time in which the S3 server must send something.
const SILENCE: Duration = Duration::from_secs(9);
/// Time after which a request is not retried. Together with a last try, an upload to a server that is gone fails within
/// 15 s (R5).
const RETRIES: Duration = Duration::from_secs(4);
/// Default region. Servers other than Amazon's mostly ignore it.
const REGION: &str = "us-east-1";

/// The location of the blobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Files in this folder.
    Folder(PathBuf),
    /// A bucket.
    S3(S3),
}

/// A bucket on an S3 server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct S3 {
    /// The bucket's name.
    pub bucket: String,
    /// The server, such as `https://s3.example.org`; Amazon's when absent.
    pub endpoint: Option<String>,
    /// The region.
    pub region: String,
    /// Whether unencrypted http to the server is allowed.
    pub allow_http: bool,
    /// The credentials; the machine's role when absent.
    pub credentials: Option<Credentials>,
}

/// Credentials for an S3 server.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The access key id.
    pub id: String,
    /// The secret access key.
    pub secret: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(secret)")
    }
}

impl Location {
    /// The same location with these credentials. A folder ignores them.
    #[must_use]
    pub fn with_credentials(self, credentials: Option<Credentials>) -> Self {
        match self {
            Self::S3(s3) => Self::S3(S3 { credentials, ..s3 }),
            folder @ Self::Folder(_) => folder,
        }
    }
}

impl FromStr for Location {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.starts_with("s3:") {
            return match text {
                "" => Err("expected a folder or s3://bucket".to_owned()),
                folder => Ok(Self::Folder(folder.into())),
            };
        }
        let url = Url::parse(text).map_err(|error| error.to_string())?;
        let bucket = url.host_str().filter(|bucket| !bucket.is_empty() && url.path().len() <= 1);
        let bucket = bucket.ok_or("expected s3://bucket?endpoint=…&region=…&allow_http=…")?;
        let mut s3 = S3 {
            bucket: bucket.to_owned(),
            endpoint: None,
            region: REGION.to_owned(),
            allow_http: false,
            credentials: None,
        };
        for (name, value) in url.query_pairs() {
            match &*name {
                "endpoint" => s3.endpoint = Some(value.into_owned()),
                "region" => s3.region = value.into_owned(),
                "allow_http" => {
                    s3.allow_http =
                        value.parse().map_err(|_| "allow_http must be true or false")?;
                }
                other => return Err(format!("unknown parameter {other} of s3://")),
            }
        }
        Ok(Self::S3(s3))
    }
}

impl S3 {
    /// Address of the server.
    #[must_use]
    pub fn server(&self) -> String {
        let amazon = || format!("https://s3.{}.amazonaws.com", self.region);
        self.endpoint.clone().unwrap_or_else(amazon)
    }

    pub(super) fn connect(&self) -> Result<AmazonS3, Error> {
        // A file may take hours on its way to a slow device, so only silence counts as failure.
        let client = ClientOptions::new()
            .with_timeout_disabled()
            .with_connect_timeout(CONNECT_TIMEOUT)
            .with_read_timeout(SILENCE);
        let retry = RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: 3,
            retry_timeout: RETRIES,
        };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.bucket)
            .with_region(&self.region)
            .with_client_options(client)
            .with_allow_http(self.allow_http)
            .with_retry(retry);
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(Credentials { id, secret }) = &self.credentials {
            builder = builder.with_access_key_id(id).with_secret_access_key(secret);
        }
        builder.build().map_err(|error| Error::Misconfigured(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_a_bucket() {
        assert_eq!("/srv/blobs".parse(), Ok(Location::Folder("/srv/blobs".into())));
        let said = "s3://beams?endpoint=http://127.0.0.1:8333&region=eu-1&allow_http=true";
        let s3 = S3 {
            bucket: "beams".to_owned(),
            endpoint: Some("http://127.0.0.1:8333".to_owned()),
            region: "eu-1".to_owned(),
            allow_http: true,
            credentials: None,
        };
        assert_eq!(said.parse(), Ok(Location::S3(s3)));
        for wrong in [
            "",
            "s3://",
            "s3:beams",
            "s3://beams/folder",
            "s3://beams?secret=x",
            "s3://b?allow_http=1",
        ] {
            assert!(wrong.parse::<Location>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn credentials_are_not_shown() {
        let credentials = Credentials { id: "me".to_owned(), secret: "hush".to_owned() };
        assert_eq!(format!("{credentials:?}"), "Credentials(secret)");
    }
}
