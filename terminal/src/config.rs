//! The configuration file, in TOML: what its person does not want to say each time.

use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use serde::Deserialize;
use url::Url;

use crate::exit::{Exit, Stop};

/// What the file says.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The server on which beams are made.
    pub server: Option<Url>,
    /// The name of this device, as others see it.
    pub name: Option<String>,
}

impl Config {
    /// Reads a file: the one that was named, which must be there, or that of this person, which need not.
    ///
    /// # Errors
    /// [`Exit::Usage`] where it cannot be read or understood.
    pub fn read(named: Option<&Path>) -> Result<Self, Stop> {
        let Some(path) = named.map(ToOwned::to_owned).or_else(of_this_person) else {
            return Ok(Self::default());
        };
        let said = |why: &dyn std::fmt::Display| {
            Stop::new(Exit::Usage, format!("{}: {why}", path.display()))
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|why| said(&why)),
            Err(why) if named.is_none() && why.kind() == io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            Err(why) => Err(said(&why)),
        }
    }
}

/// Where the file of this person is; `None` where the system names no such place.
fn of_this_person() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("heliograph").join("device.toml"))
}
