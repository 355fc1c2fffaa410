//! The command `assets`: which app is in this binary.

use sha2::{Digest as _, Sha256};

use super::sums::{hex, sum_line};
use crate::edge::assets::{Hashes, INDEX};

/// One line for each file of the app, as `sha256sum` writes and checks them, and the fingerprint of the app as a comment
/// behind them; `None` where no client is in the binary.
#[must_use]
pub fn listing(files: &Hashes) -> Option<String> {
    files.contains_key(INDEX).then(|| {
        let lines: String = files.iter().map(|(path, sum)| sum_line(sum, path)).collect();
        format!("{lines}# fingerprint of the app: {}\n", fingerprint(files))
    })
}

/// The SHA-256 of the listing without the index, which carries this number.
fn fingerprint(files: &Hashes) -> String {
    let others = files.iter().filter(|(path, _)| *path != INDEX);
    let lines: String = others.map(|(path, sum)| sum_line(sum, path)).collect();
    hex(&Sha256::digest(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(files: &[(&'static str, u8)]) -> Hashes {
        files.iter().map(|(path, byte)| ((*path).into(), [*byte; 32])).collect()
    }

    #[test]
    fn the_fingerprint_is_the_hash_of_the_lines_of_all_files_but_the_index() {
        let files = app(&[("sw.js", 2), ("assets/a.js", 1), (INDEX, 3)]);
        let (first, last) = ("01".repeat(32) + "  assets/a.js\n", "02".repeat(32) + "  sw.js\n");
        let fingerprint = hex(&Sha256::digest(format!("{first}{last}")));
        let index = "03".repeat(32) + "  index.html\n";
        let expected = format!("{first}{index}{last}# fingerprint of the app: {fingerprint}\n");
        assert_eq!(listing(&files), Some(expected));
    }

    #[test]
    fn every_file_counts_by_its_name_and_by_its_content() {
        let of = |files: &[(&'static str, u8)]| fingerprint(&app(files));
        let one = of(&[("a", 1), ("b", 2)]);
        assert_ne!(one, of(&[("a", 1), ("c", 2)]));
        assert_ne!(one, of(&[("a", 1), ("b", 3)]));
        assert_ne!(one, of(&[("a", 1)]));
        assert_eq!(one, of(&[("b", 2), ("a", 1), (INDEX, 9)]));
    }

    #[test]
    fn without_a_client_there_is_no_listing() {
        assert_eq!(listing(&app(&[])), None);
    }
}
