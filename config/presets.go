package config

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// preset is one toolchain that lives in the user's home. Commands have a
// private home, so a toolchain there must be named to be found.
type preset struct {
	name string
	// from finds the toolchain's directory in the environment; where it answers
	// "", the directory is base below the home.
	from func(getenv) string
	base string
	// read are the directories below it that commands may read and run from.
	// They are directories only, and none that a tool keeps credentials in:
	// ~/.cargo/credentials.toml, ~/.npmrc, ~/.gem/credentials, ~/.m2/settings.xml
	// and ~/.local/share/uv/credentials stay where commands can't see them.
	read []string
	// export is the variable that names the tool's directory, now that $HOME doesn't. It
	// is set if needs exists below the directory.
	export string
	needs  string
}

// presets is the whole table. Caches are read-only: a command that could edit
// the sources in a shared module cache would run in the user's next build.
var presets = []preset{
	// A read-only GOMODCACHE is enough for build, test, vet and mod verify with
	// no network. Where there is one, the executor names a private one.
	{name: "go", from: goModCache, base: "go/pkg/mod", read: []string{"."}, export: "GOMODCACHE"},
	{name: "go", from: goPath, base: "go", read: []string{"bin"}},
	{name: "go", base: "sdk", read: []string{"."}},
	{name: "go", from: goCache, base: ".cache/go-build", read: []string{"."}, export: caches.GoBuilds, needs: "00"},

	// cargo stops at a config.toml it can't read, and that file may hold tokens.
	// The executor gives commands a CARGO_HOME of their own, with this one's
	// registry in it.
	{
		name: "rust", from: variable("CARGO_HOME"), base: ".cargo", read: []string{"bin", "registry", "git"},
		export: "CARGO_HOME", needs: "registry",
	},
	{name: "rust", from: variable("RUSTUP_HOME"), base: ".rustup", read: []string{"."}, export: "RUSTUP_HOME"},

	// What these have downloaded or built is where a workspace's own begins. Of ~/.npm nothing
	// else is seen, and of ccache's no settings but those of ccacheFiles.
	{name: "c", from: ccacheDir, base: ".cache/ccache", export: caches.View(caches.Ccache)},
	{name: "node", from: npmCache, base: ".npm/_cacache", export: caches.View("npm/_cacache")},
	{name: "python", from: cacheHome("PIP_CACHE_DIR", "pip"), base: ".cache/pip", export: caches.View("pip")},
	{name: "python", from: cacheHome("UV_CACHE_DIR", "uv"), base: ".cache/uv", export: caches.View("xdg/uv")},

	{name: "python", from: variable("PYENV_ROOT"), base: ".pyenv", read: []string{"."}, export: "PYENV_ROOT"},
	{name: "python", base: ".local", read: []string{"lib", "bin", "pipx", "share/pipx", "share/uv/python", "share/uv/tools"}},

	{name: "node", from: variable("NVM_DIR"), base: ".nvm", read: []string{"."}, export: "NVM_DIR"},
	{name: "node", from: variable("VOLTA_HOME"), base: ".volta", read: []string{"."}, export: "VOLTA_HOME"},
	{name: "node", from: variable("FNM_DIR"), base: ".local/share/fnm", read: []string{"."}},
	{name: "node", base: ".npm-global", read: []string{"bin", "lib"}},
	{name: "node", read: []string{".bun/bin", ".deno/bin", ".local/share/pnpm"}},

	{name: "ruby", from: variable("RBENV_ROOT"), base: ".rbenv", read: []string{"."}, export: "RBENV_ROOT"},
	{name: "ruby", read: []string{".gem/ruby", ".local/share/gem/ruby"}},

	{name: "java", from: variable("SDKMAN_DIR"), base: ".sdkman", read: []string{"candidates"}},
	{name: "java", base: ".m2/repository", read: []string{"."}, export: caches.MavenRepository},
	{name: "java", from: gradleCaches, base: ".gradle/caches", read: []string{"modules-2"}, export: "GRADLE_RO_DEP_CACHE", needs: "modules-2"},

	{name: "asdf", from: variable("ASDF_DATA_DIR"), base: ".asdf", read: []string{"installs", "shims", "plugins", "bin"}},
	{name: "mise", base: ".local/share/mise", read: []string{"installs", "shims"}},
}

