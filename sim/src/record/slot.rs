//! An adapter in its slot: the adapter and its PCI function, and all that a host or a wire can do to them.

use thiserror::Error;
use xoff_driver::backend::vfio_user::protocol::{REGION_BAR0, REGION_CONFIG};
use xoff_model::pci::{Bar, Function};
use xoff_model::{ByteTime, Cycle, Delivery, Frame, Nic, NicConfig, World};
use xoff_regs::pci::CONFIG_SPACE;

/// Region of BAR 4 in VFIO's numbering.
pub const REGION_BAR4: u32 = 4;

/// An access that reaches outside a region, or to a region that the card does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{len} bytes at {offset:#x} are not inside region {region} of {size} bytes")]
pub struct OutsideRegion {
    /// VFIO's number of it.
    pub region: u32,
    /// First byte of the access.
    pub offset: u64,
    /// Bytes of the access.
    pub len: usize,
    /// Bytes of the region, 0 when it is not there.
    pub size: u64,
}

/// An adapter and its PCI function.
#[derive(Debug)]
pub struct Slot {
    nic: Nic,
    function: Function,
}

impl Slot {
    /// After power-on, with its memory space on, as a host's firmware leaves it and VFIO expects it.
    pub fn new(config: NicConfig) -> Slot {
        let mut nic = Nic::new(config);
        let mut function = Function::new(&mut nic);
        function.open_memory();
        Slot { nic, function }
    }

    /// The adapter.
    pub fn nic(&self) -> &Nic {
        &self.nic
    }

    /// Whether the function may reach host memory and send messages.
    pub fn bus_master(&self) -> bool {
        self.function.bus_master()
    }

    /// Level of the INTx pin.
    pub fn intx(&self) -> bool {
        self.function.intx(&self.nic)
    }

    /// Bytes of a region of VFIO's numbering; 0 for one that a PCI device has and this one leaves out.
    pub const fn region_size(region: u32) -> u64 {
        match region {
            REGION_BAR0 => Bar::Registers.size() as u64,
            REGION_BAR4 => Bar::MsiX.size() as u64,
            REGION_CONFIG => CONFIG_SPACE as u64,
            _ => 0,
        }
    }

    /// Where in a region `len` bytes at `offset` are.
    fn place(region: u32, offset: u64, len: usize) -> Result<Place, OutsideRegion> {
        let size = Slot::region_size(region);
        let outside = OutsideRegion { region, offset, len, size };
        offset.checked_add(len as u64).filter(|end| *end <= size).ok_or(outside)?;
        match region {
            REGION_BAR0 => Ok(Place::Bar(Bar::Registers)),
            REGION_BAR4 => Ok(Place::Bar(Bar::MsiX)),
            _ => Ok(Place::Config(u16::try_from(offset).map_err(|_| outside)?)),
        }
    }

    /// Reads a region.
    ///
    /// # Errors
    /// [`OutsideRegion`]; nothing is done then.
    pub fn read(&mut self, region: u32, offset: u64, out: &mut [u8]) -> Result<(), OutsideRegion> {
        match Slot::place(region, offset, out.len())? {
            Place::Bar(bar) => self.function.bar_read(&mut self.nic, bar, offset, out),
            Place::Config(offset) => self.function.config_read(&self.nic, offset, out),
        }
        Ok(())
    }

    /// Writes a region.
    ///
    /// # Errors
    /// [`OutsideRegion`]; nothing is done then.
    pub fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), OutsideRegion> {
        match Slot::place(region, offset, data.len())? {
            Place::Bar(bar) => self.function.bar_write(&mut self.nic, bar, offset, data),
            Place::Config(offset) => self.function.config_write(&mut self.nic, offset, data),
        }
        Ok(())
    }

    /// Resets the function; memory space stays on, as after VFIO's reset.
    pub fn reset(&mut self) {
        self.function.reset(&mut self.nic);
        self.function.open_memory();
    }

    /// Lets configuration space follow what a host listens to: see [`Function::listen`].
    pub fn listen(&mut self, delivery: Delivery, vectors: u64) {
        self.function.listen(&mut self.nic, delivery, vectors);
    }

    /// A frame is on its way: see [`Nic::receive`].
    pub fn receive(&mut self, frame: Frame, first_byte: ByteTime) {
        self.nic.receive(frame, first_byte);
    }

    /// Plugs the cable in or pulls it out.
    pub fn set_link(&mut self, up: bool) {
        self.nic.set_link(up);
    }

    /// See [`Nic::run_to`].
    pub fn run_to<W: World>(&mut self, world: &mut W, until: Cycle) {
        self.nic.run_to(world, until);
    }

    /// See [`Nic::run_while_due`].
    pub fn run_while_due<W: World>(
        &mut self,
        world: &mut W,
        end: Cycle,
        go_on: impl Fn(&W) -> bool,
    ) -> Cycle {
        self.nic.run_while_due(world, end, go_on)
    }
}

enum Place {
    Bar(Bar),
    Config(u16),
}
