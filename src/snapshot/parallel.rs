//! Spreads many small independent questions over the cores, each thread with a worker of its own.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fewer items than this are not worth a thread.
const WORTH_A_THREAD: usize = 32;

/// How many items a thread takes at once.
const CHUNK: usize = 16;

/// More threads than this compete for the disk more than they help.
const MAX_THREADS: usize = 8;

/// The answers to all items, in their order. `make` makes the worker of a thread; `worker` serves the calling thread.
pub fn map<T, R, W, M, F>(items: &[T], worker: &mut W, make: M, answer: F) -> Vec<R>
where
    T: Sync,
    R: Send,
    W: Send,
    M: Fn() -> W,
    F: Fn(&mut W, &T) -> R + Sync,
{
    let threads = threads(items.len());
    if threads == 1 {
        return items.iter().map(|item| answer(worker, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let work = |worker: &mut W| {
        let mut answers = Vec::new();
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            let Some(chunk) = items.get(start..(start + CHUNK).min(items.len())).filter(|chunk| !chunk.is_empty())
            else {
                return answers;
            };
            answers.push((start, chunk.iter().map(|item| answer(worker, item)).collect::<Vec<R>>()));
        }
    };
    let mut others: Vec<W> = (1..threads).map(|_| make()).collect();
    let mut chunks = std::thread::scope(|scope| {
        let handles: Vec<_> = others.iter_mut().map(|other| scope.spawn(|| work(other))).collect();
        let mut chunks = work(worker);
        for handle in handles {
            chunks.append(&mut handle.join().expect("an answering thread does not panic"));
        }
        chunks
    });
    chunks.sort_unstable_by_key(|(start, _)| *start);
    chunks.into_iter().flat_map(|(_, answers)| answers).collect()
}

/// How many cores there are, asked for once: that reads files of the system.
static CORES: OnceLock<usize> = OnceLock::new();

/// How many threads so many items are worth. The cores are only asked for where more than one thread is: a small
/// repository would feel that.
fn threads(items: usize) -> usize {
    let worth = items / WORTH_A_THREAD;
    if worth <= 1 {
        return 1;
    }
    let cores = CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    (*cores).min(MAX_THREADS).min(worth)
}
