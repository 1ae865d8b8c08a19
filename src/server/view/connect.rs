//! What to paste where, so that an agent finds this server.

use serde_json::{Value, json};

use crate::wire::connect::{HostHelp, Snippet};

/// Stands where the reader's own key goes.
const NO_KEY: &str = "im_…";

/// Help for every kind of host. `origin` is the server's public one; `key` stands in the snippets if there is one.
pub fn hosts(origin: &str, key: Option<&str>) -> Vec<HostHelp> {
    let key = key.unwrap_or(NO_KEY);
    let endpoint = format!("{origin}{}", crate::server::mcp::http::PATH);
    let beside = json!({"command": "impri", "args": ["mcp"],
        "env": {"IMPRI_API_KEY": key, "IMPRI_BASE_URL": origin}});
    let remote = json!({"url": endpoint, "headers": {"Authorization": format!("Bearer {key}")}});
    vec![
        host(
            "claude-code",
            "Claude Code",
            "The first needs no program but Claude Code; the second starts impri beside it, which has to be on the PATH. \
             A wait ends before Claude Code moves a call to the background, so no time-out has to be set.",
            vec![
                snippet(
                    "Over HTTP",
                    format!(
                        "claude mcp add --transport http --scope user impri {endpoint} \\\n  --header \"Authorization: \
                         Bearer {key}\""
                    ),
                ),
                snippet(
                    "With impri beside it",
                    format!(
                        "claude mcp add --env IMPRI_API_KEY={key} \\\n  --env IMPRI_BASE_URL={origin} \\\n  --transport \
                         stdio --scope user impri -- impri mcp"
                    ),
                ),
            ],
        ),
        host(
            "claude-desktop",
            "Claude Desktop",
            "Settings, Developer, Edit config; then start it again. Where impri is not on the PATH of programs that are \
             started from the desktop, write its whole path. Calls are cut after a minute and waits end before that.",
            vec![snippet("claude_desktop_config.json", servers(&beside))],
        ),
        host(
            "cursor",
            "Cursor",
            "In .cursor/mcp.json of a project, or in ~/.cursor/mcp.json for all. One of the two is enough.",
            vec![
                snippet("mcp.json, over HTTP", servers(&remote)),
                snippet("mcp.json, with impri beside it", servers(&beside)),
            ],
        ),
        host(
            "codex",
            "Codex",
            "Older versions cut a call after a minute; this lets a wait be as long as Impri holds one for Codex.",
            vec![snippet(
                "~/.codex/config.toml",
                format!(
                    "[mcp_servers.impri]\ncommand = \"impri\"\nargs = [\"mcp\"]\ntool_timeout_sec = 300\n\n\
                     [mcp_servers.impri.env]\nIMPRI_API_KEY = \"{key}\"\nIMPRI_BASE_URL = \"{origin}\""
                ),
            )],
        ),
        host(
            "rest",
            "Anything that speaks HTTP",
            "Propose, wait, report. A wait answers as soon as there is a decision; that it says pending is a success, and \
             the next one goes on.",
            rest(origin, key),
        ),
    ]
}

fn rest(origin: &str, key: &str) -> Vec<Snippet> {
    let auth = "-H \"Authorization: Bearer $IMPRI_API_KEY\"";
    vec![
        snippet(
            "Propose",
            format!(
                "export IMPRI_API_KEY={key}\ncurl -s {origin}/v1/actions {auth} \\\n  -d '{{\"kind\": \"email.send\", \
                 \"title\": \"Welcome mail to Sarah\", \"editable\": [\"preview.body\"],\n       \"preview\": \
                 {{\"format\": \"markdown\", \"body\": \"Hi Sarah, your account is **ready**.\"}}}}'"
            ),
        ),
        snippet(
            "Wait, with the id of the answer",
            format!("ID=act_…\ncurl -s \"{origin}/v1/actions/$ID?wait=60\" {auth}"),
        ),
        snippet(
            "Report",
            format!("curl -s {origin}/v1/actions/$ID/result {auth} \\\n  -d '{{\"status\": \"executed\"}}'"),
        ),
    ]
}

/// The file that most hosts read.
fn servers(server: &Value) -> String {
    // The alternate form is the indented one.
    format!("{:#}", json!({"mcpServers": {"impri": server}}))
}

fn host(id: &str, name: &str, about: &str, snippets: Vec<Snippet>) -> HostHelp {
    HostHelp { id: id.to_owned(), name: name.to_owned(), about: about.to_owned(), snippets }
}

fn snippet(label: &str, text: String) -> Snippet {
    Snippet { label: label.to_owned(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_gets_the_servers_address_and_the_key() {
        for help in hosts("https://impri.example.org", Some("im_secret")) {
            let all: String = help.snippets.iter().map(|snippet| snippet.text.as_str()).collect();
            assert!(all.contains("https://impri.example.org") && all.contains("im_secret"), "{}", help.name);
            for snippet in help.snippets.iter().filter(|snippet| snippet.text.starts_with('{')) {
                let read: Value = serde_json::from_str(&snippet.text).unwrap();
                assert!(read["mcpServers"]["impri"].is_object(), "{}", snippet.text);
            }
        }
        let without: String =
            hosts("http://a", None).iter().flat_map(|help| &help.snippets).map(|s| s.text.as_str()).collect();
        assert!(without.contains("im_…"));
    }
}
