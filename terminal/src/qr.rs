//! The link of a beam as a code to scan, as large as fits the terminal.

use anstyle::{AnsiColor, Style};
use qrcode::bits::Bits;
use qrcode::render::Renderer;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode, Version};
use zeroize::Zeroizing;

/// Light modules on each side of a code, the widest first. The standard asks for four (ISO/IEC 18004, 5.3.8); cameras find a code with one.
const MARGINS: [usize; 3] = [4, 2, 1];
/// Lines below a code: one that says what goes on, and that of the cursor.
const LINES_BELOW: usize = 2;
/// White on black also where the terminal is bright.
const LOOK: Style =
    AnsiColor::BrightWhite.on_default().bg_color(Some(anstyle::Color::Ansi(AnsiColor::Black)));
/// The largest code (ISO/IEC 18004, 5.3.1).
const MOST_VERSION: i16 = 40;
/// What is between the address of a server and the id of a beam in a link.
const BEFORE_ID: &str = "/?beam_id=";

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Its width.
    pub columns: usize,
    /// Its height.
    pub lines: usize,
}

impl Screen {
    /// That of the standard error; `None` where the system tells none.
    #[must_use]
    pub fn of_stderr() -> Option<Self> {
        #[cfg(unix)]
        {
            let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
            let (columns, lines) = (usize::from(size.ws_col), usize::from(size.ws_row));
            (columns > 0 && lines > 0).then_some(Self { columns, lines })
        }
        #[cfg(not(unix))]
        {
            None
        }
    }
}

/// What has come of a code.
#[derive(Debug, PartialEq, Eq)]
pub enum Shown {
    /// Its lines, with colours.
    Code(Vec<String>),
    /// It needs a terminal of this size.
    Needs(Screen),
    /// The link is too long for any code.
    TooLong,
}

/// The code of a link for a terminal, or one of unknown size, which shows the link above it.
#[must_use]
pub fn code(link: &str, screen: Option<Screen>) -> Shown {
    let Some(code) = smallest(link) else { return Shown::TooLong };
    let size = |margin: &usize| {
        let modules = code.width() + 2 * margin;
        Screen { columns: modules, lines: modules.div_ceil(2) + LINES_BELOW }
    };
    let fits = |margin: &usize, above: usize| {
        let needed = size(margin);
        screen.is_none_or(|screen| {
            needed.columns <= screen.columns && needed.lines + above <= screen.lines
        })
    };
    let above = screen.map_or(0, |screen| link.chars().count().div_ceil(screen.columns));
    let beside_link = MARGINS.iter().find(|margin| fits(margin, above));
    let Some(margin) = beside_link.or_else(|| MARGINS.iter().find(|margin| fits(margin, 0))) else {
        return Shown::Needs(size(&MARGINS[2]));
    };
    let margin = u32::try_from(*margin).unwrap_or_default();
    let image = Renderer::<Dense1x2>::new(&code.to_colors(), code.width(), margin)
        // What is drawn is the light of the code.
        .dark_color(Dense1x2::Light)
        .light_color(Dense1x2::Dark)
        .build();
    Shown::Code(image.lines().map(|line| format!("{LOOK}{line}{LOOK:#}")).collect())
}

/// The smallest code of a link. Nothing soils a screen, so it needs little to correct errors.
fn smallest(link: &str) -> Option<QrCode> {
    in_capitals(link).or_else(|| QrCode::with_error_correction_level(link, EcLevel::L).ok())
}

/// The same link with capitals where their case means nothing: in the address of the server and in the id. A code takes a third less for
/// them (ISO/IEC 18004, 7.4.4). `None` for any other text.
fn in_capitals(link: &str) -> Option<QrCode> {
    let [server, id, secret] = parts(link)?;
    (1..=MOST_VERSION).find_map(|version| {
        let mut bits = Bits::new(Version::Normal(version));
        bits.push_alphanumeric_data(server.as_bytes()).ok()?;
        bits.push_byte_data(BEFORE_ID.as_bytes()).ok()?;
        bits.push_alphanumeric_data(id.as_bytes()).ok()?;
        bits.push_byte_data(secret.as_bytes()).ok()?;
        bits.push_terminator(EcLevel::L).ok()?;
        QrCode::with_bits(bits, EcLevel::L).ok()
    })
}

/// The address of the server and the id, both in capitals, and what is behind it.
fn parts(link: &str) -> Option<[Zeroizing<String>; 3]> {
    let (server, rest) = link.split_once(BEFORE_ID)?;
    let (id, secret) = rest.split_at(rest.find('#').unwrap_or(rest.len()));
    // Those of the characters that codes write in less which such a text has.
    let is_short = |c: char| c.is_ascii_alphanumeric() || "-./:".contains(c);
    let is_all_short = server.chars().chain(id.chars()).all(is_short);
    let parts = [server.to_ascii_uppercase(), id.to_ascii_uppercase(), secret.to_owned()];
    is_all_short.then(|| parts.map(Zeroizing::new))
}

#[cfg(test)]
mod tests {
    use heliograph_device::session::beam_link::BeamLink;

    use super::*;

    const LINK: &str = "https://beam.example.org/?beam_id=0f8fad5b-d9cb-469f-a165-70867728950e#k=QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY";

    fn on(columns: usize, lines: usize) -> Shown {
        code(LINK, Some(Screen { columns, lines }))
    }

    fn lines_on(columns: usize, lines: usize) -> usize {
        match on(columns, lines) {
            Shown::Code(lines) => lines.len(),
            _ => 0,
        }
    }

    #[test]
    fn a_code_fits_a_terminal_of_80_columns_and_24_lines_below_its_link_and_above_a_word() {
        let link = LINK.len().div_ceil(80);
        let code = lines_on(80, 24);
        assert!(code > 0 && link + code + LINES_BELOW <= 24, "{link} and {code}");
        // Where there is room, its margin is as wide as the standard has it.
        assert_eq!(lines_on(200, 60), code + 3);
    }

    #[test]
    fn a_terminal_that_is_too_small_has_none_and_is_told_what_it_takes() {
        let needed = Screen { columns: 39, lines: 22 };
        assert_eq!(on(80, 21), Shown::Needs(needed));
        assert_eq!(on(38, 60), Shown::Needs(needed));
        assert_eq!(lines_on(39, 22), 20);
        assert!(matches!(code(LINK, None), Shown::Code(_)));
        assert_eq!(code(&"x".repeat(4_000), None), Shown::TooLong);
    }

    #[test]
    fn capitals_lead_into_the_same_beam_with_the_same_secret() {
        let [server, id, secret] = parts(LINK).unwrap();
        let capitals = [&server, BEFORE_ID, &id, &secret].concat();
        assert!(capitals.starts_with("HTTPS://BEAM.EXAMPLE.ORG/?beam_id=0F8FAD5B-"));
        let read = |link: &str| BeamLink::parse(link).unwrap().to_text();
        assert_eq!(read(&capitals), read(LINK));
        for other in ["https://beam.example.org/", "http://[fe80::1]:8000/?beam_id=0f8f"] {
            assert!(in_capitals(other).is_none());
            assert!(matches!(code(other, None), Shown::Code(_)));
        }
    }
}
