//! The budgets: held against the net change, against the index and against each new commit, because each of these can be
//! published as it stands.

use super::evidence::{Place, Stage};
use super::finding::{Code, Finding, Severity};
use super::verdict::{Left, Metrics};
use crate::policy::limits::Limits;
use crate::policy::text::Text;

/// One budget: its code, the words of the message, and where its number and its limit stand.
struct Budget {
    code: Code,
    words: &'static str,
    option: &'static str,
    used: fn(&Metrics) -> u64,
    limit: fn(&Limits) -> u64,
}

const BUDGETS: &[Budget] = &[
    Budget {
        code: Code::BudgetFiles,
        words: "file",
        option: "--max-files",
        used: |metrics| metrics.files,
        limit: |limits| limits.max_files,
    },
    Budget {
        code: Code::BudgetAddedLines,
        words: "added-line",
        option: "--max-added-lines",
        used: |metrics| metrics.added_lines,
        limit: |limits| limits.max_added_lines,
    },
    Budget {
        code: Code::BudgetDeletedLines,
        words: "deleted-line",
        option: "--max-deleted-lines",
        used: |metrics| metrics.deleted_lines,
        limit: |limits| limits.max_deleted_lines,
    },
    Budget {
        code: Code::BudgetWorkingBytes,
        words: "working-byte",
        option: "--max-working-bytes",
        used: |metrics| metrics.working_bytes,
        limit: |limits| limits.max_working_bytes,
    },
    Budget {
        code: Code::BudgetBinaryFiles,
        words: "binary-file",
        option: "--max-binary-files",
        used: |metrics| metrics.binary_files,
        limit: |limits| limits.max_binary_files,
    },
];

/// The findings about all budgets: of the net change, and of the index and of the commit that is the furthest over one,
/// where that is another figure. `baseline` is the commit to go back to.
pub fn findings(net: &Metrics, stages: &[Stage], limits: &Limits, baseline: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let index = Metrics::sum(stages.iter().filter(|stage| stage.place == Place::Index).map(|stage| stage.metrics));
    for budget in BUDGETS {
        let (limit, net) = ((budget.limit)(limits), (budget.used)(net));
        let over = |used: u64| used > limit;
        if over(net) {
            let help = format!("Make the change smaller, or arm again with a larger {}.", budget.option);
            found.push(budget.finding(None, net, limit, help));
        }
        let another = |used: &u64| over(*used) && *used != net;
        let index = Some((budget.used)(&index)).filter(another);
        found.extend(index.map(|used| {
            let help = format!(
                "What is staged is what the next commit holds. Take it out of the index, your files stay: git restore --staged PATH; \
                 or arm again with a larger {}.",
                budget.option
            );
            budget.finding(Some(&Place::Index), used, limit, help)
        }));
        let commits = stages.iter().filter(|stage| matches!(stage.place, Place::Commit(_)));
        let worst = commits.map(|stage| ((budget.used)(&stage.metrics), stage)).max_by_key(|(used, _)| *used);
        found.extend(worst.filter(|(used, _)| another(used)).map(|(used, stage)| {
            let help = format!(
                "A push publishes each commit, also one that a later one took back. Go back, your files stay, and commit anew: \
                 git reset --soft {baseline} (of another branch or the stash: delete it); or arm again with a larger {}.",
                budget.option
            );
            budget.finding(Some(&stage.place), used, limit, help)
        }));
    }
    found
}

impl Budget {
    fn finding(&self, place: Option<&Place>, used: u64, limit: u64, help: String) -> Finding {
        let place = place.map(|place| format!(" {}", place.words())).unwrap_or_default();
        let message = Text::from(format!("{} budget exceeded{place}: {used} > {limit}", self.words));
        Finding {
            code: self.code,
            severity: Severity::Violation,
            path: None,
            message,
            help: Text::from(help),
            undo: None,
            owners: None,
        }
    }
}

/// What remains of the budgets after the net change.
pub fn left(metrics: &Metrics, limits: &Limits) -> Left {
    let of = |limit: u64, used: u64| {
        i64::try_from(i128::from(limit) - i128::from(used)).unwrap_or(if limit > used { i64::MAX } else { i64::MIN })
    };
    Left {
        files: of(limits.max_files, metrics.files),
        added_lines: of(limits.max_added_lines, metrics.added_lines),
        deleted_lines: of(limits.max_deleted_lines, metrics.deleted_lines),
        working_bytes: of(limits.max_working_bytes, metrics.working_bytes),
        binary_files: of(limits.max_binary_files, metrics.binary_files),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(place: Place, added_lines: u64) -> Stage {
        Stage { place, metrics: Metrics { files: 1, added_lines, ..Metrics::default() } }
    }

    fn messages(net: u64, stages: &[Stage]) -> Vec<String> {
        let limits = Limits { max_added_lines: 10, ..Limits::default() };
        let net = Metrics { files: 1, added_lines: net, ..Metrics::default() };
        findings(&net, stages, &limits, "aa").iter().map(|finding| finding.message.plain()).collect()
    }

    #[test]
    fn each_layer_is_held_against_the_limit_which_is_inclusive() {
        let commit = |id: &str, lines| stage(Place::Commit(id.to_owned()), lines);
        assert_eq!(messages(10, &[stage(Place::Index, 10), commit("bb", 10)]), Vec::<String>::new());
        assert_eq!(
            messages(0, &[stage(Place::Index, 6), stage(Place::Index, 5)]),
            ["added-line budget exceeded in the index: 11 > 10"]
        );
        assert_eq!(
            messages(0, &[commit("cc", 5), commit("bb", 12), commit("aa", 11)]),
            ["added-line budget exceeded in commit bb: 12 > 10"]
        );
        // The same figure in every layer is one finding.
        assert_eq!(messages(11, &[stage(Place::Index, 11), commit("bb", 11)]), ["added-line budget exceeded: 11 > 10"]);
    }
}
