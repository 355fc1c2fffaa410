//! Profile pictures. Every picture is decoded and encoded again as a small JPEG (H14), so that nothing of the sent file
//! is kept, such as its metadata (A10).

use std::io::Cursor;
use std::sync::Arc;

use bytes::Bytes;
use heliograph_shared::time::Millis;
use heliograph_storage::Storage;
use heliograph_storage::blobs::{BlobId, BlobKey, Blobs};
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use tokio::sync::Semaphore;

use crate::budget::{Budget, Kind, Share};
use crate::error::Error;
use crate::random;

/// Largest accepted file, in bytes (H14).
pub const PICTURE_BYTES: usize = 5_242_880;
/// Longest side of a picture that is decoded, in pixels.
const MOST_DECODED: u32 = 4096;
/// Memory of a decoder: the largest picture with four channels of 16 bits, and some overhead.
const DECODER_BYTES: usize = 160 * 1024 * 1024;
/// Longest side of a stored picture, in pixels.
const MOST_KEPT: u32 = 400;
/// JPEG quality, from 1 to 100.
const QUALITY: u8 = 80;
/// Most pictures that are decoded at a time; each takes up to [`DECODER_BYTES`].
const AT_ONCE: usize = 2;
/// Name of the form field with the picture.
const FIELD: &str = "profile_picture";

/// A received file, and the memory reserved for it.
#[derive(Debug)]
pub struct SentPicture {
    /// The file's bytes, not checked yet.
    pub bytes: Vec<u8>,
    /// Frees the memory when the file was decoded or refused.
    pub held: Share,
}

/// Decodes and stores pictures, a few at a time.
#[derive(Debug)]
pub struct Pictures {
    turns: Arc<Semaphore>,
    budget: Arc<Budget>,
}

impl Pictures {
    /// A decoder that reserves its memory in this budget.
    #[must_use]
    pub fn new(budget: Arc<Budget>) -> Self {
        Self { turns: Arc::new(Semaphore::new(AT_ONCE)), budget }
    }

    /// Decodes a picture and stores it. It stays on the list of blobs to delete until a row refers to it, such as one
    /// of [`Storage::change_picture`].
    ///
    /// # Errors
    /// [`Error::Fields`] when the file is refused, [`Error::Busy`] without memory to decode it.
    pub async fn keep(
        &self,
        sent: SentPicture,
        blobs: &Blobs,
        storage: &Storage,
        now: Millis,
    ) -> Result<BlobId, Error> {
        let picture = self.make(sent).await?;
        let id = BlobId::from_random(random::bytes()?);
        let key = BlobKey::Picture(id);
        storage.expect_blob(key, now).await?;
        blobs.put(key, picture).await?;
        Ok(id)
    }

    /// Decodes a file and encodes the picture to store, outside the async threads. A decoder cannot be stopped, so its
    /// memory is freed when it finishes, even if this future is dropped before.
    ///
    /// # Errors
    /// As [`Self::keep`].
    pub async fn make(&self, sent: SentPicture) -> Result<Bytes, Error> {
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| Error::Internal)?;
        let memory = self.budget.take(Kind::Pictures, DECODER_BYTES)?;
        let made = tokio::task::spawn_blocking(move || {
            let _until_done = (turn, memory, sent.held);
            make(&sent.bytes)
        })
        .await;
        // A decoder that panics found a broken file.
        made.unwrap_or(Err(Refused::Unreadable)).map_err(Error::from)
    }
}

/// Why a file is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    TooLarge,
    TooManyPixels,
    WrongFormat,
    Unreadable,
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        let sentence = match refused {
            Refused::TooLarge => "Image size must be less than 5MB",
            Refused::TooManyPixels => "The image must be at most 4096 pixels wide and high",
            Refused::WrongFormat => "Please select a valid image file (JPEG, PNG, or WebP)",
            Refused::Unreadable => "Failed to process image",
        };
        Self::Fields(vec![(FIELD, sentence.to_owned())])
    }
}

