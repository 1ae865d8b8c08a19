//! Tries of which nobody says what came: they count, so that no message is sent without end.

use std::collections::HashMap;

use impri::domain::audit::EventKind;
use sqlx::PgPool;

use super::desk;
use super::fake_ntfy::FakeNtfy;

const LEASE: u64 = 30;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_message_that_no_server_survives_is_given_up(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    let id = desk.channel("ops", "ntfy", ntfy.config()).await;
    for (title, died, is_sent) in [("Twenty times", 20, true), ("Once more", 21, false)] {
        let action = desk.wish(title, "body").await;
        for _ in 0..died {
            let taken = desk.services.take_due_messages(8, &HashMap::new()).await.expect("a database");
            assert_eq!(taken.len(), 1, "{title}");
            desk.services.take_turn(&taken[0], id).await;
            desk.advance(LEASE);
        }
        assert_eq!(desk.send_due().await, 1, "{title}");
        assert_eq!(ntfy.titles().contains(&title.to_owned()), is_sent, "{title}");
        let (state, why) = desk.notices(action.id).await.remove(0);
        assert_eq!(state, if is_sent { "delivered" } else { "dlq" }, "{title}: {why:?}");
        let given_up = desk.events(action.id, EventKind::NoticeFailed).await;
        let attempts: Vec<_> = given_up.iter().map(|event| &event["attempts"]).collect();
        assert_eq!(attempts, if is_sent { vec![] } else { vec![21] }, "{title}");
    }
    let error = desk.seen(id).await.stored.health.error.expect("it is shown");
    assert_eq!(error, "21 tries ended before it was written down what came of them");
    desk.advance(LEASE);
    assert_eq!(desk.send_due().await, 0);
}
