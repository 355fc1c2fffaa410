//! JSON that the server forwards without reading it, and its nesting depth. serde does not limit the depth of what it
//! skips, and `RawValue` keeps the text as it is.

use serde_json::value::RawValue;

use crate::limits::MAX_JSON_DEPTH;

/// Any JSON value, as it was sent.
pub type Json = Box<RawValue>;

/// Whether a field of an object has more than [`MAX_JSON_DEPTH`] levels. The result for bytes that are not a JSON
/// object has no meaning.
#[must_use]
pub fn has_too_deep_field(object: &[u8]) -> bool {
    let (mut depth, mut is_in_string, mut is_escaped) = (0_usize, false, false);
    for byte in object {
        if is_in_string {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => is_in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => is_in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // The object itself counts as one level.
        if depth > MAX_JSON_DEPTH + 1 {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_too_deep(field: &str) -> bool {
        has_too_deep_field(format!(r#"{{"type":"x","message":{field},"id":[]}}"#).as_bytes())
    }

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn s14_a_hundred_levels_are_allowed_and_no_more() {
        assert!(!is_too_deep(&nested(100)));
        assert!(is_too_deep(&nested(101)));
        let objects = |levels| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        assert!(!is_too_deep(&objects(100)));
        assert!(is_too_deep(&objects(101)));
    }

    #[test]
    fn s14_levels_that_follow_each_other_do_not_add_up() {
        let side_by_side = [nested(99).as_str()].repeat(50).join(",");
        assert!(!is_too_deep(&format!("[{side_by_side}]")));
    }

    #[test]
    fn s14_brackets_in_strings_are_no_levels() {
        let brackets = "[".repeat(1000);
        assert!(!is_too_deep(&format!(r#"["{brackets}"]"#)));
        assert!(!is_too_deep(&format!(r#"["\"{brackets}\\"]"#)));
        assert!(is_too_deep(&format!(r#"["\\",{}]"#, nested(100))));
    }
}
