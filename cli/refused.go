package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// below is what a person reads below the output, with what only a terminal can offer.
func (c Command) below(r protocol.ExecResult) []protocol.DisplayLine {
	list := display.Result(r, granted)
	for i := range list {
		if len(r.Lost) > 0 && list[i].Text == display.Lost(r.Lost) {
			list[i].Text += keptBy(r.Lost)
		}
	}
	if r.TimedOut {
		more := protocol.DisplayLine{Text: c.moreTime(), Tone: protocol.ToneWarn}
		list = slices.Insert(list, len(list)-1, more)
	}
	return list
}

// keptBy is the flag that keeps the first of the files of a private HOME, "" if its
// directory is not there or is the home itself, which is never granted.
func keptBy(lost []string) string {
	dir := path.Dir(strings.TrimPrefix(lost[0], "~/"))
	home, err := config.UserHome()
	if err != nil || dir == "." {
		return ""
	}
	dir = filepath.Join(home, filepath.FromSlash(dir))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || display.Spelled(dir) != dir {
		return ""
	}
	return ": --writable " + argv.Word(dir)
}

// moreTime says what ended a command that was not ready, and the flag that lets it go on.
func (c Command) moreTime() string {
	had := c.conf.Limits.DefaultTimeout
	if p := c.Params.TimeoutMs; p.Set {
		had = time.Duration(p.Value) * time.Millisecond
	}
	return fmt.Sprintf("it was ended after %s; to give it more: --timeout %s, or --no-timeout", had, 2*had)
}

// flagOf are the flags that give what a grant names.
var flagOf = map[string]string{
	"policy.network.allow": "--host", "policy.network.sockets": "--socket", "policy.network.ports": "--host-port",
	"policy.network.credentials": "--git-credentials",
	"policy.readable":            "--readable", "sandbox.writable": "--writable",
	"sandbox.mode": "--mode", "sandbox.network": "--network",
}

// granted is the flag of exec that gives a grant, which is `setting "value"` or a text. It is empty
// if there is none, or if it is not to be copied from a terminal.
func granted(v protocol.Violation) string {
	setting, value, _ := strings.Cut(v.Grant, " ")
	flag := flagOf[setting]
	arg, err := strconv.Unquote(value)
	if _, bad := strconv.Atoi(value); bad == nil {
		arg, err = value, nil
	}
	if limit, is := strings.CutPrefix(setting, "limits."); is {
		flag, arg = "--limit", limit+"="+value
	}
	if flag == "" || err != nil || display.Spelled(arg) != arg {
		return ""
	}
	return "to allow it: " + flag + " " + argv.Word(arg)
}

// opens are the flags that give what a finding misses outside of the workspace, with how
// its message begins.
var opens = map[string]struct{ flag, before string }{
	"fs/read-outside":  {"--readable", "reads "},
	"fs/write-outside": {"--writable", "writes to "},
}

// missing is the place outside of the workspace that a finding is about, and the flag that
// gives it; "" where none does.
func missing(rule, message string) (flag, place string) {
	o, ok := opens[rule]
	place, named := strings.CutPrefix(message, o.before)
	place, outside := strings.CutSuffix(place, ", outside the workspace")
	if !ok || !named || !outside || !filepath.IsAbs(place) || display.Spelled(place) != place {
		return "", ""
	}
	if o.flag == "--writable" {
		place = filepath.Dir(place)
	}
	if _, err := os.Stat(place); err != nil { // nothing can be given
		return "", ""
	}
	return o.flag, place
}

// openedBy are the flags that let a denied command run, "" if it is also denied for
// something else, or for a place that no flag gives.
func openedBy(v protocol.GuardVerdict) string {
	var flags []string
	for _, f := range v.Findings {
		if f.Decision == guard.Allow {
			continue
		}
		flag, place := missing(f.RuleID, f.Message)
		if flag == "" {
			return ""
		}
		if flag += " " + argv.Word(place); !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return strings.Join(flags, " ")
}
