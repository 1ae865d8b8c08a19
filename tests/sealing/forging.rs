//! Events that only look sealed, and times that only look the same.

use sqlx::PgPool;

use super::tampering::Owner;
use crate::support::TestApp;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_only_looks_sealed_is_found(db: PgPool) {
    const FORGED: &str =
        "insert into audit_event (event_id, project_id, at, kind, action_id, actor_kind, actor_id,
           actor_name, channel, data)
         select FORGED, project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data
         from audit_event where event_id = {id};
         insert into audit_seal (project_id, seq, event_id, digest, erasable_sha256, salt, hash, sealed_at)
         select gen_random_uuid(), 1, FORGED, digest, erasable_sha256, salt, hash, sealed_at
         from audit_seal where seq = {n}";
    let app = TestApp::start(&db).await;
    app.live_a_little().await;
    app.seal().await;
    app.verify_history().await.expect("it is intact");
    let mut owner = Owner::new(&app, &db).await;
    for number in ["0", "900000"] {
        let found = owner.found(&FORGED.replace("FORGED", number), 2).await;
        assert!(found.contains(&format!("id {number} was inserted")), "{found}");
        let undone =
            "delete from audit_event where event_id = FORGED; delete from audit_seal where event_id = FORGED";
        owner.run(&undone.replace("FORGED", number), 2).await;
        app.verify_history().await.expect("it is intact again");
    }
    let refused = sqlx::query("delete from audit_sealer").execute(&db).await;
    assert!(refused.is_err(), "without it nothing would be sealed");
    let found = owner
        .found(
            "update audit_event set at = (to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00 BC')::timestamptz
             where event_id = {id}",
            2,
        )
        .await;
    assert!(found.contains("changed"), "two thousand years are a change: {found}");
}
