package protect

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Name is what a program of the user's obeys outside the sandbox, wherever in a
// workspace it is: it is read-only, with everything below it, also where it is not there
// yet. Adding a row is all that a new one takes: platforms, documents and tests follow.
type Name struct {
	// Name is a file or directory, or with slashes one in a directory of that name. A
	// leading * stands for any beginning. A / at the end says that it is a directory.
	Name string
	// By is who obeys it, and how.
	By string
	// Source says so.
	Source string
}

// Plain is the name without what says that it is a directory's.
func (n Name) Plain() string { return strings.TrimSuffix(n.Name, "/") }

// Names are the table. A name that is protected anywhere is protected by a row of it.
var Names = []Name{
	{".vscode/", "VS Code: tasks, launch configurations, settings that name programs", "code.visualstudio.com/docs/configure/settings"},
	{".vscode-insiders/", "VS Code Insiders, like .vscode", "code.visualstudio.com/docs/configure/settings"},
	{"*.code-workspace", "VS Code: the settings and tasks of a workspace", "code.visualstudio.com/docs/editing/workspaces"},
	{".idea/", "JetBrains: run configurations, file watchers, external tools", "jetbrains.com/help/idea/run-debug-configuration.html"},
	{".run/", "JetBrains: shared run configurations", "jetbrains.com/help/idea/run-debug-configuration.html"},
	{"*.iml", "JetBrains: a module, with its facets and tools", "jetbrains.com/help/idea/creating-and-managing-modules.html"},
	{"*.ipr", "JetBrains: a project in one file", "jetbrains.com/help/idea/creating-and-managing-projects.html"},
	{"*.iws", "JetBrains: its workspace, with run configurations", "jetbrains.com/help/idea/creating-and-managing-projects.html"},
	{".fleet/", "Fleet: run configurations", "jetbrains.com/help/fleet/run-configurations.html"},
	{".zed/", "Zed: tasks and settings", "zed.dev/docs/tasks"},
	{".helix/", "Helix: language servers by name", "docs.helix-editor.com/configuration.html"},
	{"*.sublime-project", "Sublime Text: build systems", "sublimetext.com/docs/projects.html"},
	{"*.sublime-workspace", "Sublime Text: the state of a project", "sublimetext.com/docs/projects.html"},
	{".exrc", "Vim and Neovim with 'exrc': commands", "neovim.io/doc/user/options.html#'exrc'"},
	{".vimrc", "Vim with 'exrc': commands", "vimhelp.org/options.txt.html#'exrc'"},
	{".gvimrc", "Vim with 'exrc': commands", "vimhelp.org/options.txt.html#'exrc'"},
	{"_exrc", "Vim with 'exrc': commands", "vimhelp.org/options.txt.html#'exrc'"},
	{"_vimrc", "Vim with 'exrc': commands", "vimhelp.org/options.txt.html#'exrc'"},
	{"_gvimrc", "Vim with 'exrc': commands", "vimhelp.org/options.txt.html#'exrc'"},
	{".nexrc", "nvi with 'exrc': commands", "man.freebsd.org: nvi(1)"},
	{".vilerc", "vile: commands", "invisible-island.net/vile: vile(1)"},
	{".nvimrc", "Neovim with 'exrc': commands", "neovim.io/doc/user/options.html#'exrc'"},
	{".nvim.lua", "Neovim with 'exrc': code", "neovim.io/doc/user/options.html#'exrc'"},
	{".nvimrc.lua", "exrc.nvim: code", "github.com/MunifTanjim/exrc.nvim"},
	{".exrc.lua", "exrc.nvim: code", "github.com/MunifTanjim/exrc.nvim"},
	{".neoconf.json", "neoconf.nvim: settings of language servers, as their programs", "github.com/folke/neoconf.nvim"},
	{".nlsp-settings/", "nlsp-settings.nvim: settings of language servers, as their programs", "github.com/tamago324/nlsp-settings.nvim"},
	{".lazy.lua", "Neovim with lazy.nvim: code", "lazy.folke.io/configuration"},
	{".vim/coc-settings.json", "coc.nvim: language servers", "github.com/neoclide/coc.nvim/wiki/Using-the-configuration-file"},
	{".lapce/", "Lapce: settings, runs", "docs.lapce.dev"},
	{".lite_project.lua", "Lite XL: code", "lite-xl.com/user-guide/configuration"},
	{".pragtical_project.lua", "Pragtical: code", "github.com/pragtical/pragtical"},
	{".kateproject", "Kate: language servers, build targets", "docs.kde.org: Kate, Project Management"},
	{".kateproject.build", "Kate: build targets", "github.com/KDE/kate: addons/katebuild-plugin"},
	{".tm_properties", "TextMate: variables of its commands, as PATH", "macromates.com: Settings"},
	{".lvimrc", "vim-localvimrc: commands", "github.com/embear/vim-localvimrc"},
	{".local.vimrc", "vim-localrc: commands", "github.com/thinca/vim-localrc"},
	{"_vimrc_local.vim", "local_vimrc: commands", "github.com/LucHermitte/local_vimrc"},
	{".vimspector.json", "Vimspector: adapters that it starts", "puremourning.github.io/vimspector/configuration.html"},
	{".dir-locals.el", "Emacs: variables that evaluate code", "gnu.org/software/emacs/manual: Directory Variables"},
	{".dir-locals-2.el", "Emacs, like .dir-locals.el", "gnu.org/software/emacs/manual: Directory Variables"},
	{".devcontainer/", "dev containers: commands on the host (initializeCommand)", "containers.dev/implementors/json_reference"},
	{".devcontainer.json", "dev containers, like .devcontainer", "containers.dev/implementors/json_reference"},
	{".claude/", "Claude Code: hooks, permissions, servers", "code.claude.com/docs/en/settings"},
	{".mcp.json", "agents: servers that are started", "code.claude.com/docs/en/mcp"},
	{".codex/", "Codex: settings, servers", "developers.openai.com/codex/config-reference"},
	{".cursor/", "Cursor: servers, hooks, rules", "cursor.com/docs/context/mcp"},
	{".gemini/", "Gemini CLI: settings, servers, hooks", "geminicli.com/docs/reference/configuration"},
	{".qwen/", "Qwen Code, like Gemini CLI", "qwenlm.github.io/qwen-code-docs"},
	{".kiro/", "Kiro: hooks, servers", "kiro.dev/docs/hooks"},
	{".amazonq/", "Amazon Q: agents, servers", "docs.aws.amazon.com/amazonq"},
	{".opencode/", "opencode: plugins, commands, agents", "opencode.ai/docs/config"},
	{"opencode.json", "opencode: settings, servers", "opencode.ai/docs/config"},
	{"opencode.jsonc", "opencode: settings, servers", "opencode.ai/docs/config"},
	{"tui.json", "opencode: plugins of its screen", "opencode.ai/docs/tui"},
	{"tui.jsonc", "opencode: plugins of its screen", "opencode.ai/docs/tui"},
	{"kilo.json", "Kilo Code CLI, like opencode", "kilo.ai/docs/cli"},
	{"kilo.jsonc", "Kilo Code CLI, like opencode", "kilo.ai/docs/cli"},
	{".kilo/", "Kilo Code CLI, like opencode", "kilo.ai/docs/cli"},
	{".windsurf/", "Windsurf: workflows, rules", "docs.windsurf.com"},
	{".roo/", "Roo Code: servers, modes", "docs.roocode.com"},
	{".cline/", "Cline: hooks, servers", "docs.cline.bot"},
	{".continue/", "Continue: servers, models", "docs.continue.dev"},
	{".continuerc.json", "Continue: settings", "docs.continue.dev"},
	{".junie/", "Junie: servers", "jetbrains.com/help/junie"},
	{".factory/", "Factory: hooks, servers", "docs.factory.ai"},
	{".crush.json", "Crush: servers, language servers", "github.com/charmbracelet/crush"},
	{"crush.json", "Crush: servers, language servers", "github.com/charmbracelet/crush"},
	{".grok/", "Grok CLI: settings, servers, hooks", "github.com/superagent-ai/grok-cli"},
	{".iflow/", "iFlow CLI: settings, servers", "platform.iflow.cn/en/cli"},
	{".codebuddy/", "CodeBuddy: settings, hooks, servers", "codebuddy.ai/docs/cli/settings"},
	{".qoder/", "Qoder: settings, hooks, servers", "docs.qoder.com/cli"},
	{".vibe/", "Mistral Vibe: settings, servers", "github.com/mistralai/mistral-vibe"},
	{".pi/", "pi: extensions, settings", "github.com/badlogic/pi-mono"},
	{".tabnine/", "Tabnine: servers", "docs.tabnine.com: MCP servers"},
	{".devin/", "Devin: settings, servers, hooks", "docs.devin.ai/cli/extensibility/configuration"},
	{".theia/", "Theia: tasks, launch configurations", "theia-ide.org/docs"},
	{"*.theia-workspace", "Theia: the settings and tasks of a workspace", "github.com/eclipse-theia/theia: packages/workspace"},
	{".lazygit.yml", "lazygit: commands behind keys", "github.com/jesseduffield/lazygit/blob/master/docs/Config.md"},
	{".lfsconfig", "Git LFS: where objects go and come from", "git-lfs.com: git-lfs-config(5)"},
	{".p4config", "Perforce: the server and its programs", "help.perforce.com: P4CONFIG"},
	{".crush/", "Crush: its data and settings", "github.com/charmbracelet/crush"},
	{".amp/", "Amp: settings, servers", "ampcode.com/manual"},
	{".agents/skills", "Amp: servers of a skill", "ampcode.com/manual: Agent Skills"},
	{".trae/", "Trae: servers, rules", "docs.trae.ai"},
	{".augment/", "Augment: commands, settings", "docs.augmentcode.com"},
	{".goose/", "Goose: recipes, extensions", "block.github.io/goose"},
	{".aider.conf.yml", "Aider: commands for lint and test", "aider.chat/docs/config/aider_conf.html"},
	{".aider.model.settings.yml", "Aider: where a model is, and so the code goes", "aider.chat/docs/config/adv-model-settings.html"},
	{".envrc", "direnv: a shell script, once allowed", "direnv.net/man/direnv.1.html"},
	{".envrc.local", "direnv: sourced by many an .envrc", "direnv.net/man/direnv-stdlib.1.html"},
	{".envrc.private", "direnv: sourced by many an .envrc", "direnv.net/man/direnv-stdlib.1.html"},
	{".shadowenv.d/", "shadowenv: code, once trusted", "shopify.github.io/shadowenv/trust"},
	{"activate-hermit", "Hermit: code, on entering the directory", "cashapp.github.io/hermit/usage/shell"},
	{"hermit.hcl", "Hermit: the environment, on entering the directory", "cashapp.github.io/hermit/usage/config"},
	{".tool-versions", "mise and asdf: where a tool is, without being trusted", "mise.jdx.dev/configuration.html"},
	{".sdkmanrc", "SDKMAN: where a tool is, on entering the directory", "sdkman.io/usage: Env Command"},
	{"mise.toml", "mise: environment, hooks, tasks", "mise.jdx.dev/configuration.html"},
	{"mise.*.toml", "mise: environment, hooks, tasks", "mise.jdx.dev/configuration/environments.html"},
	{".mise.toml", "mise: environment, hooks, tasks", "mise.jdx.dev/configuration.html"},
	{".mise.*.toml", "mise: environment, hooks, tasks", "mise.jdx.dev/configuration/environments.html"},
	{".rtx.toml", "mise, by its old name", "mise.jdx.dev/configuration.html"},
	{".mise/", "mise: its directory of settings", "mise.jdx.dev/configuration.html"},
	{".config/mise", "mise: settings", "mise.jdx.dev/configuration.html"},
	{".config/mise.toml", "mise: settings", "mise.jdx.dev/configuration.html"},
	{"mise/config.toml", "mise: settings", "mise.jdx.dev/configuration.html"},
	{"mise/conf.d", "mise: settings", "mise.jdx.dev/configuration.html"},
	{".hg/hgrc", "Mercurial: hooks, aliases, extensions", "mercurial-scm.org/help/topics/config"},
	{".hg/hgrc-not-shared", "Mercurial, like hgrc", "mercurial-scm.org/help/topics/config"},
	{".hg/sharedpath", "Mercurial: where the repository is", "mercurial-scm.org/help/topics/internals.requirements"},
	{".jj/repo/config.toml", "Jujutsu: aliases, tools", "docs.jj-vcs.dev/latest/config"},
	{".jj/workspace-config.toml", "Jujutsu: aliases, tools", "docs.jj-vcs.dev/latest/config"},
	{"rust-toolchain.toml", "rustup: where the toolchain is", "rust-lang.github.io/rustup/overrides.html"},
	{"rust-toolchain", "rustup: where the toolchain is", "rust-lang.github.io/rustup/overrides.html"},
	{".corepack.env", "Corepack: package managers from any address", "github.com/nodejs/corepack: Environment Variables"},
	{".sl/config", "Sapling: hooks, aliases", "sapling-scm.com/docs/introduction"},
	{".sl/sharedpath", "Sapling: where the repository is", "github.com/facebook/sapling"},
	{".svn/", "Subversion: where the repository is, and so whose hooks run", "svnbook.red-bean.com: Implementing Repository Hooks"},
	{"CVS/Root", "CVS: the program that reaches the repository (CVS_RSH)", "gnu.org: CVS, Specifying a repository"},
	{".fslckout", "Fossil: settings of a check-out (diff-command)", "fossil-scm.org: Settings"},
	{".fos", "Fossil: settings of a check-out (diff-command)", "fossil-scm.org: Settings"},
	{"_FOSSIL_", "Fossil: settings of a check-out (diff-command)", "fossil-scm.org: Settings"},
	{".ctags.d/", "Universal Ctags: options, as where it writes", "docs.ctags.io: ctags-optlib"},
	{"ctags.d/", "Universal Ctags: options, as where it writes", "docs.ctags.io: ctags(1), Files"},
	{".ctags", "Exuberant Ctags: options, as where it writes", "ctags.sourceforge.net/ctags.html"},
	{".ledgerrc", "Ledger: a pager", "ledger-cli.org: Environment Variables and Options"},
	{".ugrep", "ugrep: options, as the commands of filters", "github.com/Genivia/ugrep: Configuration files"},
	{".calcinit", "calc: commands", "github.com/lcn2/calc: CALCRC"},
	{".emacs.desktop", "Emacs with desktop-save-mode: code", "gnu.org/software/emacs/manual: Saving Emacs Sessions"},
	{"gtags.conf", "GNU Global: parsers, which are shared objects", "gnu.org/software/global/manual: gtags.conf"},
	{".globalrc", "GNU Global, like gtags.conf", "gnu.org/software/global/manual: gtags.conf"},
	{".bzr/branch/branch.conf", "Breezy: code after a commit (post_commit)", "breezy-vcs.org: Configuration Settings"},
	{"_darcs/prefs/defaults", "Darcs: hooks", "darcs.net/manual"},
	{"_MTN/monotonerc", "monotone: code", "monotone.ca/docs: Configuration files"},
	{".repo/repo", "Repo: the program itself", "gerrit.googlesource.com/git-repo: the launcher"},
	{".pijul/config", "Pijul: hooks", "pijul.org/manual"},
	{".irbrc", "irb: code", "ruby-doc.org: IRB configuration"},
	{"_irbrc", "irb: code", "ruby-doc.org: IRB configuration"},
	{"$irbrc", "irb: code", "ruby-doc.org: IRB configuration"},
	{"irb.rc", "irb: code", "ruby-doc.org: IRB configuration"},
	{".config/irb", "irb: code", "ruby-doc.org: IRB configuration"},
	{".pryrc", "Pry: code", "github.com/pry/pry/wiki/Pry-rc"},
	{".iex.exs", "iex: code", "hexdocs.pm/iex/IEx.html"},
	{".ghci", "GHCi: commands", "downloads.haskell.org: GHC users guide"},
	{".ocamlinit", "OCaml's toplevel: code", "ocaml.org/manual/toplevel.html"},
	{".octaverc", "Octave: code", "docs.octave.org: Startup Files"},
	{".scilab", "Scilab: code", "help.scilab.org: startup"},
	{"scilab.ini", "Scilab: code", "help.scilab.org: startup"},
	{"profile.do", "Stata: commands", "stata.com/manuals: Getting Started, profile.do"},
	{"startup.m", "MATLAB: code", "mathworks.com/help/matlab/ref/startup.html"},
	{"rootlogon.C", "ROOT: code", "root.cern/manual: Logon and logoff scripts"},
	{".rootrc", "ROOT: which code it starts with", "root.cern/manual: Configuring ROOT at startup"},
	{".spiceinit", "ngspice: commands", "ngspice.sourceforge.io/docs: User defined configuration file"},
	{"spice.rc", "ngspice: commands", "ngspice.sourceforge.io/docs: User defined configuration file"},
	{"xschemrc", "XSCHEM: code", "xschem.sourceforge.io: xschemrc"},
	{".magicrc", "Magic: code", "opencircuitdesign.com/magic: Magic startup"},
	{"gafrc", "gEDA and Lepton EDA: code", "wiki.geda-project.org: gafrc"},
	{"gschemrc", "gEDA and Lepton EDA: code", "wiki.geda-project.org: gschemrc"},
	{"gnetlistrc", "gEDA and Lepton EDA: code", "wiki.geda-project.org: gnetlistrc"},
	{".cdsinit", "Virtuoso: code", "support.cadence.com: samples/local/cdsinit"},
	{".synopsys_dc.setup", "Design Compiler: code", "synopsys.com: Design Compiler User Guide, Setup Files"},
	{".pdbrc", "pdb: commands", "docs.python.org/3/library/pdb.html"},
	{".perldb", "Perl's debugger: code", "perldoc.perl.org/perldebug"},
	{".gdbinit", "GDB: commands", "sourceware.org/gdb: Init File in the Current Directory"},
	{".lldbinit", "LLDB: commands", "lldb.llvm.org/man/lldb.html"},
	{".valgrindrc", "Valgrind: options, as where it writes", "valgrind.org/docs/manual: Setting Default Options"},
	{".jdbrc", "jdb: commands, as to run a class", "docs.oracle.com: jdb"},
	{"jdb.ini", "jdb: commands, as to run a class", "docs.oracle.com: jdb"},
	{".Rprofile", "R: code", "stat.ethz.ch/R-manual: Startup"},
	{".Renviron", "R: where its profile is", "stat.ethz.ch/R-manual: Startup"},
	{".RData", "R: its functions, of which .First runs", "stat.ethz.ch/R-manual: Startup"},
	{".merlin", "Merlin: programs that read the source first", "github.com/ocaml/merlin/wiki/project-configuration"},
	{".reviewboardrc", "RBTools: code", "reviewboard.org/docs/rbtools: Configuring"},
	{".jira.d/", "go-jira: settings that it runs where they are programs", "github.com/go-jira/jira: Dynamic Configuration"},
	{".latexmkrc", "latexmk, as when an editor builds at each change: code", "ctan.org/pkg/latexmk: Configuration files"},
	{"latexmkrc", "latexmk, as when an editor builds at each change: code", "ctan.org/pkg/latexmk: Configuration files"},
	{".arcconfig", "Arcanist: libraries that it loads", "secure.phabricator.com/book: Arcanist User Guide"},
	{".project", "Eclipse: programs of a build", "help.eclipse.org"},
	{".externalToolBuilders/", "Eclipse: programs of a build", "help.eclipse.org"},
	{".vs/", "Visual Studio: tasks", "learn.microsoft.com/visualstudio/ide"},
	{".nova/", "Nova: tasks", "help.nova.app"},
	{".clinerules/hooks", "Cline: hooks", "docs.cline.bot"},
	{".github/hooks", "Copilot: hooks", "docs.github.com/copilot"},
	{".kilocode/", "Kilo Code: servers, modes", "kilocode.ai/docs"},
	{".openhands/", "OpenHands: setup, hooks", "docs.openhands.dev"},
	{"buildServer.json", "SourceKit-LSP: a build server's command", "github.com/swiftlang/sourcekit-lsp: Documentation"},
	{".sourcekit-lsp/", "SourceKit-LSP: toolsets and options of compilers", "github.com/swiftlang/sourcekit-lsp: Configuration File"},
	{"hie.yaml", "Haskell Language Server: programs that say how to compile", "github.com/haskell/hie-bios"},
	{".ycm_extra_conf.py", "YouCompleteMe: code, once confirmed", "github.com/ycm-core/YouCompleteMe: User Guide"},
	{".jedi/", "Jedi, as in jedi-vim: the interpreter that it starts", "jedi.readthedocs.io: Projects"},
	{".ropeproject/", "Rope, as in ropevim: code", "rope.readthedocs.io: Configuration"},
	{".lsp/", "clojure-lsp: the command that gives the class path", "clojure-lsp.io/settings"},
	{"rust-analyzer.toml", "rust-analyzer: the command of its checks", "rust-analyzer.github.io/book/configuration.html"},
	{".rust-analyzer.toml", "rust-analyzer: the command of its checks", "rust-analyzer.github.io/book/configuration.html"},
	{".factorypath", "Eclipse's language server for Java: annotation processors", "help.eclipse.org"},
	{".cproject", "Eclipse CDT: programs of a build", "help.eclipse.org"},
	{"omnisharp.json", "OmniSharp: analyzers and scripts that it loads", "github.com/OmniSharp/omnisharp-roslyn/wiki/Configuration-Options"},
	{".phpactor.json", "Phpactor: programs", "phpactor.readthedocs.io: Configuration"},
	{".phpactor.yml", "Phpactor: programs", "phpactor.readthedocs.io: Configuration"},
	{".luarc.json", "Lua's language server: plugins, which are code", "luals.github.io/wiki/configuration"},
	{".luarc.jsonc", "Lua's language server: plugins, which are code", "luals.github.io/wiki/configuration"},
	{".emmyrc.json", "EmmyLua: the program that formats", "github.com/EmmyLuaLs/emmylua-analyzer-rust: docs/external_format"},
	{".mcphub/", "mcphub.nvim: servers that are started", "ravitemer.github.io/mcphub.nvim"},
	{".SpaceVim.d/", "SpaceVim: code", "spacevim.org/documentation"},
	{"Session.vim", "Vim's session plugins: commands", "github.com/tpope/vim-obsession"},
	{".trunk/", "Trunk: programs of its checks", "docs.trunk.io"},
	{"CMakeLists.txt.user", "Qt Creator: steps of builds and runs", "doc.qt.io/qtcreator: Sharing Project Settings"},
	{"*.pro.user", "Qt Creator: steps of builds and runs", "doc.qt.io/qtcreator: Sharing Project Settings"},
	{"*.creator.user", "Qt Creator: steps of builds and runs", "doc.qt.io/qtcreator: Sharing Project Settings"},
	{"*.qbs.user", "Qt Creator: steps of builds and runs", "doc.qt.io/qtcreator: Sharing Project Settings"},
	{".kdev4/", "KDevelop: launches", "kdevelop.org"},
	{".buildconfig", "GNOME Builder: commands before and after a build", "builder.readthedocs.io: Build Configurations"},
	{"*.kdev4", "KDevelop: launches", "kdevelop.org"},
	{".opencode.json", "opencode's elder: servers, the shell", "github.com/opencode-ai/opencode"},
	{".mcphost.yml", "MCPHost: servers, hooks", "github.com/mark3labs/mcphost"},
	{".mcphost.json", "MCPHost: servers, hooks", "github.com/mark3labs/mcphost"},
	{".mcphost/", "MCPHost: hooks", "github.com/mark3labs/mcphost"},
	{"gptme.toml", "gptme: a command that it runs for context", "gptme.org/docs/config.html"},
	{"fastagent.config.yaml", "fast-agent: servers that are started", "fast-agent.ai"},
	{".copilot/", "Copilot: settings, hooks", "docs.github.com/copilot"},
	{".github/copilot", "Copilot: settings", "docs.github.com/copilot"},
	{".github/extensions", "Copilot: extensions", "docs.github.com/copilot"},
	{".github/mcp.json", "Copilot: servers", "docs.github.com/copilot: CLI command reference"},
	{".github/lsp.json", "Copilot: language servers", "docs.github.com/copilot/concepts/agents/copilot-cli/lsp-servers"},
	{".github/agents", "Copilot: agents, with servers", "docs.github.com/copilot/reference/custom-agents-configuration"},
	{".github/github-app.yml", "Copilot: scripts, once accepted", "docs.github.com/copilot: Repository configuration"},
	{".github/copilot-desktop.yml", "Copilot: scripts, once accepted", "docs.github.com/copilot: Repository configuration"},
	{".agents/plugins", "agents: plugins", "agents.md"},
	{".agents/hooks.json", "agents: hooks", "agents.md"},
	{".pochi/", "Pochi: servers", "docs.getpochi.com"},
	{".letta/", "Letta Code: settings, hooks", "docs.letta.com"},
	{".mux/", "Mux: hooks, servers", "mux.coder.com"},
	{".kimi/", "Kimi CLI: servers", "github.com/MoonshotAI/kimi-cli"},
	{".forge/", "Forge: servers, commands", "forgecode.dev/docs"},
	{".neovate/", "Neovate: plugins, servers", "neovateai.dev"},
	{".refact/", "Refact: servers, programs", "docs.refact.ai"},
	{".superset/", "Superset: scripts of a work tree", "docs.superset.sh"},
	{"conductor.json", "Conductor: scripts of a work tree", "docs.conductor.build/core/conductor-json"},
	{"codebuff.json", "Codebuff: processes that it starts", "codebuff.com/docs/advanced/config"},
	{"firebender.json", "Firebender: servers", "docs.firebender.com/context/syntax"},
	{"agents.config.json", "Nanocoder: servers", "github.com/Nano-Collective/nanocoder"},
	{".nanocoder/", "Nanocoder: servers", "github.com/Nano-Collective/nanocoder"},
	{".warp/", "Warp: workflows, servers", "docs.warp.dev"},
	{".tfswitch.toml", "tfswitch: where Terraform is put, on entering the directory", "tfswitch.warrensbox.com"},
	{".prototools", "proto: plugins, on entering the directory", "moonrepo.dev/docs/proto/config"},
	{".pkgx.yaml", "pkgx: the environment, on entering the directory", "docs.pkgx.sh"},
	{".pkgx.yml", "pkgx: the environment, on entering the directory", "docs.pkgx.sh"},
	{".bash_enter", "smartcd: code, on entering the directory", "github.com/cxreg/smartcd"},
	{".bash_leave", "smartcd: code, on leaving the directory", "github.com/cxreg/smartcd"},
	{".autoenv.zsh", "zsh-autoenv: code, on entering the directory", "github.com/Tarrasch/zsh-autoenv"},
	{".autoenv_leave.zsh", "zsh-autoenv: code, on leaving the directory", "github.com/Tarrasch/zsh-autoenv"},
	{".rvmrc", "RVM: code, once trusted, on entering the directory", "rvm.io/workflow/projects"},
	{".versions.conf", "RVM: variables, on entering the directory", "rvm.io/workflow/projects"},
	{".ruby-env", "RVM: variables, on entering the directory", "rvm.io/workflow/projects"},
	{".rbenv-vars", "rbenv-vars: variables of Ruby, as RUBYOPT", "github.com/rbenv/rbenv-vars"},
	{".phpbrewrc", "PHPBrew: code, on entering the directory", "github.com/phpbrew/phpbrew: shell/bashrc"},
	{".psysh.php", "PsySH: code", "psysh.org: Configuration"},
	{".byebugrc", "Byebug: commands", "github.com/deivid-rodriguez/byebug"},
	{".gambini", "Gambit Scheme: code", "gambitscheme.org: The Gambit Scheme interpreter"},
	{"login.sql", "SQL*Plus: commands", "docs.oracle.com: Site and User Profiles"},
	{".dbeaver/data-sources.json", "DBeaver: commands before a connection", "dbeaver.com/docs: Shell commands"},
	{"hledger.conf", "hledger: options, as a pager", "hledger.org: Config files"},
	{".mc.menu", "Midnight Commander: commands behind keys", "midnight-commander.org: Menu File Edit"},
	{".cedit.menu", "mcedit: commands behind keys", "github.com/MidnightCommander/mc: src/editor"},
	{".gitreview", "git-review: where changes go", "docs.opendev.org/opendev/git-review"},
	{".actrc", "act: options, as which directories are mounted", "nektosact.com"},
	{"p4config.txt", "Perforce: the server and its programs", "help.perforce.com: P4CONFIG"},
	{".tmuxp.yaml", "tmuxp: commands of a session", "tmuxp.git-pull.com"},
	{".tmuxp.yml", "tmuxp: commands of a session", "tmuxp.git-pull.com"},
	{".tmuxp.json", "tmuxp: commands of a session", "tmuxp.git-pull.com"},
	{".tmuxinator.yml", "tmuxinator: commands of a session", "github.com/tmuxinator/tmuxinator"},
	{".tmuxinator.yaml", "tmuxinator: commands of a session", "github.com/tmuxinator/tmuxinator"},
	{".tmux-sessionizer", "tmux-sessionizer: commands of a session", "github.com/ThePrimeagen/tmux-sessionizer"},
	{".workmux.yaml", "workmux: hooks, commands of a session", "github.com/raine/workmux"},
	{".config/wt.toml", "Worktrunk: hooks, once approved", "worktrunk.dev/hook"},
	{".dmux/hooks", "dmux: hooks", "github.com/standardagents/dmux"},
	{".gitmodules", "git: where submodules come from; a plain one can be made", "git-scm.com/docs/gitmodules"},
	{".gitmodules.lock", "git: the next .gitmodules", "git-scm.com/docs/gitmodules"},
	{".pillion.toml", "pillion: the policy of the workspace", "docs/policy.md"},
}

