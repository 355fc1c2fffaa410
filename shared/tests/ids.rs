//! Ids, tokens and keys in their text form.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

use heliograph_shared::ids::{BeamId, BeamKey, DeviceId, DeviceToken};

const TOKEN: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI";

#[test]
fn s5_a_token_gives_one_id_whatever_the_beam_is_called_now() {
    let token = |byte| DeviceToken::from_random([byte; 32]);
    let id = DeviceId::from_token(&token(1));
    assert_eq!(DeviceId::from_token(&token(1)), id);
    assert_ne!(DeviceId::from_token(&token(2)), id);
    assert_eq!(id.to_string().as_bytes()[14], b'8');
}

#[test]
fn b9_a_beam_id_is_a_version_4_uuid_in_one_form() {
    let good = "5f5ec022-109f-4428-94cc-5dd6903352f4";
    for (text, is_good) in [
        (good, true),
        (&good.to_uppercase(), true),
        ("5f5ec022-109f-1428-94cc-5dd6903352f4", false),
        ("5f5ec022-109f-4428-c4cc-5dd6903352f4", false),
        ("5f5ec022109f442894cc5dd6903352f4", false),
        ("{5f5ec022-109f-4428-94cc-5dd6903352f4}", false),
        ("urn:uuid:5f5ec022-109f-4428-94cc-5dd6903352f4", false),
        ("5f5ec022-109f-4428-94cc-5dd6903352f", false),
        ("5f5ec022-109f-4428-94cc-5dd6903352f4 ", false),
        ("5f5ec022_109f_4428_94cc_5dd6903352f4", false),
        ("gf5ec022-109f-4428-94cc-5dd6903352f4", false),
        ("", false),
    ] {
        assert_eq!(BeamId::parse(text).is_ok(), is_good, "{text}");
    }
    assert_eq!(BeamId::parse(&good.to_uppercase()).unwrap().to_string(), good);
}

#[test]
fn a_key_is_43_characters_and_never_shown() {
    let key = BeamKey::from_random([2; 32]);
    assert_eq!(BeamKey::parse(TOKEN), Ok(key.clone()));
    assert_eq!(format!("{key:?}"), "BeamKey(secret)");
    let padded = format!("{TOKEN}=");
    for wrong in ["", &TOKEN[1..], &padded, &format!("{TOKEN}A"), &TOKEN.replace('A', "+")] {
        assert!(BeamKey::parse(wrong).is_err(), "{wrong}");
    }
    assert_ne!(key.hash(), BeamKey::from_random([3; 32]).hash());
}
