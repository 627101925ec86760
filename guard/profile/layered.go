package profile

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// layeredWhen are four layers: programs that are never run, rm by its flags and
// targets, code inside of code, and shapes of text.
var layeredWhen = map[string]rule.When{
	"layered/program": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && blockedName(e) != ""
	},
	"layered/rm-unpreserved": func(_ *rule.Context, e *effect.Effect) bool {
		f := rmFlags(e.Args)
		return e.Runs("rm") && f.recursive && f.unpreserved && !onRoot(e.Args)
	},
	"layered/rm-root": func(_ *rule.Context, e *effect.Effect) bool { return deletesTree(e) && namesDir(e, "/") },
	"layered/rm-critical": func(_ *rule.Context, e *effect.Effect) bool {
		return deletesTree(e) && namesDir(e, criticalDirs...)
	},
	"layered/interpreter": func(c *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && escapesInto(c, e)
	},
	"layered/fork-bomb": rule.About(effect.Bomb),
	"layered/dd": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Runs("dd") && argv.AnyText(e.Args, func(s string) bool {
			of, ok := strings.CutPrefix(s, "of=")
			return ok && place.BlockDevice(path.Clean(of))
		})
	},
	"layered/device": devices,
	"layered/remote-code": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Code && effect.Fetched(e.From)
	},
	"layered/exfiltration": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && sendsSecret(e) != ""
	},
	"layered/credentials": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && secret(e.Text, e.Path) != ""
	},
}

// layeredSay are the reasons that depend on the effect; the others are messages of the rows.
var layeredSay = map[string]func(*effect.Effect) string{
	"layered/program": blockedName,
	"layered/remote-code": func(e *effect.Effect) string {
		if e.Name == "shell" {
			return "pipe to shell"
		}
		return "pipe to interpreter"
	},
	"layered/exfiltration": sendsSecret,
	"layered/credentials":  func(e *effect.Effect) string { return secret(e.Text, e.Path) },
}

// Layered are the rows of the profile. The effects say what an inner shell or eval does.
func Layered() []rule.Rule {
	rows := read("layered", layeredWhen)
	for i := range rows {
		say, message := layeredSay[rows[i].ID], rows[i].Message
		rows[i].Say = func(e *effect.Effect) string {
			inner := innerCode(e.Via)
			if inner == "" && say == nil {
				return message
			}
			if inner == "" {
				inner = say(e)
			}
			return "Error: " + inner
		}
	}
	return rows
}

// innerCode says through which kind of inner code an effect was reached.
func innerCode(via []effect.Link) string {
	for _, l := range via {
		switch {
		case l.Construct == "eval":
			return "eval escape"
		case strings.HasSuffix(l.Construct, " -c"):
			return "interpreter escape"
		}
	}
	return ""
}

// blockedName is how this profile calls a program that it never runs.
func blockedName(e *effect.Effect) string {
	switch name, _, _ := strings.Cut(e.Name, "."); name {
	case "mkfs", "shutdown", "reboot", "halt", "poweroff":
		return name
	case "systemctl", "init", "telinit":
		for _, a := range e.Args {
			verbs := []string{"poweroff", "reboot", "halt"}
			if name != "systemctl" {
				verbs = []string{"0", "6"}
			}
			switch {
			case slices.Contains(verbs, a.Text):
				return name + " " + a.Text
			case !strings.HasPrefix(a.Text, "-"):
				return ""
			}
		}
	}
	return ""
}

var criticalDirs = []string{"/home", "/etc", "/var", "/usr", "/bin", "/lib", "/boot", "/root"}

func deletesTree(e *effect.Effect) bool {
	return e.Kind == effect.Delete && e.Recursive && !e.Unknown
}

// namesDir reports a path that is or, as a glob, could be one of dirs, or all of its
// contents at once; as it was written, too, for on many systems /bin is a link to
// /usr/bin.
func namesDir(e *effect.Effect, dirs ...string) bool {
	for _, p := range []string{e.Path, path.Clean(e.Text)} {
		if p == "/*" {
			p = "/"
		}
		if p = strings.TrimSuffix(p, "/*"); slices.ContainsFunc(dirs, func(dir string) bool { return couldBe(p, dir) }) {
			return true
		}
	}
	return false
}

// onRoot leaves rm's operand "/" to the rule that names it.
func onRoot(args []effect.Arg) bool {
	return argv.AnyText(args, func(s string) bool { return strings.HasPrefix(s, "/") && path.Clean(s) == "/" })
}
