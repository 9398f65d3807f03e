//! A card's interrupts as events of its client.

use rustix::io::Errno;
use std::os::fd::OwnedFd;
use xoff_driver::backend::vfio_user::protocol::{
    IRQ_ERR, IRQ_INTX, IRQ_MSI, IRQ_MSIX, IRQ_REQ, IrqFlags, SetIrqs, SetIrqsFlags,
};
use xoff_driver::event;
use xoff_model::Delivery;
use xoff_regs::pci::MSIX_VECTORS;

/// The events of one index.
#[derive(Debug)]
struct Index {
    events: Vec<Option<OwnedFd>>,
    flags: IrqFlags,
    /// INTx that was signalled stays masked until the client unmasks it.
    masked: bool,
}

impl Index {
    fn new(count: u32, flags: IrqFlags) -> Index {
        let events = (0..count).map(|_| None).collect();
        Index { events, flags, masked: false }
    }

    fn signal(&self, vector: usize) {
        if let Some(Some(waited_for)) = self.events.get(vector) {
            // Whether the client still looks is its business.
            let _ = event::signal(waited_for);
        }
    }

    fn on(&self) -> bool {
        self.events.iter().any(Option::is_some)
    }
}

/// The events of a client, by VFIO's interrupt indices.
#[derive(Debug)]
pub(super) struct Events([Index; 5]);

impl Default for Events {
    fn default() -> Events {
        let level = IrqFlags::MASKABLE | IrqFlags::AUTOMASKED;
        let irqs = [(1, level), (1, IrqFlags::NORESIZE), (MSIX_VECTORS.into(), IrqFlags::NORESIZE)];
        let [intx, msi, msix] = irqs.map(|(n, flags)| Index::new(n, IrqFlags::EVENTFD | flags));
        let [err, req] = [0, 1].map(|_| Index::new(1, IrqFlags::EVENTFD));
        Events([intx, msi, msix, err, req])
    }
}

impl Events {
    /// What an index has: flags and number.
    pub(super) fn info(&self, index: u32) -> Option<(IrqFlags, u32)> {
        let index = self.0.get(index as usize)?;
        Some((index.flags, u32::try_from(index.events.len()).ok()?))
    }

    /// What the client listens to: MSI-X vectors, MSI, or the level or nothing.
    pub(super) fn listening(&self) -> Delivery {
        if self.0[IRQ_MSIX as usize].on() {
            Delivery::MsiX
        } else if self.0[IRQ_MSI as usize].on() {
            Delivery::Msi
        } else {
            Delivery::Intx
        }
    }

    /// MSI-X vectors that have an event, as bits.
    pub(super) fn vectors(&self) -> u64 {
        let events = &self.0[IRQ_MSIX as usize].events;
        events.iter().rev().fold(0, |vectors, event| vectors << 1 | u64::from(event.is_some()))
    }

    /// A message: MSI-X vector, or MSI.
    pub(super) fn message(&self, vector: u16) {
        match self.listening() {
            Delivery::MsiX => self.0[IRQ_MSIX as usize].signal(vector.into()),
            Delivery::Msi => self.0[IRQ_MSI as usize].signal(0),
            Delivery::Intx => {}
        }
    }

    /// The level of INTx, whenever it may have changed.
    pub(super) fn level(&mut self, asserted: bool) {
        let intx = &mut self.0[IRQ_INTX as usize];
        if asserted && !intx.masked {
            intx.masked = true;
            intx.signal(0);
        }
    }

    /// Does what a client asks (VFIO_DEVICE_SET_IRQS of Linux's vfio.h).
    ///
    /// # Errors
    /// `EINVAL` for interrupts that do not exist, or for data or actions that do not go together; nothing is done then.
    pub(super) fn set(
        &mut self,
        irqs: &SetIrqs,
        data: &[u8],
        fds: Vec<OwnedFd>,
    ) -> Result<(), Errno> {
        let Some(index) = self.0.get_mut(irqs.index as usize) else { return Err(Errno::INVAL) };
        let events = u32::try_from(index.events.len()).unwrap_or(u32::MAX);
        let end = irqs.start.checked_add(irqs.count).filter(|end| *end <= events);
        let range = irqs.start as usize..end.ok_or(Errno::INVAL)? as usize;
        let kinds = SetIrqsFlags::DATA_NONE | SetIrqsFlags::DATA_BOOL | SetIrqsFlags::DATA_EVENTFD;
        let (kind, action) = (irqs.flags & kinds, irqs.flags - kinds);
        // Which of them are meant.
        let meant: Vec<bool> = if kind == SetIrqsFlags::DATA_BOOL {
            if data.len() < range.len() {
                return Err(Errno::INVAL);
            }
            data[..range.len()].iter().map(|byte| *byte != 0).collect()
        } else {
            vec![true; range.len()]
        };
        if action == SetIrqsFlags::TRIGGER && kind == SetIrqsFlags::DATA_EVENTFD {
            if fds.len() > range.len() {
                return Err(Errno::INVAL);
            }
            // Those without an event lose what they had.
            let fds = fds.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
            for (slot, event) in index.events[range].iter_mut().zip(fds) {
                *slot = event;
            }
            return Ok(());
        }
        if !matches!(kind, SetIrqsFlags::DATA_NONE | SetIrqsFlags::DATA_BOOL) {
            return Err(Errno::INVAL);
        }
        match action {
            SetIrqsFlags::TRIGGER if irqs.count == 0 => {
                index.events.fill_with(|| None);
                index.masked = false;
            }
            SetIrqsFlags::TRIGGER => {
                for vector in range.zip(meant).filter_map(|(vector, meant)| meant.then_some(vector))
                {
                    index.signal(vector);
                }
            }
            SetIrqsFlags::MASK | SetIrqsFlags::UNMASK
                if index.flags.contains(IrqFlags::MASKABLE) =>
            {
                if meant.contains(&true) {
                    index.masked = action == SetIrqsFlags::MASK;
                }
            }
            _ => return Err(Errno::INVAL),
        }
        Ok(())
    }
}

const _: () = assert!(IRQ_ERR == 3 && IRQ_REQ == 4);
