//! Processes that end in ways nobody can prepare for.

use std::{
    fs,
    os::unix::{fs::MetadataExt as _, process::CommandExt as _},
    process::Command,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, geteuid},
};

use super::{
    assert_mark,
    support::{Server, TempDir, connect, eventually, is_alive, pid_file, postmaster_pid},
    write_mark,
};

#[tokio::test]
async fn sigterm_interrupts_a_first_start() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let mut server = Server::spawn(&data_dir);
    eventually("the creation of the database", || data_dir.join("postgres").exists());
    server.signal(Signal::SIGTERM);
    let status = server.wait();
    assert_eq!(status.code(), Some(0), "{}", server.log());
    assert_eq!(postmaster_pid(&data_dir), None);
    let _server = Server::start(&data_dir).await;
}

#[tokio::test]
async fn an_interrupted_creation_is_begun_again() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    drop(Server::start(&data_dir).await);
    // What a server killed during its first start leaves.
    fs::rename(data_dir.join("postgres/cluster"), data_dir.join("postgres/new-1")).expect("movable");
    let _server = Server::start(&data_dir).await;
    assert!(!data_dir.join("postgres/new-1").exists());
}

#[tokio::test]
async fn kill_9_of_the_server_leaves_nothing_that_stops_the_next_start() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let mut server = Server::start(&data_dir).await;
    write_mark(&data_dir).await;
    let left_behind = postmaster_pid(&data_dir).expect("a process");
    server.kill();
    assert!(is_alive(left_behind), "the database does not end with its server");

    let mut server = Server::spawn(&data_dir);
    server.wait_for_database(Some(left_behind)).await;
    assert_mark(&data_dir).await;
    eventually("the end of the old database", || !is_alive(left_behind));
}

#[tokio::test]
async fn kill_9_of_both_and_a_reused_process_id_do_not_stop_the_next_start() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let mut server = Server::start(&data_dir).await;
    write_mark(&data_dir).await;
    let database = postmaster_pid(&data_dir).expect("a process");
    server.kill();
    kill(Pid::from_raw(database), Signal::SIGKILL).expect("the database can be killed");
    eventually("the end of the database", || !is_alive(database));
    // As after a reboot: the number now belongs to somebody else, and to the same user at that.
    let owner = fs::metadata(data_dir.join("postgres")).expect("the database's directory").uid();
    let mut somebody = Command::new("sleep");
    somebody.arg("300");
    if geteuid().is_root() {
        somebody.uid(owner);
    }
    let mut somebody = somebody.spawn().expect("sleep runs");
    let reused = i32::try_from(somebody.id()).expect("a process id");
    for lock_file in [pid_file(&data_dir), data_dir.join("postgres/run/.s.PGSQL.5432.lock")] {
        let left = fs::read_to_string(&lock_file).expect("the file stays");
        fs::write(&lock_file, left.replacen(&database.to_string(), &reused.to_string(), 1))
            .expect("writable");
    }

    let mut server = Server::spawn(&data_dir);
    server.wait_for_database(Some(reused)).await;
    somebody.kill().expect("our child");
    somebody.wait().expect("our child");
    assert_mark(&data_dir).await;
}

#[tokio::test]
async fn kill_9_of_the_database_brings_it_back_with_everything() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let mut server = Server::start(&data_dir).await;
    write_mark(&data_dir).await;
    let mut killed = postmaster_pid(&data_dir);
    for _ in 0..3 {
        kill(Pid::from_raw(killed.expect("a process")), Signal::SIGKILL).expect("the database can be killed");
        killed = Some(server.wait_for_database(killed).await);
    }
    assert_mark(&data_dir).await;
    assert!(server.log().contains("the database has ended, restarting it"), "{}", server.log());
}

#[tokio::test]
async fn a_query_that_outlives_a_killed_database_only_delays_the_next_start() {
    let dir = TempDir::new();
    let data_dir = dir.join("data");
    let mut server = Server::start(&data_dir).await;
    write_mark(&data_dir).await;
    let database = postmaster_pid(&data_dir).expect("a process");
    // It works without looking up, so it neither notices the end of its server nor that of its client.
    let mut connection = connect(&data_dir).await.expect("a connection");
    let query = tokio::spawn(async move {
        let endless = "select count(*) from (select generate_series(1, 8000000)) numbers";
        sqlx::query(endless).execute(&mut connection).await
    });
    let mut other = connect(&data_dir).await.expect("a connection");
    let is_running = "select exists (select from pg_stat_activity where query like '%generate_series%'
                                     and pid <> pg_backend_pid() and state = 'active')";
    while !sqlx::query_scalar::<_, bool>(is_running).fetch_one(&mut other).await.expect("an answer") {}
    server.kill();
    kill(Pid::from_raw(database), Signal::SIGKILL).expect("the database can be killed");
    query.abort();

    let mut server = Server::spawn(&data_dir);
    server.wait_for_database(Some(database)).await;
    assert_mark(&data_dir).await;
}
