//! Where plain forms lead that are about more than one thing.

use crate::wire::error::UiError;
use crate::wire::inbox::InboxFilter;
use crate::wire::many::ManyOutcome;

/// Where a plain form about several actions leads: to a page that says what came of each, and back to the list.
pub fn after_many(filter: &InboxFilter, outcome: &Result<ManyOutcome, UiError>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    match outcome {
        Ok(outcome) => {
            for (id, reason) in &outcome.items {
                match reason {
                    None => query.append_pair("done", id),
                    Some(reason) => query.append_pair("left", &format!("{id}.{}", reason.code())),
                };
            }
        }
        Err(error) => _ = query.append_pair("refused", error.code()),
    }
    let parts = [
        ("q", &filter.q),
        ("kind", &filter.kind),
        ("agent", &filter.agent),
        ("since", &filter.since),
        ("until", &filter.until),
    ];
    for (name, value) in parts {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    format!("/inbox/decided?{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::many::NotDecided;

    #[test]
    fn what_came_from_a_form_stays_in_its_place() {
        let filter = InboxFilter { q: Some("a&done=b".into()), ..InboxFilter::default() };
        let outcome = ManyOutcome {
            items: vec![("act_1".into(), None), ("//evil&x".into(), Some(NotDecided::Unticked))],
        };
        assert_eq!(
            after_many(&filter, &Ok(outcome)),
            "/inbox/decided?done=act_1&left=%2F%2Fevil%26x.unticked&q=a%26done%3Db"
        );
        let refused = after_many(&InboxFilter::default(), &Err(UiError::BadRequest));
        assert_eq!(refused, "/inbox/decided?refused=bad-request");
    }
}
