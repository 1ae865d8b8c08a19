//! Which addresses are on the public internet, and what the others are for.
//!
//! The tables are those of the IANA special-purpose registries. An IPv6 address that carries an IPv4 address is
//! judged by both: whoever unwraps it on the way must not end up inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A range and what it is for.
type Range<Bits> = (Bits, u32, &'static str);

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u32, what: &'static str) -> Range<u32> {
    (Ipv4Addr::new(a, b, c, d).to_bits(), prefix, what)
}

/// A range by its first four groups; none that is listed is longer.
const fn v6(groups: [u16; 4], prefix: u32, what: &'static str) -> Range<u128> {
    let [a, b, c, d] = groups;
    (Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_bits(), prefix, what)
}

const NOT_PUBLIC_V4: [Range<u32>; 15] = [
    v4(0, 0, 0, 0, 8, "this network"),
    v4(10, 0, 0, 0, 8, "a private network"),
    v4(100, 64, 0, 0, 10, "a carrier's network"),
    v4(127, 0, 0, 0, 8, "loopback"),
    v4(169, 254, 0, 0, 16, "link-local"),
    v4(172, 16, 0, 0, 12, "a private network"),
    v4(192, 0, 0, 0, 24, "protocol assignments"),
    v4(192, 0, 2, 0, 24, "documentation"),
    v4(192, 88, 99, 0, 24, "a tunnel relay"),
    v4(192, 168, 0, 0, 16, "a private network"),
    v4(198, 18, 0, 0, 15, "benchmarking"),
    v4(198, 51, 100, 0, 24, "documentation"),
    v4(203, 0, 113, 0, 24, "documentation"),
    v4(224, 0, 0, 0, 4, "multicast"),
    v4(240, 0, 0, 0, 4, "reserved"),
];

/// Inside `2000::/3`, the only part of IPv6 that is routed in public.
const NOT_PUBLIC_V6: [Range<u128>; 3] = [
    // Teredo, ORCHID and benchmarking live in here, beside nothing that takes callbacks.
    v6([0x2001, 0, 0, 0], 23, "protocol assignments"),
    v6([0x2001, 0xdb8, 0, 0], 32, "documentation"),
    v6([0x3fff, 0, 0, 0], 20, "documentation"),
];

/// What ranges outside `2000::/3` are called; everything there is refused, named or not.
const NAMED_V6: [Range<u128>; 7] = [
    v6([0x64, 0xff9b, 1, 0], 48, "a local address translator"),
    v6([0x100, 0, 0, 0], 64, "discard-only"),
    v6([0x5f00, 0, 0, 0], 16, "segment routing"),
    v6([0xfc00, 0, 0, 0], 7, "a private network"),
    v6([0xfe80, 0, 0, 0], 10, "link-local"),
    v6([0xfec0, 0, 0, 0], 10, "site-local"),
    v6([0xff00, 0, 0, 0], 8, "multicast"),
];

/// What an address is for, if it is not one of the public internet.
pub fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    }
}

fn not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    let within = |(network, prefix, _): &&Range<u32>| (bits ^ network) >> (32 - prefix) == 0;
    NOT_PUBLIC_V4.iter().find(within).map(|(_, _, what)| *what)
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    if address.is_unspecified() {
        return Some("this network");
    }
    if address.is_loopback() {
        return Some("loopback");
    }
    match carried(address) {
        // A translator's public prefix: where it leads is what counts.
        Carried::Translated(inner) => return not_public_v4(inner),
        Carried::Written(inner) => return not_public_v4(inner).or(Some("an IPv4 address in IPv6")),
        Carried::Tunnelled(inner) => return not_public_v4(inner).or(Some("a tunnel")),
        Carried::Nothing => {}
    }
    let bits = address.to_bits();
    let within = |(network, prefix, _): &&Range<u128>| (bits ^ network) >> (128 - prefix) == 0;
    let of = |ranges: &[Range<u128>]| ranges.iter().find(within).map(|(_, _, what)| *what);
    if bits >> 125 == 1 { of(&NOT_PUBLIC_V6) } else { of(&NAMED_V6).or(Some("reserved")) }
}

