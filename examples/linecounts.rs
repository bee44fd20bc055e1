//! For developers: compares our line counts with git's over the first-parent history of any repository.
//!
//! `linecounts REPOSITORY [COMMITS]` prints one line of totals, one line for each disagreement, and exits with 1 if there
//! was one. Git's side is a single `git diff-tree --stdin`; attributes are those of the tree of HEAD on both sides.

use std::collections::HashMap;
use std::error::Error;
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};

use cordon::git::attributes::{FrozenAttributes, Sources};
use cordon::git::blob;
use cordon::git::lines::{self, Drivers, Lines, Side};
use cordon::git::objects::Objects;
use cordon::policy::path::RepoPath;
use gix::ObjectId;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A changed path as `--raw` shows it.
struct Change {
    modes: [u32; 2],
    ids: [ObjectId; 2],
}

#[derive(Default)]
struct Totals {
    commits: usize,
    files: usize,
    binary: usize,
    disagreements: usize,
    unreadable: usize,
}

fn main() -> Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let repository = arguments.next().ok_or("usage: linecounts REPOSITORY [COMMITS]")?;
    let limit = arguments.next().map_or(Ok(2_000), |text| text.to_string_lossy().parse::<usize>())?;
    let git = |arguments: &[&str]| {
        let mut command = Command::new(std::env::var_os("GIT").unwrap_or_else(|| "git".into()));
        command.arg("--attr-source=HEAD").arg("-C").arg(&repository).args(["-c", "core.attributesFile="]);
        command.args(arguments).stdout(Stdio::piped());
        command
    };
    let trees = git(&["log", "--first-parent", "--format=%T", &format!("--max-count={}", limit + 1)]).output()?.stdout;
    let trees: Vec<&str> = std::str::from_utf8(&trees)?.lines().collect();
    let pairs: Vec<u8> = trees.windows(2).flat_map(|pair| format!("{} {}\n", pair[1], pair[0]).into_bytes()).collect();

    let mut child = git(&["diff-tree", "--stdin", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("no pipe")?;
    let writer = std::thread::spawn(move || input.write_all(&pairs));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer died")??;

    let repo = gix::open_opts(&repository, gix::open::Options::isolated())?;
    let mut attributes =
        FrozenAttributes::new(Objects::of(&repo), attribute_files(&repo)?, &Sources::default(), false)?;
    let mut totals = Totals { commits: trees.len().saturating_sub(1), ..Totals::default() };
    if !output.status.success() {
        eprintln!("git ended with {}; its output up to then is compared", output.status);
    }
    compare(&repo, &mut attributes, &output.stdout, &mut totals)?;
    let Totals { commits, files, binary, disagreements, unreadable } = totals;
    println!(
        "{commits} commits, {files} files ({binary} binary), {disagreements} disagreements, {unreadable} unreadable"
    );
    Ok(ExitCode::from(u8::from(disagreements != 0)))
}

/// The `.gitattributes` files of HEAD.
fn attribute_files(repo: &gix::Repository) -> Result<Vec<(RepoPath, ObjectId)>> {
    let index = repo.index_from_tree(&repo.head_tree_id()?)?;
    let regular = [gix::index::entry::Mode::FILE, gix::index::entry::Mode::FILE_EXECUTABLE];
    let files = index.entries().iter().filter(|entry| regular.contains(&entry.mode));
    Ok(files
        .map(|entry| (RepoPath::new(entry.path(&index).to_vec()), entry.id))
        .filter(|(path, _)| path.name() == b".gitattributes")
        .collect())
}

fn compare(
    repo: &gix::Repository,
    attributes: &mut FrozenAttributes,
    output: &[u8],
    totals: &mut Totals,
) -> Result<()> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut changes: HashMap<RepoPath, Change> = HashMap::new();
    while let Some(field) = fields.next() {
        // The header of a pair of trees ends with a newline even under `-z`.
        let mut field = field;
        while let Some(end) = field.iter().position(|byte| *byte == b'\n').filter(|end| is_header(&field[..*end])) {
            settle(repo, attributes, &mut changes, totals)?;
            field = &field[end + 1..];
        }
        if field.is_empty() {
            continue;
        }
        if let Some(raw) = field.strip_prefix(b":") {
            let text = std::str::from_utf8(raw)?;
            let columns: Vec<&str> = text.split(' ').collect();
            let [old_mode, new_mode, old_id, new_id, _] = columns[..] else { return Err(text.into()) };
            let path = RepoPath::new(fields.next().ok_or("no path")?);
            let modes = [u32::from_str_radix(old_mode, 8)?, u32::from_str_radix(new_mode, 8)?];
            let ids = [old_id.parse()?, new_id.parse()?];
            changes.insert(path, Change { modes, ids });
        } else {
            let mut columns = field.splitn(3, |byte| *byte == b'\t');
            let (added, deleted) = (columns.next().ok_or("no column")?, columns.next().ok_or("no column")?);
            let path = RepoPath::new(columns.next().ok_or("no path")?);
            let number = |text: &[u8]| Ok::<u64, Box<dyn Error>>(std::str::from_utf8(text)?.parse()?);
            let theirs = if added == b"-" {
                Lines { binary: true, ..Lines::default() }
            } else {
                Lines { added: number(added)?, deleted: number(deleted)?, binary: false }
            };
            let change = changes.remove(&path).ok_or("a count without a change")?;
            judge(repo, attributes, &path, &change, Some(theirs), totals)?;
        }
    }
    settle(repo, attributes, &mut changes, totals)
}

fn is_header(line: &[u8]) -> bool {
    line.len() > 80 && line.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b' ')
}

/// Judges the changes for which git printed no counts.
fn settle(
    repo: &gix::Repository,
    attributes: &mut FrozenAttributes,
    changes: &mut HashMap<RepoPath, Change>,
    totals: &mut Totals,
) -> Result<()> {
    changes.drain().try_for_each(|(path, change)| judge(repo, attributes, &path, &change, None, totals))
}

fn judge(
    repo: &gix::Repository,
    attributes: &mut FrozenAttributes,
    path: &RepoPath,
    change: &Change,
    theirs: Option<Lines>,
    totals: &mut Totals,
) -> Result<()> {
    totals.files += 1;
    let mut contents = [Vec::new(), Vec::new()];
    for (content, (mode, id)) in contents.iter_mut().zip(change.modes.iter().zip(&change.ids)) {
        if *mode != 0 && *mode != 0o160_000 {
            let Ok(bytes) = blob::read(&repo.objects, id) else {
                totals.unreadable += 1;
                return Ok(());
            };
            *content = bytes;
        }
    }
    let side = |at: usize| match change.modes[at] {
        0 => Side::Absent,
        0o120_000 => Side::Link(&contents[at]),
        0o160_000 => Side::Gitlink(&change.ids[at]),
        _ => Side::File(&contents[at]),
    };
    let ours = lines::count(side(0), side(1), &attributes.at(path)?.diff, &Drivers::new());
    totals.binary += usize::from(ours.binary);
    if theirs.unwrap_or_default() != ours {
        totals.disagreements += 1;
        println!("{} {}..{}: git {theirs:?}, we {ours:?}", path.plain(), change.ids[0], change.ids[1]);
    }
    Ok(())
}
