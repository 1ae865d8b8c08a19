//! What can be odd in a text, as a vocabulary.
//!
//! Owns the kinds and their stable names. It must not know how odd characters are found or shown.

/// What is odd about a character or a word. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// Changes the order in which the text around it is displayed.
    Bidi,
    /// Takes no room on the screen.
    Invisible,
    /// An invisible copy of ASCII (U+E0000 block), used to smuggle text past a reader.
    Tag,
    /// A control character other than line feed and tab.
    Control,
    /// A letter, mark or word that looks like another one.
    LookAlike,
    /// A character whose look and meaning no standard fixes.
    PrivateUse,
    /// A blank that is not the ASCII space.
    Space,
}

impl FindingKind {
    /// Every kind, the worst first: the order in which a card names them.
    pub const ALL: [Self; 7] = [
        Self::Bidi,
        Self::Tag,
        Self::Invisible,
        Self::Control,
        Self::LookAlike,
        Self::PrivateUse,
        Self::Space,
    ];

    /// Returns the stable name, for logs, JSON and CSS.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bidi => "bidi",
            Self::Invisible => "invisible",
            Self::Tag => "tag",
            Self::Control => "control",
            Self::LookAlike => "look_alike",
            Self::PrivateUse => "private_use",
            Self::Space => "space",
        }
    }

    /// Tells whether a card must warn. Unusual spaces are shown but are no alarm: French and German
    /// typography is full of them, and a warning that is always there is never read.
    pub fn is_warning(self) -> bool {
        self != Self::Space
    }
}

/// Everything of one kind that was found in one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// How many characters, or for look-alikes how many words.
    pub count: u32,
    /// The distinct code points as `U+200B`, in the order of appearance, at most eight.
    pub code_points: Vec<String>,
    /// One sentence for the card.
    pub sentence: String,
}
