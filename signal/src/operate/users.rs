//! `heliograph user`: the accounts, from the command line.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use heliograph_shared::names;
use heliograph_storage::LeaseError;
use time::OffsetDateTime;

use crate::clock::Clock;
use crate::config::{Config, User as Asked, UserCommand as Command};
use crate::start;
use crate::start::operator::{self, Answer, AskError, Request, User};

/// Longest text in a column.
const COLUMN: usize = 60;

/// Why a command was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to work on.
    #[error(
        "there is no database in {0}; name its folder with --data, or its address with --database"
    )]
    Nothing(String),
    /// Another program has the data, and it does not listen to commands.
    #[error(transparent)]
    Start(#[from] start::Error),
    /// A server runs that cannot be asked from here.
    #[error(
        "a server uses this database, and does not listen in {}; run this on its machine as its user and with its --data, or \
         stop it first",
        .0.display()
    )]
    Elsewhere(PathBuf),
    /// The server that runs cannot be asked, or gave no answer.
    #[error(transparent)]
    Asking(#[from] AskError),
    /// The output cannot be written. The text says what was done.
    #[error("{0}")]
    Unwritten(String, #[source] io::Error),
    /// What was asked for is not possible.
    #[error("{0}")]
    Refused(String),
    /// The terminal is gone.
    #[error("nobody can be asked; use --yes")]
    Terminal(#[source] io::Error),
}

/// Runs a command. It reads a confirmation from `input` and writes to `output`.
///
/// # Errors
/// Why it was not done.
pub async fn run(
    Asked { command, config }: &Asked,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<(), Error> {
    // What to say when the text cannot be written, and the text.
    let (unwritten, text) = match command {
        Command::List => ("the list could not be written".to_owned(), list(&users(config).await?)),
        Command::ResetPassword { name } => {
            match ask(config, Request::ResetPassword(name.clone())).await? {
                Answer::Password(password) => (
                    format!(
                        "the password of {name} was changed, but the new one could not be written; \
                         run this again for another one"
                    ),
                    format!(
                        "The new password of {name}: {password}\nIt is not shown again. All \
                         devices of this account are logged out.\n"
                    ),
                ),
                other => return Err(unexpected(other)),
            }
        }
        Command::Delete { name, yes } => {
            let users = users(config).await?;
            let user = users.iter().find(|user| user.username.eq_ignore_ascii_case(name));
            let nobody =
                || Error::Refused("there is no account of this name; see user list".into());
            let user = user.ok_or_else(nobody)?;
            if !yes && !confirms(user, input, output).map_err(Error::Terminal)? {
                ("nothing was deleted".to_owned(), "Nothing was deleted.\n".to_owned())
            } else {
                match ask(config, Request::DeleteUser(user.username.clone())).await? {
                    Answer::Deleted => {
                        let name = &user.username;
                        let unwritten = format!("{name} is deleted, but this could not be written");
                        (unwritten, format!("{name} is deleted.\n"))
                    }
                    other => return Err(unexpected(other)),
                }
            }
        }
    };
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    written.map_err(|error| Error::Unwritten(unwritten, error))
}

async fn users(config: &Config) -> Result<Vec<User>, Error> {
    match ask(config, Request::Users).await? {
        Answer::Users(users) => Ok(users),
        other => Err(unexpected(other)),
    }
}

/// Asks the server that runs. While none does, opens the data and answers itself.
async fn ask(config: &Config, request: Request) -> Result<Answer, Error> {
    let database = start::location(config);
    if let Some(said) = operator::ask(&config.data, &database, request.clone()).await? {
        return Ok(said);
    }
    if config.database.is_none() && !config.data.join("heliograph.db").exists() {
        return Err(Error::Nothing(config.data.display().to_string()));
    }
    let app = start::open(config, Clock::System).await.map_err(|error| match error {
        start::Error::Lease(LeaseError::Taken) => Error::Elsewhere(config.data.clone()),
        error => Error::Start(error),
    })?;
    let said = operator::answer(&app, request).await;
    app.tasks.close();
    app.tasks.wait().await;
    app.storage.close().await;
    app.lease.release().await;
    Ok(said)
}

fn unexpected(answer: Answer) -> Error {
    match answer {
        Answer::Refused(why) => Error::Refused(why),
        _ => Error::Refused("the server that runs is of another version; restart it".to_owned()),
    }
}

fn confirms(
    User { username, beams, files, file_bytes, .. }: &User,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<bool> {
    let size = size(*file_bytes);
    writeln!(
        output,
        "{username} goes for good, with the profile, {beams} saved beams and all notes in them, and \
         {files} files ({size}). Its notes in beams of others stay, without a name.",
    )?;
    write!(output, "Type the username to delete it: ")?;
    output.flush()?;
    let mut line = String::new();
    // Nobody is there who could answer.
    if input.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim() == username)
}

fn list(users: &[User]) -> String {
    let heading = ["username", "e-mail", "since", "beams", "files", "size"].map(str::to_owned);
    let rows: Vec<_> = [heading].into_iter().chain(users.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; 6] = std::array::from_fn(|column| width(column).unwrap_or_default());
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        // Writing to a String never fails.
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

fn row(user: &User) -> [String; 6] {
    // People chose these, and a terminal obeys some characters.
    let [username, email] = [&user.username, &user.email].map(|text| names::clean(text, COLUMN));
    let since = OffsetDateTime::from_unix_timestamp(user.created_at.get() / 1_000);
    let since = since.map(|time| time.date().to_string()).unwrap_or_default();
    let [beams, files] = [user.beams, user.files].map(|count| count.to_string());
    [username, email, since, beams, files, size(user.file_bytes)]
}

fn size(bytes: u64) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = units.into_iter().find(|(_, unit)| bytes >= *unit);
    // Tenths are enough.
    unit.map_or_else(
        || format!("{bytes} B"),
        |(name, unit)| format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
    )
}
