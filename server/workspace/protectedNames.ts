/** The names that the server protects by default, as two tables: those refused, and those that the user is asked about. */

/**
 * Names of files and folders that can make version control, editors, agents, shells or package managers run code, or
 * that hold keys. Several names with slashes between them match such a part of a path; `*` stands for any characters of
 * one name. The list omits project files that agents edit routinely (package.json, CI workflows).
 */
export const refusedNames: readonly string[] = [
  ...[".git", ".hg", ".svn", ".jj", ".bzr", ".gitconfig", ".hgrc", ".husky", ".config/git"],
  ...[".vscode", "*.code-workspace", ".idea", ".zed", ".fleet", ".helix"],
  ...[".vimrc", ".nvimrc", ".nvim.lua", ".exrc", ".vim", ".emacs", ".emacs.d", ".dir-locals.el", ".dir-locals-2.el"],
  ...[
    ".config/nvim",
    ".config/vim",
    ".config/helix",
    ".config/emacs",
    ".config/zed",
    ".config/kakoune",
    ".config/micro",
  ],
  ...[".config/Code", ".config/VSCodium", ".config/Cursor", ".config/sublime-text", ".config/JetBrains"],
  ...[
    ".agents",
    ".claude",
    ".claude.json",
    ".codex",
    ".cursor",
    ".copilot",
    ".gemini",
    ".windsurf",
    ".opencode",
    ".pi",
  ],
  ...[".roo", ".kilocode", ".kiro", ".qwen", ".amazonq", ".trae", ".junie", ".factory", ".augment", ".continue"],
  ...[".crush", ".crush.json", "crush.json", "opencode.json", "opencode.jsonc", ".aider.conf.yml", ".mcp.json"],
  ...[".clinerules", ".cursorrules", ".windsurfrules", ".roorules", ".config/codex", ".config/opencode"],
  ...[".config/goose", ".config/crush", ".config/gemini", ".config/claude"],
  ...[".envrc", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", "config.fish"],
  ...[".config/fish", ".config/zsh", ".config/bash", ".config/nushell", ".config/direnv", ".tmux.conf", ".config/tmux"],
  ...[".xprofile", ".xinitrc", ".xsession", ".pam_environment", ".config/autostart", ".config/systemd"],
  ...[".config/environment.d", ".local/bin", ".local/share/applications", "Library/LaunchAgents"],
  ...[".gdbinit", ".lldbinit", ".cargo/config", ".cargo/config.toml", ".gradle/init.gradle", ".gradle/init.d"],
  ...[".pnpmfile.cjs", ".ssh", ".gnupg", ".git-credentials", ".netrc", ".aws", ".docker", ".kube"],
];

/** Names of files that people edit every day, which need consent. They precede single refused names. */
export const askedNames: readonly string[] = [
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".gitmodules", ".devcontainer", ".devcontainer.json", ".vscode/launch.json"],
  ...[".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", "mise.toml", ".mise.toml"],
];

/** Folders with material for other projects, where refused files but version control need only consent. */
export const templateFolders: readonly string[] = ["template", "templates", "fixtures", "__fixtures__", "testdata"];

/** The refused names that stay refused even in template folders. */
export const versionControl: readonly string[] = [".git", ".hg", ".svn", ".jj", ".bzr"];

/** The default of the setting `protectedNames`. */
export const defaultNames: readonly string[] = [...refusedNames, ...askedNames];
