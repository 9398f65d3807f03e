//! Ethernet sizes, 802.1Q tags and MAC control frames.
