//! What shells and `man` have to know of the program.

use std::io::{self, Write as _};
use std::path::Path;

use clap::Command;
use clap_complete::Shell;

use crate::exit::{Exit, Stop};

pub(super) fn completions(mut program: Command, shell: Shell) -> Result<(), Stop> {
    // It panics where it cannot write.
    let mut script = Vec::new();
    let name = program.get_name().to_owned();
    clap_complete::generate(shell, &mut program, name, &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}

pub(super) fn manual(program: Command, folder: Option<&Path>) -> Result<(), Stop> {
    if let Some(folder) = folder {
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(program, folder));
        return written.map_err(|why| {
            Stop::new(Exit::Failed, format!("{} cannot be used: {why}.", folder.display()))
        });
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(program).render(&mut page)?;
    Ok(io::stdout().lock().write_all(&page)?)
}
