//! Raw sockets (packet(7)): the calls for which no safe crate has the address family's structures.

use std::io;
use std::mem::{size_of, size_of_val};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use libc::{c_int, c_ulong, c_void, socklen_t};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType};

/// All protocols, in network order.
#[allow(clippy::cast_possible_truncation)] // 3
const ALL_PROTOCOLS: u16 = (libc::ETH_P_ALL as u16).to_be();
/// Room for one control message with auxiliary data, aligned.
type Control = [u64; 8];

/// A network interface.
#[derive(Debug, Clone)]
pub(crate) struct Interface {
    name: [libc::c_char; libc::IFNAMSIZ],
    index: c_int,
    /// Station address.
    pub(crate) mac: [u8; 6],
    /// Largest layer-3 packet, bytes.
    pub(crate) mtu: u32,
}

/// A raw socket.
#[derive(Debug)]
pub(crate) struct Socket(OwnedFd);

impl Socket {
    /// Not bound, so it receives nothing.
    pub(crate) fn new() -> io::Result<Self> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let fd = rustix::net::socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
        let socket = Self(fd);
        // Tags that the kernel took out come beside the frame, and what others send here is not received.
        socket.set(libc::PACKET_AUXDATA, 1)?;
        socket.set(libc::PACKET_IGNORE_OUTGOING, 1)?;
        Ok(socket)
    }

    /// Looks an interface up by name.
    pub(crate) fn interface(&self, name: &str) -> io::Result<Interface> {
        let mut interface =
            Interface { name: interface_name(name)?, index: 0, mac: [0; 6], mtu: 0 };
        let index = self.request(&interface, libc::SIOCGIFINDEX)?;
        // SAFETY: the kernel has filled in the index.
        interface.index = unsafe { index.ifr_ifru.ifru_ifindex };
        let mtu = self.request(&interface, libc::SIOCGIFMTU)?;
        // SAFETY: the kernel has filled in the MTU.
        interface.mtu = unsafe { mtu.ifr_ifru.ifru_mtu }.try_into().unwrap_or(0);
        let address = self.request(&interface, libc::SIOCGIFHWADDR)?;
        // SAFETY: the kernel has filled in the hardware address.
        let address = unsafe { address.ifr_ifru.ifru_hwaddr };
        for (to, from) in interface.mac.iter_mut().zip(address.sa_data) {
            [*to] = from.to_ne_bytes();
        }
        Ok(interface)
    }

    /// Receives from and sends to this interface only.
    pub(crate) fn bind(&self, interface: &Interface) -> io::Result<()> {
        // SAFETY: all zeros is a value of this structure of numbers.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = u16::try_from(libc::AF_PACKET).unwrap_or(0);
        address.sll_protocol = ALL_PROTOCOLS;
        address.sll_ifindex = interface.index;
        let len = socklen(size_of_val(&address));
        // SAFETY: the address is valid for this many bytes, and only read.
        check(unsafe { libc::bind(self.0.as_raw_fd(), (&raw const address).cast(), len) })
    }

    /// Whether the interface is up and has a carrier.
    pub(crate) fn is_running(&self, interface: &Interface) -> io::Result<bool> {
        let answer = self.request(interface, libc::SIOCGIFFLAGS)?;
        // SAFETY: the kernel has filled in the flags.
        let flags = unsafe { answer.ifr_ifru.ifru_flags };
        let wanted = libc::IFF_UP | libc::IFF_RUNNING;
        Ok(c_int::from(flags) & wanted == wanted)
    }

    /// Sends one frame.
    pub(crate) fn send(&self, frame: &[u8]) -> io::Result<()> {
        rustix::io::retry_on_intr(|| rustix::net::send(&self.0, frame, SendFlags::empty()))?;
        Ok(())
    }

    /// Whether a frame was not sent for want of room.
    pub(crate) fn is_full(error: &io::Error) -> bool {
        let errno = Errno::from_io_error(error);
        errno == Some(Errno::AGAIN) || errno == Some(Errno::NOBUFS)
    }

    /// Receives one frame: its length, and the tag control information of a tag that the kernel took out.
    pub(crate) fn receive(&self, frame: &mut [u8]) -> io::Result<(usize, Option<u16>)> {
        let mut control: Control = [0; 8];
        let mut piece = libc::iovec { iov_base: frame.as_mut_ptr().cast(), iov_len: frame.len() };
        // SAFETY: all zeros is a value of this structure of numbers and pointers.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control).cast();
        message.msg_controllen = size_of::<Control>() as _;
        // SAFETY: frame and control are valid for as many bytes as the message says, and live until the call returns.
        let len = unsafe { libc::recvmsg(self.0.as_raw_fd(), &raw mut message, 0) };
        let len = usize::try_from(len).map_err(|_| io::Error::last_os_error())?;
        Ok((len.min(frame.len()), tag(&message)))
    }

    /// Frames lost for want of room since the last call.
    pub(crate) fn missed(&self) -> io::Result<u64> {
        let mut counts = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
        let mut len = socklen(size_of_val(&counts));
        let (to, len) = ((&raw mut counts).cast::<c_void>(), &raw mut len);
        let (level, name) = (libc::SOL_PACKET, libc::PACKET_STATISTICS);
        // SAFETY: there is room for as many bytes as the length says.
        check(unsafe { libc::getsockopt(self.0.as_raw_fd(), level, name, to, len) })?;
        Ok(counts.tp_drops.into())
    }

    fn set(&self, option: c_int, value: c_int) -> io::Result<()> {
        let (from, len) = ((&raw const value).cast::<c_void>(), socklen(size_of_val(&value)));
        // SAFETY: the value is valid for as many bytes as the length says, and only read.
        check(unsafe { libc::setsockopt(self.0.as_raw_fd(), libc::SOL_PACKET, option, from, len) })
    }

    fn request(&self, interface: &Interface, what: c_ulong) -> io::Result<libc::ifreq> {
        // SAFETY: all zeros is a value of this structure of numbers and pointers.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        request.ifr_name = interface.name;
        // SAFETY: these requests read the name and write into the rest of the structure.
        check(unsafe { libc::ioctl(self.0.as_raw_fd(), what as _, &raw mut request) })?;
        Ok(request)
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// An interface's name as requests have it.
pub(super) fn interface_name(name: &str) -> io::Result<[libc::c_char; libc::IFNAMSIZ]> {
    let mut field = [0; libc::IFNAMSIZ];
    let room = &mut field[..libc::IFNAMSIZ - 1];
    if name.is_empty() || name.len() > room.len() || name.contains('\0') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a name of an interface"));
    }
    for (to, from) in room.iter_mut().zip(name.bytes()) {
        *to = libc::c_char::from_ne_bytes([from]);
    }
    Ok(field)
}

/// The tag in a message's auxiliary data.
#[allow(clippy::cast_ptr_alignment)] // read unaligned
fn tag(message: &libc::msghdr) -> Option<u16> {
    // SAFETY: the kernel has set the length of the control data that is there.
    let at = unsafe { libc::CMSG_FIRSTHDR(message) };
    if at.is_null() {
        return None;
    }
    // SAFETY: not null, so a whole header is there.
    let header = unsafe { at.read_unaligned() };
    if (header.cmsg_level, header.cmsg_type) != (libc::SOL_PACKET, libc::PACKET_AUXDATA) {
        return None;
    }
    // SAFETY: the header is one of the control data.
    let data = unsafe { libc::CMSG_DATA(at) }.cast::<libc::tpacket_auxdata>();
    // SAFETY: the kernel has written the whole structure behind a header of this kind.
    let data = unsafe { data.read_unaligned() };
    (data.tp_status & libc::TP_STATUS_VLAN_VALID != 0).then_some(data.tp_vlan_tci)
}

fn socklen(len: usize) -> socklen_t {
    socklen_t::try_from(len).unwrap_or(0)
}

fn check(result: c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
