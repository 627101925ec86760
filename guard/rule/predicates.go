package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// deletesAll is the contents of a workspace folder or of an allowed root at
// once, a folder as ".", and git's own directory.
func deletesAll(w *Context, e *effect.Effect) bool {
	if e.Kind != effect.Delete || e.Unknown {
		return false
	}
	if e.Maybe && !strings.Contains(e.Text, "*") && path.Clean(e.Text) != "." {
		return false // a name that is not there
	}
	for _, root := range slices.Concat(w.Facts.Folders(), w.Roots) {
		rest, ok := strings.CutPrefix(e.Path, root)
		if ok && strings.HasPrefix(rest, "/.git/") && strings.HasSuffix(rest, ".lock") {
			return false // what a git that was stopped leaves behind
		}
		if ok && (rest == "" || rest == "/*" || rest == "/.*" || rest == "/.[!.]*" || rest == "/.git" ||
			strings.HasPrefix(rest, "/.git/")) {
			return true
		}
	}
	return strings.HasSuffix(e.Path, "/.git")
}

// fsWhen are predicates of rows about what is deleted, written and read where.
var fsWhen = map[string]When{
	"fs/delete-system": func(c *Context, e *effect.Effect) bool {
		// A home below an allowed root (/tmp in a container) is still a home.
		home := strings.TrimSuffix(e.Path, "/*") == c.Home
		return e.Kind == effect.Delete && !e.Unknown && !e.Maybe && (home || !e.Inside && c.Vital(e.Path))
	},
	"fs/delete-workspace": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Delete && !e.Maybe && slices.Contains(c.Facts.Folders(), e.Path) &&
			!slices.Contains([]string{".", "./"}, e.Text)
	},
	"fs/delete-outside": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Delete && !e.Inside && !e.Unknown && !e.Maybe
	},
	"net/socket": func(_ *Context, e *effect.Effect) bool {
		return (Writes(e) || e.Kind == effect.Read) && place.BashSocket(e.Path)
	},
	"fs/write-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Write && !e.Inside && !e.Unknown && !c.Granted(e)
	},
	"fs/run-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && e.Name != "" && !e.Inside && !(lookers.Has(e.Name) && c.Shown(e))
	},
	"fs/read-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && e.Name == "" && !e.Inside && !e.Unknown && !c.Public(e.Path) && !c.Shown(e)
	},
	"fs/delete-contents": deletesAll,
	"fs/delete-unknown": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Delete && e.Unknown && !e.Maybe && e.Name != "mv"
	},
}

// lookers only look at the folder they are started in.
var lookers = argv.Names(`ls cat head tail grep egrep rg ag find fd sed awk wc sort uniq cut tree file stat du less
	more diff jq git pwd echo printf test [ true readlink realpath basename dirname md5sum sha256sum nl od xxd strings
	column comm`)

// containerWhen are predicates of rows about containers that reach out of themselves.
var containerWhen = map[string]When{
	"container/socket": func(_ *Context, e *effect.Effect) bool {
		return (e.Kind == effect.Read || Writes(e)) && place.Socket(e.Path)
	},
}

// systemWhen are predicates of rows about the machine beyond the workspace: root, packages,
// services, the kernel.
var systemWhen = map[string]When{
	"system/flood": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Bomb && e.Name == effect.EndlessWrite
	},
}

// windowsWhen are predicates of rows about what only Windows shells do. Their other commands are
// judged by the rules of every shell.
var windowsWhen = map[string]When{
	"windows/encoded": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Code && e.Name == effect.EncodedCode
	},
}

// outwardWhen are predicates of rows about what others see, or lose: releases, deployments,
// databases.
var outwardWhen = map[string]When{
	"outward/remote": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && e.Sends == effect.ChangesThere
	},
	"data/destroy": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Data },
}

// agentWhen are predicates of rows about other coding agents, and about watching the user.
var agentWhen = map[string]When{
	"secret/keys": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && (strings.HasPrefix(e.Path, "/dev/input/") && e.Path != "/dev/input/" ||
			strings.HasPrefix(e.Path, "/dev/hidraw"))
	},
}

// langWhen are predicates of rows about code that one program carries for another: in a one-liner,
// an option or a variable.
var langWhen = map[string]When{
	"code/hook":        func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Hook && !e.Inside },
	"code/hidden":      func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Hidden },
	"code/shell":       func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Shell },
	"code/script-hook": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Hook },
	"env/dump":         func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Dump },
}

// machineWhen are predicates of rows about disks, power and processes.
var machineWhen = map[string]When{
	"process/fork-bomb": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Bomb && e.Name != effect.EndlessWrite && e.Name != effect.EndlessInput
	},
	"device/write": func(_ *Context, e *effect.Effect) bool { return Writes(e) && place.BlockDevice(e.Path) },
	"process/memory": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Bomb && e.Name == effect.EndlessInput
	},
}

