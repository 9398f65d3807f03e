//! One daemon on every kind of port: on the model, and on a pair of the kernel's interfaces.

mod common;

use common::{Bed, ModelBed, tagged};
use smoltcp::iface::{Config as StackConfig, Interface, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpCidr, Ipv4Address};
use std::io::IoSlice;
use std::process::Command;
use std::time::Duration;
use xoff::adapter::ModelBus;
use xoff_driver::port::SmoltcpDevice;
use xoff_driver::{Config, NicPort, PacketPort, Port, PortError, Setup, TrafficClasses, backend};
use xoff_regs::frame::MacControl;

/// A message in every class each way, and what a port must refuse. The same code for all ports.
fn exchange(ports: &mut [&mut dyn Port; 2], map: [u8; 8], mut pass: impl FnMut()) {
    let (macs, classes) = (ports.each_ref().map(|port| port.mac()), ports[0].classes());
    let message = |from: usize, priority: u8| {
        let mut frame = tagged(priority, 200 + usize::from(priority), 7);
        frame[..6].copy_from_slice(&macs[1 - from]);
        frame[6..12].copy_from_slice(&macs[from]);
        frame
    };
    for (from, port) in ports.iter_mut().enumerate() {
        assert!(port.link().expect("reads").up);
        assert_eq!(port.mtu(), 1500);
        for priority in 0..8u8 {
            let frame = message(from, priority);
            // In pieces.
            let pieces = [IoSlice::new(&frame[..20]), IoSlice::new(&frame[20..])];
            let class = map[usize::from(priority)];
            port.send(class, &pieces, 100 + u64::from(priority)).expect("room");
        }
        let mut control = [0; 60];
        MacControl::pfc(0x08, 0xFFFF).emit(macs[from], &mut control);
        let refused = |port: &mut dyn Port, class: u8, bytes: &[u8]| {
            port.send(class, &[IoSlice::new(bytes)], 0).expect_err("must not be sent")
        };
        assert!(matches!(refused(*port, 0, &control), PortError::MacControlForbidden));
        assert!(matches!(refused(*port, 0, &[0; 16]), PortError::Length { len: 16, .. }));
        assert!(matches!(
            refused(*port, 0, &[0; 1519]),
            PortError::Length { len: 1519, max: 1518, .. }
        ));
        assert!(matches!(refused(*port, classes, &control), PortError::NoSuchClass { .. }));
        port.flush().expect("sends");
    }
    let mut arrived = [vec![Vec::new(); 8], vec![Vec::new(); 8]];
    let mut tokens = [Vec::new(), Vec::new()];
    for _ in 0..10_000 {
        for (at, port) in ports.iter_mut().enumerate() {
            let of_this = &mut arrived[at];
            port.receive(100, &mut |class, frame| of_this[usize::from(class)].push(frame.to_vec()))
                .expect("receives");
            port.complete(&mut tokens[at]).expect("completes");
        }
        if arrived.iter().all(|a| a.iter().flatten().count() == 8)
            && tokens.iter().all(|t| t.len() == 8)
        {
            break;
        }
        pass();
    }
    for (at, port) in ports.iter_mut().enumerate() {
        let mut expected = vec![Vec::new(); 8];
        for priority in 0..8 {
            expected[usize::from(map[usize::from(priority)])].push(message(1 - at, priority));
        }
        assert!(arrived[at] == expected, "lost, changed, or in another class");
        tokens[at].sort_unstable();
        assert_eq!(tokens[at], (100..108).collect::<Vec<_>>());
        let stats = port.statistics().expect("reads");
        let bytes = (0..8).map(|p| message(0, p).len() as u64).sum::<u64>();
        assert_eq!((stats.rx_frames, stats.tx_frames), (8, 8));
        assert_eq!((stats.rx_bytes, stats.tx_bytes), (bytes, bytes));
        assert_eq!((stats.rx_missed, stats.rx_errors), (0, 0));
    }
}

