//! What shells and `man` have to know of the program.

use std::io::{self, Write as _};
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::exit::Stop;

pub(super) fn completions(shell: Shell) -> Result<(), Stop> {
    // It panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "heliograph-device", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}

pub(super) fn manual(folder: Option<&Path>) -> Result<(), Stop> {
    if let Some(folder) = folder {
        return Ok(clap_mangen::generate_to(Cli::command(), folder)?);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    Ok(io::stdout().lock().write_all(&page)?)
}
