//! Files that steer what verifiers run, by their names: settings that a tool looks for, code that it loads unasked, and what
//! it prefers to the file that the tree shows. Where Git ignores one that is new, no diff shows it, and yet the verifiers run
//! otherwise than they would anywhere else.
//!
//! The tables are data in Cordon's own pattern language. What only gives values to the project's own code (`.env`) is not
//! in them, nor what honest builds write beside the sources (`Makefile` of a `configure`, `compile_commands.json`).

/// Names that steer for the same reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Steering {
    /// The patterns.
    pub globs: &'static [&'static str],
    /// Where such a file steers.
    pub reach: Reach,
    /// What it depends on beside that.
    pub only: Only,
    /// What reads it.
    pub reason: &'static str,
}

/// Where a file of such a name steers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Where people work: in a directory that no rule hides as a whole, and outside of the scratch zones. Tools look in the
    /// directory that they start in, beside the sources and above them; a copy inside of build output steers nobody.
    Work,
    /// Wherever pytest collects, which is in hidden directories too, but for [`UNCOLLECTED`].
    Collected,
    /// In a directory of installed dependencies that was there at arm.
    Installed,
}

/// What else must be so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Only {
    /// Nothing.
    Always,
    /// No `.py` file of the same name stands beside it, which Python would prefer.
    Sourceless,
    /// It is not called `lib...`, as the libraries of other languages are.
    Module,
    /// One of these stands beside it, in whose place it is read.
    Beside(&'static [&'static str]),
}

const fn row(globs: &'static [&'static str], reason: &'static str) -> Steering {
    Steering { globs, reach: Reach::Work, only: Only::Always, reason }
}

impl Steering {
    const fn reaching(self, reach: Reach) -> Steering {
        Steering { reach, ..self }
    }

    const fn only(self, only: Only) -> Steering {
        Steering { only, ..self }
    }
}

