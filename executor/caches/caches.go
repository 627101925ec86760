package caches

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/executor/gocache"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Commands get caches of their own, which outlive the sandbox, and never the
// user's: an object in a shared build cache, or a source file in a shared module
// cache, runs in the user's next build. Nothing of ours ever points a tool
// outside of the sandbox at one of these directories.

// Key names the caches of a policy's commands. Those that may write the same
// places share them, and no others do: a reading command could otherwise leave
// in the cache what a writing one then runs.
func Key(p sandbox.Policy, folders []string) string {
	may := string(p.Mode)
	if p.Mode == sandbox.WorkspaceWrite {
		may = fmt.Sprintf("%q", slices.Sorted(slices.Values(p.Writable)))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q", may, slices.Sorted(slices.Values(folders))))
	return hex.EncodeToString(sum[:16])
}

// variables are the variables that name a cache which the tool fills by itself. Tools that
// follow the XDG rules need none of their own: pip, uv, yarn, deno, ccache, golangci-lint,
// pre-commit.
var variables = map[string]string{
	"XDG_CACHE_HOME":   "xdg",
	"GOCACHE":          "go-build",
	"npm_config_cache": "npm",
	"PIP_CACHE_DIR":    "pip",
	"CARGO_HOME":       "cargo",
	"GRADLE_USER_HOME": "gradle",
}

// Caches whose tool downloads into the same place that it reads from. They are
// used from the first command with a network on, by commands without one, too:
// what was fetched once must be found then.
const (
	fetchedModules = "go-mod"
	fetchedCrates  = "cargo-net"
)

// Vars points tools at the caches in dir. user are the variables that name
// the user's own read-only ones; has says what there is in dir already.
func Vars(dir string, network sandbox.Network, user map[string]string, has func(string) bool) map[string]string {
	vars := map[string]string{}
	for name, sub := range variables {
		vars[name] = filepath.Join(dir, sub)
	}
	online := network != sandbox.NetworkDeny
	if online || has(fetchedModules) {
		vars["GOMODCACHE"] = filepath.Join(dir, fetchedModules)
		vars["GOPROXY"] = goProxy(user["GOMODCACHE"], user["GOPROXY"], online)
	}
	if online || has(fetchedCrates) {
		vars["CARGO_HOME"] = filepath.Join(dir, fetchedCrates)
	}
	maps.Copy(vars, noNews)
	if !online {
		maps.Copy(vars, noRetries)
	}
	if prog := gocache.Setting(vars["GOCACHE"], user[GoBuilds]); prog != "" {
		vars["GOCACHEPROG"] = prog
	}
	if opts := mavenOptions(filepath.Join(dir, "maven"), user[MavenRepository]); opts != "" {
		vars["MAVEN_OPTS"] = opts
	}
	return vars
}

// noNews keep tools from looking for a newer version of themselves, which asks for a host
// that the command doesn't need: "npm run dev" asked for npm's registry.
var noNews = map[string]string{"npm_config_update_notifier": "false", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

// noRetries are for tools that would try for a minute to reach what can't be reached, and
// only then say so.
var noRetries = map[string]string{
	"npm_config_fetch_retries": "0", "CARGO_NET_RETRY": "0", "PIP_RETRIES": "0", "UV_HTTP_RETRIES": "0", "YARN_HTTP_RETRY": "0",
}

// goProxy lets go take what the user's module cache holds from there, so that
// nothing is fetched twice; then it goes where the user's own go does.
func goProxy(userCache, userProxy string, online bool) string {
	var list []string
	if userCache != "" {
		list = append(list, "file://"+strings.ReplaceAll(filepath.ToSlash(userCache), " ", "%20")+"/cache/download")
	}
	switch {
	case !online:
		list = append(list, "off")
	case userProxy != "":
		list = append(list, userProxy)
	default:
		list = append(list, "https://proxy.golang.org", "direct")
	}
	return strings.Join(list, ",")
}

// GoBuilds is, among the variables of Config.Env, the user's own build cache, which
// commands read and never write.
const GoBuilds = "GOCACHE"

// MavenRepository is, among the variables of Config.Env, the user's local repository. It
// is not one of Maven's own and reaches no command.
const MavenRepository = "MAVEN_REPOSITORY"

// mavenOptions name a local repository with the user's after it (Maven 3.9; older ones
// know only the first). Maven's start script splits them at blanks.
func mavenOptions(own, users string) string {
	if strings.ContainsAny(own+users, " \t'\"") {
		return ""
	}
	opts := "-Dmaven.repo.local=" + own
	if users != "" {
		opts += " -Dmaven.repo.local.tail=" + users
	}
	return opts
}

// Links are made in a new cache: cargo has one home for what it reads and what it writes,
// so the user's downloads are in ours as links. The sandbox lets nothing be changed
// through them. What cargo unpacks of them is put beside.
func Links(user map[string]string) map[string]string {
	links := map[string]string{}
	if home := user["CARGO_HOME"]; home != "" {
		for _, store := range []string{"registry/index", "registry/cache", "git/db"} {
			links[variables["CARGO_HOME"]+"/"+store] = filepath.Join(home, filepath.FromSlash(store))
		}
	}
	return links
}

// use is what is known about one workspace's caches.
type use struct {
	key   string
	used  time.Time
	bytes int64
}

// leastUsed chooses the caches to remove, those first that were not used for longest,
// until the rest is within limit.
func leastUsed(all []use, limit int64) (keys []string) {
	var total int64
	for _, c := range all {
		total += c.bytes
	}
	byAge := slices.SortedFunc(slices.Values(all), func(a, b use) int { return a.used.Compare(b.used) })
	for _, c := range byAge {
		if total <= limit {
			break
		}
		keys = append(keys, c.key)
		total -= c.bytes
	}
	return keys
}

// WithTools are the variables of toolchains that commands get: those of the user's
// own directories, and over them those of the caches.
func WithTools(user, caches map[string]string) map[string]string {
	vars := maps.Clone(user)
	if vars == nil {
		vars = map[string]string{}
	}
	delete(vars, MavenRepository)
	delete(vars, GoBuilds)
	maps.DeleteFunc(vars, func(name, _ string) bool { return IsView(name) })
	maps.Copy(vars, caches)
	return vars
}
