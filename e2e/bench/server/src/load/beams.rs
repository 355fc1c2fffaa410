//! The beams of a load: unsaved ones, kept ones, and those in the account of somebody.

use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::SinkExt as _;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use super::device::{Device, identity};
use super::filter::Filter;
use super::plan::Kind;
use super::world::{Beam, World};
use crate::Failure;
use crate::client::{join, next};
use crate::people::{register, save_beam};

/// The beam and the device of it whose messages are changed, where that is asked for.
const PLANTED_AT: (u32, u16) = (0, 1);

/// A beam with its devices, the last one its auditor, who comes when nothing more is shared.
pub struct Crowd {
    pub beam: Arc<Beam>,
    pub devices: Vec<Device>,
    pub auditor: Device,
}

/// Makes all beams of a plan.
pub async fn make(world: &Arc<World>) -> Result<Vec<Crowd>, Failure> {
    let server = world.addresses.first().copied().ok_or("no server")?;
    let mut owner = None;
    let mut crowds = Vec::new();
    for number in 0..world.plan.beams {
        let id = match world.plan.kind(number) {
            Kind::Unsaved => fresh_id()?,
            Kind::Kept => keep(server, fresh_id()?).await?,
            Kind::Saved => {
                if owner.is_none() {
                    let name = format!("load{}", &fresh_id()?.simple().to_string()[..12]);
                    owner = Some(register(server, &name).await?);
                }
                let cookie = owner.as_deref().unwrap_or_default();
                save_beam(server, cookie, &format!("Load {number}")).await?
            }
        };
        crowds.push(crowd(world, number, id)?);
    }
    Ok(crowds)
}

fn fresh_id() -> Result<Uuid, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid())
}

async fn keep(server: SocketAddr, id: Uuid) -> Result<Uuid, Failure> {
    let (mut socket, _) = join(server, id, 4 * 1024).await?;
    socket.send(Message::text(json!({"type": "keep", "message": "1h"}).to_string())).await?;
    next(&mut socket, "kept").await?;
    socket.close(None).await?;
    Ok(id)
}

fn crowd(world: &Arc<World>, number: u32, id: Uuid) -> Result<Crowd, Failure> {
    let identities: Vec<_> =
        (0..=world.plan.devices).map(|_| identity()).collect::<Result<_, _>>()?;
    let ids = identities.iter().map(|(_, id)| *id).collect();
    let beam = Beam::new(world, number, id, ids);
    let mut devices = Vec::new();
    for (index, (token, id)) in (0..).zip(identities) {
        let planted = world.plan.plant.filter(|_| (number, index) == PLANTED_AT);
        let filter = planted.map(|planted| Filter::new(planted, &id.to_string()));
        devices.push(Device::new(world, &beam, index, token)?.hears_through(filter));
    }
    let auditor = devices.pop().ok_or("no device")?;
    Ok(Crowd { beam, devices, auditor })
}
