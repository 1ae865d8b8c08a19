//! Which words are suspect, and which are ordinary.
use super::*;

/// The verdicts over every word of a text.
fn verdicts(text: &str) -> Vec<String> {
    let context = Context::new(text);
    let mut rest = text;
    let mut found = Vec::new();
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |n| start + n);
        let before = &text[..text.len() - rest.len() + start];
        found.extend(
            context.verdict(before, &rest[start..end], &rest[end..]).map(|v| v.reason(&rest[start..end])),
        );
        rest = &rest[end..];
    }
    found
}

#[test]
fn ordinary_text_in_any_one_script_is_not_suspect() {
    for text in [
        "Die Größe der Maßnahme: 5 µm × 3 m², Übergröße naïve café œuvre, 1º ª ½",
        "cafe\u{301} de\u{301}compose\u{301}",
        "Роса и оса сели на сахар. IT-специалист, 3D-модель, запрос к API, SMSки, PRщик, о USB",
        "Сахар",
        "Українська мова: її п\u{2BC}ять ґудзиків, Србија, Ђорђе",
        "Η ταχύτητα του API είναι ρ = 3, Δt, kΩ, το και ο",
        "東京タワーのTシャツを2枚、ＡＢＣ社のノートPCとCD-ROM。ロボット、エコ、カメラ、ハニー",
        "한국어 문장과 API호출, 사과 ㅋㅋ",
        "中文测试API接口，版本二点零，工口",
        "العربية والAPI ١٢٣ وهو الآن، می\u{200C}خواهم",
        "עברית וAPI סוס",
        "हिन्दी में API और १०० रुपये",
        "ภาษาไทย API ๑๐๐",
        "Türkçe: ışık, İstanbul, ığdır; Polski: łódź; Tiếng Việt: đường; Íslenska: það æði",
        "Հայերեն տեքստ",
        "বাংলা ৪৭ টাকা, ৮টি; ਪੰਜਾਬੀ ੧੪, தமிழ் ௧௦, ગુજરાતી ૩, ქართული, አማርኛ, සිංහල, မြန်မာ ၀င်း, ខ្មែរ ០",
        "Diyarbakır, Topkapı Sarayı; kapı/pencere, sınav.pdf, ağ",
        "oʻzbekcha, Hawaiʻi, Éire, São Paulo",
        "H₂O, x², №5, Ⅷ, ½, 10⁻³, 3∶1",
    ] {
        assert_eq!(verdicts(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn letters_that_pose_as_others_are_named() {
    for (text, part) in [
        ("pay p\u{430}ypal now", "mixes Latin and Cyrillic letters; U+0430 looks like “a”"),
        ("g\u{3BF}\u{3BF}gle", "mixes Latin and Greek letters; U+03BF looks like “o”"),
        ("Mосква", "mixes Latin and Cyrillic"),
        ("Пpивет", "“p” is the Latin letter"),
        ("\u{1D42B}\u{1D426} -rf", "not in plain letters; U+1D42B looks like “r”"),
        ("\u{261}oogle", "U+0261"),
        ("\u{FB01}le", "looks like “fi”"),
        ("mail to \u{441}\u{43E}\u{441}\u{43E} now", "is Cyrillic in letters that all look like Latin ones"),
        ("Привет всем, www.\u{430}\u{440}\u{435}.com", "is Cyrillic"),
        ("\u{405}\u{405}H key", "mixes"),
        ("ꓮꓡꓲꓚꓰ", "has Lisu letters; U+A4EE looks like “A”"),
        ("pay ꓮꓡꓲꓚꓰ@bank.example", "has Lisu letters"),
        ("paypaı.com", "not in plain letters; U+0131 looks like “i”"),
        ("https://paypaı-login.com ığdır, ağ", "U+0131"),
        ("pay ৪৭ EUR", "“৪৭” has a 4 (U+09EA) that looks like “8”"),
        ("৪৭", "U+09EA"),
    ] {
        let found = verdicts(text);
        assert!(found.len() == 1 && found[0].contains(part), "{text}: {found:?}");
    }
}

#[test]
fn a_name_reads_like_another() {
    for text in [
        "impri.test",
        "IMPRI.x",
        "impriꓸtest",
        "imprı.x",
        "\u{456}mpri.",
        "lmpri.x",
        "\u{200B}ꓲmpri.",
        "ｉｍｐｒｉ．",
        "irnpri․x",
    ] {
        assert!(reads_like(text, "impri."), "{text}");
    }
    for text in ["impri", "imprint.x", "email.send", "x.impri.", "impr.i"] {
        assert!(!reads_like(text, "impri."), "{text}");
    }
}
