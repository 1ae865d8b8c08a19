//! What an operator does with a shell on the server's machine.

use std::time::Duration;

use impri::{
    domain::{audit::Actor, decision::Channel, ids::ProjectId, role::Role, scope::Scope},
    server::service::{NewKey, NewPerson, ProjectChange, RevealedKey},
};

use super::{Api, PASSWORD, TestApp};

impl TestApp {
    /// The operator makes a key.
    pub(crate) async fn key(&self, name: &str, scopes: &[Scope], lasts: Option<Duration>) -> RevealedKey {
        let (project, new) = (self.project(), NewKey { lasts, ..new_key(name, scopes) });
        self.on_server(move |services| async move {
            services.create_key(project, new, Actor::Operator, Channel::cli()).await.expect("a key")
        })
        .await
    }

    /// A program with a new key.
    pub(crate) async fn program(&self, scopes: &[Scope]) -> Api {
        self.with_key(&self.key("program", scopes, None).await.key)
    }

    /// The operator ends a key.
    pub(crate) async fn revoke(&self, key: &RevealedKey) {
        let (project, id) = (self.project(), key.stored.id);
        self.on_server(move |services| async move {
            services.revoke_key(project, id, Actor::Operator, Channel::cli()).await.expect("a key to revoke");
        })
        .await;
    }

    /// The operator makes an account.
    pub(crate) async fn person(&self, name: &str, email: &str, is_admin: bool) {
        self.person_as(name, email, if is_admin { Role::Admin } else { Role::Reviewer }).await;
    }

    /// The operator makes an account with any role.
    pub(crate) async fn person_as(&self, name: &str, email: &str, role: Role) {
        let project = self.house().project.clone();
        let new = NewPerson { name: name.into(), email: email.into(), password: PASSWORD.into(), role };
        self.on_server(move |services| async move {
            services.create_person(&project, new, Actor::Operator, Channel::cli()).await.expect("an account");
        })
        .await;
    }

    /// The operator lets deciders decide what they proposed, or stops it.
    pub(crate) async fn allow_self_approval(&self, allow: bool) {
        let project = self.project();
        self.on_server(move |services| async move {
            let change = ProjectChange { allow_self_approval: Some(allow), ..ProjectChange::default() };
            let set = services.change_project(project, change, Actor::Operator, Channel::cli());
            set.await.expect("a database");
        })
        .await;
    }

    /// A second project with an agent's key and a decider's, which no command makes yet.
    pub(crate) async fn foreign_project(&self) -> (RevealedKey, RevealedKey) {
        let project = ProjectId::from_uuid(uuid::Uuid::from_u128(7));
        sqlx::query(
            "insert into project (project_id, name, webhook_secret, created_at) values ($1, 'B', 's', $2)",
        )
        .bind(project.uuid())
        .bind(self.clock.now())
        .execute(&self.db)
        .await
        .expect("a project");
        self.on_server(move |services| async move {
            let make = async |name: &str, scope| {
                let new = new_key(name, &[scope]);
                services.create_key(project, new, Actor::Operator, Channel::cli()).await.expect("a key")
            };
            (make("foreign agent", Scope::Actions).await, make("foreign decider", Scope::Decide).await)
        })
        .await
    }
}

pub(super) fn new_key(name: &str, scopes: &[Scope]) -> NewKey {
    NewKey { name: name.to_owned(), scopes: scopes.to_vec(), lasts: None }
}