// toolchains are the directories of presets that exist, in the table's order
// and once each, and the variables that point tools at them. Where a link leads to
// one, what it leads to is granted, and the private home gets the link. named says by which
// path each was found.
func toolchains(env getenv, home string) (readable []string, links []sandbox.HomeFile, vars, named map[string]string) {
	vars, named = map[string]string{}, map[string]string{}
	seen := map[string]bool{}
	granted := granting(home)
	for _, p := range presets {
		dir := p.dir(env, home)
		for _, r := range p.read {
			d := below(dir, r)
			real, ok := granted(d)
			if !ok || seen[d] {
				continue
			}
			seen[d] = true
			if rel, err := filepath.Rel(home, d); real != d && err == nil && filepath.IsLocal(rel) {
				links = append(links, sandbox.HomeFile{Path: filepath.ToSlash(rel), Link: real})
			}
			readable, named[real] = append(readable, real), d
		}
		if p.export == "" {
			continue
		}
		if real, ok := granted(below(dir, p.needs)); ok {
			vars[p.export] = dir
			if caches.IsView(p.export) { // a mount follows no links
				vars[p.export], named[real] = real, dir
			}
		}
	}
	for _, name := range goSettings {
		if value := env(name); value != "" && !strings.Contains(value, "@") {
			vars[name] = value
		}
	}
	return readable, links, vars, named
}

// Apart leaves out the toolchains that are found by a path through one of the folders: a
// command could have left a link there, which decides what the next one reads.
func (c Config) Apart(folders []string) Config {
	through := func(dir string) bool {
		return c.named[dir] != "" && workspace.Crosses(c.named[dir], folders)
	}
	c.Sandbox.Readable = slices.DeleteFunc(slices.Clone(c.Sandbox.Readable), through)
	c.Env = maps.Clone(c.Env)
	maps.DeleteFunc(c.Env, func(name, dir string) bool { return caches.IsView(name) && through(dir) })
	return c
}

// goSettings say where go gets modules from and which of them are private. An address with
// a password in it stays out.
var goSettings = []string{"GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB"}

func (p preset) dir(env getenv, home string) string {
	if p.from != nil {
		if dir := p.from(env); filepath.IsAbs(dir) {
			return filepath.Clean(dir)
		}
	}
	return below(home, p.base)
}

func variable(name string) func(getenv) string {
	return func(env getenv) string { return env(name) }
}

// goPath is the first entry of GOPATH: the one that go installs into.
func goPath(env getenv) string {
	first, _, _ := strings.Cut(env("GOPATH"), string(filepath.ListSeparator))
	return first
}

func goModCache(env getenv) string {
	if dir := env("GOMODCACHE"); dir != "" {
		return dir
	}
	if first := goPath(env); first != "" {
		return filepath.Join(first, "pkg", "mod")
	}
	return ""
}

// goCache is where go keeps what it has built. os.UserCacheDir
func goCache(env getenv) string {
	dir := env("GOCACHE")
	switch {
	case dir != "":
		return dir
	case runtime.GOOS == "windows":
		return filepath.Join(env("LocalAppData"), "go-build")
	case runtime.GOOS == "darwin":
		return filepath.Join(env("HOME"), "Library", "Caches", "go-build")
	}
	return filepath.Join(env("XDG_CACHE_HOME"), "go-build")
}

func npmCache(env getenv) string { return filepath.Join(env("npm_config_cache"), "_cacache") }

// cacheHome is where a tool of the XDG rules has its cache: a variable's directory, or its own.
func cacheHome(name, own string) func(getenv) string {
	return func(env getenv) string {
		if dir := env(name); dir != "" {
			return dir
		}
		return filepath.Join(env("XDG_CACHE_HOME"), own)
	}
}

func gradleCaches(env getenv) string {
	if dir := env("GRADLE_USER_HOME"); dir != "" {
		return filepath.Join(dir, "caches")
	}
	return ""
}

func below(dir, rel string) string { return filepath.Join(dir, filepath.FromSlash(rel)) }

// granting is what a directory leads to, if it exists and is neither the home nor above
// it: VOLTA_HOME=$HOME would otherwise open every credential in the home. Every start asks
// for all of them; most don't exist, and some are asked for twice.
func granting(home string) func(dir string) (real string, ok bool) {
	realHome, err := filepath.EvalSymlinks(home)
	if err != nil {
		realHome = home
	}
	known := map[string]string{}
	return func(dir string) (string, bool) {
		real, ok := known[dir]
		if !ok {
			real = leads(dir, home, realHome)
			known[dir] = real
		}
		return real, real != ""
	}
}

// leads is where a directory is, "" if it may not be shown: a link to ~/.ssh in the place of
// a cache opens no keys, and one to /tmp not the sockets of the host.
func leads(dir, home, realHome string) string {
	if above(dir, home) || !isDir(dir) {
		return ""
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || above(real, realHome) || (sandbox.Policy{}).Hides(realHome, real) || sandbox.IsOwnDir(real) {
		return ""
	}
	return real
}

func above(dir, home string) bool {
	up, err := filepath.Rel(dir, home)
	return err != nil || (up != ".." && !strings.HasPrefix(up, ".."+string(filepath.Separator)))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
