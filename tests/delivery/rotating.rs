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
