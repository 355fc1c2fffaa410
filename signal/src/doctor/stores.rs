//! The database, and the store of files and pictures.

use std::time::Duration;

use heliograph_storage::blobs::{self, Blobs, Step};
use heliograph_storage::{Error, Examination, Lease, LeaseError, examine};
use tokio::time::timeout;

use super::http::Place;
use super::moment;
use super::report::Check;
use crate::clock::Clock;
use crate::config::Config;
use crate::start;

const DATABASE: &str = "database";
const STORE: &str = "storage";
const STORE_CLOCK: &str = "storage clock";
/// Time for the store: the library tries again for a while.
const PATIENCE: Duration = Duration::from_secs(25);

/// The database.
pub async fn database(config: &Config) -> Check {
    let location = start::location(config);
    if config.database.is_none() && !config.data.exists() {
        return Check::ok(DATABASE, "The first start creates it.");
    }
    let examined = examine(&location).await;
    let mut in_use = false;
    if examined.as_ref().is_ok_and(|found| found.exists) {
        match Lease::take(&location).await {
            Ok(lease) => lease.release().await,
            Err(LeaseError::Taken) => in_use = true,
            // What is read-only was seen before this.
            Err(_) => {}
        }
    }
    judge_database(examined, in_use)
}

fn judge_database(examined: Result<Examination, Error>, in_use: bool) -> Check {
    let used = if in_use { "A Heliograph server uses it" } else { "It opens" };
    match examined {
        Ok(Examination { exists: false, .. }) => Check::ok(DATABASE, "The first start creates it."),
        Ok(Examination { unknown: 1.., .. }) => Check::failed(
            DATABASE,
            "A newer Heliograph has changed it.",
            "Run the newer version again, or restore the backup from before its first start.",
        ),
        Ok(Examination { pending: 0, .. }) => {
            Check::ok(DATABASE, format!("{used}, and its tables are up to date."))
        }
        Ok(Examination { pending, .. }) => Check::ok(
            DATABASE,
            format!("{used}; the next start brings it up to date ({pending} steps)."),
        ),
        Err(error) => judge_broken_database(&error.to_string()),
    }
}

fn judge_broken_database(error: &str) -> Check {
    let lower = error.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let advice = if has(&["password", "authentication"]) {
        "Correct the user and the password in --database (HELIOGRAPH_DATABASE)."
    } else if has(&["does not exist"]) {
        "Create the database (CREATE DATABASE), or correct its name in --database."
    } else if has(&["it is read-only here"]) {
        "Name a database server that takes writes in --database, not one that only follows it."
    } else if has(&["readonly", "read-only", "read only", "unable to open"]) {
        "Let the user who runs Heliograph write to the database file and its folder."
    } else if has(&["malformed", "not a database"]) {
        "Restore the database from a backup."
    } else {
        "Start the database server, and check host and port in --database."
    };
    Check::failed(DATABASE, format!("It does not open: {error}."), advice)
}

/// The store, and the clock of its server.
pub async fn store(config: &Config, clock: Clock) -> Vec<Check> {
    let location = config.blobs();
    match &location {
        blobs::Location::Folder(folder) => {
            if !folder.exists() {
                let why = format!("{} is created at the first start.", folder.display());
                return vec![Check::skipped(STORE, why)];
            }
            vec![judge_store(try_store(&location).await, false)]
        }
        blobs::Location::S3(s3) => {
            let clock = s3_clock(s3, clock).await;
            vec![judge_store(try_store(&location).await, true), clock]
        }
    }
}

async fn try_store(location: &blobs::Location) -> Result<(), (Step, blobs::Error)> {
    let store = Blobs::open(location).map_err(|error| (Step::Write, error))?;
    let late = || (Step::Write, blobs::Error::Unreachable("no answer in time".to_owned()));
    timeout(PATIENCE, store.try_out()).await.map_err(|_| late())?
}

fn judge_store(tried: Result<(), (Step, blobs::Error)>, is_bucket: bool) -> Check {
    let (step, error) = match tried {
        Ok(()) => return Check::ok(STORE, "A file was written, read and deleted."),
        Err(failed) => failed,
    };
    let step = match step {
        Step::Write => "A file cannot be written",
        Step::Read => "What was written cannot be read",
        Step::Delete => "What was written cannot be deleted",
    };
    let advice = match &error {
        blobs::Error::NoBucket => "Create the bucket, or correct its name in --blobs.",
        blobs::Error::Refused(why) if is_bucket && why.contains("TimeTooSkewed") => {
            "Set this machine's clock and that of the S3 server by NTP."
        }
        blobs::Error::Refused(_) if is_bucket => {
            "Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and let this key read, write and delete in the bucket."
        }
        blobs::Error::Refused(_) | blobs::Error::Missing => {
            "Let the user who runs Heliograph write to the folder of --blobs."
        }
        blobs::Error::NoRoom => "Make room in the store.",
        blobs::Error::Misconfigured(_) => {
            "Correct --blobs, as `heliograph serve --help` explains it."
        }
        blobs::Error::Unreachable(_) => "Start the S3 server, and check its endpoint in --blobs.",
    };
    Check::failed(STORE, format!("{step}: {}.", first_line(&error)), advice)
}

/// The start of a message: libraries add the whole answer of the server.
fn first_line(error: &blobs::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(300).collect()
}

async fn s3_clock(s3: &blobs::S3, clock: Clock) -> Check {
    let server = s3.server();
    let Ok(origin) = server.trim_end_matches('/').parse() else {
        return Check::skipped(STORE_CLOCK, "The address of the S3 server is unknown.");
    };
    match Place::of(&origin).get("/").await {
        Ok(answer) => {
            let ahead = moment::ahead(answer.header("date"), clock.now());
            moment::judge(STORE_CLOCK, "The S3 server", ahead)
        }
        Err(error) => {
            Check::skipped(STORE_CLOCK, format!("The S3 server cannot be reached: {error}."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(check: Check) -> String {
        check.advice.unwrap_or_default()
    }

    #[test]
    fn each_broken_database_gets_its_own_advice() {
        for (error, word) in [
            ("password authentication failed for user \"a\"", "password"),
            ("database \"b\" does not exist", "CREATE DATABASE"),
            ("attempt to write a readonly database", "file"),
            ("it is read-only here", "takes writes"),
            ("file is not a database", "backup"),
            ("Connection refused (os error 111)", "port"),
        ] {
            assert!(advice(judge_broken_database(error)).contains(word), "{error}");
        }
        let newer = Examination { exists: true, pending: 0, unknown: 1 };
        assert!(advice(judge_database(Ok(newer), false)).contains("newer"));
    }

    #[test]
    fn each_broken_store_gets_its_own_advice() {
        let refused = |why: &str| blobs::Error::Refused(why.to_owned());
        for (error, is_bucket, word) in [
            (blobs::Error::NoBucket, true, "Create the bucket"),
            (refused("RequestTimeTooSkewed"), true, "NTP"),
            (refused("SignatureDoesNotMatch"), true, "AWS_SECRET_ACCESS_KEY"),
            (refused("Permission denied"), false, "folder"),
            (blobs::Error::NoRoom, false, "room"),
            (blobs::Error::Unreachable("refused".to_owned()), true, "Start the S3 server"),
        ] {
            let shown = format!("{error}");
            let judged = judge_store(Err((Step::Write, error)), is_bucket);
            assert!(advice(judged).contains(word), "{shown}");
        }
    }
}