/// The names.
#[rustfmt::skip]
pub const STEERING: &[Steering] = &[
    row(&["**/site-packages/*.pth", "**/site-packages/sitecustomize.py", "**/site-packages/usercustomize.py"],
        "code that Python runs whenever it starts").reaching(Reach::Installed),
    row(&["**/conftest.py", "**/test_*.py", "**/*_test.py"],
        "code that pytest loads into the process of all tests").reaching(Reach::Collected),
    row(&["**/sitecustomize.py", "**/usercustomize.py"], "code that Python runs whenever it starts"),
    row(&["**/*.pyc", "**/*.pyo"], "bytecode that Python takes for a module without a source").only(Only::Sourceless),
    row(&["**/*.cpython-*.so", "**/*.abi3.so", "**/*.pypy*.so", "**/*.pyd"],
        "an extension module, which Python prefers to a source of the same name"),
    row(&["**/*.so"], "an extension module, which Python prefers to a source of the same name").only(Only::Module),
    row(&["**/pytest.ini", "**/.pytest.ini", "**/pytest.toml", "**/.pytest.toml", "**/tox.ini", "**/tox.toml",
          "**/setup.cfg", "**/setup.py", "**/pyproject.toml", "**/noxfile.py"],
        "settings of Python's tools"),
    row(&["**/mypy.ini", "**/.mypy.ini", "**/pyrightconfig.json", "**/ruff.toml", "**/.ruff.toml", "**/.flake8",
          "**/pylintrc", "**/.pylintrc", "**/pylintrc.toml", "**/.pylintrc.toml", "**/.coveragerc", "**/.isort.cfg",
          "**/.bandit", "**/.pycodestyle"],
        "settings of Python's checkers"),
    row(&["**/GNUmakefile"], "rules that make prefers to those of the makefile").only(Only::Beside(&["makefile", "Makefile"])),
    row(&["**/makefile"], "rules that make prefers to those of the Makefile").only(Only::Beside(&["Makefile"])),
    row(&["**/justfile", "**/.justfile", "**/Justfile", "**/Taskfile.yml", "**/Taskfile.yaml"], "commands of a task runner"),
    row(&["**/.npmrc", "**/.yarnrc", "**/.yarnrc.yml", "**/.pnpmfile.cjs", "**/pnpm-workspace.yaml", "**/bunfig.toml"],
        "settings of a package manager, such as the shell that runs scripts"),
    row(&["**/package.json", "**/deno.json", "**/deno.jsonc", "**/tsconfig.json", "**/jsconfig.json"],
        "what modules and scripts mean here"),
    row(&["**/jest.config.js", "**/jest.config.cjs", "**/jest.config.mjs", "**/jest.config.ts", "**/jest.config.json",
          "**/vitest.config.js", "**/vitest.config.mjs", "**/vitest.config.ts", "**/vitest.config.mts",
          "**/vitest.workspace.js", "**/vitest.workspace.ts", "**/vite.config.js", "**/vite.config.mjs", "**/vite.config.ts",
          "**/vite.config.mts", "**/.mocharc.js", "**/.mocharc.cjs", "**/.mocharc.json", "**/.mocharc.jsonc",
          "**/.mocharc.yml", "**/.mocharc.yaml", "**/ava.config.js", "**/ava.config.mjs", "**/ava.config.cjs",
          "**/karma.conf.js", "**/playwright.config.js", "**/playwright.config.ts", "**/cypress.config.js",
          "**/cypress.config.ts", "**/.nycrc", "**/.nycrc.json", "**/.c8rc.json"],
        "settings of a test runner"),
    row(&["**/babel.config.js", "**/babel.config.cjs", "**/babel.config.mjs", "**/babel.config.json", "**/.babelrc",
          "**/.babelrc.js", "**/.babelrc.json", "**/.swcrc"],
        "how sources are translated before they run"),
    row(&["**/eslint.config.js", "**/eslint.config.mjs", "**/eslint.config.cjs", "**/eslint.config.ts", "**/.eslintrc",
          "**/.eslintrc.js", "**/.eslintrc.cjs", "**/.eslintrc.json", "**/.eslintrc.yml", "**/.eslintrc.yaml",
          "**/.eslintignore", "**/.prettierrc", "**/.prettierrc.json", "**/.prettierrc.js", "**/.prettierignore",
          "**/.stylelintrc", "**/.stylelintrc.json", "**/.stylelintignore", "**/biome.json", "**/biome.jsonc"],
        "settings of a linter, such as what it leaves out"),
    row(&["**/.cargo/config.toml", "**/.cargo/config", "**/Cargo.toml", "**/build.rs", "**/rust-toolchain",
          "**/rust-toolchain.toml", "**/clippy.toml", "**/.clippy.toml", "**/rustfmt.toml", "**/.rustfmt.toml",
          "**/.config/nextest.toml"],
        "what Cargo runs and with which tools"),
    row(&["**/go.work", "**/go.mod", "**/*_test.go", "**/.golangci.yml", "**/.golangci.yaml", "**/.golangci.toml"],
        "what Go builds, tests and leaves out"),
    row(&["**/gradle.properties", "**/build.gradle", "**/build.gradle.kts", "**/settings.gradle", "**/settings.gradle.kts",
          "**/pom.xml", "**/.mvn/maven.config", "**/.mvn/jvm.config", "**/.mvn/extensions.xml"],
        "what Gradle and Maven run"),
    row(&["**/Directory.Build.props", "**/Directory.Build.targets", "**/Directory.Build.rsp", "**/global.json",
          "**/NuGet.Config", "**/.runsettings"],
        "what dotnet builds and tests"),
    row(&["**/Gemfile", "**/Rakefile", "**/.rspec", "**/.rspec-local", "**/.rubocop.yml"], "what Ruby's tools run"),
    row(&["**/phpunit.xml", "**/phpstan.neon", "**/psalm.xml", "**/.php-cs-fixer.php"],
        "settings that PHP's tools prefer to those of the .dist file"),
    row(&["**/.bazelrc", "**/.bazelrc.user", "**/user.bazelrc", "**/.bazelversion"], "options of Bazel"),
    row(&["**/.Rprofile", "**/.Renviron", "**/.ghci", "**/.proverc", "**/.busted", "**/.formatter.exs"],
        "code or options that an interpreter or test runner takes unasked"),
    row(&["**/docker-compose.override.yml", "**/docker-compose.override.yaml", "**/compose.override.yml",
          "**/compose.override.yaml"],
        "services that Compose merges into those of the tree"),
    row(&["**/.tool-versions", "**/mise.toml", "**/.mise.toml", "**/mise.local.toml", "**/.mise.local.toml",
          "**/.python-version", "**/.node-version", "**/.nvmrc", "**/.ruby-version"],
        "which version of a program runs here"),
];

/// Where pytest collects nothing by itself, and where `CMake` puts the sources of others.
pub const UNCOLLECTED: &[&str] = &[
    "**/.*/**",
    "**/__pycache__/**",
    "**/node_modules/**",
    "**/build/**",
    "**/dist/**",
    "**/venv/**",
    "**/*.egg/**",
    "**/cmake-build-*/**",
    "**/_deps/**",
];

/// What stands around a file.
pub trait Surroundings {
    /// Whether anything stands at a path now.
    fn stands(&self, path: &[u8]) -> bool;
    /// Whether anything stood at a path at arm.
    fn stood(&self, path: &[u8]) -> bool;
}

