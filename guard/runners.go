package guard

import (
	"slices"
	"strings"
	"sync"
)

// runnerTable lists tools with a subcommand that runs the command behind it:
// tool, subcommands, options of the subcommand with a value.
var runnerTable = sync.OnceValue(func() map[string][2]string {
	return map[string][2]string{
		"poetry":      {"run", ""},
		"pipenv":      {"run", ""},
		"pdm":         {"run", "-p@ --project@"},
		"hatch":       {"run", ""},
		"rye":         {"run", ""},
		"uv":          {"run", "--with: --python: -p: --project< --directory@ --env-file< --extra: --group: --package: --index-url: -m: --module: --with-requirements<"},
		"conda":       {"run", "-n: -p: --name: --prefix: --cwd@"},
		"mamba":       {"run", "-n: -p: --name: --prefix: --cwd@"},
		"bundle":      {"exec", ""},
		"rbenv":       {"exec", ""},
		"pyenv":       {"exec", ""},
		"mise":        {"exec x", "-C@ --cd@ -j:"},
		"rustup":      {"run", ""},
		"direnv":      {"exec", ""},
		"npm":         {"exec x", "-p: --package: -w: --workspace: -c: --call:"},
		"yarn":        {"exec dlx run", "-p: --package:"},
		"pnpm":        {"exec dlx", "--package: --filter: -C@"},
		"perf":        {"stat record trace", "-e: -o> -p: -t: -C: -r: -F: --event: --output> --pid: --repeat: --freq: --call-graph:"},
		"rr":          {"record", "-o>"},
		"op":          {"run", "--env-file<"},
		"asdf":        {"exec", ""},
		"volta":       {"run", "--node: --npm: --yarn:"},
		"fnm":         {"exec", "--using:"},
		"nvm":         {"exec run", ""},
		"pixi":        {"run", "-e: --environment: --manifest-path<"},
		"devbox":      {"run", "-c< --config< -e: --env:"},
		"stack":       {"exec", "--package: --cwd@"},
		"cabal":       {"exec", ""},
		"opam":        {"exec", "--switch:"},
		"composer":    {"exec", ""},
		"tox":         {"exec", "-e:"},
		"jenv":        {"exec", ""},
		"toolbox":     {"run", "-c: -d: -r:"},
		"foreman":     {"run", "-e< -f< --env<"},
		"honcho":      {"run", "-e< -f<"},
		"lerna":       {"exec", "--scope: --ignore: --concurrency:"},
		"micromamba":  {"run", "-n: -p: --name: --prefix: --cwd@"},
		"chruby-exec": {"--", ""},
		"doppler":     {"run", "-p: -c: --project: --config:"},
		"infisical":   {"run", "--env: --path:"},
	}
})

// runner judges the command that follows `poetry run` and the like.
func (w *walker) runner(st *state, name string, args []arg, in stream) {
	if slices.Contains([]string{"nc", "ncat", "netcat", "socat"}, name) {
		w.listens(name, args)
		return
	}
	row, ok := runnerTable()[name]
	if !ok {
		return
	}
	rest := behindOptions(name, args)
	if inner := inWorkspaces(rest); name == "yarn" && inner != nil {
		rest = inner
	}
	if (name == "yarn" || name == "pnpm") && len(rest) > 1 && !nodeVerbs.has(rest[0].text) { // yarn rimraf dist
		w.launch(st, rest, in)
		return
	}
	if len(rest) == 0 || !slices.Contains(strings.Fields(row[0]), rest[0].text) {
		return
	}
	defer w.enter(name+" "+rest[0].text, summary(rest[1:]), rest[0].span)()
	spec := newSpec(":::", row[1])
	values, command := spec.leading(rest[1:])
	w.touch(st, values, nil)
	st = w.chdirs(st, values)
	if name == "npm" {
		if code := valuesOf(rest[1:len(rest)-len(command)], "-c", "--call"); len(code) > 0 {
			w.code(st.child(), "npm exec -c", code[0], w.lang, in)
			return
		}
	}
	if name == "rustup" || name == "direnv" || name == "nvm" { // a toolchain, a directory
		command = command[min(1, len(command)):]
	}
	if len(command) > 0 && command[0].text == "--" {
		command = command[1:]
	}
	if len(command) > 0 {
		w.runSource(st, sourceOf(command[0].text), name+" run", command[0]) // uv run x.py
	}
	if len(command) == 0 || !w.judges(command[0].text) || !w.deeper() {
		return
	}
	w.exec(st.subshell(), command, in)
	w.nested--
}

// listens reports a network program that hands its connection to a shell.
func (w *walker) listens(name string, args []arg) {
	programs := valuesOf(args, "-e", "--exec", "-c", "--sh-exec", "--lua-exec")
	if name == "socat" {
		programs = nil
	}
	for _, a := range args {
		if address, _, ok := strings.Cut(a.text, ":"); ok && name == "socat" && (strings.EqualFold(address, "exec") || strings.EqualFold(address, "system")) {
			programs = append(programs, a)
		}
	}
	for _, program := range programs {
		w.emitAt(program, effect{kind: kindCode, name: "shell", text: program.text, from: []string{name}})
	}
}

// judges reports a program we know something about; another is a script of the
// project or of a package, and its arguments are its own.
func (w *walker) judges(name string) bool {
	_, known := specs()[name]
	_, words := shellWords()[name]
	_, runs := runnerTable()[name]
	return known || words || runs || name == "nodemon" || name == "chokidar" || handlers()[name] != nil || strings.Contains(name, "/")
}