/// An IPv4 address inside an IPv6 one.
enum Carried {
    /// NAT64, `64:ff9b::/96`: how a host without IPv4 reaches IPv4.
    Translated(Ipv4Addr),
    /// Mapped (`::ffff:0:0/96`), translated (`::ffff:0:0:0/96`) and compatible (`::/96`): only other spellings.
    Written(Ipv4Addr),
    /// 6to4 and Teredo.
    Tunnelled(Ipv4Addr),
    /// None.
    Nothing,
}

fn carried(address: Ipv6Addr) -> Carried {
    let last = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, a, b] => Carried::Translated(last(a, b)),
        [0, 0, 0, 0, 0, 0xffff | 0, a, b] | [0, 0, 0, 0, 0xffff, 0, a, b] => Carried::Written(last(a, b)),
        [0x2002, a, b, ..] => Carried::Tunnelled(last(a, b)),
        // Teredo hides the client's address by inverting it.
        [0x2001, 0, .., a, b] => Carried::Tunnelled(last(!a, !b)),
        _ => Carried::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(text: &str) -> Option<&'static str> {
        not_public(text.parse().expect("an address"))
    }

    #[test]
    fn public_addresses_are_targets() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2a00:1450::1",
            "2003::1",
            "64:ff9b::8.8.8.8",
        ] {
            assert_eq!(judge(text), None, "{text}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for (text, what) in [
            ("0.0.0.0", "this network"),
            ("0.255.255.255", "this network"),
            ("10.0.0.0", "a private network"),
            ("10.255.255.255", "a private network"),
            ("100.64.0.0", "a carrier's network"),
            ("100.127.255.255", "a carrier's network"),
            ("127.0.0.1", "loopback"),
            ("127.255.255.254", "loopback"),
            ("169.254.169.254", "link-local"),
            ("172.16.0.1", "a private network"),
            ("172.31.255.255", "a private network"),
            ("192.0.0.8", "protocol assignments"),
            ("192.0.2.1", "documentation"),
            ("192.88.99.1", "a tunnel relay"),
            ("192.168.1.1", "a private network"),
            ("198.18.0.1", "benchmarking"),
            ("198.19.255.255", "benchmarking"),
            ("198.51.100.7", "documentation"),
            ("203.0.113.7", "documentation"),
            ("224.0.0.1", "multicast"),
            ("239.255.255.255", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "reserved"),
            ("::", "this network"),
            ("::1", "loopback"),
            ("::2", "this network"),
            ("::127.0.0.1", "loopback"),
            ("::8.8.8.8", "an IPv4 address in IPv6"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:a00:1", "a private network"),
            ("::ffff:8.8.8.8", "an IPv4 address in IPv6"),
            ("::ffff:0:127.0.0.1", "loopback"),
            ("64:ff9b::127.0.0.1", "loopback"),
            ("64:ff9b::a9fe:a9fe", "link-local"),
            ("64:ff9b:1::1", "a local address translator"),
            ("64:ff9b:1:ffff::8.8.8.8", "a local address translator"),
            ("64:ff9b:2::1", "reserved"),
            ("100::1", "discard-only"),
            ("2001::1", "reserved"),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "documentation"),
            ("2001:0:1:2:3:4:80ff:fffe", "loopback"),
            ("2001:0:1:2:3:4:f7f7:f7f7", "a tunnel"),
            ("2001:2::1", "protocol assignments"),
            ("2001:10::1", "protocol assignments"),
            ("2001:1ff:ffff::1", "protocol assignments"),
            ("2001:db8::1", "documentation"),
            ("2002:7f00:1::1", "loopback"),
            ("2002:c0a8:101::1", "a private network"),
            ("2002:808:808::1", "a tunnel"),
            ("3fff::1", "documentation"),
            ("4000::1", "reserved"),
            ("5f00::1", "segment routing"),
            ("fc00::1", "a private network"),
            ("fd12:3456::1", "a private network"),
            ("fe80::1", "link-local"),
            ("febf::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
        ] {
            assert_eq!(judge(text), Some(what), "{text}");
        }
    }
}
