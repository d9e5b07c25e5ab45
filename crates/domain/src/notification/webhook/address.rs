//! Which addresses webhooks may reach: the service stands inside a plant's network, and whoever may make a webhook must not be able
//! to look around there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Whether the service may connect to an address. `allowed` lists the networks that may be reached although they are not public.
pub fn may_reach(address: IpAddr, allowed: &[IpNet]) -> bool {
    let forms = [Some(address), embedded(address).map(IpAddr::V4)];
    let mut forms = forms.into_iter().flatten();
    forms.clone().any(|form| allowed.iter().any(|network| network.contains(&form))) || forms.all(is_public)
}

/// The IPv4 address that traffic to this one ends up at.
fn embedded(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else { return None };
    let [a, b, c, d, e, f, g, h] = address.segments();
    let joined = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match [a, b, c, d, e, f] {
        // Mapped, and translated by NAT64.
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => Some(joined(g, h)),
        // By 6to4.
        [0x2002, ..] => Some(joined(b, c)),
        // By ISATAP.
        [_, _, _, _, 0 | 0x0200, 0x5efe] => Some(joined(g, h)),
        _ => None,
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    // Of protocols and of tests between networks.
    let special = (a, b, c) == (192, 0, 0) || a == 198 && (18..20).contains(&b);
    let shared = a == 100 && (64..128).contains(&b);
    // 0.0.0.0/8 is this machine, 240.0.0.0/4 is reserved, with the broadcast address at its end.
    let unusable = a == 0 || a >= 240;
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || special
        || shared
        || unusable)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    // These are judged by what they hold.
    let holds_v4 = segments[..6] == [0, 0, 0, 0, 0, 0xffff] || segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let global = segments[0] & 0xe000 == 0x2000;
    let teredo = segments[..2] == [0x2001, 0];
    holds_v4 || (global && !teredo)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn networks(list: &[&str]) -> Vec<IpNet> {
        list.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn what_is_not_public_is_refused() {
        for text in [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0.0.0.0",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::808:808",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2001:0:5ef5:79fd::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "192.0.0.8",
            "198.18.0.1",
            "198.19.255.255",
            "::ffff:0:127.0.0.1",
            "::ffff:0:10.0.0.5",
            "100::1",
            "200::1",
            "5f00::1",
            "2606:4700::5efe:10.0.0.1",
            "2606:4700::200:5efe:10.0.0.1",
        ] {
            assert!(!may_reach(address(text), &[]), "{text}");
        }
    }

    #[test]
    fn what_is_public_is_reached() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.2.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(may_reach(address(text), &[]), "{text}");
        }
    }

    #[test]
    fn listed_networks_are_reached_and_no_others() {
        let allowed = networks(&["10.1.0.0/16", "127.0.0.1/32", "fd00:1::/32"]);
        for text in ["10.1.2.3", "127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::a01:203", "fd00:1::7", "8.8.8.8"] {
            assert!(may_reach(address(text), &allowed), "{text}");
        }
        for text in ["10.2.0.1", "127.0.0.2", "::1", "::ffff:10.2.0.1", "fd00:2::7", "169.254.169.254"] {
            assert!(!may_reach(address(text), &allowed), "{text}");
        }
    }

    proptest! {
        /// However an IPv4 address is written, the answer is the same.
        #[test]
        fn disguises_change_nothing(bits: u32) {
            let plain = Ipv4Addr::from_bits(bits);
            let [high, low] = [(bits >> 16) as u16, bits as u16];
            let expected = may_reach(plain.into(), &[]);
            let disguises = [
                plain.to_ipv6_mapped(),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            ];
            for disguise in disguises {
                prop_assert_eq!(may_reach(disguise.into(), &[]), expected, "{}", disguise);
            }
        }

        #[test]
        fn all_of_a_listed_network_is_reached(bits: u32) {
            let allowed = networks(&["0.0.0.0/0"]);
            prop_assert!(may_reach(Ipv4Addr::from_bits(bits).into(), &allowed));
        }
    }
}
