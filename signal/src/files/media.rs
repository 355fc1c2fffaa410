//! Recognizes images, audio and video by their first bytes. The declared media type only says which of the three the
//! file should be. Magic numbers: WHATWG MIME Sniffing, section 6, and the specifications of the formats that it lacks.

/// Bytes of a file that are examined.
pub const HEAD: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Category {
    Image,
    Audio,
    Video,
}

/// A magic number, its offset, and the media type it stands for in each declared category.
struct Magic {
    at: usize,
    bytes: &'static [u8],
    /// A second magic number and its offset, which must match too.
    also: Option<(usize, &'static [u8])>,
    types: &'static [(Category, &'static str)],
}

const fn magic(
    at: usize,
    bytes: &'static [u8],
    types: &'static [(Category, &'static str)],
) -> Magic {
    Magic { at, bytes, also: None, types }
}

const fn magic_and(
    bytes: &'static [u8],
    also: (usize, &'static [u8]),
    types: &'static [(Category, &'static str)],
) -> Magic {
    Magic { at: 0, bytes, also: Some(also), types }
}

use Category::{Audio, Image, Video};

/// In order: the first match counts. SVG must not be among them, because it can contain scripts.
const MAGIC: &[Magic] = &[
    magic(0, b"\xff\xd8\xff", &[(Image, "image/jpeg")]),
    magic(0, b"\x89PNG\r\n\x1a\n", &[(Image, "image/png")]),
    magic(0, b"GIF87a", &[(Image, "image/gif")]),
    magic(0, b"GIF89a", &[(Image, "image/gif")]),
    magic_and(b"RIFF", (8, b"WEBPVP8"), &[(Image, "image/webp")]),
    magic_and(b"BM", (6, b"\0\0\0\0"), &[(Image, "image/bmp")]),
    magic(0, b"II*\0", &[(Image, "image/tiff")]),
    magic(0, b"MM\0*", &[(Image, "image/tiff")]),
    magic(0, b"\0\0\x01\0", &[(Image, "image/x-icon")]),
    magic(0, b"\xff\x0a", &[(Image, "image/jxl")]),
    magic(0, b"\0\0\0\x0cJXL \r\n\x87\n", &[(Image, "image/jxl")]),
    magic(4, b"ftypavif", &[(Image, "image/avif")]),
    magic(4, b"ftypavis", &[(Image, "image/avif")]),
    magic(4, b"ftypheic", &[(Image, "image/heic")]),
    magic(4, b"ftypheix", &[(Image, "image/heic")]),
    magic(4, b"ftypmif1", &[(Image, "image/heif")]),
    magic(4, b"ftypqt  ", &[(Video, "video/quicktime")]),
    magic(4, b"ftyp3gp", &[(Video, "video/3gpp"), (Audio, "audio/3gpp")]),
    magic(4, b"ftypM4A", &[(Audio, "audio/mp4"), (Video, "video/mp4")]),
    magic(4, b"ftyp", &[(Video, "video/mp4"), (Audio, "audio/mp4")]),
    magic(0, b"\x1a\x45\xdf\xa3", &[(Video, "video/webm"), (Audio, "audio/webm")]),
    magic(0, b"OggS\0", &[(Audio, "audio/ogg"), (Video, "video/ogg")]),
    magic_and(b"RIFF", (8, b"WAVE"), &[(Audio, "audio/wav")]),
    magic_and(b"RIFF", (8, b"AVI "), &[(Video, "video/x-msvideo")]),
    magic(0, b"fLaC", &[(Audio, "audio/flac")]),
    magic(0, b"ID3", &[(Audio, "audio/mpeg")]),
    magic(0, b"\xff\xfb", &[(Audio, "audio/mpeg")]),
    magic(0, b"\xff\xf3", &[(Audio, "audio/mpeg")]),
    magic(0, b"\xff\xf2", &[(Audio, "audio/mpeg")]),
    magic(0, b"\xff\xf1", &[(Audio, "audio/aac")]),
    magic(0, b"\xff\xf9", &[(Audio, "audio/aac")]),
    magic_and(b"FORM", (8, b"AIF"), &[(Audio, "audio/aiff")]),
    magic(0, b"MThd\0\0\0\x06", &[(Audio, "audio/midi")]),
    magic(0, b"#!AMR", &[(Audio, "audio/amr")]),
    magic(0, b"caff\0\x01", &[(Audio, "audio/x-caf")]),
    magic(
        0,
        b"\x30\x26\xb2\x75\x8e\x66\xcf\x11",
        &[(Video, "video/x-ms-asf"), (Audio, "audio/x-ms-wma")],
    ),
    magic(0, b"\0\0\x01\xba", &[(Video, "video/mpeg")]),
    magic(0, b"\0\0\x01\xb3", &[(Video, "video/mpeg")]),
    magic(0, b"FLV\x01", &[(Video, "video/x-flv")]),
    magic_and(b"\x47", (188, b"\x47"), &[(Video, "video/mp2t")]),
];

