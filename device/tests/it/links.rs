//! The links of beams (E1).

use heliograph_device::session::beam_link::{BeamLink, NoLink};

const BEAM: &str = "5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13";
const SECRET: &str = "Bw4VHCMqMTg_Rk1UW2JpcHd-hYyTmqGor7a9xMvS2eA";

#[test]
fn e1_a_link_has_the_server_the_beam_and_the_secret() {
    let text = format!("https://beam.example.org/?beam_id={BEAM}#k={SECRET}");
    let link = BeamLink::parse(&format!(" {text}\n")).ok().unwrap();
    assert_eq!(link.server.as_str(), "https://beam.example.org/");
    assert_eq!(link.beam.to_string(), BEAM);
    assert_eq!(*link.to_text(), text);
}

#[test]
fn e1_a_secret_goes_into_no_link_without_https_other_than_to_the_same_machine() {
    for (server, is_in) in [
        ("http://192.168.1.4:8080", false),
        ("http://beam.local", false),
        ("http://localhost:8080", true),
        ("http://127.0.0.1:8080", true),
        ("http://[::1]:8080", true),
        ("https://192.168.1.4", true),
    ] {
        let text = format!("{server}/?beam_id={BEAM}#k={SECRET}");
        let link = BeamLink::parse(&text).ok().unwrap();
        assert!(link.invite.is_some());
        assert_eq!(link.to_text().contains(SECRET), is_in, "{server}");
    }
}

#[test]
fn e1_what_is_no_link_or_has_lost_a_part_is_refused() {
    let refused = |text: &str| BeamLink::parse(text).err();
    let short = &SECRET[..42];
    for (text, why) in [
        (String::new(), NoLink::NoAddress),
        (BEAM.to_owned(), NoLink::NoAddress),
        (format!("file:///?beam_id={BEAM}"), NoLink::NoAddress),
        ("https://beam.example.org/".to_owned(), NoLink::NoBeam),
        ("https://beam.example.org/?beam_id=5b1f4a52".to_owned(), NoLink::NoBeam),
        (format!("https://x.org/?beam_id={BEAM}#k={short}"), NoLink::Broken),
        (format!("https://x.org/?beam_id={BEAM}#k="), NoLink::Broken),
        (format!("https://x.org/?beam_id={BEAM}#k={SECRET}A"), NoLink::Broken),
    ] {
        assert_eq!(refused(&text), Some(why), "{text}");
    }
}
