//! Processes that end in ways nobody can prepare for.

use std::fs;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use super::{
    assert_mark,
    support::{Server, TempDir, eventually, is_alive, pid_file, postmaster_pid},
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
    // As after a reboot: the number now belongs to somebody else, here to this test.
    let left = fs::read_to_string(pid_file(&data_dir)).expect("the file stays");
    let reused = left.replacen(&database.to_string(), &std::process::id().to_string(), 1);
    fs::write(pid_file(&data_dir), reused).expect("writable");

    let mut server = Server::spawn(&data_dir);
    let ours = i32::try_from(std::process::id()).expect("a process id");
    server.wait_for_database(Some(ours)).await;
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
