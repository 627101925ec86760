package toolchains

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// firstBuild is a project whose user has built it before, elsewhere on the disk.
type firstBuild struct {
	name  string
	needs []string
	make  func(u *user) (dir string)
	build string
}

var firstBuilds = []firstBuild{
	{"Go", []string{"git"}, (*user).manyPackages, "go build -o project.out ./app"},
	{"Rust", []string{"git", "cargo"}, (*user).manyTypes, "cargo build -q --offline"},
	{"TypeScript", []string{"git", "tsc"}, (*user).manyModules, "tsc"},
	{"C", []string{"git", "ccache", "gcc", "make"}, (*user).manyObjects, "make -s -j2"},
}

// A machine that does nothing else shows whether the first build in a sandbox takes at most
// 1.5 times as long as the same outside, in a fresh clone, too, with what the user's own
// caches hold. Any machine shows whether the caches begin empty, which costs far more.
const most, busy = 1.5, 6

var quiet = flag.Bool("quiet", false, "the machine does nothing else: first builds are held to 1.5 times")

// A fresh clone and a fresh work tree are new workspaces, whose caches are empty. Their first
// build takes about as long as it takes outside.
func TestTheFirstBuildIsNearlyAsFastAsOutside(t *testing.T) {
	long.Test(t)
	needs.Full(t)
	for _, b := range firstBuilds {
		t.Run(b.name, func(t *testing.T) {
			needs.Program(t, b.needs...)
			everyUser(t, func(u *user) {
				if u.viewed() {
					u.compare(b)
				}
			})
		})
	}
}

// compare measures by turns. The least of each side counts: what other programs take of the
// machine only adds. The start of pillion itself is left out: an editor's has started, and
// the bench has a row for it.
func (u *user) compare(b firstBuild) {
	u.t.Helper()
	dir := b.make(u)
	u.repository(dir)
	u.outside(dir, "sh", "-c", b.build)
	least := map[string]time.Duration{}
	measure := func(what string, f func() time.Duration) {
		if took := f(); least[what] == 0 || took < least[what] {
			least[what] = took
		}
	}
	ratio := func(kind string) float64 {
		return (least["sandboxed "+kind] - least["start"]).Seconds() / least["plain "+kind].Seconds()
	}
	turns, limit, kinds := 2, float64(busy), kinds
	if *quiet {
		turns, limit = 20, most
	} else if os.Geteuid() == 0 { // a cache begins empty for one user as for the other
		kinds = map[bool][]string{true: kinds[:1], false: kinds[1:]}[u.uid == 0]
	}
	for i := range turns {
		measure("start", func() time.Duration { return took(func() { u.inside(dir, "true") }) })
		for _, kind := range kinds {
			for _, side := range []string{"plain", "sandboxed"} {
				measure(side+" "+kind, func() time.Duration { return u.first(dir, b.build, kind, side, i) })
			}
		}
		if i > 3 && !slices.ContainsFunc(kinds, func(kind string) bool { return ratio(kind) > most }) {
			break
		}
	}
	for _, kind := range kinds {
		u.t.Logf("%s: sandboxed %v, a start %v of it, plain %v: %.2f", kind,
			least["sandboxed "+kind], least["start"], least["plain "+kind], ratio(kind))
		if ratio(kind) > limit {
			u.t.Errorf("the first build in a fresh %s takes %.2f times as long as outside", kind, ratio(kind))
		}
	}
}

var kinds = []string{"clone", "work tree"}

// first is how long the first build takes at a place where there was none.
func (u *user) first(dir, build, kind, side string, turn int) time.Duration {
	u.t.Helper()
	fresh := filepath.Join(u.work, fmt.Sprintf("%s %s %d", kind, side, turn))
	fresh = strings.ReplaceAll(fresh, " ", "-")
	if kind == "clone" {
		u.outside(dir, "git", "clone", "-q", dir, fresh)
	} else {
		u.outside(dir, "git", "worktree", "add", "-q", "--detach", fresh)
	}
	if side == "plain" {
		return took(func() { u.outside(fresh, "sh", "-c", build) })
	}
	return took(func() {
		if out, code := u.inside(fresh, build); code != 0 {
			u.t.Fatalf("code %d\n%s", code, out)
		}
	})
}

func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// many writes files that differ by a number, where @ is.
func (u *user) many(dir, name, text string, n int) {
	u.t.Helper()
	for i := range n {
		number := fmt.Sprint(i)
		u.write(filepath.Join(dir, strings.ReplaceAll(name, "@", number)), strings.ReplaceAll(text, "@", number))
	}
}

func (u *user) manyPackages() (dir string) {
	dir = u.goProject()
	u.many(dir, "p@/p.go", "package p\n\nimport \"fmt\"\n\nfunc P() string { return fmt.Sprint(@) }\n", 20)
	var imports strings.Builder
	for i := range 20 {
		fmt.Fprintf(&imports, "import _ \"example.org/project/p%d\"\n", i)
	}
	u.write(filepath.Join(dir, "app/all.go"), "package main\n\n"+imports.String())
	u.write(filepath.Join(dir, ".gitignore"), "*.out\n")
	return dir
}

func (u *user) manyTypes() (dir string) {
	dir = u.crateProject()
	u.many(dir, "src/t@.rs", "// @\n#[derive(Debug, Clone, PartialEq, Hash)]\npub struct T { a: u32, b: String, c: Vec<u8> }\n", 100)
	var modules strings.Builder
	for i := range 100 {
		fmt.Fprintf(&modules, "#[allow(dead_code)]\nmod t%d;\n", i)
	}
	main := filepath.Join(dir, "src/main.rs")
	u.write(main, modules.String()+"\nfn main() {\n    println!(\"sum {}\", dep::add(1, 2));\n}\n")
	u.write(filepath.Join(dir, ".gitignore"), "target\n")
	return dir
}

func (u *user) manyModules() (dir string) {
	dir = filepath.Join(u.work, "typescript")
	u.write(filepath.Join(dir, "tsconfig.json"), `{"compilerOptions":{"strict":true,"incremental":true,"outDir":"dist"},"include":["src"]}`)
	u.many(dir, "src/m@.ts", "export const add@ = (a: number, b: string[]): string => b.map(s => s + a).join()\n", 50)
	u.write(filepath.Join(dir, ".gitignore"), "dist\n")
	return dir
}

func (u *user) manyObjects() (dir string) {
	dir = filepath.Join(u.work, "objects")
	var text strings.Builder
	for _, h := range []string{"errno", "fcntl", "math", "netdb", "netinet/in", "poll", "pthread", "signal", "stdio", "stdlib", "string", "sys/stat", "sys/wait", "time", "unistd"} {
		fmt.Fprintf(&text, "#include <%s.h>\n", h)
	}
	for i := range 150 {
		fmt.Fprintf(&text, "\nint f@_%d(const char *a) { return printf(\"%%s %%zu\", a, strlen(a) + @ * %d); }\n", i, i)
	}
	u.many(dir, "f@.c", text.String(), 60)
	u.write(filepath.Join(dir, "main.c"), "int main(void) { return 0; }\n")
	u.write(filepath.Join(dir, "Makefile"), "CC = ccache gcc\nproject: $(patsubst %.c,%.o,$(wildcard *.c))\n\t$(CC) -o $@ $^\n")
	u.write(filepath.Join(dir, ".gitignore"), "*.o\nproject\n")
	return dir
}
