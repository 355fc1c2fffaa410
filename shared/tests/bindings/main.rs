//! Writes `client/src/protocol/bindings.ts` (types and constants) and `client/src/protocol/schemas.ts` (their
//! validation). Fails when one of them was stale.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says so by failing"
)]

mod schemas;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use heliograph_shared::api::accounts::{
    AccountDeletion, CurrentUser, Done, Login, Me, ProfileChange,
};
use heliograph_shared::api::beams::{
    Beam, BeamChange, BeamDetails, BeamShare, Beams, MyShares, NewShare, Note, ShareChange,
    SharedBeams,
};
use heliograph_shared::api::certificate::OwnCertificate;
use heliograph_shared::api::doctor::{Diagnosis, Forwarding};
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::api::uploads::{FileRoom, UploadedFile};
use heliograph_shared::api::vaults::{
    AskedWay, BeamVault, BeamVaultChange, KeptBeams, LoginWay, OwnVault, VaultChange,
};
use heliograph_shared::api::{BeamCode, CodeBeam, CreatedBeam, ErrorBody, FieldErrors, Site};
use heliograph_shared::close::CloseCode;
use heliograph_shared::limits;
use heliograph_shared::names::DECEPTIVE;
use heliograph_shared::socket::{ClientMessage, ServerMessage};
use ts_rs::{Config, TS, TypeVisitor};

/// The visited types, and all types that they refer to.
struct Declarations<'a> {
    config: &'a Config,
    /// The doc comment and `type Name = …;` by name.
    found: BTreeMap<String, (String, String)>,
}

impl<'a> Declarations<'a> {
    fn new(config: &'a Config) -> Self {
        Self { config, found: BTreeMap::new() }
    }
}

impl TypeVisitor for Declarations<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only our own types have an output path; primitives and containers do not.
        if T::output_path().is_none() || self.found.contains_key(&T::ident(self.config)) {
            T::visit_generics(self);
            return;
        }
        let declaration = (T::docs().unwrap_or_default(), T::decl(self.config));
        self.found.insert(T::ident(self.config), declaration);
        T::visit_dependencies(self);
    }
}

fn millis(duration: std::time::Duration) -> u128 {
    duration.as_millis()
}

/// Every constant that the client shares, with its unit in the name.
fn constants() -> Vec<(&'static str, u128)> {
    vec![
        ("BEAM_LIFETIME_MS", millis(limits::BEAM_LIFETIME)),
        ("MAX_DEVICES", limits::MAX_DEVICES as u128),
        ("MAX_LIVE_ITEMS", limits::MAX_LIVE_ITEMS as u128),
        ("MAX_BATCH_FILES", limits::MAX_BATCH_FILES as u128),
        ("MAX_NOTES", limits::MAX_NOTES as u128),
        ("MAX_HELD_ITEMS", limits::MAX_HELD_ITEMS as u128),
        ("MAX_HELD_RANGES", limits::MAX_HELD_RANGES as u128),
        ("MAX_PLACES", limits::MAX_PLACES as u128),
        ("MAX_MESSAGE_BYTES", limits::MAX_MESSAGE_BYTES as u128),
        ("PING_INTERVAL_MS", millis(limits::PING_INTERVAL)),
        ("SOCKET_IDLE_MS", millis(limits::SOCKET_IDLE)),
        ("RECONNECT_ATTEMPTS", u128::from(limits::RECONNECT_ATTEMPTS)),
        ("RECONNECT_DELAY_MS", millis(limits::RECONNECT_DELAY)),
        ("RECONNECT_JITTER_MS", millis(limits::RECONNECT_JITTER)),
        ("CHUNK_BYTES", limits::CHUNK_BYTES as u128),
        ("MAX_RELAYED_FRAME_BYTES", limits::MAX_RELAYED_FRAME_BYTES as u128),
        ("SMALLEST_BUDGET_BYTES", limits::SMALLEST_BUDGET_BYTES as u128),
        ("LARGEST_BUDGET_BYTES", limits::LARGEST_BUDGET_BYTES as u128),
        ("RELAY_WINDOW_BYTES", limits::RELAY_WINDOW_BYTES as u128),
        ("DIRECT_TIMEOUT_MS", millis(limits::DIRECT_TIMEOUT)),
        ("AUTO_RECEIVE_BYTES", u128::from(limits::AUTO_RECEIVE_BYTES)),
        ("MAX_DEVICE_NAME", limits::MAX_DEVICE_NAME as u128),
    ]
}

