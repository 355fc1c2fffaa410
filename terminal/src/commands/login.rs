//! Logs in and out.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use heliograph_device::io::account::{Account, Credentials, LoginFailure};
use heliograph_device::io::server::{Failure, Server};
use heliograph_device::keys::password::{OwnVault, Unsent};
use heliograph_device::session::beam_link::{opens_sealed, server_of};
use url::Url;
use zeroize::Zeroizing;

use super::Context;
use crate::cli::LoginArgs;
use crate::exit::{Exit, Stop};
use crate::safe;
use crate::saved;
use crate::voice::Event;

/// A password has 1,024 bytes at most.
const MOST_PASSWORD: usize = 2 * 1024;
/// What is read at once, so that nothing of it stays in a buffer of the standard input.
const READ_BYTES: usize = 16 * 1024;
const UNAUTHORIZED: u16 = 401;
const TOO_MANY: u16 = 429;

pub(super) async fn log_in(context: &Context<'_>, asked: LoginArgs) -> Result<(), Stop> {
    let url = server(context)?;
    let server = Server::at(&url).map_err(|why| Stop::unreached(&why))?;
    let username = match asked.username {
        Some(username) => username,
        None => typed_username()?,
    };
    let password = if asked.password_stdin { piped_password()? } else { typed_password()? };
    let is_from_operator = asked.from_operator;
    let credentials = Credentials { username, password, is_from_operator };
    let account = Account::log_in(&server, &saved::store()?, credentials).await.map_err(refused)?;
    let username = account.username();
    let (vault, says) = match account.vault() {
        OwnVault::Open(_) => ("open", "The vault is open."),
        OwnVault::None => {
            ("none", "This account has no vault: the server can read its saved beams.")
        }
        OwnVault::Locked => (
            "locked",
            "The vault is locked: the password does not open what the server shows. Beams whose keys are in it stay closed.",
        ),
    };
    let server = url.as_str();
    context.voice.event(&Event::LoggedIn { server, username: &username, vault })?;
    let name = safe::line(&username);
    context.voice.hint(&format!("{name} is logged in at {server} until `logout`. {says}"));
    Ok(())
}

pub(super) async fn log_out(context: &Context<'_>) -> Result<(), Stop> {
    let Some(account) = saved::account(context.server.as_ref())? else {
        context.voice.hint("Nobody is logged in here.");
        return Ok(());
    };
    let server = account.server().url().clone();
    account.log_out().await.map_err(|why| {
        let stop = refused(why);
        let why = format!("Nothing of the login is kept here any more. {}", stop.why);
        Stop::new(stop.exit, why)
    })?;
    context.voice.event(&Event::LoggedOut { server: server.as_str() })?;
    context.voice.hint("Logged out.");
    Ok(())
}

/// At which server: the one that was named, or that of the login that is to be renewed.
fn server(context: &Context<'_>) -> Result<Url, Stop> {
    let kept = match &context.server {
        Some(server) => server_of(server),
        None => saved::account(None)?.map(|account| account.server().url().clone()),
    };
    let url = kept.ok_or_else(|| {
        Stop::new(Exit::Usage, "At which server? Say --server URL, which begins with https://.")
    })?;
    if !opens_sealed(&url) {
        let why = "On the way to a page without https anybody could read the password. Name an address with https.";
        return Err(Stop::new(Exit::Usage, why));
    }
    Ok(url)
}

fn typed_username() -> Result<String, Stop> {
    if !io::stdin().is_terminal() {
        let why = "There is no terminal to ask for the username. Say --username, or set HELIOGRAPH_USERNAME.";
        return Err(Stop::new(Exit::Usage, why));
    }
    let mut err = io::stderr();
    write!(err, "Username: ")?;
    err.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

/// Asks for the password on the terminal, which does not show it.
fn typed_password() -> Result<Zeroizing<String>, Stop> {
    let typed = rpassword::prompt_password("Password (it is not shown): ");
    typed.map(Zeroizing::new).map_err(|why| {
        let why =
            format!("There is no terminal to ask for the password ({why}). Say --password-stdin.");
        Stop::new(Exit::Usage, why)
    })
}

/// Reads the first line of the standard input.
fn piped_password() -> Result<Zeroizing<String>, Stop> {
    let mut bytes = Zeroizing::new(vec![0; READ_BYTES]);
    let (mut input, mut filled) = (io::stdin().lock(), 0);
    let length = loop {
        let read = input.read(bytes.get_mut(filled..).unwrap_or_default())?;
        let line = bytes.iter().take(filled + read).position(|byte| *byte == b'\n');
        filled += read;
        match line {
            Some(end) => break end,
            None if read == 0 => break filled,
            None if filled > MOST_PASSWORD => {
                return Err(Stop::new(Exit::Usage, "This is too long for a password."));
            }
            None => {}
        }
    };
    let line = bytes.get(..length).unwrap_or_default();
    let line = std::str::from_utf8(line)
        .map_err(|_| Stop::new(Exit::Usage, "This is no password: its bytes are not UTF-8."))?;
    Ok(Zeroizing::new(line.strip_suffix('\r').unwrap_or(line).to_owned()))
}

fn refused(why: LoginFailure) -> Stop {
    match why {
        LoginFailure::Server(Failure::Refused { status: UNAUTHORIZED, .. }) => {
            Stop::new(Exit::LoggedOut, "The username or the password is wrong.")
        }
        LoginFailure::Server(Failure::Refused { status: TOO_MANY, .. }) => {
            Stop::new(Exit::Refused, "There were too many attempts. Wait a while.")
        }
        LoginFailure::Server(why) => saved::failed(&why),
        LoginFailure::Unsent(Unsent::WantsPassword) => Stop::new(
            Exit::Untrusted,
            "The server says that this account has no vault, but it had one on this device. The password was not sent. Say \
             --from-operator only for a password that the operator has given you, never for your own.",
        ),
        LoginFailure::Unsent(_) | LoginFailure::OtherAccount => {
            Stop::new(Exit::Untrusted, format!("Nobody is logged in: {why}."))
        }
        LoginFailure::Store(why) => {
            Stop::new(Exit::Failed, format!("The login cannot be kept: {why}."))
        }
    }
}
