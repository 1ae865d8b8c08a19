//! What the inbox's address looks for, read and checked: who mistypes it is told, and nothing fails.

use super::find::prefixes;
use super::given::{day, given, last_day};
use crate::domain::action::Status;
use crate::server::db::finding::{ActionFilter, Order, Place};
use crate::server::zone::Zone;
use crate::wire::inbox::InboxFilter;

/// Longest text of words that are looked for, in characters.
const WORDS_MAX: usize = 200;
/// Longest kind or name of an agent.
const NAME_MAX: usize = 100;

/// What is looked for.
pub(super) struct LookedFor {
    /// The tab.
    pub(super) tab: Status,
    /// Its order.
    pub(super) order: Order,
    /// Everything that narrows it, without the tab and the place in it.
    pub(super) narrow: ActionFilter,
    /// The first of the words.
    pub(super) word: Option<String>,
    /// Where the page begins.
    pub(super) before: Option<Place>,
}

/// Reads a filter.
///
/// # Errors
/// With a sentence about the first part that can't be read.
pub(super) fn read(filter: &InboxFilter, zone: &Zone) -> Result<LookedFor, &'static str> {
    let tab = given(filter.status.as_ref()).map_or(Some(Status::Pending), Status::from_text);
    let tab = tab.ok_or("There is no such status. Choose one of the tabs.")?;
    let order = match (given(filter.order.as_ref()), tab) {
        (Some(InboxFilter::DUE), Status::Pending) => Order::Due,
        (None, Status::Pending) => Order::Newest,
        // The order of what waits is kept for the way back.
        (Some(InboxFilter::DUE) | None, _) => Order::Ended,
        (Some(_), _) => return Err("There is no such order. Choose one of those above the list."),
    };
    let fits = |text: Option<&String>, max: usize, wrong| match given(text) {
        Some(text) if text.chars().count() > max || text.contains('\0') => Err(wrong),
        text => Ok(text.map(str::to_owned)),
    };
    let words = fits(filter.q.as_ref(), WORDS_MAX, "A search has up to 200 characters that can be written.")?;
    let kind = fits(filter.kind.as_ref(), NAME_MAX, "A kind has up to 100 characters that can be written.")?;
    let agent = fits(
        filter.agent.as_ref(),
        NAME_MAX,
        "The name of an agent has up to 100 characters that can be written.",
    )?;
    let until = last_day(filter.until.as_ref(), zone)?;
    let before = given(filter.cursor.as_ref()).map(super::cursor::parse).transpose();
    Ok(LookedFor {
        tab,
        order,
        word: words.as_deref().and_then(|words| words.split_whitespace().next()).map(str::to_owned),
        narrow: ActionFilter {
            kind,
            agent,
            since: day(filter.since.as_ref(), zone)?,
            // The end of the last day is the beginning of the next one, which is not meant.
            until: until.map(|end| end - time::Duration::microseconds(1)),
            words: words.as_deref().map(prefixes),
            ..ActionFilter::default()
        },
        before: before.map_err(|_| "That page does not exist. Start from the newest.")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(set: impl FnOnce(&mut InboxFilter)) -> Result<LookedFor, &'static str> {
        let mut filter = InboxFilter::default();
        set(&mut filter);
        read(&filter, &Zone::utc())
    }

    #[test]
    fn an_empty_form_looks_for_what_waits() {
        let read = reading(|filter| {
            filter.q = Some("  ".into());
            filter.kind = Some(String::new());
            filter.since = Some(String::new());
        });
        let read = read.unwrap();
        assert_eq!(read.tab, Status::Pending);
        assert!(read.narrow.words.is_none() && read.narrow.kind.is_none() && read.narrow.since.is_none());
    }

    #[test]
    fn what_cannot_be_read_is_said_to_be_so() {
        assert!(reading(|filter| filter.status = Some("weather".into())).is_err());
        assert!(reading(|filter| filter.order = Some("weather".into())).is_err());
        assert!(reading(|filter| filter.q = Some("x".repeat(201))).is_err());
        assert!(reading(|filter| filter.q = Some("a\0b".into())).is_err());
        assert!(reading(|filter| filter.kind = Some("\0".into())).is_err());
        assert!(reading(|filter| filter.agent = Some("x".repeat(101))).is_err());
        assert!(reading(|filter| filter.since = Some("yesterday".into())).is_err());
        assert!(reading(|filter| filter.cursor = Some("1.act_x".into())).is_err());
    }

    #[test]
    fn only_what_waits_has_an_order_to_choose() {
        let order = |status: Option<&str>, order: Option<&str>| {
            let read = reading(|filter| {
                filter.status = status.map(str::to_owned);
                filter.order = order.map(str::to_owned);
            });
            read.unwrap().order
        };
        assert_eq!(order(None, None), Order::Newest);
        assert_eq!(order(None, Some("due")), Order::Due);
        assert_eq!(order(Some("rejected"), None), Order::Ended);
        assert_eq!(order(Some("rejected"), Some("due")), Order::Ended);
    }

    #[test]
    fn the_first_word_and_the_last_day_are_known() {
        let read = reading(|filter| {
            filter.q = Some(" Acme  invoice".into());
            filter.until = Some("2026-11-29".into());
        });
        let read = read.unwrap();
        assert_eq!(read.word.as_deref(), Some("Acme"));
        assert_eq!(read.narrow.words.as_deref(), Some("'Acme':* & 'invoice':*"));
        assert_eq!(read.narrow.until, Some(time::macros::datetime!(2026-11-29 23:59:59.999999 UTC)));
    }
}
