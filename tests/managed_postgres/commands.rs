//! Commands that need the database while a server runs, and while none does.

use std::path::Path;

use impri::{
    boot::{cli::DatabaseArgs, database::open_database},
    server::postgres,
};

use super::support::{Server, TempDir, connect, postmaster_pid};

fn database_args(data_dir: &Path) -> DatabaseArgs {
    DatabaseArgs { secret_key: None, database_url: None, data_dir: Some(data_dir.to_owned()) }
}

#[tokio::test]
async fn a_command_uses_the_running_database() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let _server = Server::start(&data_dir).await;
    let database = open_database(&database_args(&data_dir)).await.expect("opens");
    let one: i32 = sqlx::query_scalar("select 1").fetch_one(&database.pool).await.expect("answers");
    assert_eq!(one, 1);
    database.close().await;
    assert!(connect(&data_dir).await.is_some(), "the server's database goes on");
}

#[tokio::test]
async fn commands_start_the_database_for_a_moment_and_share_it() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    drop(Server::start(&data_dir).await);
    assert_eq!(postmaster_pid(&data_dir), None);

    let command = async || {
        let database = open_database(&database_args(&data_dir)).await.expect("opens");
        // Longer than the other takes to open it, so that they overlap.
        let answer = sqlx::query("select pg_sleep(0.3)").execute(&database.pool).await;
        database.close().await;
        answer
    };
    let (first, second, third) = tokio::join!(command(), command(), command());
    for answer in [first, second, third] {
        answer.expect("nobody's database is stopped under them");
    }
    assert_eq!(postmaster_pid(&data_dir), None, "and it is stopped again");
}

#[tokio::test]
async fn a_server_waits_for_a_passing_command() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    drop(Server::start(&data_dir).await);
    let database = open_database(&database_args(&data_dir)).await.expect("opens");
    let of_command = postmaster_pid(&data_dir);
    let mut server = Server::spawn(&data_dir);
    database.close().await;
    server.wait_for_database(of_command).await;
}

#[tokio::test]
async fn a_command_makes_no_database_where_there_is_none() {
    let dir = TempDir::new();
    for data_dir in [dir.path().to_owned(), dir.join("misspelt")] {
        let refused = open_database(&database_args(&data_dir)).await.expect_err("no database").to_string();
        assert!(refused.contains("There is no database in") && refused.contains("impri serve"), "{refused}");
        assert!(!postgres::exists(&data_dir).expect("readable"));
    }
    assert!(!dir.join("misspelt").exists());
}