/// Marks of a page, a script or a document, in lower case. A file with one in its head may be disguised.
const DISGUISED: &[&[u8]] = &[
    b"<!doctype",
    b"<html",
    b"<head",
    b"<body",
    b"<script",
    b"<svg",
    b"<iframe",
    b"<?php",
    b"%pdf-",
];

/// The media type of a file whose declared type and first bytes both make it an image, audio or video; `None` for other
/// files, and for those that could also be a page or a document.
#[must_use]
pub fn recognise(declared: &str, head: &[u8]) -> Option<&'static str> {
    let category = declared_category(declared)?;
    let magic = MAGIC.iter().find(|magic| magic.fits(head))?;
    if is_disguised(head) {
        return None;
    }
    magic.types.iter().find(|(own, _)| *own == category).map(|(_, name)| *name)
}

fn declared_category(declared: &str) -> Option<Category> {
    let (category, rest) = declared.split_once('/')?;
    if rest.to_ascii_lowercase().contains("xml") {
        return None;
    }
    match &*category.trim().to_ascii_lowercase() {
        "image" => Some(Image),
        "audio" => Some(Audio),
        "video" => Some(Video),
        _ => None,
    }
}

fn is_disguised(head: &[u8]) -> bool {
    let head = head[..head.len().min(HEAD)].to_ascii_lowercase();
    DISGUISED.iter().any(|mark| head.windows(mark.len()).any(|window| window == *mark))
}

impl Magic {
    fn fits(&self, head: &[u8]) -> bool {
        let has =
            |at: usize, bytes: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(bytes));
        has(self.at, self.bytes) && self.also.is_none_or(|(at, bytes)| has(at, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_first_bytes_say_if_it_is_called_that_too() {
        let mp4 = b"\0\0\0\x20ftypisom\0\0\x02\0";
        assert_eq!(recognise("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some("image/png"));
        assert_eq!(recognise("image/jpg", b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(recognise("IMAGE/X-Anything", b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(recognise("video/mp4", mp4), Some("video/mp4"));
        assert_eq!(recognise("audio/x-m4a; a=b", mp4), Some("audio/mp4"));
        assert_eq!(recognise("video/webm", b"\x1a\x45\xdf\xa3"), Some("video/webm"));
        assert_eq!(recognise("audio/mpeg", b"ID3\x04"), Some("audio/mpeg"));
        assert_eq!(recognise("audio/wav", b"RIFF\x24\0\0\0WAVEfmt "), Some("audio/wav"));
        for (declared, head) in [
            ("video/mp4", &b"\xff\xd8\xff\xe0"[..]),
            ("image/png", mp4),
            ("text/html", b"\xff\xd8\xff\xe0"),
            ("", b"\xff\xd8\xff\xe0"),
            ("image", b"\xff\xd8\xff\xe0"),
            ("image/png", b""),
            ("image/png", b"RIFF"),
            ("application/octet-stream", b"\x89PNG\r\n\x1a\n"),
        ] {
            assert_eq!(recognise(declared, head), None, "{declared}");
        }
    }

    #[test]
    fn pages_scripts_and_documents_are_nothing_whatever_they_are_called_and_begin_with() {
        for head in [
            &b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"[..],
            b"<?xml version='1.0'?><svg/>",
            b"<!DOCTYPE html><script>alert(1)</script>",
            b"%PDF-1.7",
            b"PK\x03\x04",
            b"MZ\x90\0",
            b"GIF89a/*<SCRIPT>alert(1)</SCRIPT>*/=1;",
            b"\xff\xd8\xff\xfe<!Doctype html>",
            b"\x89PNG\r\n\x1a\n%PDF-1.4",
            b"BM<html>",
            b"#!/bin/sh",
        ] {
            for declared in ["image/svg+xml", "image/png", "image/gif", "audio/amr", "video/mp4"] {
                assert_eq!(recognise(declared, head), None, "{declared} {head:?}");
            }
        }
        assert_eq!(recognise("image/svg+xml", b"\xff\xd8\xff\xe0"), None);
    }
}
