//! The change as a picture: a rectangle for each directory, in it one for each file, as large as its change.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::squarify::{Rect, squarified};
use crate::audit::evidence::{Change, ChangeKind};
use crate::audit::verdict::Verdict;
use crate::policy::path::RepoPath;
use crate::report::changes;
use crate::report::formats::xml::escaped;
use crate::report::words::{count, counted};

/// How many files are drawn by themselves; the smallest beyond these are one rectangle together.
const FILES: usize = 300;

/// So much of a binary file counts as one line.
const LINE: u64 = 1024;

/// A picture of one shape.
pub struct Shape {
    /// Its class, by which the page shows one of them.
    pub class: &'static str,
    /// How wide it is, in the units of its text.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

/// For wide screens and for phones.
pub const SHAPES: [Shape; 2] = [
    Shape { class: "map broad", width: 1000.0, height: 420.0 },
    Shape { class: "map narrow", width: 360.0, height: 480.0 },
];

/// How high a line of text is, how wide a letter at the most, and how far things are apart.
const TEXT: f64 = 16.0;
const LETTER: f64 = 7.6;
const GAP: f64 = 2.0;

/// One file of the picture.
struct Tile {
    directory: String,
    name: String,
    title: String,
    class: &'static str,
    weight: f64,
}

/// The picture in one shape; nothing where nothing changed.
pub fn svg(verdict: &Verdict, shape: &Shape) -> String {
    let tiles = tiles(verdict);
    if tiles.is_empty() {
        return String::new();
    }
    let mut directories: BTreeMap<&str, Vec<&Tile>> = BTreeMap::new();
    for tile in &tiles {
        directories.entry(&tile.directory).or_default().push(tile);
    }
    let weight = |tiles: &[&Tile]| tiles.iter().map(|tile| tile.weight).sum::<f64>();
    let mut directories: Vec<(&str, Vec<&Tile>)> = directories.into_iter().collect();
    directories.sort_by(|(_, a), (_, b)| weight(b).total_cmp(&weight(a)));
    let weights: Vec<f64> = directories.iter().map(|(_, tiles)| weight(tiles)).collect();
    let whole = Rect { x: 0.0, y: 0.0, width: shape.width, height: shape.height };
    let drawn =
        directories.iter().zip(squarified(&weights, whole)).map(|((name, tiles), rect)| group(name, tiles, rect));
    format!(
        "<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
        shape.class,
        shape.width,
        shape.height,
        escaped(&format!(
            "{} in {}; the list of changed paths has the same figures.",
            counted(verdict.changes.len() as u64, "changed path"),
            if directories.len() == 1 {
                "1 directory".to_owned()
            } else {
                format!("{} directories", directories.len())
            }
        )),
        drawn.collect::<String>()
    )
}

/// The files, the largest first.
fn tiles(verdict: &Verdict) -> Vec<Tile> {
    let marks = changes::marks(verdict);
    let mut changes: Vec<&Change> = verdict.changes.iter().collect();
    changes.sort_by_key(|change| std::cmp::Reverse(size(change)));
    let (drawn, rest) = changes.split_at(changes.len().min(FILES));
    let mut tiles: Vec<Tile> =
        drawn.iter().map(|change| tile(change, marks.get(change.path.as_bytes()).copied())).collect();
    if !rest.is_empty() {
        let name = counted(rest.len() as u64, "smaller path");
        let weight = rest.iter().map(|change| weight(change)).sum();
        tiles.push(Tile { directory: "elsewhere".into(), title: name.clone(), name, class: "tile", weight });
    }
    tiles
}

fn tile(change: &Change, mark: Option<&str>) -> Tile {
    let directory = change.path.parent();
    let class = match (mark, change.kind) {
        (Some(_), _) => "tile outside",
        (_, ChangeKind::Added) => "tile added",
        (_, ChangeKind::Deleted) => "tile deleted",
        _ => "tile",
    };
    let amount = if change.binary {
        "binary".to_owned()
    } else {
        format!("+{} -{}", count(change.added), count(change.deleted))
    };
    let mark = mark.map_or_else(String::new, |mark| format!(", {mark}"));
    Tile {
        directory: if directory.is_root() { "./".into() } else { directory.plain() + "/" },
        name: RepoPath::new(change.path.name()).plain(),
        title: format!("{}: {}, {amount}{mark}", change.path.plain(), changes::word(change.kind)),
        class,
        weight: weight(change),
    }
}

/// How large the change of a file is, in lines; every change is worth one.
fn size(change: &Change) -> u64 {
    let bytes = change.size_before.unwrap_or(0).max(change.size_after.unwrap_or(0));
    let lines = if change.binary { bytes / LINE } else { change.added.saturating_add(change.deleted) };
    lines.max(1)
}

fn weight(change: &Change) -> f64 {
    f64::from(u32::try_from(size(change)).unwrap_or(u32::MAX))
}

fn group(name: &str, tiles: &[&Tile], rect: Rect) -> String {
    let frame = rect.inset(GAP, 0.0);
    let label = label(name, frame);
    let inner = frame.inset(GAP, if label.is_empty() { 0.0 } else { TEXT });
    let weights: Vec<f64> = tiles.iter().map(|tile| tile.weight).collect();
    let mut out = format!("<g><title>{}</title>{}{label}</g>\n", escaped(name), shape("directory", frame));
    for (tile, rect) in tiles.iter().zip(squarified(&weights, inner)) {
        let rect = rect.inset(GAP / 2.0, 0.0);
        writeln!(
            out,
            "<g><title>{}</title>{}{}</g>",
            escaped(&tile.title),
            shape(tile.class, rect),
            self::label(&tile.name, rect)
        )
        .expect("writing to a String cannot fail");
    }
    out
}

fn shape(class: &str, rect: Rect) -> String {
    let Rect { x, y, width, height } = rect;
    format!("<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>")
}

/// As much of a name as the rectangle has room for; nothing where that says nothing.
fn label(name: &str, rect: Rect) -> String {
    let room = ((rect.width - 2.0 * GAP) / LETTER).floor();
    if rect.height < TEXT || room < 3.0 {
        return String::new();
    }
    let fits =
        (0..name.chars().count()).take_while(|at| f64::from(u32::try_from(*at).unwrap_or(u32::MAX)) < room).count();
    let mut text: String = name.chars().take(fits).collect();
    if fits < name.chars().count() {
        text.pop();
        text.push('\u{2026}');
    }
    let (x, y) = (rect.x + GAP + 2.0, rect.y + TEXT - 3.0);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_cut_to_its_room() {
        let rect = |width| Rect { x: 0.0, y: 0.0, width, height: 20.0 };
        assert_eq!(label("abcdefgh", rect(20.0)), "");
        assert!(label("abcdefgh", rect(40.0)).ends_with(">abc\u{2026}</text>"), "{}", label("abcdefgh", rect(40.0)));
        assert!(label("a<b", rect(400.0)).ends_with(">a&lt;b</text>"));
        assert_eq!(label("abc", Rect { height: 9.0, ..rect(400.0) }), "");
    }
}
