//! The program `heliograph`: reads the command line, starts the server, and ends it on a signal. A device in a terminal is a crate of its own.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};
use heliograph_signal::app::App;
use heliograph_signal::clock::Clock;
use heliograph_signal::config::{self, Config, Doctor};
use heliograph_signal::doctor;
use heliograph_signal::edge::assets as client;
use heliograph_signal::error::causes;
use heliograph_signal::log;
use heliograph_signal::operate::{assets, backup, settings, users};
use heliograph_signal::program::{Cli, Command};
use heliograph_signal::start::{self, greeting, start};
#[cfg(feature = "device")]
use heliograph_terminal::cli::Asked;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Returns freed memory to the system (ARCHITECTURE, "Freed memory goes back"). Elsewhere the system's own allocator
/// serves: on ARM, jemalloc is built for one size of pages and does not start on a kernel with larger ones.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Time that the database and the blocking tasks each get to finish.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);
/// Exit code of an interrupted program: 128 and the number of SIGINT.
const INTERRUPTED: i32 = 130;

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let command = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli.command,
        Err(error) => error.exit(),
    };
    // Before the first use of TLS: a build may contain two providers, of which rustls cannot choose one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match command {
        Command::Server(command) => operate(command, &matches),
        #[cfg(feature = "device")]
        Command::Device(command) => {
            heliograph_terminal::program::run(Asked::Command(*command), &Cli::command())
        }
        #[cfg(feature = "device")]
        Command::Home(home) => {
            heliograph_terminal::program::run(Asked::Home(*home), &Cli::command())
        }
    }
}

fn operate(command: config::Command, matches: &ArgMatches) -> ExitCode {
    use config::Command;
    match command {
        Command::Serve(config) => serve(&config),
        Command::Doctor(asked) => examine(&asked),
        Command::Health(config) => finish(&config, doctor::health(&config)),
        Command::Config(config) => show(&config, matches),
        Command::Assets => list_assets(),
        Command::User(asked) => {
            let mut input = io::stdin().lock();
            finish(&asked.config, users::run(&asked, &mut input, &mut io::stdout()))
        }
        Command::Backup(to) => finish(&to.config, say(backup::make(&to.config, &to.file))),
        Command::Restore(from) => {
            finish(&from.config, say(backup::restore(&from.config, &from.file)))
        }
    }
}

/// Prints what comes of it.
async fn say<E>(work: impl Future<Output = Result<String, E>>) -> Result<(), E> {
    let text = work.await?;
    // Standard output may be closed.
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(())
}

/// Runs a command that is not the server. It warns where something is wrong, and logs nothing else.
fn finish<E: Error + 'static>(
    config: &Config,
    work: impl Future<Output = Result<(), E>>,
) -> ExitCode {
    log::init(&log::Options { levels: log::Levels::of_commands(), ..config.log.clone() });
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    runtime.block_on(work).map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS)
}

fn serve(config: &Config) -> ExitCode {
    log::init(&config.log);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    let outcome = runtime.block_on(run(config));
    runtime.shutdown_timeout(CLOSE_TIMEOUT);
    outcome.map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS)
}

/// Writes what the doctor finds. The exit code says whether nothing failed.
fn examine(asked: &Doctor) -> ExitCode {
    let Doctor { url, json, config } = asked;
    log::init(&log::Options { levels: log::Levels::of_commands(), ..config.log.clone() });
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    let examined = doctor::examine(config, url.as_ref(), Clock::System);
    let report = runtime.block_on(examined);
    runtime.shutdown_timeout(CLOSE_TIMEOUT);
    let text = if *json { report.json() } else { report.text() };
    // Standard output may be closed.
    let _ = writeln!(io::stdout(), "{text}");
    if report.has_failures() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

async fn run(config: &Config) -> Result<(), start::Error> {
    let (signals, shutdown) =
        (Signals::listen().map_err(start::Error::Signals)?, CancellationToken::new());
    tokio::spawn(end_on_signal(signals, shutdown.clone()));
    // A start may wait for a database or a bucket.
    let (listeners, app) = tokio::select! {
        started = start(config, Clock::System) => started?,
        () = shutdown.cancelled() => return Ok(()),
    };
    tracing::info!(listening = ?app.listening, data = %config.data.display(), "started");
    // Standard output may be closed.
    let _ = write!(io::stdout(), "{}", greeting(app.listening, &app.certificate));
    tokio::spawn(end_without_lease(app.clone(), shutdown.clone()));
    heliograph_signal::start::serve(listeners, app.clone(), shutdown).await;
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, app.storage.close()).await;
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, app.lease.release()).await;
    tracing::info!("ended");
    Ok(())
}

/// Ends the server when another one has taken over the database, so that only one writes to it.
async fn end_without_lease(app: Arc<App>, shutdown: CancellationToken) {
    app.lease.lost().await;
    tracing::error!("another server has taken over the database; shutting down");
    shutdown.cancel();
}

/// The signals that end the server.
#[cfg(unix)]
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

#[cfg(unix)]
impl Signals {
    /// Catches the signals from now on, so that they no longer kill the process.
    fn listen() -> io::Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { interrupt, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next signal.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Shuts down gracefully on the first signal and exits at once on the second.
async fn end_on_signal(mut signals: Signals, shutdown: CancellationToken) {
    signals.next().await;
    tracing::info!("shutting down; a second signal exits at once");
    shutdown.cancel();
    signals.next().await;
    process::exit(INTERRUPTED);
}

/// Prints the settings, and what is wrong with them.
fn show(config: &Config, matches: &ArgMatches) -> ExitCode {
    let table = matches.subcommand().map(|(_, matches)| settings::table(matches));
    let wrong = start::check(config);
    let verdict = settings::verdict(&wrong);
    // Standard output may be closed.
    let _ = writeln!(io::stdout(), "{}\n{verdict}", table.unwrap_or_default());
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints which app is in this binary.
fn list_assets() -> ExitCode {
    let Some(listing) = assets::listing(&client::hashes()) else {
        let _ = write!(io::stderr(), "heliograph: {}", client::NOT_BUILT);
        return ExitCode::FAILURE;
    };
    // Standard output may be closed.
    let _ = io::stdout().write_all(listing.as_bytes());
    ExitCode::SUCCESS
}

fn fail(error: &dyn Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "heliograph: {}", causes(error));
    ExitCode::FAILURE
}
