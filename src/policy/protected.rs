//! Protected paths: files that steer agents, editors, hooks, shells or Cordon itself, so that a change of them acts on
//! whoever works here next. An allow pattern does not lift the protection; naming the path with `--allow-protected` does.
//!
//! The table is data in Cordon's own pattern language, matched at any depth, because tools look in every directory that
//! they are started in. Instructions in prose (`AGENTS.md`, `CLAUDE.md`) are not in it: people want them edited like any
//! documentation, and they only ask where the others command. `.gitattributes` and `.gitmodules` are not in it either:
//! what they do to Git is held to the rules of arm.

/// Paths that only an explicit permission opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protected {
    /// The pattern; a directory is named with and without what is below it.
    pub glob: &'static str,
    /// What reads it, and so why it is protected.
    pub reason: &'static str,
}

const fn row(glob: &'static str, reason: &'static str) -> Protected {
    Protected { glob, reason }
}

/// The paths that are protected unless the policy names them.
pub const PROTECTED: &[Protected] = &[
    row("**/.claude", "Claude Code settings, hooks and commands"),
    row("**/.claude/**", "Claude Code settings, hooks and commands"),
    row("**/.mcp.json", "programs that agents start as tool servers"),
    row("**/.codex", "Codex settings"),
    row("**/.codex/**", "Codex settings"),
    row("**/.cursor", "Cursor settings, hooks and rules"),
    row("**/.cursor/**", "Cursor settings, hooks and rules"),
    row("**/.cursorrules", "Cursor rules"),
    row("**/.windsurf", "Windsurf settings and rules"),
    row("**/.windsurf/**", "Windsurf settings and rules"),
    row("**/.windsurfrules", "Windsurf rules"),
    row("**/.clinerules", "Cline rules"),
    row("**/.clinerules/**", "Cline rules"),
    row("**/.roo", "Roo Code settings and rules"),
    row("**/.roo/**", "Roo Code settings and rules"),
    row("**/.continue", "Continue settings"),
    row("**/.continue/**", "Continue settings"),
    row("**/.gemini", "Gemini CLI settings and extensions"),
    row("**/.gemini/**", "Gemini CLI settings and extensions"),
    row("**/.aider.conf.yml", "Aider settings"),
    row("**/.aider.model.settings.yml", "Aider settings"),
    row("**/.aiderignore", "Aider settings"),
    row("**/.opencode", "OpenCode settings, agents and plug-ins"),
    row("**/.opencode/**", "OpenCode settings, agents and plug-ins"),
    row("**/opencode.json", "OpenCode settings"),
    row("**/opencode.jsonc", "OpenCode settings"),
    row("**/.vscode", "editor settings, tasks and launchers"),
    row("**/.vscode/**", "editor settings, tasks and launchers"),
    row("**/*.code-workspace", "editor settings and tasks"),
    row("**/.idea", "IDE settings, run configurations and watchers"),
    row("**/.idea/**", "IDE settings, run configurations and watchers"),
    row("**/.zed", "editor settings and tasks"),
    row("**/.zed/**", "editor settings and tasks"),
    row("**/.exrc", "commands that an editor runs when it starts here"),
    row("**/.nvim.lua", "commands that an editor runs when it starts here"),
    row("**/.dir-locals.el", "code that an editor runs when it opens a file here"),
    row("**/.envrc", "shell code that direnv runs on entering the directory"),
    row("**/.husky", "Git hooks"),
    row("**/.husky/**", "Git hooks"),
    row("**/.githooks", "Git hooks"),
    row("**/.githooks/**", "Git hooks"),
    row("**/.pre-commit-config.yaml", "programs that run before every commit"),
    row("**/lefthook.yml", "programs that Git hooks run"),
    row("**/.devcontainer", "commands and mounts of development containers"),
    row("**/.devcontainer/**", "commands and mounts of development containers"),
    row("**/.devcontainer.json", "commands and mounts of development containers"),
    row("**/cordon.toml", "the policy of Cordon itself"),
];

/// What programs write below protected paths by themselves, all the time and without anybody's wish.
pub const UNPROTECTED: &[Protected] = &[
    row("**/.idea/workspace.xml", "windows and history of one user"),
    row("**/.idea/shelf/**", "shelved work of one user"),
    row("**/.idea/tasks.xml", "task history of one user"),
    row("**/.idea/usage.statistics.xml", "statistics of one user"),
    row("**/.idea/httpRequests/**", "request history of one user"),
    row("**/.idea/dataSources.local.xml", "connections of one user"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::pattern::{Pattern, PatternSet};

    fn compiled(table: &[Protected]) -> PatternSet {
        let patterns: Vec<_> = table.iter().map(|row| Pattern::parse(row.glob).unwrap()).collect();
        PatternSet::compile(&patterns).unwrap()
    }

    #[test]
    fn covers_control_files_at_any_depth_and_the_directory_itself() {
        let set = compiled(PROTECTED);
        for path in [
            ".claude/settings.local.json",
            "web/.claude/hooks/x.sh",
            ".claude",
            ".mcp.json",
            "a/b/.cursor/rules/x.mdc",
            ".vscode/tasks.json",
            ".envrc",
            "svc/.envrc",
            ".husky/pre-commit",
            "cordon.toml",
        ] {
            assert!(set.is_match(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn covers_no_documentation_and_no_namesake() {
        let set = compiled(PROTECTED);
        for path in [
            "AGENTS.md",
            "CLAUDE.md",
            "src/claude/x.rs",
            ".clauderc",
            ".gitattributes",
            ".aider.chat.history.md",
            "x.envrc",
        ] {
            assert!(!set.is_match(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn every_row_has_a_reason_and_stands_once() {
        let mut globs: Vec<_> = PROTECTED.iter().chain(UNPROTECTED).map(|row| row.glob).collect();
        let count = globs.len();
        globs.sort_unstable();
        globs.dedup();
        assert_eq!(globs.len(), count);
        assert!(PROTECTED.iter().chain(UNPROTECTED).all(|row| !row.reason.is_empty()));
        assert!(UNPROTECTED.iter().all(|row| compiled(PROTECTED).is_match(row.glob.replace("**", "x").as_bytes())));
    }
}
