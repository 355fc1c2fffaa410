//! Removed devices (S25).

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::limits::MAX_REMOVED_DEVICES;

use super::saved::{GUEST, OWNER, WRITER, access, outcome, saved};
use super::*;

#[test]
fn s25_a_removed_device_is_closed_and_does_not_come_again() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, GUEST]);
    let removal = Request::RemoveDevice(DeviceId::from_bytes([GUEST; 16]));
    let told = beam.wants(OWNER, removal);
    assert!(matches!(told[..], [Told::ToWrite(Write::RemoveDevice { .. })]));

    let told = beam.stores();

    assert_eq!(told[0], Told::Closed(GUEST.into(), CloseCode::Forbidden));
    assert_eq!(types(&told), [(OWNER.into(), "authed_users"), (OWNER.into(), "devices_removed")]);
    assert_eq!(outcome(&beam.enters(GUEST)), "4403");
}

#[test]
fn s25_the_others_hear_who_was_removed_also_when_they_come_later() {
    let mut beam = saved(LinkAccess::Write).with_visitors(&[OWNER, GUEST]);
    let guest = json!([device(GUEST)]);
    let of = |told: &[Told]| -> Vec<_> {
        told.iter()
            .filter_map(|told| match told {
                Told::Message(to, message) if message["type"] == "devices_removed" => {
                    Some((*to, message["message"].clone()))
                }
                _ => None,
            })
            .collect()
    };
    // The device is away at the moment, but a direct link to it may live.
    beam.tell(Input::Gone(ConnectionId(GUEST.into())));
    beam.wants(OWNER, Request::RemoveDevice(DeviceId::from_bytes([GUEST; 16])));

    assert_eq!(of(&beam.stores()), [(OWNER.into(), guest.clone())]);

    assert_eq!(of(&beam.enters(WRITER)), [(WRITER.into(), guest)]);
    assert_eq!(of(&beam.joins_plain(CAT)), []);
}

#[test]
fn s25_in_an_unsaved_beam_the_creator_removes_devices() {
    let mut beam = Beam::of(&[BOB]);
    beam.tell(Input::Join(Newcomer { creator: true, ..newcomer(ADA, 1) }));
    let removal = || Request::RemoveDevice(DeviceId::from_bytes([BOB; 16]));
    assert_eq!(outcome(&beam.wants(BOB, removal())), "forbidden");
    assert_eq!(outcome(&beam.wants(ADA, removal())), "yes");
}

/// A beam that remembers one removed device less than it can.
fn nearly_full(status: Status) -> Beam {
    let removed = (1..1000_u128).map(|number| DeviceId::from_bytes(number.to_be_bytes()));
    Beam::with(Terms { status, removed: removed.collect(), ..unsaved(true) })
}

#[test]
fn s25_a_beam_remembers_a_thousand_removed_devices() {
    let mut beam = nearly_full(unsaved(true).status);
    beam.tell(Input::Join(Newcomer { creator: true, ..newcomer(ADA, 1) }));
    beam.joins(BOB);
    beam.joins(CAT);
    let removal = |number| Request::RemoveDevice(DeviceId::from_bytes([number; 16]));
    assert_eq!(outcome(&beam.wants(ADA, removal(BOB))), "yes");
    beam.stores();

    let told = beam.wants(ADA, removal(CAT));

    let [Told::Message(1, error)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((&error["extra"], &error["to"]), (&json!("no_room"), &json!(device(CAT))));
    assert!(error["message"].as_str().unwrap().contains("Make a new beam"), "{error}");
    assert_eq!(beam.wants(ADA, removal(BOB)), [], "it is removed already");
    assert_eq!(outcome(&beam.joins(BOB)), "4403");
    assert_eq!(MAX_REMOVED_DEVICES, 1000);
}

#[test]
fn s25_a_saved_beam_that_remembers_no_more_removed_devices_asks_to_renew_its_link() {
    let status = Status::Saved(access(LinkAccess::Write));
    let mut beam = nearly_full(status).with_visitors(&[OWNER, WRITER, GUEST]);
    let removal = |number| Request::RemoveDevice(DeviceId::from_bytes([number; 16]));
    beam.wants(OWNER, removal(WRITER));
    beam.stores();

    let told = beam.wants(OWNER, removal(GUEST));

    let [Told::Message(_, error)] = &told[..] else { panic!("{told:?}") };
    assert!(error["message"].as_str().unwrap().contains("Renew its link"), "{error}");
}
