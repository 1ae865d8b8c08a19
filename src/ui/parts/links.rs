//! Addresses within the site.

/// A text as one value of an address's query.
pub fn encoded(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    out
}

/// A path with those of the pairs that have a value.
pub fn with_query(path: &str, pairs: &[(&str, Option<&str>)]) -> String {
    let mut address = path.to_owned();
    let mut separator = '?';
    for (name, value) in pairs {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            address.push(separator);
            address.push_str(name);
            address.push('=');
            address.push_str(&encoded(value));
            separator = '&';
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::with_query;

    #[test]
    fn values_cannot_leave_their_place() {
        let address =
            with_query("/sign-in", &[("next", Some("/inbox?at=a&b")), ("x", None), ("y", Some("é"))]);
        assert_eq!(address, "/sign-in?next=%2Finbox%3Fat%3Da%26b&y=%C3%A9");
    }
}