// nameIndex is the table as it is asked.
type nameIndex struct {
	single map[string]bool       // whole names
	dirs   map[string]bool       // those of them that are directories
	after  map[string][][]string // by the last part: the parts before it
	begin  [256]bool             // bytes that names begin with which have no dot in front
	ext    [256]bool             // bytes that the last parts of such ends begin with
	first  map[string]bool       // first parts of several: no directory takes such a name
	middle map[string][][]string // parts between the first and the last, as after
	ends   [][2]string           // what a name begins and ends with, around a *
}

var obeyed = sync.OnceValue(func() *nameIndex {
	x := &nameIndex{single: map[string]bool{}, dirs: map[string]bool{}, after: map[string][][]string{}, first: map[string]bool{}, middle: map[string][][]string{}}
	for _, row := range Names {
		parts := strings.Split(strings.ToLower(row.Plain()), "/")
		if c := parts[0][0]; c != '.' && c != '*' {
			x.begin[c] = true
			x.begin[unicode.ToUpper(rune(c))] = true // in ASCII
		}
		last := parts[len(parts)-1]
		if row.Name != row.Plain() {
			x.dirs[last] = true
		}
		begin, end, any := strings.Cut(last, "*")
		switch {
		case any:
			x.ends = append(x.ends, [2]string{begin, end})
			if c := end[strings.LastIndexByte(end, '.')+1]; begin == "" {
				x.ext[c], x.ext[unicode.ToUpper(rune(c))] = true, true
			}
		case len(parts) == 1:
			x.single[last] = true
		default:
			x.after[last] = append(x.after[last], parts[:len(parts)-1])
			x.first[parts[0]] = true
			for i := 1; i < len(parts)-1; i++ {
				x.middle[parts[i]] = append(x.middle[parts[i]], parts[:i])
			}
		}
	}
	return x
})