fn make(bytes: &[u8]) -> Result<Bytes, Refused> {
    if bytes.len() > PICTURE_BYTES {
        return Err(Refused::TooLarge);
    }
    let (picture, orientation) = decode(bytes, format(bytes)?)?;
    let mut picture = if picture.width().max(picture.height()) > MOST_KEPT {
        picture.resize(MOST_KEPT, MOST_KEPT, FilterType::CatmullRom)
    } else {
        picture
    };
    // Turning copies the picture, so the small one is turned.
    picture.apply_orientation(orientation);
    let mut jpeg = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut jpeg, QUALITY);
    on_white(&picture).write_with_encoder(encoder).map_err(|_| Refused::Unreadable)?;
    Ok(jpeg.into())
}

/// Determines the format by the first bytes, whatever the file's name.
fn format(bytes: &[u8]) -> Result<ImageFormat, Refused> {
    match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP)) => Ok(format),
        _ => Err(Refused::WrongFormat),
    }
}

/// Decodes the picture and applies its EXIF orientation.
fn decode(bytes: &[u8], format: ImageFormat) -> Result<(DynamicImage, Orientation), Refused> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_DECODED);
    limits.max_image_height = Some(MOST_DECODED);
    limits.max_alloc = Some(DECODER_BYTES as u64);
    reader.limits(limits);
    let refused = |error| match error {
        image::ImageError::Limits(_) => Refused::TooManyPixels,
        _ => Refused::Unreadable,
    };
    let mut decoder = reader.into_decoder().map_err(refused)?;
    let orientation = decoder.orientation().map_err(refused)?;
    let picture = DynamicImage::from_decoder(decoder).map_err(refused)?;
    Ok((picture, orientation))
}

/// Puts the picture on white, because JPEG has no transparency.
fn on_white(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let picture = picture.to_rgba8();
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [colours @ .., alpha] = picture.get_pixel(x, y).0;
        Rgb(colours.map(|colour| over_white(colour, alpha)))
    })
}

