//! The canonical form that everything signed and sealed is hashed in: RFC 8785's own vectors, and another
//! implementation's opinion on thousands of values.

use std::io::Write as _;
use std::process::{Command, Stdio};

use impri::domain::content::canonical_json;
use serde_json::{Map, Value, json};

use crate::support::python;

/// Values that are compared.
const VALUES: usize = 4_000;
/// The largest integer that every reader of JSON agrees about; larger ones are refused before they are hashed.
const INTEGER_MAX: i64 = (1 << 53) - 1;

fn canonical(value: &Value) -> String {
    String::from_utf8(canonical_json(value)).expect("UTF-8")
}

/// RFC 8785, appendix B: what a number of these bits is written as.
#[test]
fn numbers_are_written_as_the_standard_lists_them() {
    let listed = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, text) in listed {
        assert_eq!(canonical(&json!(f64::from_bits(bits))), text, "{bits:016x}");
    }
}

/// RFC 8785, sections 3.2.2 and 3.2.3.
#[test]
fn the_standards_examples_are_written_as_it_shows_them() {
    let sent = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let shown = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                 \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
    assert_eq!(canonical(&serde_json::from_str(sent).expect("JSON")), shown);

    let sent = r#"{
        "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let shown = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
                 \"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\
                 \"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
    assert_eq!(canonical(&serde_json::from_str(sent).expect("JSON")), shown);
}

/// Values from a seed, of the sorts on which implementations differ.
struct Source(u64);

impl Source {
    /// `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn number(&mut self) -> Value {
        match self.below(5) {
            0 => json!(self.next().cast_signed() % (INTEGER_MAX + 1)),
            1 => json!(self.next().cast_signed() % 1_000),
            // Around the places where the notation changes.
            2 => {
                let exponent = i32::try_from(self.below(60)).expect("small") - 30;
                let digits = f64::from(u32::try_from(self.below(1 << 32)).expect("32 bits"));
                json!(digits * 10_f64.powi(exponent))
            }
            3 => json!(f64::from_bits(self.next() & !(0x7ff << 52) | (self.below(80) + 983) << 52)),
            _ => {
                let any = f64::from_bits(self.next());
                if any.is_finite() { json!(any) } else { json!(0) }
            }
        }
    }

    fn character(&mut self) -> char {
        const ODD: [char; 16] = [
            '"',
            '\\',
            '/',
            '\u{0}',
            '\u{8}',
            '\t',
            '\n',
            '\u{b}',
            '\r',
            '\u{1f}',
            '\u{7f}',
            '\u{2028}',
            '\u{d7ff}',
            '\u{e000}',
            '\u{ffff}',
            '\u{10ffff}',
        ];
        match self.below(4) {
            0 => char::from(u8::try_from(32 + self.below(95)).expect("ASCII")),
            1 => ODD[usize::try_from(self.below(16)).expect("small")],
            // Beyond the first plane: sorted by UTF-16 these come before U+E000.
            2 => char::from_u32(0x1_0000 + u32::try_from(self.below(0x10_0000)).expect("small"))
                .expect("a character"),
            _ => char::from_u32(u32::try_from(self.below(0x1_0000)).expect("small")).unwrap_or('\u{fffd}'),
        }
    }

    fn text(&mut self) -> String {
        let length = self.below(8);
        (0..length).map(|_| self.character()).collect()
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 | 3 => self.number(),
            4 => Value::String(self.text()),
            5 => (0..self.below(5)).map(|_| self.value(depth - 1)).collect(),
            _ => Value::Object((0..self.below(7)).map(|_| (self.text(), self.value(depth - 1))).collect()),
        }
    }
}

/// The same with every object's members in the other order.
fn turned(value: &Value) -> Value {
    match value {
        Value::Array(all) => all.iter().map(turned).collect(),
        Value::Object(members) => {
            let members: Map<String, Value> =
                members.iter().rev().map(|(name, value)| (name.clone(), turned(value))).collect();
            Value::Object(members)
        }
        other => other.clone(),
    }
}

#[tokio::test]
async fn another_implementation_comes_to_the_same_bytes() {
    let seed = std::env::var_os("IMPRI_TEST_SEED");
    let seed = seed.and_then(|seed| seed.to_str()?.parse().ok()).unwrap_or(8_785);
    let mut source = Source(seed);
    let values: Vec<Value> = (0..VALUES).map(|_| source.value(4)).collect();
    let lines: Vec<String> = values.iter().map(ToString::to_string).collect();
    let lines = lines.join("\n");
    let mut child = Command::new(python())
        .arg(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/receipts/canonical.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let output = tokio::task::spawn_blocking(move || {
        let mut stdin = child.stdin.take().expect("a pipe");
        let writing = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).expect("it reads"));
        let output = child.wait_with_output().expect("it ends");
        writing.join().expect("all was written");
        output
    });
    let output = output.await.expect("no panic");
    assert!(output.status.success(), "seed {seed}");
    let theirs = String::from_utf8(output.stdout).expect("text");
    let theirs: Vec<&str> = theirs.lines().collect();
    assert_eq!(theirs.len(), values.len(), "seed {seed}");
    for (value, theirs) in values.iter().zip(theirs) {
        let ours = canonical_json(value);
        assert_eq!(hex::encode(&ours), theirs, "seed {seed}: {value}");
        assert_eq!(
            canonical_json(&turned(value)),
            ours,
            "seed {seed}: the order of members counts for nothing"
        );
        let again: Value = serde_json::from_slice(&ours).expect("JSON");
        assert_eq!(canonical_json(&again), ours, "seed {seed}: the canonical form is its own");
    }
}
