//! Writing text into HTML. Owns the one escaping function of the text modules; knows nothing of what it escapes.

/// Appends `text` to `out` so that it means itself in element content and in double-quoted attributes.
pub(super) fn escape(text: &str, out: &mut String) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        // All five are ASCII, so both sides are character boundaries.
        out.push_str(&text[from..at]);
        out.push_str(entity);
        from = at + 1;
    }
    out.push_str(&text[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_characters_that_could_mean_markup_are_escaped() {
        let mut out = String::new();
        escape("ä<a b=\"c\" d='e'>&amp;", &mut out);
        assert_eq!(out, "ä&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
    }
}