// SealedName is the one that a canonical name is, "" for none.
func SealedName(name string) string {
	if obeyed().single[name] {
		return name
	}
	for _, e := range obeyed().ends {
		if len(name) >= len(e[0])+len(e[1]) && strings.HasPrefix(name, e[0]) && strings.HasSuffix(name, e[1]) {
			return e[0] + "*" + e[1]
		}
	}
	if strings.IndexByte(name, '~') > 0 {
		i := slices.IndexFunc(Names, func(r Name) bool { return isShortFor(name, r.Plain()) })
		if i >= 0 {
			return Names[i].Plain()
		}
	}
	return ""
}

// sealedBelow is the one that the last of these parts is by those before it.
func sealedBelow(parts []string) string { return follows(obeyed().after, parts) }

// leadsOn says that a protected name goes on after these parts, of which there are two.
func leadsOn(parts []string) bool { return follows(obeyed().middle, parts) != "" }

// follows is the last of these parts with those before it that are in the index.
func follows(index map[string][][]string, parts []string) string {
	last := len(parts) - 1
	for _, before := range index[Canonical(parts[last])] {
		if len(before) > last {
			continue
		}
		if slices.EqualFunc(parts[last-len(before):last], before, func(p, b string) bool { return Canonical(p) == b }) {
			return strings.Join(before, "/") + "/" + Canonical(parts[last])
		}
	}
	return ""
}

