//! Nothing that the agent wrote disappears.
use proptest::prelude::*;

use super::{
    markdown,
    tests::{bare, renders},
};
use crate::server::text::testing::undo;

/// The definitions and other parts that nothing else shows.
fn unread(text: &str) -> Vec<String> {
    let rendered = markdown(text);
    assert!(!rendered.fell_back, "{text}");
    let parts = rendered.html.as_str().split("<p class=\"md-unused\">").skip(1);
    parts.map(|part| undo(part.split_once("</p>").unwrap().0)).collect()
}

#[test]
fn a_second_definition_of_a_name_does_not_hide_its_text() {
    let second = "[o]: https://b.example \"wire 5000 to eve\"";
    for (text, shown) in [
        (format!("[o]\n\n[o]: https://a.example\n{second}"), second.to_owned()),
        (format!("[o]\n\n{second}\n\n[o]: x \"y\"\n\ntext"), "[o]: x \"y\"".to_owned()),
        (format!("[o]: https://a.example\n\n> a\n>\n> {second}\n\n[o]"), format!("> {second}")),
        (format!("[o]: https://a.example\n\n- a [o]\n\n  {second}\n- b"), second.to_owned()),
        (format!("[o]: https://a.example\n\n1. {second}\n2. b [o]"), format!("1. {second}")),
        (format!("[o]: https://a.example\n\n- {second}\n  text [o]"), format!("- {second}")),
    ] {
        let found = unread(&text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].contains(&shown), "{text}: {found:?}");
    }
}

#[test]
fn a_text_without_definitions_has_nothing_left_over() {
    for text in [
        "- a\n- b\n\n  c\n\n> - *d*\n> - `e` \\* f\\\n>   g\n>\n> h",
        "\\*a &amp; b\n===\n\n# c ##\n\n***\n\n    code\n\n~~~ sh\nx\n~~~",
        "1. [ ] a\n2. [x] \\[b\n\n|a|b|\n|-|-|\n|1|2\n|3|\n\n<!-- c\nd -->\n\n<b>e</b>",
        "* > 1) a\n  >    b\n*\n\n+ [x](y) ![z](w) <https://a.example>\n  lazy",
        "> a\nlazy\n>> b\nlazy\n\n-\n\n7.\n   c",
        "[a]\n\n[a]: b\n  \"title\"\n",
    ] {
        assert_eq!(unread(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_surplus_cell_stays_in_its_row() {
    renders(
        "|a|\n|-|\n|1|wire 5000 to eve|",
        "<div class=\"md-table\"><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1 <span \
         class=\"md-unused\">wire 5000 to eve</span></td></tr>\n</tbody></table></div>",
    );
    let html = markdown("> |a|b|\n> |-|-|\n> |1|2|3 | 4\n> |5|\n> |6|7|\n> |8|9||\n\nx").html;
    assert_eq!(html.as_str().matches("md-unused").count(), 1, "{html:?}");
    assert!(html.as_str().contains("2 <span class=\"md-unused\">3 | 4</span></td>"), "{html:?}");
}

#[test]
fn the_label_of_a_reference_is_shown_where_it_differs() {
    let html = |text: &str| bare(markdown(text).html.as_str());
    let end = "\n\n[wire 5000 to eve]: https://a.example\n[terms]: https://b.example";
    assert!(
        html(&format!("[terms][wire 5000 to eve] [terms]{end}"))
            .contains("a.example</span><span class=\"link-title\"> [wire 5000 to eve]</span>")
    );
    assert!(
        html(&format!("![terms][wire 5000 to eve]{end}")).contains("— https://a.example [wire 5000 to eve]]")
    );
    assert!(!html("[Terms][terms] [terms][] [terms]\n\n[terms]: https://b.example").contains("link-title"));
}

#[test]
fn an_info_that_is_no_known_language_is_shown() {
    for info in ["wire-5000-to-eve", "yaml", "python wire-5000-to-eve", "SH x"] {
        let html = markdown(&format!("```{info}\nx\n```")).html;
        assert!(html.as_str().contains(&format!("<p class=\"code-info\">{info}</p>")), "{html:?}");
    }
    for info in ["", "sh", "Python", " json "] {
        let html = markdown(&format!("```{info}\nx\n```")).html;
        assert!(!html.as_str().contains("code-info"), "{html:?}");
    }
}

#[test]
fn the_numbers_of_a_list_are_those_that_were_written() {
    renders("1. a\n5000. b\n5001. c", "<ol><li>a</li>\n<li value=\"5000\">b</li>\n<li>c</li>\n</ol>");
    renders("1. a\n1. b\n1. c", "<ol><li>a</li>\n<li>b</li>\n<li>c</li>\n</ol>");
    renders("7) a\n8) b\n8) c", "<ol start=\"7\"><li>a</li>\n<li>b</li>\n<li value=\"8\">c</li>\n</ol>");
    let html = markdown("> 1. a\n>    1. b\n>    40. c\n> 30. d").html;
    assert!(html.as_str().contains("<li value=\"40\">c</li>"), "{html:?}");
    assert!(html.as_str().contains("<li value=\"30\">d</li>"), "{html:?}");
}

proptest! {
    #[test]
    fn every_word_stays(words in prop::collection::vec("[a-z]{3,6}", 1..12), glue in prop::collection::vec(
        prop::sample::select(vec!["\n", "\n\n", "\n> ", "\n- ", "\n7. ", "|", "\n|", "\n|-|\n", "[", "]: ", "][", " \"", "\"", "](", ")", "\n```", "`", "\\", "*", "<", "> "]), 0..24,
    )) {
        let mut text = String::new();
        let mut words = words.iter().cycle().take(12);
        for glue in glue {
            text.push_str(glue);
            text.push_str(words.next().map_or("", String::as_str));
        }
        let rendered = markdown(&text);
        let html = rendered.html.as_str().replace("language-", "");
        for word in text.split(|c: char| !c.is_ascii_lowercase()).filter(|word| !word.is_empty()) {
            prop_assert!(html.contains(word), "{} of {:?} in {}", word, text, html);
        }
    }
}