impl Steering {
    /// Whether the file at `path`, which one of the patterns covers, steers where it stands.
    pub fn holds(&self, path: &[u8], around: &dyn Surroundings) -> bool {
        let (directory, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => path.split_at(slash + 1),
            None => (&path[..0], path),
        };
        let beside = |name: &[u8]| around.stands(&[directory, name].concat());
        let only = match self.only {
            Only::Always => true,
            Only::Sourceless => {
                let stem = name.iter().rposition(|byte| *byte == b'.').map_or(name, |dot| &name[..dot]);
                !beside(&[stem, b".py"].concat())
            }
            Only::Module => !name.starts_with(b"lib"),
            Only::Beside(names) => names.iter().any(|name| beside(name.as_bytes())),
        };
        only && match self.reach {
            Reach::Work => true,
            Reach::Collected => !is_in_environment(path, around),
            Reach::Installed => around.stood(directory.strip_suffix(b"/").unwrap_or(directory)),
        }
    }

    /// The directory that a tool looks in for the file at `path`: the one above a directory that belongs to the name.
    pub fn looked_for_in<'a>(&self, path: &'a [u8]) -> &'a [u8] {
        let above = |path: &'a [u8]| path.iter().rposition(|byte| *byte == b'/').map_or(&path[..0], |at| &path[..at]);
        let parent = above(path);
        let own = [&b".cargo"[..], b".config", b".mvn"];
        if own.iter().any(|own| parent == *own || parent.ends_with(&[b"/", *own].concat())) {
            above(parent)
        } else {
            parent
        }
    }
}

/// Whether a path lies in a virtual environment or one of conda, where pytest collects nothing by itself.
fn is_in_environment(path: &[u8], around: &dyn Surroundings) -> bool {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    slashes.map(|at| &path[..at]).any(|directory| {
        let stands = |name: &[u8]| around.stands(&[directory, b"/", name].concat());
        // Before version 8.3 pytest asks for the script that activates it.
        (stands(b"pyvenv.cfg") && stands(b"bin/activate")) || stands(b"conda-meta/history")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Around(&'static [&'static str]);

    impl Surroundings for Around {
        fn stands(&self, path: &[u8]) -> bool {
            self.0.iter().any(|known| known.as_bytes() == path)
        }

        fn stood(&self, path: &[u8]) -> bool {
            self.stands(path)
        }
    }

    fn of(glob: &str) -> &'static Steering {
        STEERING.iter().find(|row| row.globs.contains(&glob)).unwrap()
    }

    #[test]
    fn every_name_stands_once_with_a_reason() {
        let mut globs: Vec<_> = STEERING.iter().flat_map(|row| row.globs).collect();
        let count = globs.len();
        globs.sort_unstable();
        globs.dedup();
        assert_eq!(globs.len(), count);
        assert!(STEERING.iter().all(|row| !row.reason.is_empty()));
    }

    #[test]
    fn some_steer_only_in_company() {
        let bytecode = of("**/*.pyc");
        assert!(bytecode.holds(b"pytest.pyc", &Around(&[])) && bytecode.holds(b"a/b.pyc", &Around(&["b.py"])));
        assert!(!bytecode.holds(b"a/b.pyc", &Around(&["a/b.py"])));
        let make = of("**/GNUmakefile");
        assert!(make.holds(b"GNUmakefile", &Around(&["Makefile"])) && !make.holds(b"GNUmakefile", &Around(&[])));
        let module = of("**/*.so");
        assert!(module.holds(b"pytest.so", &Around(&[])) && !module.holds(b"src/libx.so", &Around(&[])));
        let start = of("**/site-packages/*.pth");
        assert!(start.holds(b"v/site-packages/x.pth", &Around(&["v/site-packages"])));
        assert!(!start.holds(b"v/site-packages/x.pth", &Around(&[])));
    }

    #[test]
    fn pytest_collects_nothing_in_an_environment() {
        let test = of("**/conftest.py");
        assert!(test.holds(b"env/lib/conftest.py", &Around(&["env/pyvenv.cfg"])));
        assert!(!test.holds(b"env/lib/conftest.py", &Around(&["env/pyvenv.cfg", "env/bin/activate"])));
        assert!(!test.holds(b"env/lib/conftest.py", &Around(&["env/conda-meta/history"])));
    }

    #[test]
    fn a_directory_of_the_name_is_no_place_to_look_in() {
        let cargo = of("**/.cargo/config.toml");
        assert_eq!(cargo.looked_for_in(b"a/.cargo/config.toml"), b"a");
        assert_eq!(cargo.looked_for_in(b".cargo/config.toml"), b"");
        assert_eq!(cargo.looked_for_in(b"a/Cargo.toml"), b"a");
    }
}
