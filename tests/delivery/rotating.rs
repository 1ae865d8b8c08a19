//! A new secret signs everything from its making on, what waits and what is tried again included.

use super::*;

impl Desk {
    async fn rotate(&self) -> String {
        let rotated =
            self.services.rotate_webhook_secret(self.project(), Actor::Operator, Channel::cli()).await;
        rotated.expect("a database")
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_waits_is_signed_with_the_new_secret(pool: PgPool) {
    let desk = Desk::open(pool).await;
    let receiver = Receiver::start(&[OK]).await;
    desk.approved(&receiver.url("/one")).await;
    let secret = desk.rotate().await;
    assert_ne!(secret, desk.secret);
    assert_eq!(desk.send_due().await, 1);
    let now = desk.services.clock().now().unix_timestamp();
    let received = receiver.next().await;
    received.assert_genuine(&secret, now);
    let (nonce, signature) = (received.header("x-impri-nonce"), received.header("x-impri-signature"));
    assert_ne!(
        signature,
        callback::signature(&desk.secret, now, nonce, &received.body),
        "not with the old one"
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn another_attempt_after_a_rotation_is_signed_with_the_new_secret(pool: PgPool) {
    let desk = Desk::open(pool).await;
    let receiver = Receiver::start(&[BROKEN, OK]).await;
    desk.approved(&receiver.url("/one")).await;
    assert_eq!(desk.send_due().await, 1);
    receiver.next().await.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    let secret = desk.rotate().await;
    desk.advance(60);
    assert_eq!(desk.send_due().await, 1);
    receiver.next().await.assert_genuine(&secret, desk.services.clock().now().unix_timestamp());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_erased_is_never_sent_and_cannot_be_sent_again(pool: PgPool) {
    let desk = Desk::open(pool).await;
    let receiver = Receiver::start(&[OK, BROKEN]).await;
    let delivered = desk.approved(&receiver.url("/delivered")).await;
    assert_eq!(desk.send_due().await, 1);
    let failed = desk.approved(&receiver.url("/failed")).await;
    assert_eq!(desk.send_due().await, 1);
    let waiting = desk.approved(&receiver.url("/waiting")).await;
    let erased = desk.services.erase_data(desk.project(), Actor::Operator, Channel::cli()).await;
    assert_eq!(erased.expect("a database").actions, 3);
    desk.advance(100_000);
    assert_eq!(desk.send_due().await, 0);
    assert_eq!(receiver.rest().await.len(), 2);
    for (id, state) in [(delivered, "delivered"), (failed, "gone"), (waiting, "gone")] {
        let delivery = desk.delivery(id).await;
        assert_eq!((delivery.state.as_str(), delivery.last_error), (state, None));
        let again = desk.services.replay_message(desk.project(), id, Actor::Operator, Channel::cli()).await;
        assert!(!again.expect("a database"), "{state}");
    }
}
