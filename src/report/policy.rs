//! The built-in tables, for people and for programs: what is protected, what is scratch, what is a dependency, and why.

use serde::Serialize;

use super::style::{FAINT, HEADING, paint};
use super::wrap::wrapped;
use crate::json;
use crate::policy::caches::VARIABLES;
use crate::policy::config_keys::{self, Weight};
use crate::policy::dependencies::{BOOKKEEPING, PLACES};
use crate::policy::escape::plain;
use crate::policy::linking::LINKING;
use crate::policy::protected::{PROTECTED, UNPROTECTED};
use crate::policy::scratch::DEFAULT_ZONES;
use crate::policy::steering::STEERING;

/// One row of a table.
#[derive(Serialize)]
struct Row {
    glob: &'static str,
    reason: &'static str,
}

/// One table with its name in JSON and its heading for people.
struct Table {
    name: &'static str,
    heading: &'static str,
    rows: Vec<Row>,
}

/// Every table; another one needs a row here and nothing else.
fn tables() -> Vec<Table> {
    vec![
        Table {
            name: "protected",
            heading: "protected paths (open one with --allow-protected, add one with --protect)",
            rows: PROTECTED.iter().map(|row| Row { glob: row.glob, reason: row.reason }).collect(),
        },
        Table {
            name: "unprotected",
            heading: "not protected although it lies below a protected path",
            rows: UNPROTECTED.iter().map(|row| Row { glob: row.glob, reason: row.reason }).collect(),
        },
        Table {
            name: "scratch",
            heading: "scratch zones, where ignored files may come and go (add one with --scratch)",
            rows: DEFAULT_ZONES.iter().map(|row| Row { glob: row.glob, reason: row.reason }).collect(),
        },
        Table {
            name: "dependencies",
            heading: "installed dependencies, whose ignored files stay as they are (open one with --allow-ignored)",
            rows: PLACES.iter().map(|row| Row { glob: row.glob, reason: row.reason }).collect(),
        },
        Table {
            name: "bookkeeping",
            heading: "scratch among installed dependencies",
            rows: BOOKKEEPING.iter().map(|row| Row { glob: row.glob, reason: row.reason }).collect(),
        },
        Table {
            name: "linking",
            heading: "places, beside dependencies, of new ignored links and inodes that lead out of the repository",
            rows: LINKING.iter().map(|row| Row { glob: row.glob, reason: row.reason }).collect(),
        },
        Table {
            name: "steering",
            heading: "files that steer verifiers, and may not appear where Git ignores them (open one with --allow-ignored)",
            rows: STEERING
                .iter()
                .flat_map(|row| row.globs.iter().map(|glob| Row { glob, reason: row.reason }))
                .collect(),
        },
        Table {
            name: "caches",
            heading: "variables of verifiers, that lead tools away from caches of the repository (--verifier-caches keep)",
            rows: VARIABLES.iter().map(|row| Row { glob: row.name, reason: row.reason }).collect(),
        },
        Table {
            name: "configuration",
            heading: "configuration keys whose change is a violation",
            rows: keys(|weight| matches!(weight, Weight::Violation | Weight::NotedIfKnown(_))),
        },
        Table {
            name: "configuration_noted",
            heading: "configuration keys whose change is only noted, as what no table names is",
            rows: keys(|weight| weight == Weight::Noted),
        },
        Table {
            name: "configuration_ignored",
            heading: "configuration keys that ordinary work changes",
            rows: keys(|weight| matches!(weight, Weight::Ignored | Weight::IgnoredIfName)),
        },
    ]
}

fn keys(wanted: impl Fn(Weight) -> bool) -> Vec<Row> {
    let rules = config_keys::RULES.iter().filter(|rule| wanted(rule.weight));
    rules.map(|rule| Row { glob: rule.pattern, reason: rule.reason }).collect()
}

/// The tables for people, on a screen of this width if it is one.
pub fn human(width: Option<usize>) -> String {
    let table = |table: &Table| {
        let rows: Vec<String> = table
            .rows
            .iter()
            .map(|row| format!("  {:<34} {}", plain(row.glob.as_bytes()), paint(FAINT, row.reason)))
            .map(|line| wrapped(&line, 37, width) + "\n")
            .collect();
        wrapped(&paint(HEADING, table.heading), 0, width) + "\n" + &rows.concat()
    };
    tables().iter().map(table).collect::<Vec<_>>().join("\n")
}

/// The tables for programs: one object with a list a table.
pub fn json() -> Vec<u8> {
    let all: std::collections::BTreeMap<_, _> = tables().into_iter().map(|table| (table.name, table.rows)).collect();
    json::pretty(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_name_every_row_with_its_reason() {
        let (human, json) = (human(None), String::from_utf8(json()).unwrap());
        for table in tables() {
            assert!(human.contains(table.heading) && json.contains(&format!("\"{}\"", table.name)));
            for row in table.rows {
                assert!(human.contains(row.glob) && human.contains(row.reason), "{}", row.glob);
                assert!(json.contains(row.reason), "{}", row.glob);
            }
        }
    }
}
