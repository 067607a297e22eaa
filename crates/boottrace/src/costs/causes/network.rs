// SPDX-License-Identifier: MIT
//! Links, addresses. Texts: drivers/net/phy/phy.c, net/ipv4/ipconfig.c, drivers of network cards, DHCP clients.

use super::cause::{interface, nobody, At, Cause};
use crate::costs::kind::CostKind;

pub(super) const CAUSES: &[Cause] = &[
    Cause {
        kind: CostKind::NetworkConfiguration,
        at: At::Either,
        words: &[
            &["DHCPDISCOVER"],
            &["DHCPREQUEST"],
            &["No DHCPOFFERS"],
            &["udhcpc: "],
            &["Sending discover"],
            &["Sending select"],
            &["dhclient"],
            &["dhcpcd"],
            &["lease of ", " obtained"],
            &["oliciting a DHCP lease"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "an address is asked for (DHCP)",
        advice: "give the interface a fixed address, or let only those wait for one who need it",
    },
    Cause {
        kind: CostKind::NetworkLink,
        at: At::End,
        words: &[
            &["ink is Up"],
            &["ink is up"],
            &["link up"],
            &["ink becomes ready"],
            &["Link Up"],
        ],
        subject: interface,
        asynchronous: true,
        title: "nothing is printed before the network link comes up: {}",
        advice:
            "let only those wait for the network who need it (no ip= where root is local, no wait-online); a fixed \
                 speed spares the negotiation, which takes 1 to 4 s",
    },
    Cause {
        kind: CostKind::NetworkLink,
        at: At::Begin,
        words: &[
            &["link is not ready"],
            &["configuring for phy/"],
            &["configuring for inband/"],
        ],
        subject: interface,
        asynchronous: false,
        title: "nothing is printed after a line that says that the link is not up yet: {}",
        advice:
            "let only those wait for the network who need it (no ip= where root is local, no wait-online); a fixed \
                 speed spares the negotiation, which takes 1 to 4 s",
    },
];
