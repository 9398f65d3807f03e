//! A guest: a QEMU process, and a channel to run commands in it.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Seconds for a boot: 3 on an idle machine.
const BOOT_SECONDS: u64 = 120;
/// Seconds that a command has unless the test says otherwise.
const COMMAND_SECONDS: u64 = 30;
/// What the guest itself may take beyond a command's limit, in seconds.
const GRACE_SECONDS: u64 = 20;

/// How many processors a guest has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processors {
    One,
    Two,
}

/// What a command in the guest came to.
#[derive(Debug)]
pub(crate) struct Output {
    /// Exit status; 143 when it took too long.
    pub(crate) status: i32,
    /// What it wrote to stdout and stderr.
    pub(crate) output: Vec<u8>,
}

impl Output {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }
}

/// A command that runs in the guest.
#[derive(Debug)]
#[must_use]
pub(crate) struct Started {
    seconds: u64,
    command: String,
}

/// A running guest. It ends when this is dropped, or when the test program ends however it ends.
///
/// All methods panic when the guest does not do as it should, with the end of its console.
#[derive(Debug)]
pub(crate) struct Machine {
    qemu: Child,
    directory: PathBuf,
    channel: BufReader<UnixStream>,
    commands: u64,
}

impl Machine {
    /// Starts QEMU and waits until the guest takes commands.
    pub(crate) fn start(image: &Path, processors: Processors, devices: &[&str]) -> Machine {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("xoff-guest-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("a temporary directory");
        // QEMU has the other end as its stdin and stdout.
        let (channel, theirs) = UnixStream::pair().expect("a pair of sockets");
        let theirs = OwnedFd::from(theirs);

        let qemu = Command::new(image.join("qemu"))
            .args(["-M", "q35", "-accel", "tcg", "-cpu", "max", "-m", "512"])
            .args(["-smp", if processors == Processors::One { "1" } else { "2" }])
            // A device outside QEMU can only reach memory that is shared.
            .args(["-object", "memory-backend-memfd,id=mem,size=512M,share=on"])
            .args(["-numa", "node,memdev=mem", "-nodefaults", "-nic", "none", "-display", "none"])
            .arg("-kernel")
            .arg(image.join("vmlinux"))
            .arg("-initrd")
            .arg(image.join("initrd.cpio"))
            .args(["-append", KERNEL_ARGUMENTS])
            .arg("-serial")
            .arg(format!("file:{}", directory.join("console").display()))
            .args(["-chardev", "stdio,id=channel,signal=off", "-serial", "chardev:channel"])
            .args(devices)
            .stdin(theirs.try_clone().expect("another descriptor"))
            .stdout(theirs)
            .stderr(std::fs::File::create(directory.join("qemu")).expect("a file for messages"))
            .spawn()
            .expect("QEMU starts");
        let channel = BufReader::new(channel);
        let mut machine = Machine { qemu, directory, channel, commands: 0 };
        machine.wait_until_ready();
        machine
    }

    /// Runs a shell command, one line, and gives what came of it.
    pub(crate) fn run(&mut self, command: &str) -> Output {
        self.run_for(COMMAND_SECONDS, command)
    }

    /// The same with a time limit in seconds; past it the command is ended with status 143.
    pub(crate) fn run_for(&mut self, seconds: u64, command: &str) -> Output {
        self.send(seconds, command);
        self.answer(seconds, command)
    }

    /// Runs a command that must succeed, and gives what it wrote.
    pub(crate) fn ok(&mut self, command: &str) -> String {
        self.ok_for(COMMAND_SECONDS, command)
    }

    /// The same with a time limit in seconds.
    pub(crate) fn ok_for(&mut self, seconds: u64, command: &str) -> String {
        let output = self.run_for(seconds, command);
        self.must_succeed(command, &output)
    }

    /// Starts a command that must succeed and goes on; [`Machine::finish`] comes before any other command.
    pub(crate) fn start_command(&mut self, seconds: u64, command: &str) -> Started {
        self.send(seconds, command);
        Started { seconds, command: command.to_owned() }
    }

    /// Waits for what [`Machine::start_command`] has started, and gives what it wrote.
    pub(crate) fn finish(&mut self, started: &Started) -> String {
        let output = self.answer(started.seconds, &started.command);
        self.must_succeed(&started.command, &output)
    }

    fn must_succeed(&self, command: &str, output: &Output) -> String {
        if output.status != 0 {
            self.fail(&format!("\"{command}\" ended with {}:\n{}", output.status, output.text()));
        }
        output.text()
    }

    /// Runs a command again until `enough` says so of what it wrote, at most for so many seconds.
    pub(crate) fn until(
        &mut self,
        seconds: u64,
        command: &str,
        enough: impl Fn(&str) -> bool,
    ) -> String {
        let limit = Instant::now() + Duration::from_secs(seconds);
        loop {
            let text = self.run(command).text();
            if enough(&text) {
                return text;
            }
            if Instant::now() > limit {
                self.fail(&format!("not in {seconds} s: {command}\n{text}"));
            }
        }
    }

    /// Restarts the guest without restarting QEMU, and waits until it takes commands.
    pub(crate) fn reboot(&mut self) {
        self.send(COMMAND_SECONDS, "reboot -f");
        self.wait_until_ready();
    }

    fn send(&mut self, seconds: u64, command: &str) {
        assert!(!command.contains('\n'), "one line");
        self.commands += 1;
        let line = format!("{} {seconds} {command}\n", self.commands);
        if let Err(error) = self.channel.get_mut().write_all(line.as_bytes()) {
            self.fail(&format!("\"{command}\" cannot be sent: {error}"));
        }
    }

    fn answer(&mut self, seconds: u64, command: &str) -> Output {
        let line = self.line(seconds + GRACE_SECONDS, command);
        let mut words = line.split_whitespace().map(str::parse::<u64>);
        let (Some(Ok(number)), Some(Ok(status)), Some(Ok(len)), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            self.fail(&format!("\"{command}\" was answered by \"{line}\""));
        };
        assert_eq!(number, self.commands, "answers come in order");
        let mut output = vec![0; usize::try_from(len).expect("fits memory")];
        if let Err(error) = self.channel.read_exact(&mut output) {
            self.fail(&format!("the answer to \"{command}\" broke off: {error}"));
        }
        Output { status: i32::try_from(status).expect("a byte"), output }
    }

    fn wait_until_ready(&mut self) {
        let line = self.line(BOOT_SECONDS, "boot");
        if line != "ready" {
            self.fail(&format!("the guest said \"{line}\" instead of \"ready\""));
        }
    }

    fn line(&mut self, seconds: u64, what: &str) -> String {
        let limit = Some(Duration::from_secs(seconds));
        self.channel.get_ref().set_read_timeout(limit).expect("a limit that is not zero");
        let mut line = String::new();
        match self.channel.read_line(&mut line) {
            Ok(0) => self.fail(&format!("QEMU ended during {what}")),
            Ok(_) => line.trim_end().to_owned(),
            Err(error) => self.fail(&format!("no answer in {seconds} s to {what}: {error}")),
        }
    }

    /// Fails the test, with what the guest's kernel and QEMU said last.
    fn fail(&self, what: &str) -> ! {
        panic!("guest: {what}\n{}", last_words(&self.directory));
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Nothing is left to do about an end that has come already.
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// `nokaslr` and the last three spare the emulated processor a second.
pub(crate) const KERNEL_ARGUMENTS: &str = "console=ttyS0 loglevel=4 panic=-1 nokaslr mitigations=off \
    tsc=reliable no_timer_check cryptomgr.notests";

/// The ends of what QEMU and the guest's kernel wrote.
fn last_words(directory: &Path) -> String {
    let end = |file: &str| {
        let bytes = std::fs::read(directory.join(file)).unwrap_or_default();
        let start = bytes.len().saturating_sub(3000);
        String::from_utf8_lossy(&bytes[start..]).into_owned()
    };
    format!("--- QEMU\n{}\n--- console\n{}", end("qemu"), end("console"))
}
