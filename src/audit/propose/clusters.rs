//! Directories that belong together because they change together.

use std::collections::{BTreeMap, BTreeSet};

use super::units::Unit;

/// How many commits must have changed two directories together.
const TOGETHER: u64 = 3;

/// Which part of the commits of the rarer one those must be: one in four.
const PART: u64 = 4;

/// How many commits a group must have to be one of its own.
const OWN: u64 = 3;

/// The most groups that there are; further ones join the largest.
const MOST: usize = 10;

/// Directories, and perhaps the files at the top, that one role holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cluster {
    /// The directory that changed most often, then the others.
    pub units: Vec<Unit>,
    /// How many commits touched any of them.
    pub commits: u64,
}

/// Groups `units` by the commits that touched them, the group with the most commits first. Each commit is the set of the
/// parts that it touched.
pub(super) fn clusters(units: &BTreeSet<Unit>, commits: &[BTreeSet<Unit>]) -> Vec<Cluster> {
    let directories: Vec<&Unit> = units.iter().filter(|unit| matches!(unit, Unit::Directory(_))).collect();
    let mut group: Vec<usize> = (0..directories.len()).collect();
    for ((one, other), both) in together(&directories, commits) {
        let rarer = touching(commits, &[directories[one]]).min(touching(commits, &[directories[other]]));
        if both >= TOGETHER && both * PART >= rarer {
            let (from, to) = (group[other], group[one]);
            group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
        }
    }
    let mut members: BTreeMap<usize, Vec<&Unit>> = BTreeMap::new();
    for (at, of) in group.iter().enumerate() {
        members.entry(*of).or_default().push(directories[at]);
    }
    let mut found: Vec<Cluster> = members.into_values().map(|units| Cluster::of(&units, commits)).collect();
    found.sort_by_key(|cluster| (cluster.units.iter().all(Unit::is_of_tests), std::cmp::Reverse(cluster.commits)));
    let keeps = |cluster: &Cluster| cluster.commits >= OWN && !cluster.units.iter().all(Unit::is_of_tests);
    let mut at = 0;
    let (kept, joining): (Vec<Cluster>, Vec<Cluster>) = found.into_iter().partition(|cluster| {
        at += 1;
        at == 1 || (at <= MOST && keeps(cluster))
    });
    with_rest(kept, &joining, units, commits)
}

/// The groups that are kept, with all others and the files at the top in the largest one.
fn with_rest(
    kept: Vec<Cluster>,
    joining: &[Cluster],
    units: &BTreeSet<Unit>,
    commits: &[BTreeSet<Unit>],
) -> Vec<Cluster> {
    let mut largest: Vec<&Unit> = kept.first().map(|cluster| cluster.units.iter().collect()).unwrap_or_default();
    largest.extend(joining.iter().flat_map(|cluster| &cluster.units));
    largest.extend(units.get(&Unit::Top));
    if largest.is_empty() {
        return kept;
    }
    let largest = Cluster::of(&largest, commits);
    std::iter::once(largest).chain(kept.into_iter().skip(1)).collect()
}

impl Cluster {
    fn of(units: &[&Unit], commits: &[BTreeSet<Unit>]) -> Cluster {
        let mut units: Vec<Unit> = units.iter().map(|unit| (*unit).clone()).collect();
        units.sort_by_key(|unit| {
            let weight = if *unit == Unit::Top { 0 } else { touching(commits, &[unit]) };
            (*unit == Unit::Top, unit.is_of_tests(), std::cmp::Reverse(weight))
        });
        let commits = touching(commits, &units.iter().collect::<Vec<_>>());
        Cluster { units, commits }
    }
}

/// How many commits touched each pair of directories.
fn together(directories: &[&Unit], commits: &[BTreeSet<Unit>]) -> BTreeMap<(usize, usize), u64> {
    let mut pairs: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for commit in commits {
        let touched: Vec<usize> =
            directories.iter().enumerate().filter(|(_, unit)| commit.contains(unit)).map(|(at, _)| at).collect();
        for (position, one) in touched.iter().enumerate() {
            for other in &touched[position + 1..] {
                *pairs.entry((*one, *other)).or_default() += 1;
            }
        }
    }
    pairs
}

fn touching(commits: &[BTreeSet<Unit>], units: &[&Unit]) -> u64 {
    commits.iter().filter(|commit| units.iter().any(|unit| commit.contains(*unit))).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str) -> Unit {
        if name == "." { Unit::Top } else { Unit::Directory(name.as_bytes().to_vec()) }
    }

    fn grouped(units: &[&str], commits: &[(&str, usize)]) -> Vec<String> {
        let units = units.iter().map(|name| unit(name)).collect();
        let commits: Vec<BTreeSet<Unit>> = commits
            .iter()
            .flat_map(|(names, times)| std::iter::repeat_n(names.split(' ').map(unit).collect(), *times))
            .collect();
        let name = |unit: &Unit| match unit {
            Unit::Directory(name) => String::from_utf8(name.clone()).unwrap(),
            _ => ".".to_owned(),
        };
        clusters(&units, &commits)
            .iter()
            .map(|cluster| {
                format!("{} {}", cluster.units.iter().map(name).collect::<Vec<_>>().join("+"), cluster.commits)
            })
            .collect()
    }

    #[test]
    fn what_changes_together_is_one_group() {
        let units = ["src", "tests", "web", "web-tests", ".", "old"];
        let commits = [
            ("src tests", 10),
            ("src", 20),
            ("web", 9),
            ("web web-tests", 4),
            ("src .", 2),
            ("old", 1),
            ("src web", 2),
        ];
        assert_eq!(grouped(&units, &commits), ["src+old+tests+. 35", "web+web-tests 15"]);
    }

    #[test]
    fn without_history_all_of_it_is_one_group() {
        assert_eq!(grouped(&["a", "b", "tests", "."], &[]), ["a+b+tests+. 0"]);
        assert_eq!(grouped(&["tests"], &[("tests", 9)]), ["tests 9"]);
        assert_eq!(grouped(&["."], &[(".", 9)]), [". 9"]);
        assert_eq!(grouped(&[], &[]), <[&str; 0]>::default());
    }

    #[test]
    fn there_are_not_more_groups_than_people_can_look_after() {
        let names: Vec<String> = (0..30).map(|n| format!("d{n:02}")).collect();
        let units: Vec<&str> = names.iter().map(String::as_str).collect();
        let commits: Vec<(&str, usize)> = units.iter().map(|name| (*name, 5)).collect();
        assert_eq!(grouped(&units, &commits).len(), MOST);
    }
}
