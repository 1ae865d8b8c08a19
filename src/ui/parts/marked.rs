//! A line in which what was looked for stands out.

use leptos::prelude::*;

/// The line.
#[component]
pub fn Marked(
    /// The text.
    text: String,
    /// What was looked for: beginnings of words.
    words: Option<String>,
) -> impl IntoView {
    let Some(words) = words else { return text.into_any() };
    parts(&text, &words)
        .into_iter()
        .map(|(is_hit, part)| {
            let part = part.to_owned();
            if is_hit { view! { <mark>{part}</mark> }.into_any() } else { part.into_any() }
        })
        .collect_view()
        .into_any()
}

/// The text in parts, those marked that begin a word with one of the words, whatever its case.
fn parts<'a>(text: &'a str, words: &str) -> Vec<(bool, &'a str)> {
    let words: Vec<Vec<char>> =
        words.split_whitespace().map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect();
    let (mut parts, mut from, mut at, mut is_inside) = (Vec::new(), 0, 0, false);
    while let Some(c) = text[at..].chars().next() {
        let hit = match is_inside {
            true => None,
            false => words.iter().filter_map(|word| begins(&text[at..], word)).max(),
        };
        let step = hit.unwrap_or(c.len_utf8());
        if hit.is_some() {
            parts.push((false, &text[from..at]));
            parts.push((true, &text[at..at + step]));
            from = at + step;
        }
        is_inside = text[..at + step].chars().next_back().is_some_and(char::is_alphanumeric);
        at += step;
    }
    parts.push((false, &text[from..]));
    parts.retain(|(_, part)| !part.is_empty());
    parts
}

/// How many bytes of the text are this word, if it begins with it.
fn begins(text: &str, word: &[char]) -> Option<usize> {
    let mut left = word;
    for (at, c) in text.char_indices() {
        if left.is_empty() {
            return (at > 0).then_some(at);
        }
        for lower in c.to_lowercase() {
            let (first, rest) = left.split_first()?;
            if *first != lower {
                return None;
            }
            left = rest;
        }
    }
    (left.is_empty() && !text.is_empty()).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_words_are_marked_whatever_their_case() {
        assert_eq!(
            parts("Pay ACME's invoice", "acme inv"),
            [(false, "Pay "), (true, "ACME"), (false, "'s "), (true, "inv"), (false, "oice")]
        );
        assert_eq!(parts("subacme", "acme"), [(false, "subacme")]);
        assert_eq!(parts("Über übel", "üB"), [(true, "Üb"), (false, "er "), (true, "üb"), (false, "el")]);
        assert_eq!(parts("", "a"), []);
        assert_eq!(parts("a", " "), [(false, "a")]);
        assert_eq!(parts("act", "act"), [(true, "act")]);
    }
}
