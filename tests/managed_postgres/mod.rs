//! The managed database, through the real program: what a first start, a crash and a mistake look like.

mod commands;
mod crash;
pub(crate) mod support;

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _},
        process::CommandExt as _,
    },
    path::Path,
    process::Command,
};

use nix::{
    sys::signal::Signal,
    unistd::{User, geteuid},
};

use self::support::{Server, TempDir, connect, is_alive, postmaster_pid};

/// Leaves a mark in the database that must outlive what follows.
async fn write_mark(data_dir: &Path) {
    let mut connection = connect(data_dir).await.expect("a connection");
    sqlx::query("create table mark as select 'here' as word")
        .execute(&mut connection)
        .await
        .expect("a table");
}

async fn assert_mark(data_dir: &Path) {
    let mut connection = connect(data_dir).await.expect("a connection");
    let word: String =
        sqlx::query_scalar("select word from mark").fetch_one(&mut connection).await.expect("the mark");
    assert_eq!(word, "here");
}

async fn setting(data_dir: &Path, name: &str) -> String {
    let mut connection = connect(data_dir).await.expect("a connection");
    sqlx::query_scalar("select current_setting($1)")
        .bind(name)
        .fetch_one(&mut connection)
        .await
        .expect("a setting")
}

/// The user id that a process runs as.
fn uid_of(pid: i32) -> u32 {
    let ps = Command::new("ps").args(["-o", "uid=", "-p", &pid.to_string()]).output().expect("ps runs");
    String::from_utf8_lossy(&ps.stdout).trim().parse().expect("a user id")
}

#[tokio::test]
async fn a_first_start_makes_a_private_durable_database() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let _server = Server::start(&data_dir).await;
    let pid = postmaster_pid(&data_dir).expect("a process");
    assert_ne!(uid_of(pid), 0, "never as root");
    for (name, value) in [
        ("listen_addresses", ""),
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("server_encoding", "UTF8"),
        ("data_checksums", "on"),
        ("TimeZone", "UTC"),
    ] {
        assert_eq!(setting(&data_dir, name).await, value, "{name}");
    }
    let state_dir = fs::metadata(data_dir.join("postgres")).expect("the database's directory");
    assert_eq!(state_dir.mode() & 0o777, 0o700);
    assert_eq!(state_dir.uid(), uid_of(pid));
}

#[tokio::test]
async fn sigterm_stops_the_database_too_and_the_next_start_has_everything() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let mut server = Server::start(&data_dir).await;
    write_mark(&data_dir).await;
    let database = postmaster_pid(&data_dir).expect("a process");
    server.signal(Signal::SIGTERM);
    let status = server.wait();
    assert_eq!(status.code(), Some(0), "{}", server.log());
    assert!(!is_alive(database), "the database ends before its server");
    assert_eq!(postmaster_pid(&data_dir), None);

    let _server = Server::start(&data_dir).await;
    assert_mark(&data_dir).await;
}

#[tokio::test]
async fn a_second_server_on_the_same_data_directory_is_refused() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let first = Server::start(&data_dir).await;
    let mut second = Server::spawn(&data_dir);
    let status = second.wait();
    assert_eq!(status.code(), Some(1));
    let log = second.log();
    let expected = format!("impri: Another impri (process {}) uses the data directory", first.pid());
    assert!(log.starts_with(&expected) && log.trim_end().lines().count() == 1, "{log}");
    assert!(connect(&data_dir).await.is_some(), "the first one goes on");
}

#[tokio::test]
async fn a_data_directory_too_deep_for_a_socket_works() {
    let dir = TempDir::new();
    let data_dir = dir.join(&"deep, and \"odd\"/".repeat(12));
    let _server = Server::start(&data_dir).await;
    let socket_dir = setting(&data_dir, "unix_socket_directories").await;
    assert!(socket_dir.trim_matches('"').len() < 90, "{socket_dir}");
    let metadata = fs::metadata(socket_dir.trim_matches('"')).expect("the socket's directory");
    assert_eq!(metadata.mode() & 0o777, 0o700);
    fs::remove_dir_all(socket_dir.trim_matches('"')).expect("removable");
}

#[test]
fn a_cluster_of_another_version_is_refused() {
    let dir = TempDir::new();
    let cluster = dir.join("postgres/cluster");
    fs::create_dir_all(&cluster).expect("a directory");
    fs::write(cluster.join("PG_VERSION"), "9\n").expect("a file");
    let mut server = Server::spawn(dir.path());
    assert_eq!(server.wait().code(), Some(1));
    assert!(server.log().contains("was made by PostgreSQL 9, but only PostgreSQL"), "{}", server.log());
}

#[test]
fn root_is_told_which_directory_is_closed_to_the_database() {
    if !geteuid().is_root() {
        return;
    }
    let dir = TempDir::new();
    let closed = dir.join("closed");
    fs::create_dir(&closed).expect("a directory");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("our own directory");
    let mut server = Server::spawn(&closed.join("data"));
    assert_eq!(server.wait().code(), Some(1));
    assert!(server.log().contains(&format!("chmod o+x {}.", closed.display())), "{}", server.log());
}

#[tokio::test]
async fn an_ordinary_user_runs_it_and_root_can_join() {
    // Everybody else has run as an ordinary user in every other test.
    if !geteuid().is_root() {
        return;
    }
    let dir = TempDir::new();
    let nobody = User::from_name("nobody").expect("a user database").expect("nobody");
    let home = dir.join("home");
    fs::create_dir(&home).expect("a directory");
    std::os::unix::fs::chown(&home, Some(nobody.uid.as_raw()), Some(nobody.gid.as_raw()))
        .expect("we are root");
    // Where this was built may be closed to others.
    let program = dir.join("impri");
    fs::copy(env!("CARGO_BIN_EXE_impri"), &program).expect("a copy");

    let mut command = Command::new(&program);
    command.uid(nobody.uid.as_raw()).gid(nobody.gid.as_raw());
    let data_dir = home.join("data");
    let mut server = Server::spawn_with(command, &data_dir);
    let database = server.wait_for_database(None).await;
    assert_eq!(uid_of(database), nobody.uid.as_raw());
    let mode = fs::metadata(&data_dir).expect("the data directory").mode();
    assert_eq!(mode & 0o777, 0o700);
    drop(server);

    // Root runs it as its owner, and takes nothing away from them.
    let mut server = Server::spawn(&data_dir);
    let database = server.wait_for_database(None).await;
    assert_eq!(uid_of(database), nobody.uid.as_raw());
    drop(server);
    let mut command = Command::new(&program);
    command.uid(nobody.uid.as_raw()).gid(nobody.gid.as_raw());
    Server::spawn_with(command, &data_dir).wait_for_database(None).await;
}
