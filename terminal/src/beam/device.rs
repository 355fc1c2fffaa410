//! The device of a beam: one for texts, or one that moves files too.

use heliograph_device::io::file_device::{FileDevice, FileSettings, Told};
use heliograph_device::io::live_device::LiveDevice;
use heliograph_device::io::server::{Failure, Server};
use heliograph_device::session::{Input, Session, Settings};

use crate::exit::{Exit, Stop};

/// What is in the beam.
pub(super) enum Device {
    Texts(Box<LiveDevice>),
    Files(Box<FileDevice>),
}

impl Device {
    pub(super) fn join(
        server: Server,
        settings: Settings,
        files: Option<FileSettings>,
    ) -> Result<Self, Stop> {
        let Some(files) = files else {
            return Ok(Self::Texts(Box::new(LiveDevice::join(server, settings))));
        };
        let state = files.state.display().to_string();
        let device = FileDevice::join(server, settings, files);
        let device = device
            .map_err(|why| Stop::new(Exit::Failed, format!("{state} cannot be used: {why}.")));
        Ok(Self::Files(Box::new(device?)))
    }

    pub(super) fn session(&self) -> &Session {
        match self {
            Self::Texts(device) => device.session(),
            Self::Files(device) => device.session(),
        }
    }

    pub(super) fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Texts(device) => device.failure(),
            Self::Files(device) => device.failure(),
        }
    }

    pub(super) fn tell(&mut self, input: Input) {
        match self {
            Self::Texts(device) => device.tell(input),
            Self::Files(device) => device.tell(input),
        }
    }

    pub(super) fn files(&mut self) -> Option<&mut FileDevice> {
        match self {
            Self::Texts(_) => None,
            Self::Files(device) => Some(device),
        }
    }

    pub(super) async fn next(&mut self) -> Option<Told> {
        match self {
            Self::Texts(device) => device.next().await.map(Told::News),
            Self::Files(device) => device.next().await,
        }
    }

    pub(super) async fn leave(self) {
        match self {
            Self::Texts(device) => device.leave().await,
            Self::Files(device) => device.leave().await,
        }
    }
}
