//! What buttons carry: which action, yes or no, and a proof that this server offered just that, in this channel, for this
//! content, until its time is over.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::message::Ask;
use crate::domain::action::Action;
use crate::domain::decision::Verdict;
use crate::domain::ids::{ActionId, ChannelId};

/// Bytes of a proof: 128 bits, so that nobody finds one by trying.
const PROOF: usize = 16;

/// The two buttons of a card: 47 bytes each.
pub fn ask(secret: &str, channel: ChannelId, action: &Action) -> Ask {
    let button = |verdict| {
        let id = action.id.to_string();
        let id = id.trim_start_matches("act_");
        let proof =
            URL_SAFE_NO_PAD.encode(&mac(secret, channel, action, verdict).finalize().into_bytes()[..PROOF]);
        format!("{}:{id}:{proof}", letter(verdict))
    };
    let approve = (!action.asks_again()).then(|| button(Verdict::Approve));
    Ask { approve, reject: button(Verdict::Reject) }
}

/// A button that was pressed, before anything is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pressed {
    /// Which action it names.
    pub action: ActionId,
    /// Yes or no.
    pub verdict: Verdict,
    proof: Vec<u8>,
}

impl Pressed {
    /// Reads what a button carried; none if no button of this server did.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ':');
        let verdict = match parts.next()? {
            "a" => Verdict::Approve,
            "r" => Verdict::Reject,
            _ => return None,
        };
        let action = format!("act_{}", parts.next()?).parse().ok()?;
        let proof = URL_SAFE_NO_PAD.decode(parts.next()?).ok()?;
        Some(Self { action, verdict, proof })
    }

    /// Whether this server offered it in this channel, for the content that the action has.
    pub fn is_genuine(&self, secret: &str, channel: ChannelId, action: &Action) -> bool {
        // An empty secret would be everybody's.
        !secret.is_empty()
            && self.proof.len() == PROOF
            && mac(secret, channel, action, self.verdict).verify_truncated_left(&self.proof).is_ok()
    }
}

impl std::fmt::Display for Pressed {
    /// What the button carried.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = self.action.to_string();
        let id = id.trim_start_matches("act_");
        write!(f, "{}:{id}:{}", letter(self.verdict), URL_SAFE_NO_PAD.encode(&self.proof))
    }
}

fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Approve => 'a',
        Verdict::Reject => 'r',
    }
}

fn mac(secret: &str, channel: ChannelId, action: &Action, verdict: Verdict) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "HMAC is defined for keys of every length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(b"impri button\0");
    mac.update(channel.uuid().as_bytes());
    mac.update(action.id.uuid().as_bytes());
    mac.update(action.content_sha256.as_bytes());
    mac.update(&action.expires_at.unix_timestamp().to_be_bytes());
    mac.update(verdict.as_str().as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::action::{ActionState, testing};
    use uuid::Uuid;

    const SECRET: &str = "0123456789abcdef";

    #[test]
    fn a_button_is_good_for_its_channel_its_action_and_its_content() {
        let (here, there) =
            (ChannelId::from_uuid(Uuid::from_u128(1)), ChannelId::from_uuid(Uuid::from_u128(2)));
        let action = testing::action(ActionState::Pending);
        let ask = ask(SECRET, here, &action);
        let approve = ask.approve.expect("one press is enough");
        assert!(approve.len() <= 64 && ask.reject.len() <= 64, "what Telegram's buttons carry");
        let approve = Pressed::parse(&approve).expect("ours");
        assert_eq!((approve.action, approve.verdict), (action.id, Verdict::Approve));
        assert_eq!(Pressed::parse(&approve.to_string()).as_ref(), Some(&approve));
        assert_eq!(Pressed::parse(&ask.reject).expect("ours").verdict, Verdict::Reject);
        assert!(approve.is_genuine(SECRET, here, &action));
        assert!(
            !approve.is_genuine(SECRET, there, &action)
                && !approve.is_genuine("another secret..", here, &action)
        );
        assert!(!approve.is_genuine("", here, &action));
        let turned = Pressed { verdict: Verdict::Reject, ..approve.clone() };
        assert!(!turned.is_genuine(SECRET, here, &action), "a no does not prove a yes");
        let mut other = action.clone();
        other.expires_at += time::Duration::SECOND;
        assert!(!approve.is_genuine(SECRET, here, &other));
        let mut other = action.clone();
        other.content.preview.body.push('!');
        other.content_sha256 = other.content.digest();
        assert!(!approve.is_genuine(SECRET, here, &other));
        let short = Pressed { proof: approve.proof[..8].to_vec(), ..approve };
        assert!(!short.is_genuine(SECRET, here, &action), "nor does the beginning of a proof");
    }

    #[test]
    fn what_no_button_carried_is_nothing() {
        for text in
            ["", "a", "a:b", "x:AAAAAAAAAAAAAAAAAAAAAA:AA", "a:AAAA:AAAA", "a:AAAAAAAAAAAAAAAAAAAAAA:ß"]
        {
            assert_eq!(Pressed::parse(text), None, "{text}");
        }
    }
}