fn over_white(colour: u8, alpha: u8) -> u8 {
    let (colour, alpha) = (u16::from(colour), u16::from(alpha));
    // At most 255, because it lies between the two.
    u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        // The left half is red, the right half blue.
        let picture = RgbImage::from_fn(width, height, |x, _| {
            if x < width / 2 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) }
        });
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn read(bytes: &[u8]) -> RgbImage {
        assert_eq!(format(bytes), Ok(ImageFormat::Jpeg));
        image::load_from_memory(bytes).unwrap().to_rgb8()
    }

    fn is_red(picture: &RgbImage, x: u32, y: u32) -> bool {
        let [red, _, blue] = picture.get_pixel(x, y).0;
        red > 200 && blue < 60
    }

    /// Adds an EXIF block with a rotation and a GPS position to a JPEG.
    fn with_exif(jpeg: &[u8]) -> Vec<u8> {
        let mut tiff = b"MM\0*\0\0\0\x08\0\x02".to_vec();
        // Orientation 6, a SHORT; the GPS block, a LONG with its offset.
        tiff.extend(b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0");
        tiff.extend(b"\x88\x25\0\x04\0\0\0\x01\0\0\0\x26");
        tiff.extend(b"\0\0\0\0");
        // GPSLatitudeRef, ASCII.
        tiff.extend(b"\0\x01\0\x01\0\x02\0\0\0\x02N\0\0\0\0\0\0\0");
        tiff.extend(b"GPS 52.5163 13.3777 TestCamera");
        let length = u16::try_from(tiff.len() + 8).unwrap().to_be_bytes();
        [&jpeg[..2], b"\xff\xe1", &length, b"Exif\0\0", &tiff, &jpeg[2..]].concat()
    }

    /// A PNG whose header declares this size, without image data.
    fn bomb(width: u32, height: u32) -> Vec<u8> {
        let mut png = encoded(1, 1, ImageFormat::Png);
        png[16..20].copy_from_slice(&width.to_be_bytes());
        png[20..24].copy_from_slice(&height.to_be_bytes());
        let sum = crc32(&png[12..29]).to_be_bytes();
        png[29..33].copy_from_slice(&sum);
        png
    }

    /// The checksum of a PNG chunk (ISO 3309).
    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
                (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
            })
        })
    }

    #[test]
    fn a_picture_becomes_a_jpeg_of_at_most_400_pixels() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            for (sent, kept) in
                [((1000, 500), (400, 200)), ((300, 1200), (100, 400)), ((40, 30), (40, 30))]
            {
                let made = read(&make(&encoded(sent.0, sent.1, format)).unwrap());
                assert_eq!(made.dimensions(), kept, "{format:?}");
                assert!(is_red(&made, 1, kept.1 / 2) && !is_red(&made, kept.0 - 2, kept.1 / 2));
            }
        }
    }

    #[test]
    fn a10_where_and_with_what_it_was_taken_is_gone_and_it_stands_upright() {
        let taken = with_exif(&encoded(80, 40, ImageFormat::Jpeg));
        assert!(taken.windows(10).any(|window| window == b"TestCamera"));

        let made = make(&taken).unwrap();

        for trace in [&b"Exif"[..], b"TestCamera", b"GPS"] {
            assert!(!made.windows(trace.len()).any(|window| window == trace));
        }
        let made = read(&made);
        assert_eq!(made.dimensions(), (40, 80));
        assert!(is_red(&made, 20, 5) && !is_red(&made, 20, 75));
    }

    #[test]
    fn what_lets_through_shows_white() {
        let mut png = Cursor::new(Vec::new());
        image::RgbaImage::new(9, 9).write_to(&mut png, ImageFormat::Png).unwrap();
        assert_eq!(read(&make(&png.into_inner()).unwrap()).get_pixel(4, 4), &Rgb([255; 3]));
    }

    #[test]
    fn h14_a_picture_is_at_most_4096_pixels_and_a_bomb_is_not_even_decoded() {
        assert!(make(&encoded(4096, 2, ImageFormat::Png)).is_ok());
        assert_eq!(make(&encoded(4097, 2, ImageFormat::Png)), Err(Refused::TooManyPixels));
        assert_eq!(make(&encoded(2, 4097, ImageFormat::WebP)), Err(Refused::TooManyPixels));
        assert_eq!(make(&bomb(1_000_000, 1_000_000)), Err(Refused::TooManyPixels));
        assert_eq!(make(&bomb(4096, 4096)), Err(Refused::Unreadable));
    }

    #[test]
    fn h14_a_file_is_at_most_5242880_bytes() {
        let padded = |length| {
            let mut bytes = encoded(9, 9, ImageFormat::Jpeg);
            bytes.resize(length, 0);
            make(&bytes).map(|_| ())
        };
        assert_eq!(padded(PICTURE_BYTES - 1), Ok(()));
        assert_eq!(padded(PICTURE_BYTES), Ok(()));
        assert_eq!(padded(PICTURE_BYTES + 1), Err(Refused::TooLarge));
    }

    #[test]
    fn what_is_no_jpeg_png_or_webp_is_refused_whatever_it_contains() {
        let gif = b"GIF89a\x01\0\x01\0\0\0\0;";
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
        for other in [&gif[..], svg, b"<html>", b"%PDF-1.7", b"BM", b""] {
            assert_eq!(make(other), Err(Refused::WrongFormat));
        }
        let whole = encoded(99, 99, ImageFormat::Png);
        assert_eq!(make(&whole[..whole.len() / 2]), Err(Refused::Unreadable));
        // A picture that is also a page. Nothing of the page is kept.
        let mut polyglot = encoded(9, 9, ImageFormat::Jpeg);
        polyglot.extend(b"<script>alert(1)</script>");
        let made = make(&polyglot).unwrap();
        assert!(!made.windows(7).any(|window| window == b"<script"));
    }
}
