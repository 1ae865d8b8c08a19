//! Digits of other scripts that are taken for other digits: Bengali four (৪) reads as eight.
//!
//! Owns the judgement over one word. It must not know about markup. Digits that stand with letters of their own
//! script, or in a text of it, are ordinary.
use std::collections::HashSet;

use unicode_security::skeleton;

use super::lookalike::is_ideographic;

/// The zeros whose nine followers are the digits of the same script.
const ZEROS: [char; 37] = [
    '\u{660}',
    '\u{6F0}',
    '\u{7C0}',
    '\u{966}',
    '\u{9E6}',
    '\u{A66}',
    '\u{AE6}',
    '\u{B66}',
    '\u{BE6}',
    '\u{C66}',
    '\u{CE6}',
    '\u{D66}',
    '\u{DE6}',
    '\u{E50}',
    '\u{ED0}',
    '\u{F20}',
    '\u{1040}',
    '\u{1090}',
    '\u{17E0}',
    '\u{1810}',
    '\u{1946}',
    '\u{19D0}',
    '\u{1A80}',
    '\u{1A90}',
    '\u{1B50}',
    '\u{1BB0}',
    '\u{1C40}',
    '\u{1C50}',
    '\u{A620}',
    '\u{A8D0}',
    '\u{A900}',
    '\u{A9D0}',
    '\u{A9F0}',
    '\u{AA50}',
    '\u{ABF0}',
    '\u{104A0}',
    '\u{11066}',
];

/// The scripts, about, that a text has letters of.
#[derive(Default)]
pub(super) struct Home(HashSet<u32>);

impl Home {
    pub(super) fn new(text: &str) -> Self {
        let mut home = HashSet::new();
        let mut last = 0;
        for c in text.chars().filter(|c| !c.is_ascii() && !is_ideographic(*c) && c.is_alphabetic()) {
            let block = block(c);
            if block != last {
                home.insert(block);
                last = block;
            }
        }
        Self(home)
    }

    /// The first digit of `word` that poses as another one, with its value and the digit it is taken for.
    pub(super) fn odd_digit(&self, word: &str) -> Option<(char, u32, char)> {
        let among_ascii = word.bytes().any(|b| b.is_ascii_alphanumeric());
        let is_number = word.chars().all(char::is_numeric);
        let mut odd = word.chars().filter_map(|c| posing(c).map(|(value, looks)| (c, value, looks)));
        odd.find(|(c, ..)| among_ascii || (is_number && !self.0.contains(&block(*c))))
    }
}

/// Letters and digits of one script share a block, but for the scripts with several.
fn block(c: char) -> u32 {
    match c {
        '\u{600}'..='\u{77F}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}' => 0xC,
        '\u{1000}'..='\u{109F}' => 0x20,
        c => c as u32 >> 7,
    }
}

/// The value of a digit that is taken for another one, and which.
pub(super) fn posing(c: char) -> Option<(u32, char)> {
    if c.is_ascii() || is_ideographic(c) {
        return None;
    }
    let value = ZEROS.iter().find_map(|zero| (c as u32).checked_sub(*zero as u32).filter(|n| *n < 10))?;
    let mut buffer = [0; 4];
    let mut plain = skeleton(c.encode_utf8(&mut buffer));
    let looks = match plain.next().filter(|_| plain.next().is_none())? {
        'O' | 'o' => '0',
        'l' => '1',
        plain => plain,
    };
    let taken_for = looks.to_digit(10)?;
    (taken_for != value).then_some((value, looks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digit_is_odd_away_from_its_script() {
        let found = |text: &str, word: &str| Home::new(text).odd_digit(word);
        assert_eq!(found("৪৭", "৪৭"), Some(('৪', 4, '8')));
        assert_eq!(found("pay ৪৭ EUR", "৪৭"), Some(('৪', 4, '8')));
        assert_eq!(found("৪৭ টাকা", "৪৭"), None);
        assert_eq!(found("৪৭টি", "৪৭টি"), None);
        assert_eq!(found("টাকা 1৪0", "1৪0"), Some(('৪', 4, '8')));
        assert_eq!(found("العربية ١٥٠", "١٥٠"), None);
        assert_eq!(found("pay ١٥٠", "١٥٠"), Some(('٥', 5, '0')));
        assert_eq!(found("Q१", "Q१"), None);
    }
}