/// The types that the server sends.
fn visit_read(declarations: &mut Declarations) {
    declarations.visit::<ServerMessage>();
    declarations.visit::<CreatedBeam>();
    declarations.visit::<BeamCode>();
    declarations.visit::<CodeBeam>();
    declarations.visit::<ErrorBody>();
    declarations.visit::<Site>();
    declarations.visit::<Forwarding>();
    declarations.visit::<Diagnosis>();
    declarations.visit::<OwnCertificate>();
    declarations.visit::<FieldErrors>();
    declarations.visit::<CurrentUser>();
    declarations.visit::<Me>();
    declarations.visit::<Done>();
    declarations.visit::<Beams>();
    declarations.visit::<SharedBeams>();
    declarations.visit::<MyShares>();
    declarations.visit::<BeamDetails>();
    declarations.visit::<Beam>();
    declarations.visit::<BeamShare>();
    declarations.visit::<Note>();
    declarations.visit::<UploadedFile>();
    declarations.visit::<FileRoom>();
    declarations.visit::<BeamKeys>();
    declarations.visit::<LoginWay>();
    declarations.visit::<OwnVault>();
    declarations.visit::<BeamVault>();
    declarations.visit::<KeptBeams>();
}

/// The types that a client sends.
fn visit_written(declarations: &mut Declarations) {
    declarations.visit::<ClientMessage>();
    declarations.visit::<Login>();
    declarations.visit::<ProfileChange>();
    declarations.visit::<AccountDeletion>();
    declarations.visit::<NewShare>();
    declarations.visit::<ShareChange>();
    declarations.visit::<BeamChange>();
    declarations.visit::<AskedWay>();
    declarations.visit::<VaultChange>();
    declarations.visit::<BeamVaultChange>();
}

fn config() -> Config {
    Config::new().with_large_int("number")
}

fn render_schemas() -> String {
    let config = config();
    let mut declarations = Declarations::new(&config);
    visit_read(&mut declarations);
    let found = declarations.found.into_iter().map(|(name, (_, declaration))| (name, declaration));
    schemas::render(&found.collect())
}

fn render_types() -> String {
    let config = config();
    let mut declarations = Declarations::new(&config);
    visit_read(&mut declarations);
    visit_written(&mut declarations);

    let mut text = String::from(
        "// Generated by `cargo test -p heliograph-shared` from shared/src. Do not edit.\n\n",
    );
    for (docs, declaration) in declarations.found.values() {
        write!(text, "{docs}export {declaration}\n\n").unwrap();
    }
    for (name, value) in constants() {
        writeln!(text, "export const {name} = {value}").unwrap();
    }
    text += "\n/** Characters that no name may have, from and to. */\n";
    text += "export const DECEPTIVE_CHARACTERS: readonly (readonly [number, number])[] = [\n";
    for (from, to) in DECEPTIVE {
        writeln!(text, "  [{:#06x}, {:#06x}],", u32::from(from), u32::from(to)).unwrap();
    }
    text += "]\n\nexport const CLOSE_CODES = {\n";
    for code in CloseCode::ALL {
        writeln!(text, "  {code:?}: {},", code.number()).unwrap();
    }
    text += "} as const\n\nexport const FINAL_CLOSE_CODES: readonly number[] = [";
    let finals: Vec<_> = CloseCode::ALL.iter().filter(|code| code.is_final()).collect();
    text += &finals.iter().map(|code| code.number().to_string()).collect::<Vec<_>>().join(", ");
    text += "]\n";
    text
}

/// Rewrites a file of the client and fails, unless the file already has this text.
fn assert_current(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/src/protocol").join(name);
    if fs::read_to_string(&path).unwrap_or_default() != text {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        panic!("client/src/protocol/{name} was stale and has been rewritten; commit it");
    }
}

#[test]
fn bindings_are_current() {
    assert_current("bindings.ts", &render_types());
}

#[test]
fn schemas_are_current() {
    assert_current("schemas.ts", &render_schemas());
}