// codeWhen are predicates of rows about whose program or code runs.
var codeWhen = map[string]When{
	"program/outside": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Exec && !e.Inside && !e.Unknown },
	"code/remote":     func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && effect.Fetched(e.From) },
	"code/decoded":    func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && effect.Decoded(e.From) },
	"code/library":    func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && e.Name == "library" },
	"env/loader": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Env && place.Loaders()[e.Name] && e.Text != ""
	},
	"program/unknown": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Exec && e.Unknown },
	"code/unknown":    func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code },
}

// persistWhen are predicates of rows about code that stays behind and runs later.
var persistWhen = map[string]When{
	"persist/policy": func(_ *Context, e *effect.Effect) bool {
		return Writes(e) && strings.EqualFold(path.Base(e.Path), place.PolicyFile)
	},
	"persist/hook": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Write && place.Hook(e.Path) },
	"persist/tracks": func(_ *Context, e *effect.Effect) bool {
		if e.Kind != effect.Env {
			return false
		}
		return e.Name == "HISTFILE" && (e.Text == "/dev/null" || e.Text == "") ||
			(e.Name == "HISTSIZE" || e.Name == "HISTFILESIZE") && e.Text == "0"
	},
}

// networkWhen are predicates of rows about what leaves the machine, and who gets in.
var networkWhen = map[string]When{
	"net/shell":       sends(effect.SendsShell),
	"net/environment": sends(effect.SendsEnvironment),
	"net/project":     sends(effect.SendsProject),
	"net/encoded":     sends(effect.SendsEncoded),
	"net/send": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && !e.Inside && (e.Sends == effect.SendsFile || e.Sends == effect.SendsOutput)
	},
	"net/tunnel": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && (e.Sends == effect.OpensTunnel || e.Sends == effect.Waits)
	},
}

func sends(what string) func(*Context, *effect.Effect) bool {
	return func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && e.Sends == what && (!e.Inside || what == effect.SendsShell)
	}
}

// secretWhen are predicates of rows about credentials: reading, copying, publishing them.
var secretWhen = map[string]When{
	"secret/read": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && !e.Discreet && place.Secret(e)
	},
	"secret/search-history": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Secret && e.Name == "history"
	},
	"secret/metadata": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && place.Metadata(e.Text)
	},
	"secret/variable": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Secret && e.Name == "variable"
	},
	"secret/environment": dumpsEnvironment,
}

// dumpsEnvironment is every way to print all variables at once.
func dumpsEnvironment(_ *Context, e *effect.Effect) bool {
	return !e.Discreet && (e.Kind == effect.Secret && e.Name == "environment" || e.Is(effect.PrintsAll))
}

// inputWhen are predicates of rows about text that can't be read, or not to its end.
var inputWhen = map[string]When{
	"input/bytes":         Problem(effect.ProblemBytes),
	"input/size":          Problem(effect.ProblemSize),
	"input/invalid":       Problem(effect.ProblemInput),
	"input/nested-shells": Problem(effect.ProblemDepth),
	"parse/error":         Problem(effect.ProblemSyntax),
	"parse/opaque":        Problem(effect.ProblemOpaque),
	"budget/work": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Problem && (e.Name == effect.ProblemBudget || e.Name == effect.ProblemNesting)
	},
	"guard/internal": unexplained,
}

// unexplained reports a problem that no other row is about: a fault of the
// guard, or a problem somebody added without a row.
func unexplained(_ *Context, e *effect.Effect) bool {
	switch e.Name {
	case effect.ProblemSize, effect.ProblemBytes, effect.ProblemSyntax, effect.ProblemOpaque, effect.ProblemNesting,
		effect.ProblemDepth, effect.ProblemBudget, effect.ProblemInput:
		return false
	}
	return e.Kind == effect.Problem
}

// workWhen are predicates of rows about work that lies in files and perhaps nowhere else.
var workWhen = map[string]When{
	"fs/delete-sources": deletesSources,
}

// sourceDirs are where projects keep what people wrote.
var sourceDirs = []string{
	"src", "source", "app", "packages", "internal", "cmd", "crates", "migrations", ".github",
	"tests", "spec",
}

func deletesSources(w *Context, e *effect.Effect) bool {
	if e.Kind != effect.Delete || e.Unknown || e.Name == "mv" || !w.InFolders(e.Path) {
		return false
	}
	p := strings.TrimSuffix(e.Path, "/*")
	dir, name := path.Split(p)
	if e.Recursive && slices.Contains(w.Facts.Folders(), path.Clean(dir)) && slices.Contains(sourceDirs, name) {
		return true
	}
	return place.ManySources(e.Path)
}
