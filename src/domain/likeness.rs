//! How much two texts have in common, as a number.
//!
//! It counts what the texts share and judges nothing: texts that differ in one digit are nearly the same, and the digit
//! may be what matters.

/// The triples of neighbouring characters of a text, sorted; upper case and white space make no difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape(Vec<u64>);

/// Texts that share so much are nearly the same: nine in ten of their triples.
const NEARLY: f64 = 0.9;

impl Shape {
    /// The shape of a text.
    pub fn of(text: &str) -> Self {
        let words = text.split_whitespace().flat_map(|word| std::iter::once(' ').chain(word.chars()));
        let chars: Vec<u64> = words.flat_map(char::to_lowercase).map(|c| u64::from(u32::from(c))).collect();
        let mut triples: Vec<u64> =
            chars.windows(3).map(|three| three[0] << 42 | three[1] << 21 | three[2]).collect();
        triples.sort_unstable();
        Self(triples)
    }

    /// The share of both texts' triples that the other has as well, from 0 to 1 (Sørensen and Dice).
    pub fn likeness(&self, other: &Self) -> f64 {
        let (mut mine, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = 0_usize;
        while let (Some(one), Some(another)) = (mine.peek(), theirs.peek()) {
            match one.cmp(another) {
                std::cmp::Ordering::Less => _ = mine.next(),
                std::cmp::Ordering::Greater => _ = theirs.next(),
                std::cmp::Ordering::Equal => {
                    common += 1;
                    mine.next();
                    theirs.next();
                }
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2^52 characters")]
        let share = |part: usize, whole: usize| part as f64 / whole as f64;
        match self.0.len() + other.0.len() {
            0 => 0.0,
            all => share(2 * common, all),
        }
    }

    /// Whether the texts are nearly the same.
    pub fn is_nearly(&self, other: &Self) -> bool {
        self.likeness(other) >= NEARLY
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn are_alike(one: &str, another: &str) -> bool {
        Shape::of(one).is_nearly(&Shape::of(another))
    }

    #[test]
    fn small_changes_leave_a_text_nearly_the_same() {
        let text =
            "Hi Sarah, thank you for the call on Tuesday. As promised, here is the plan for the first weeks.";
        assert!(are_alike(text, &text.to_uppercase()));
        assert!(are_alike(text, &text.replace(' ', "\n  ")));
        assert!(are_alike(text, &text.replace("Tuesday", "Thursday")));
        assert!(are_alike("Pay 42.00 EUR to ACME Limited, London", "Pay 43.00 EUR to ACME Limited, London"));
        assert!(!are_alike(
            text,
            "Hi Tom, the invoice of last month is still open. Could you have a look at it?"
        ));
        assert!(!are_alike("rm -rf /var/cache/build", "systemctl restart staging-worker"));
        assert!(!are_alike("", ""));
    }

    proptest! {
        #[test]
        fn likeness_is_a_share_and_the_same_both_ways(one in any::<String>(), another in any::<String>()) {
            let (one, another) = (Shape::of(&one), Shape::of(&another));
            let likeness = one.likeness(&another);
            prop_assert!((0.0..=1.0).contains(&likeness));
            prop_assert!((likeness - another.likeness(&one)).abs() < f64::EPSILON);
            prop_assert!(one.0.is_empty() || (one.likeness(&one) - 1.0).abs() < f64::EPSILON);
        }
    }
}