// suspicious is the quick answer for nearly every path: no part of it can be a
// protected name.
func suspicious(rel string) bool {
	begin := 0
	for i := 0; i < len(rel); i++ {
		switch c := rel[i]; {
		case c == '/':
			if maybeObeyed(rel[begin:i]) {
				return true
			}
			begin = i + 1
		case (c == '.' || c == '#') && i == begin, c == '~', c >= 0x80:
			return true
		}
	}
	return maybeObeyed(rel[begin:])
}

// maybeObeyed looks at a part that has no dot in front: at the few names and ends of names
// that have no dot either.
func maybeObeyed(part string) bool {
	if part == "" {
		return false
	}
	if obeyed().begin[part[0]] {
		name := strings.ToLower(strings.TrimRight(part, ". "))
		if i := strings.IndexByte(name, ':'); i > 0 {
			name = name[:i]
		}
		name = strings.TrimSuffix(name, FreshSuffix)
		if obeyed().single[name] || obeyed().first[name] || strings.HasPrefix(name, "mise.") {
			return true
		}
	}
	i := strings.LastIndexByte(strings.TrimRight(part, ". "), '.')
	if i < 0 {
		return false
	}
	if c := part[i+1]; obeyed().ext[c] || c|0x20 == FreshSuffix[1] {
		return SealedName(Canonical(part)) != ""
	}
	return strings.IndexByte(part, ':') > 0
}
