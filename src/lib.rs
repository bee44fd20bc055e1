//! Cordon, a change gate for coding agents.
//!
//! A person *arms* an envelope over a Git repository: which paths may change, how much, and which commands must pass.
//! Any agent then works. A *check* compares the work tree with the snapshot that was taken at arm and accepts or rejects
//! the change. It believes nothing but what it reads itself.
//!
//! # The rooms
//!
//! Every module at the top is a room that does one thing. A room may use the rooms that its row names and no others, so
//! the arrows run one way, from the command line down to the policy. PURE rooms touch no file, clock, process or
//! environment: the same input gives the same output, and a test needs nothing but values. `tests/architecture.rs` reads
//! this table and fails on an arrow that is not in it.
//!
//! | room       | PURE | what it is for                                                   | may use                                       |
//! |------------|------|------------------------------------------------------------------|-----------------------------------------------|
//! | `cli`      |      | arguments, one file a command, the terminal                      | `session` `stone` `agent` `report` `audit` `ledger` `policy` `error` `exit` `json` |
//! | `session`  |      | the state machine and its files: arm, check, run, status, reset  | `git` `agent` `process` `audit` `ledger` `snapshot` `policy` `error` `json` |
//! | `stone`    |      | a session around a command, in any directory, with or without Git | `ledger` `process` `snapshot` `policy` `error` `exit` |
//! | `git`      |      | the only room that opens a Git repository; fills the evidence    | `audit` `snapshot` `policy` `error` `json`    |
//! | `agent`    | PURE | what an agent is told, how it is started, what it says of itself | `audit` `policy` `error` `json`               |
//! | `process`  |      | programs under a keeper, with a deadline and a cap on output     | `policy` `error` `exit`                       |
//! | `report`   | PURE | answers as text, one file an answer, and as JSON                 | `agent` `audit` `ledger` `policy` `error` `exit` `json` |
//! | `audit`    | PURE | evidence in, verdict out; the answers of the other commands      | `snapshot` `policy` `error`                   |
//! | `ledger`   |      | sessions as hash-chained records in `.stone/`, written and verified | `snapshot` `policy` `error` `json`         |
//! | `snapshot` |      | the work tree as a list, its file, and the difference of two     | `policy` `error`                              |
//! | `policy`   | PURE | paths, patterns, limits, the envelope, tables                    | `error`                                       |
//! | `json`     | PURE | JSON as every output and every state file has it                 |                                               |
//! | `error`    | PURE | the one error type: kind, message, hints, causes                 | `exit`                                        |
//! | `exit`     |      | the table of exit codes                                          |                                               |

pub mod agent;
pub mod audit;
pub mod cli;
pub mod error;
pub mod exit;
pub mod git;
pub mod json;
pub mod ledger;
pub mod policy;
pub mod process;
pub mod report;
pub mod session;
pub mod snapshot;
pub mod stone;
