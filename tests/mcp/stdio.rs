//! `impri mcp` as a program: its settings, its end, and that nothing but the protocol is on stdout.

use std::process::{Command, Output, Stdio};

use crate::support::PATIENCE;

/// Runs it with these settings and nothing on stdin.
fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impri"));
    command.args(arguments).env_clear().envs(environment.iter().copied()).stdin(Stdio::null());
    let began = std::time::Instant::now();
    let output = command.output().expect("it runs");
    assert!(began.elapsed() < PATIENCE);
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn a_setting_that_is_wrong_is_named_and_the_key_is_not_shown() {
    let secret = "not a key 123";
    for (environment, word) in [
        (&[][..], "IMPRI_API_KEY is not set"),
        (&[("IMPRI_API_KEY", "")], "IMPRI_API_KEY is not set"),
        (&[("IMPRI_API_KEY", secret)], "IMPRI_API_KEY does not look like a key"),
        (
            &[("IMPRI_API_KEY", "im_x"), ("IMPRI_BASE_URL", "localhost")],
            "IMPRI_BASE_URL (--base-url) is \"localhost\"",
        ),
    ] {
        let ended = run(&["mcp"], environment);
        let said = text(&ended.stderr);
        assert!(!ended.status.success() && said.contains(word), "{word}: {said}");
        assert!(!said.contains(secret) && ended.stdout.is_empty(), "{said}");
    }
}

#[test]
fn it_needs_no_server_and_no_database_and_ignores_settings_of_others() {
    let environment = [
        ("IMPRI_API_KEY", "im_x"),
        ("IMPRI_BASE_URL", "http://127.0.0.1:1/v1"),
        ("IMPRI_LISTEN", "nonsense"),
        ("IMPRI_SOMETHING", "1"),
    ];
    let ended = run(&["mcp"], &environment);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{}", text(&ended.stderr));
}

#[test]
fn the_help_names_both_variables() {
    let help = text(&run(&["mcp", "--help"], &[]).stdout);
    for word in ["IMPRI_API_KEY", "IMPRI_BASE_URL", "http://127.0.0.1:8484", "mcpServers", "/mcp"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