fn model_ports(config: &Config) -> (ModelBed, [NicPort<ModelBus>; 2]) {
    let (mut bed, buses) = ModelBed::new();
    let ports = buses.map(|bus| NicPort::open(bus, Setup::new(config.clone())).expect("comes up"));
    bed.run(Duration::from_millis(1));
    (bed, ports)
}

#[test]
fn the_model() {
    for config in [Config::eight_classes(0b1000), Config::four_classes(0), Config::default()] {
        let (mut bed, [mut a, mut b]) = model_ports(&config);
        exchange(&mut [&mut a, &mut b], config.priority_to_tc, || bed.pass());
        assert_eq!(a.events().len(), usize::from(a.classes()));
        a.shut_down(Duration::from_millis(1)).bus.expect("stops");
    }
}

/// A ring that is full says so, and takes more once completions were taken.
#[test]
fn a_full_port_loses_nothing() {
    let config = Config { tx_ring_len: 32, rs_interval: 8, ..Config::default() };
    let (mut bed, [mut a, mut b]) = model_ports(&config);
    let mut frame = common::frame(100, 1);
    let (mut sent, mut got, mut full, mut tokens) = (0u64, 0u64, 0, Vec::new());
    while got < 1000 {
        frame[50..58].copy_from_slice(&sent.to_be_bytes());
        match a.send(0, &[IoSlice::new(&frame)], sent) {
            Ok(()) => sent += 1,
            Err(PortError::Full) => {
                full += 1;
                a.flush().expect("sends");
                bed.pass();
                a.complete(&mut tokens).expect("completes");
                b.receive(100, &mut |_, frame| {
                    assert_eq!(frame[50..58], got.to_be_bytes());
                    got += 1;
                })
                .expect("receives");
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(full > 10 && tokens.iter().copied().eq(0..tokens.len() as u64));
}

#[test]
fn no_device_is_an_error_of_its_own() {
    let bus = backend::open("vfio-user:/nowhere/0.sock");
    let error = bus.expect_err("nobody there");
    let error = PortError::from(xoff_driver::Error::from(error));
    assert!(matches!(error, PortError::NoDevice { .. }), "{error}");
}

const INSIDE: &str = "XOFF_TEST_INSIDE_NAMESPACE";

/// Runs this test again in a network namespace of its own, with a pair of interfaces in it. Nothing of it is left behind.
#[test]
fn interfaces_of_the_kernel() {
    if std::env::var_os(INSIDE).is_some() {
        return inside_namespace();
    }
    let program = std::env::current_exe().expect("a program");
    let script = "ip link add xoff0 type veth peer name xoff1 && \
                  sysctl -qw net.ipv6.conf.all.disable_ipv6=1; \
                  ip link set xoff0 up && ip link set xoff1 up";
    let possible = Command::new("unshare").args(["-rn", "sh", "-c", script]).output();
    if !possible.is_ok_and(|tried| tried.status.success()) {
        return xoff_tests::skip("interfaces_of_the_kernel", "no network namespace to be had");
    }
    let inside = Command::new("unshare")
        .args([
            "-rn",
            "sh",
            "-c",
            &format!("{script} && exec \"$0\" --exact interfaces_of_the_kernel"),
        ])
        .arg(program)
        .env(INSIDE, "1")
        .output()
        .expect("runs");
    let said = String::from_utf8_lossy(&inside.stdout);
    assert!(
        inside.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&inside.stderr)
    );
}

fn inside_namespace() {
    let map = TrafficClasses::Four.default_map();
    let open = |name| PacketPort::open(name, TrafficClasses::Four, map);
    let (mut a, mut b) = (open("xoff0").expect("there"), open("xoff1").expect("there"));
    // What the kernel itself said on the new interfaces.
    for port in [&mut a, &mut b] {
        port.receive(1000, &mut |_, _| {}).expect("receives");
    }
    let open = |name| PacketPort::open(name, TrafficClasses::Four, map);
    let (mut a, mut b) = (open("xoff0").expect("there"), open("xoff1").expect("there"));
    exchange(&mut [&mut a, &mut b], map, std::thread::yield_now);

    // Short frames are padded.
    let mut short = [b.mac(), a.mac()].concat();
    short.extend([0x88, 0xB5, 1, 2, 3]);
    a.send(0, &[IoSlice::new(&short)], 1).expect("room");
    short.resize(60, 0);
    let mut got = Vec::new();
    b.receive(1, &mut |_, frame| got.extend_from_slice(frame)).expect("receives");
    assert_eq!(got, short);

    for name in ["xoff7", "", "a-name-that-is-longer-than-any-interface-has"] {
        let error = open(name).expect_err("not there");
        assert!(matches!(error, PortError::NoDevice { .. }), "{error}");
    }
    let down = Command::new("ip").args(["link", "set", "xoff1", "down"]).status();
    assert!(down.expect("runs").success());
    // The kernel tells of a lost carrier within a second or so.
    let limit = std::time::Instant::now() + Duration::from_secs(30);
    while a.link().expect("reads").up {
        assert!(std::time::Instant::now() < limit, "no carrier, and the link is up");
        std::thread::yield_now();
    }
}

/// A whole TCP/IP stack on ports of the model: a connection that carries some hundred KB each way.
#[test]
fn tcp_over_ports() {
    let (mut bed, ports) = model_ports(&Config::eight_classes(0b1000));
    let address = |n| Ipv4Address::new(10, 0, 0, n);
    let mut ends: Vec<_> = ports
        .into_iter()
        .zip([1u8, 2])
        .map(|(port, n)| {
            let mac = port.mac();
            let mut device = SmoltcpDevice::new(port, 1);
            let config = StackConfig::new(EthernetAddress(mac).into());
            let mut interface = Interface::new(config, &mut device, Instant::ZERO);
            interface.update_ip_addrs(|ips| {
                ips.push(IpCidr::new(address(n).into(), 24)).expect("room");
            });
            let buffer = || tcp::SocketBuffer::new(vec![0; 1 << 16]);
            let mut sockets = SocketSet::new(Vec::new());
            let handle = sockets.add(tcp::Socket::new(buffer(), buffer()));
            (device, interface, sockets, handle)
        })
        .collect();
    let (_, _, sockets, handle) = &mut ends[1];
    sockets.get_mut::<tcp::Socket>(*handle).listen(3260).expect("free");
    let (_, interface, sockets, handle) = &mut ends[0];
    let socket = sockets.get_mut::<tcp::Socket>(*handle);
    socket.connect(interface.context(), (address(2), 3260), 49_500).expect("may");

    let data: Vec<u8> = (0..300_000u32).map(|i| i.to_le_bytes()[0] ^ i.to_le_bytes()[1]).collect();
    let (mut sent, mut got) = (0, Vec::new());
    for step in 0..20_000 {
        let now = Instant::from_micros(step * 20);
        for (device, interface, sockets, _) in &mut ends {
            interface.poll(now, device, sockets);
        }
        let socket = |end: usize| ends[end].3;
        let (out, into) = (socket(0), socket(1));
        let out = ends[0].2.get_mut::<tcp::Socket>(out);
        if out.can_send() {
            sent += out.send_slice(&data[sent..]).expect("open");
        }
        let into = ends[1].2.get_mut::<tcp::Socket>(into);
        if into.can_recv() {
            into.recv(|bytes| (bytes.len(), got.extend_from_slice(bytes))).expect("open");
        }
        if got.len() == data.len() {
            break;
        }
        bed.pass();
    }
    assert!(got == data, "{} of {} bytes", got.len(), data.len());
    for (device, ..) in &mut ends {
        assert!(device.take_failure().is_none());
        let stats = device.port().statistics().expect("reads");
        assert!(stats.rx_frames > 100 && stats.rx_missed == 0, "{stats:?}");
    }
}
