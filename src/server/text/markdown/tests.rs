//! What Markdown looks like, and what it can't do.
use proptest::prelude::*;

use super::*;
use crate::server::text::testing::{text_of, undo};

#[track_caller]
pub(super) fn renders(text: &str, html: &str) {
    let rendered = markdown(text);
    assert!(!rendered.fell_back);
    assert_eq!(rendered.html.as_str().trim(), html, "{text}");
}

#[test]
fn blocks_and_inlines_have_their_elements() {
    renders("# Hi *you*", "<p class=\"md-heading md-h1\">Hi <em>you</em></p>");
    renders("3. a\n4. b", "<ol start=\"3\"><li>a</li>\n<li>b</li>\n</ol>");
    renders("- [x] a", "<ul><li><span class=\"task\">[x]</span> a</li>\n</ul>");
    renders("> ~~a~~\n\n---", "<blockquote><p><del>a</del></p>\n</blockquote>\n<hr>");
    renders(
        "|a|b|\n|-|-:|\n|1|2|",
        "<div class=\"md-table\"><table><thead><tr><th>a</th><th class=\"align-right\">b</th></tr></thead>\
         <tbody><tr><td>1</td><td class=\"align-right\">2</td></tr>\n</tbody></table></div>",
    );
}

#[test]
fn code_is_coloured_and_its_fence_info_stays_visible() {
    renders(
        "```bash\nif x\n```",
        "<pre class=\"code\"><code class=\"language-bash\"><span class=\"tok-kw\">if</span> x\n</code></pre>",
    );
    renders(
        "```sh rm -rf /\n\n```",
        "<p class=\"code-info\">sh rm -rf /</p><pre class=\"code\"><code class=\"language-sh\">\n</code></pre>",
    );
}

#[test]
fn html_is_text() {
    renders(
        "a <b onclick=x>c</b>",
        "<p>a <span class=\"raw-html\">&lt;b onclick=x&gt;</span>c<span class=\"raw-html\">&lt;/b&gt;</span></p>",
    );
    renders("<!-- hidden -->", "<span class=\"raw-html\">&lt;!-- hidden --&gt;</span>");
}

/// Without the attributes that every link has.
pub(super) fn bare(html: &str) -> String {
    html.trim().replace(" target=\"_blank\" rel=\"nofollow noopener noreferrer ugc\"", "")
}

#[test]
fn a_link_shows_its_host_and_its_tricks() {
    assert!(
        markdown("<https://a.example>").html.as_str().contains("rel=\"nofollow noopener noreferrer ugc\"")
    );
    let html = |text: &str| bare(markdown(text).html.as_str());
    assert_eq!(
        html("[good](https://evil.example/x \"tip\")"),
        "<p><a href=\"https://evil.example/x\">good</a> <span class=\"link-host\">evil.example</span>\
         <span class=\"link-title\"> “tip”</span></p>"
    );
    assert!(
        html("[x](https://good.com@evil.example)").contains("class=\"link-warning\">“good.com” before the @")
    );
    assert!(
        html("[good.com](https://evil.example)").contains("the text names good.com, this opens evil.example")
    );
    assert!(html("<a@b.example>").contains("<a href=\"mailto:a@b.example\">a@b.example</a>"));
    assert_eq!(
        html("[x](javascript:alert%281%29)"),
        "<p>x <span class=\"link-refused\">[javascript:alert%281%29]</span></p>"
    );
}

#[test]
fn an_image_is_never_loaded() {
    renders(
        "![a *b*](https://t.example/p.png?id=1 \"t\")",
        "<p><span class=\"image\">[image: a b — https://t.example/p.png?id=1 “t”]</span></p>",
    );
    renders("![](x)", "<p><span class=\"image\">[image: x]</span></p>");
    renders(
        "![a [b](https://c.example)](d)",
        "<p><span class=\"image\">[image: a b (https://c.example) — d]</span></p>",
    );
}

#[test]
fn an_unused_definition_does_not_hide_its_text() {
    renders("a\n\n[//]: # (hidden)", "<p>a</p>\n<p class=\"md-unused\">[//]: # (hidden)</p>");
    assert!(!markdown("[a]\n\n[A]: https://b.example").html.as_str().contains("md-unused"));
}

#[test]
fn what_entities_and_escapes_hide_is_found() {
    let rendered = markdown("a&ZeroWidthSpace;b p&#1072;ypal");
    assert!(
        rendered
            .html
            .as_str()
            .contains("<span class=\"revealed\" title=\"ZERO WIDTH SPACE, U+200B\">U+200B</span>")
    );
    assert!(rendered.html.as_str().contains("<span class=\"look-alike\""));
    assert_eq!(rendered.findings.len(), 2);
    assert_eq!(markdown("a\u{200B}b").findings[0].count, 1);
}

