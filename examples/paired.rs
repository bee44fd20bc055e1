//! Times shell commands against one another: interleaved (A B A B ...), so that a busy machine slows all of them alike.
//!
//! `paired [--runs N] [--dir DIR] NAME=COMMAND..` prints one tab-separated line a command: its name, the median of its
//! wall times in milliseconds, the median of its ratios to the first command of the same round, and the largest peak
//! memory of a single process of it in KiB. A command must end with the exit code 0 or 3.

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use wait4::Wait4;

/// One command with its measurements.
struct Lane {
    name: String,
    command: String,
    millis: Vec<f64>,
    peak_kib: u64,
}

fn main() -> ExitCode {
    match measure(std::env::args_os().skip(1)) {
        Ok(lanes) => {
            report(&lanes);
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("paired: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(args: impl Iterator<Item = OsString>) -> Result<Vec<Lane>, String> {
    let mut args = args.map(|arg| arg.into_string().map_err(|arg| format!("{} is no text", arg.display())));
    let (mut runs, mut dir, mut lanes) = (7, ".".to_owned(), Vec::new());
    while let Some(arg) = args.next().transpose()? {
        let mut value = || args.next().unwrap_or_else(|| Err(format!("{arg} needs a value")));
        match arg.as_str() {
            "--runs" => runs = value()?.parse().map_err(|error| format!("--runs: {error}"))?,
            "--dir" => dir = value()?,
            lane => {
                let (name, command) = lane.split_once('=').ok_or_else(|| format!("{lane} is not NAME=COMMAND"))?;
                let (name, command) = (name.to_owned(), command.to_owned());
                lanes.push(Lane { name, command, millis: Vec::new(), peak_kib: 0 });
            }
        }
    }
    // The first round warms the caches and does not count.
    for round in 0..=runs {
        for lane in &mut lanes {
            let (millis, peak_kib) = once(&lane.command, &dir)?;
            if round > 0 {
                lane.millis.push(millis);
                lane.peak_kib = lane.peak_kib.max(peak_kib);
            }
        }
    }
    Ok(lanes)
}

/// Runs `command` once: wall time in milliseconds and peak memory in KiB.
fn once(command: &str, dir: &str) -> Result<(f64, u64), String> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null());
    let began = Instant::now();
    let used = shell.spawn().and_then(|mut child| child.wait4()).map_err(|error| format!("{command}: {error}"))?;
    let millis = began.elapsed().as_secs_f64() * 1e3;
    if !matches!(used.status.code(), Some(0 | 3)) {
        return Err(format!("{command}: {}", used.status));
    }
    Ok((millis, used.rusage.maxrss >> 10))
}

fn report(lanes: &[Lane]) {
    let Some(first) = lanes.first() else { return };
    for lane in lanes {
        let ratios = lane.millis.iter().zip(&first.millis).map(|(own, base)| own / base).collect();
        println!("{}\t{:.2}\t{:.3}\t{}", lane.name, median(lane.millis.clone()), median(ratios), lane.peak_kib);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}
