//! Memory that the server needs for a device that only listens.

use crate::Failure;
use crate::client::{beam, join, see_devices};
use crate::process::Process;
use crate::table::{Row, Target};

const SOCKETS: u32 = 5000;
/// Devices per beam: a desktop and a phone.
const DEVICES_OF_A_BEAM: u32 = 2;
/// The client's buffer is small, so that this process does not run out of memory.
const READ_BUFFER: usize = 4 * 1024;

/// Measures the KiB per device.
pub async fn measure(product: &Process) -> Result<Row, Failure> {
    let before = product.resident_bytes()?;
    let mut sockets = Vec::new();
    for number in 0..SOCKETS {
        let id = beam(u128::from(number / DEVICES_OF_A_BEAM));
        let (mut socket, _) = join(product.address, id, READ_BUFFER).await?;
        see_devices(&mut socket, (number % DEVICES_OF_A_BEAM + 1) as usize).await?;
        sockets.push(socket);
    }
    let growth = product.resident_bytes()? - before;
    drop(sockets);
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let kib = growth as f64 / 1024.0 / f64::from(SOCKETS);
    Ok(Row {
        figure: format!("memory of an idle device, {SOCKETS} devices"),
        product: format!("{kib:.1} KiB"),
        reference: String::new(),
        value: kib,
        target: Target::AtMost(20.0),
    })
}
