//! Starts the language server, `dsl lsp`, which must be on the path of the project.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Puredsl;

impl zed::Extension for Puredsl {
    fn new() -> Self {
        Puredsl
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("dsl")
            .ok_or("`dsl` is not on the path: pip install 'puredsl[lsp]'")?;
        Ok(Command {
            command,
            args: vec!["lsp".to_string()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Puredsl);