#[test]
fn nesting_beyond_reason_is_shown_as_plain_text() {
    assert!(!markdown(&format!("{}a", "> ".repeat(MAX_DEPTH - 1))).fell_back);
    assert!(markdown(&format!("Weekly report\n\n{}EVIL", "> ".repeat(26))).fell_back);
    let text = format!("{}a", "> ".repeat(100));
    let rendered = markdown(&text);
    assert!(rendered.fell_back);
    assert_eq!(undo(rendered.html.as_str()).trim(), text);
}

/// Inputs that have been quadratic or worse in some Markdown reader, 256 KiB each.
fn pathological() -> Vec<(String, String)> {
    const SIZE: usize = 256 * 1024;
    let fill = |unit: &str| unit.repeat(SIZE / unit.len());
    let mut all: Vec<(String, String)> = [
        ">",
        "> ",
        "[",
        "![",
        "*",
        "*a ",
        "_a",
        "**a",
        "`",
        "``a",
        "~~",
        "<",
        "<!--",
        "<a ",
        "[a](",
        "[a](<b",
        "[]",
        "](",
        "a**b",
        "*_",
        "- ",
        "1. ",
        "\\",
        "&",
        "&amp;",
        "|a",
        "[a]: b\n",
        "> [a]: b\n",
        "1. a\n",
        "\u{2010}",
        " \u{2013}a",
        "a\u{2010}a",
        "\u{A4F8}",
        "\u{9EA}",
        "\u{9EA}\u{9EA}\u{995} ",
        "/\u{131}",
        "[a]\n",
        "# a\n",
        "```\n",
        "\u{200B}",
        "\u{430}a ",
        "\u{200B}\u{200C}",
        "<a@b.c>",
        "https://a.b ",
        "\"",
        "'",
        "/* ",
        "*a*",
        "a\n",
        "-\n",
        "\t",
        "\0",
        "[a](b)",
        "<b>",
        "![a](b)",
        "    a\n\n",
        "\u{202E}a",
        "&#x430;",
        "- a\n  ",
        "\n",
        "<?",
        "<![CDATA[",
        "p\u{430}",
        "\u{A7}",
    ]
    .into_iter()
    .map(|unit| (format!("{unit:?}"), fill(unit)))
    .collect();
    all.push((
        "wide table".to_owned(),
        format!("{}\n{}\n{}", "|a".repeat(20_000), "|-".repeat(20_000), "|\n".repeat(90_000)),
    ));
    all.push((
        "nested then lines".to_owned(),
        format!("{}\n{}", ">".repeat(SIZE / 2), "a\n".repeat(SIZE / 4)),
    ));
    all.push(("code".to_owned(), format!("```sql\n{}\n```", "/* '\" ".repeat(SIZE / 8))));
    all.push(("python".to_owned(), format!("```py\n{}\n```", "\"''' ".repeat(SIZE / 8))));
    all.push(("json".to_owned(), format!("```json\n{}\n```", "\"\" ".repeat(SIZE / 4))));
    all.push(("openers".to_owned(), format!("{}{}", "[".repeat(SIZE / 2), "](a)".repeat(SIZE / 8))));
    all.push(("expansion".to_owned(), format!("[a]: {}\n{}", "b".repeat(SIZE / 2), "[a]".repeat(SIZE / 8))));
    all
}

#[test]
#[ignore = "a measurement; run it in a release build"]
fn the_worst_inputs_are_rendered_in_time() {
    let mut slow = Vec::new();
    for (name, text) in pathological() {
        let start = std::time::Instant::now();
        let rendered = markdown(&text);
        let took = start.elapsed().as_millis();
        slow.push((took, name, rendered.fell_back, rendered.html.as_str().len()));
    }
    slow.sort();
    slow.reverse();
    // Milliseconds, the text, whether it fell back, bytes of markup.
    assert!(slow[0].0 < 300, "{:#?}", &slow[..6]);
}

#[test]
fn small_pathological_inputs_are_sound() {
    for (name, text) in pathological() {
        let cut: String = text.chars().take(400).collect();
        text_of(markdown(&cut).html.as_str()).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

proptest! {
    #[test]
    fn anything_renders_to_the_allowed_elements(text in "[ -~\n]{0,200}|\\PC{0,60}|[\\[\\]()!<>*_`#|:\\-\n a\"&;]{0,120}") {
        let rendered = markdown(&text);
        prop_assert!(text_of(rendered.html.as_str()).is_ok(), "{:?}", text_of(rendered.html.as_str()));
        // The gate has nothing left to do.
        let again = sanitize(rendered.html.as_str());
        prop_assert_eq!(again.as_deref(), Some(rendered.html.as_str()));
    }

    #[test]
    fn code_keeps_every_character(code in "[ -_a-~\u{200B}\u{430}\n]{0,120}") {
        let rendered = markdown(&format!("~~~~~~~sh\nx{code}\n~~~~~~~"));
        let html = rendered.html.as_str().trim();
        prop_assume!(!code.contains("~~~~~~~"));
        prop_assert_eq!(undo(html), format!("x{code}\n"));
    }
}
