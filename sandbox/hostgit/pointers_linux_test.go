package hostgit

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Whatever git would run or read is found, from a folder that is the work tree and from
// one that is a directory of it.
func TestPointersOfEverySpelling(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, set := range [][2]string{
		{"include.path", "../sub/n/f"},
		{"includeIf.onbranch:other.path", "../sub/n/f"},
		{"core.attributesFile", "sub/n/f"},
		{"remote.o.uploadpack", "sub/n/f"},
		{"remote.o.receivepack", "sub/n/f --strict"},
		{"submodule.s.update", "!sub/n/f"},
		{"alias.x", "!sub/n/f"},
		{"alias.x", "!cd sub; n/f"},
		{"alias.x", "!cd sub && cd n && ./f"},
		{"alias.x", `!"$(git rev-parse --show-toplevel)/sub/n/f"`},
		{"alias.x", "!$GIT_WORK_TREE/sub/n/f"},
		{"alias.x", "!sh ${PWD}/sub/n/f"},
		{"filter.x.clean", "env A=1 sub/n/f"},
		{"diff.x.textconv", "python3 -m sub.n.f"},
	} {
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		sub, file := filepath.Join(top, "sub"), filepath.Join(top, "sub/n/f")
		if set[1] == "python3 -m sub.n.f" {
			file += ".py"
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"init", "-q"}, {"config", set[0], set[1]}} {
			if out, err := exec.Command("git", append([]string{"-C", top}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("%q: %v\n%s", args, err, out)
			}
		}
		for _, root := range []string{top, sub} {
			if found := new(Pointers).Below([]string{root}); !slices.Contains(found, file) {
				t.Errorf("%s = %s from %s: %q", set[0], set[1], root[len(top):], found)
			}
		}
	}
}

// What git runs by itself is found where it is not there yet, with what is beside it and
// what it takes in; so are the ends of hidden links of the home.
func TestPointersToWhatIsLoaded(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	top := filepath.Join(home, "w")
	for _, args := range [][]string{{"init", "-q", top}, {"-C", top, "config", "filter.a.clean", "tools/absent"}, {"-C", top, "config", "filter.b.clean", "sh scripts/clean.sh"}, {"-C", top, "config", "diff.c.textconv", "python3 -m absent.module"}, {"-C", top, "config", "core.editor", "$HOME/w/ed"}, {"-C", top, "config", "alias.p", "log origin/main"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	for file, text := range map[string]string{
		"w/scripts/clean.sh": ". lib/common.sh\n", "w/.gdbinit": "source tools/pp.gdb\n", "w/.dir-locals.el": `((nil . ((eval . (load (expand-file-name "el/p.el"))))))`,
		"w/el/p.el": "", "w/.git/hooks/pre-commit": "source hooks/lib\n", "w/gitconfig": "", "w/nvim/init.lua": "", "w/.envrc": "source .venv/bin/activate\n", "w/plain": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_EXTERNAL_DIFF", "bin/diff")
	t.Setenv("EDITOR", top+"/bin/ed --wait")
	t.Setenv("RUBYOPT", "-r"+top+"/ruby/debug.rb")
	t.Setenv("LUA_INIT", "@"+top+"/lua/init.lua")
	t.Setenv("VIMINIT", "source "+top+"/vim/rc")
	t.Setenv("ZDOTDIR", top+"/zsh")
	t.Setenv("CC", top+"/out/cc")
	t.Setenv("PYTHONPATH", top+"/src")
	t.Setenv("GIT_CONFIG_GLOBAL", top+"/global")
	for link, to := range map[string]string{"w/.vscode/tasks.json": "../cfg/tasks.json", "w/.git/hooks/pre-push": "../../scripts2/push", ".gitconfig": "w/gitconfig", ".config/nvim": "../w/nvim", "shortcut": "w/plain", ".bashrc": "w/none/rc", ".profile": "w/scripts/../prof", "dots/rc": "../w/zrc", ".zshrc": "dots/rc", ".round": ".round", ".config/systemd/user/default.target.wants/x.service": "../../../../w/x.service"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	found := new(Pointers).Below([]string{top})
	for _, name := range []string{"tools/absent", "scripts", "lib/common.sh", "absent.py", "absent", "ed", "tools/pp.gdb", "el/p.el", "hooks/lib", "gitconfig", "nvim", "bin/diff", "bin/ed", "global", "cfg/tasks.json", "scripts2/push", "ruby/debug.rb", "lua/init.lua", "vim/rc", "zsh", "none/rc", "prof", "zrc", "x.service"} {
		if !slices.Contains(found, filepath.Join(top, name)) {
			t.Errorf("%s is not found", name)
		}
	}
	for _, name := range []string{"plain", "origin/main", ".venv/bin/activate", "el", "out/cc", "src"} {
		if slices.Contains(found, filepath.Join(top, name)) {
			t.Errorf("%s is found", name)
		}
	}
}

// A home that was granted as a root holds what decides about the next command.
func TestWhatIsOurOwnIsPointedTo(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	own, beside := filepath.Join(home, ".config/pillion"), filepath.Join(home, "w")
	x := &Pointers{Own: []string{own}}
	if !slices.Contains(x.Below([]string{home}), own) || slices.Contains(x.Below([]string{beside}), own) {
		t.Errorf("%q, beside it %q", x.Below([]string{home}), x.Below([]string{beside}))
	}
}
