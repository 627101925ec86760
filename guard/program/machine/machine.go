// Package machine knows what changes the machine for all its programs: power,
// processes, services, accounts, rights.
package machine

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is power, processes, services, and who may do what.
func Family() run.Family {
	return run.Family{Means: []run.Meaning{
		{Word: "agent/unbraked", When: asksNobody},
		{Word: "secret/keys", When: watchesUser},
		{Word: "process/kill-all", When: killsAll},
		{Word: "process/kill-parent", When: killsParent},
		{Word: "system/kill-by-name", When: run.OfMachine(killsByName)},
		{Word: "system/attack-tool", When: attacks},
		{Word: "net/tunnel", When: letsIn},
		{Word: "persist/tracks", When: run.OfMachine(coversTracks)},
		{Word: "system/root-shell", When: rootShell},
		{Word: "system/root", When: asRoot},
	}}
}

// coversTracks is set +o history.
func coversTracks(_ *shell.Walker, e *effect.Effect) bool {
	return e.Runs("set") && len(e.Args) > 1 && e.Args[0].Text == "+o" && e.Args[1].Text == "history"
}

// agentFlags switch an agent's questions off, whatever the agent is called.
var agentFlags = argv.Names(`--dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox
	--dangerously-allow-all --allow-dangerously-skip-permissions --skip-permissions-unsafe --trust-all-tools --yolo
	--approval-mode=yolo --permission-mode=bypassPermissions`)

// asksNobody finds the options that no other program has.
func asksNobody(_ *shell.Walker, e *effect.Effect) bool {
	if e.Kind != effect.Exec {
		return false
	}
	if !takesOptions(e) {
		return false
	}
	_, args := program.Launched(e.Name, e.Args)
	args = args[:min(len(args), 64)]
	if i := slices.IndexFunc(args, func(a effect.Arg) bool { return a.Text == "--" }); i >= 0 {
		args = args[:i]
	}
	return argv.AnyText(args, agentFlags.Has)
}

// takesOptions is false for programs to which options of others are text: echo, grep.
func takesOptions(e *effect.Effect) bool {
	m := program.Of(e.Name)
	return !searches.Has(e.Name) && (m == nil || m.Has("options") || m.Wrapper != nil || m.Verbs() || m.Has("code"))
}

// What any program is told when it digs coins, or lets others in: it listens on all addresses
// and was told to ask for no login, or is a server or a debugger that asks for none by itself.
var (
	mining = argv.Pattern(`(?i)stratum\d?(?:\+\w+)?://|(?:minerd|monero| -wal|--wallet|--donate-level|--nicehash|` +
		` --algo[= ]\w+ .*--(?:pool|server) ).*[\w-]+\.\w+:\d+|[\w-]+\.\w+:\d+ .*-(?:-donate-level|-wallet|wal) `)
	wide = argv.Pattern(`[ =/:](?:0\.0\.0\.0|\*|\[::\])(?:[:/ ,]|$)|--bind_ip_all|(?:listen|addr|address)[= ]:\d`)
	open = argv.Pattern(`(?i)no-?auth|auth[=: ]none|auth\S*=false|(?:token|password)=(?:''|"")? |--insecure|` +
		`without-connection-token|security\S*=false|tls=false|accept-hosts`)
	alone = argv.Pattern(`(?i) -nopw |securitytypes[= ]none|permitemptypasswords[= ]yes|listen_addresses\W*\*|` +
		`inspect(?:-brk)?=(?:0\.0\.0\.0|\*)|jdwp=\S*address=(?:0\.0\.0\.0|\*)|debugpy .*0\.0\.0\.0:| system service .*tcp:|` +
		`protected-mode no | -R ?(?:tcp://)?\d+:[\w.]+:\d+| R:(?:socks|\d+:)|-connect \S+:\d+ .*-ignore-cert`)
	ports   = argv.Pattern(` (?:-p|--port|--listen|--bind|-l)[ =]?[\w.*]*:?\d+ `)
	servers = argv.Names("dockerd mongod etcd memcached redis-server dlv")
)

func letsIn(_ *shell.Walker, e *effect.Effect) bool {
	text := told(e)
	local := strings.Contains(text, "127.0.0.1") || strings.Contains(text, "localhost")
	if n := len(e.Args); n > 1 && program.Of(e.Name) == nil && ports().MatchString(text) && !local {
		if _, sh := shell.Dialects()[argv.Base(e.Args[n-1].Text)]; sh {
			return true // webtermd -p 8080 bash
		}
	}
	return alone().MatchString(text) && !(local && strings.Contains(text, "protected-mode")) ||
		(servers.Has(e.Name) || open().MatchString(text)) && wide().MatchString(text)
}

// told is what a program is told, as one text; "" if that says neither an option nor a place.
func told(e *effect.Effect) string {
	if e.Kind != effect.Exec || len(e.Args) == 0 || !takesOptions(e) {
		return ""
	}
	text := " " + strings.Join(effect.Texts(e.Args[:min(len(e.Args), 64)]), " ") + " "
	if len(text) > effect.MaxValue || !strings.Contains(text, " -") && !strings.Contains(text, ":") {
		return ""
	}
	return text
}

// searches are programs that take such an option for text.
var searches = argv.Names("grep egrep fgrep rg ag ack ugrep git sed awk jq head tail")

// watchesUser is a trap that writes down each command.
func watchesUser(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("trap") || len(e.Args) < 2 {
		return false
	}
	s := e.Args[0].Text
	writes := strings.Contains(s, "BASH_COMMAND") || strings.Contains(s, "history") || strings.Contains(s, "fc -")
	return writes && strings.Contains(s, ">") && argv.AnyText(e.Args[1:], func(s string) bool { return s == "DEBUG" })
}

// elevated is what runs with other rights: the user, when one is named, and the
// command; ok is false for sudo -l and its kin.
func elevated(e *effect.Effect) (user string, login bool, rest []effect.Arg, ok bool) {
	if !e.Runs("sudo", "doas", "pkexec", "su", "runuser") {
		return "", false, nil, false
	}
	s := program.WrapperOf(e.Name).Spec
	_, rest = s.Leading(e.Args)
	opts, _ := s.Options(e.Args[:len(e.Args)-len(rest)])
	for _, o := range opts {
		switch {
		case argv.Named(o, "-l", "--list", "-v", "--validate", "-k", "-K", "-V", "--version", "--help", "--reset-timestamp"):
			return "", false, nil, false
		case argv.Named(o, "-u", "--user") && o.Valued:
			user = o.Value.Text
		case argv.Named(o, "-i", "-s", "--login", "--shell") && e.Name != "su" && e.Name != "runuser":
			login = true
		}
	}
	for len(rest) > 0 && strings.Contains(rest[0].Text, "=") {
		rest = rest[1:]
	}
	return user, login, rest, true
}

func rootShell(_ *shell.Walker, e *effect.Effect) bool {
	user, login, rest, ok := elevated(e)
	if !ok || user != "" && user != "root" && user != "#0" {
		return false
	}
	if e.Name == "su" || e.Name == "runuser" {
		_, inline := run.InlineCode("su", e.Args, nil)
		return !inline && !argv.Given(e.Args, "-u")
	}
	if len(rest) == 0 {
		return login
	}
	name := argv.Base(rest[0].Text)
	if _, sh := shell.Dialects()[name]; !sh && name != "su" && name != "fish" {
		return false
	}
	return len(argv.SkipOptions(rest[1:])) == 0
}

// watching are programs that only look, also as root.
var watching = argv.Names(`lsof ss netstat ps top journalctl dmesg ls true id whoami iotop df du lsblk blkid
	tail cat head grep docker podman dmidecode lshw which`)

func asRoot(w *shell.Walker, e *effect.Effect) bool {
	user, _, rest, ok := elevated(e)
	if !ok || user != "" && user != "root" && user != "#0" {
		return false
	}
	if e.Name == "su" {
		return !argv.Given(e.Args, "--help", "--version")
	}
	if len(rest) == 0 {
		return e.Name == "sudo" && argv.Given(e.Args, "-e", "--edit")
	}
	name := argv.Base(rest[0].Text)
	if len(rest) > 1 && (name == "systemctl" || name == "service" || name == "ufw") &&
		slices.Contains([]string{"status", "is-active", "list-units"}, rest[1].Text) ||
		len(rest) > 1 && effect.Among(name, "nginx apachectl") && effect.Among(rest[1].Text, "-t -T -v -V -S configtest") {
		return false
	}
	return !watching.Has(name) && !run.PrintsAll(w, run.ProgramOf(rest))
}

// killsByName is what no phrase can say: the numbers came from a search by name, or are
// missing.
func killsByName(_ *shell.Walker, e *effect.Effect) bool {
	switch e.Name {
	case "kill":
		return slices.ContainsFunc(e.Args, func(a effect.Arg) bool {
			return effect.AnyOf(a.From, "pgrep pidof ps")
		}) &&
			!argv.Given(e.Args, "-0")
	case "tskill":
		return argv.AnyText(e.Args, func(s string) bool {
			return !strings.HasPrefix(s, "/") && strings.Trim(s, "0123456789") != ""
		})
	case "stop-process":
		return !argv.AnyFold(e.Args, "-id") && argv.AnyText(e.Args, func(s string) bool {
			return !strings.HasPrefix(s, "-") && !strings.Contains(s, effect.Unknown) && strings.Trim(s, "0123456789") != ""
		})
	}
	return false
}

// attacks is such a tool, also one that was built here, or nmap looking at another
// machine.
func attacks(_ *shell.Walker, e *effect.Effect) bool {
	if e.Name != "nmap" {
		text := told(e)
		runs := effect.Among(e.Name, "python python2 python3 perl ruby node php gcc cc clang go rustc")
		if flooding.Has(e.Name) && argv.AnyText(e.Args, place.NamesElsewhere) ||
			runs && argv.AnyText(e.Args[:min(len(e.Args), 4)], exploit().MatchString) {
			return true
		}
		return program.Means(e, "system/attack-tool") || strings.Contains(text, ":") && mining().MatchString(text)
	}
	_, operands := program.BareSpec.Options(e.Args)
	return len(operands) > 0 && !place.LocalHost(operands[len(operands)-1].Text) && !program.Helps(e)
}

// flooding are programs that put load on what they are told; exploit is how files are called
// that break into things.
var (
	flooding = argv.Names(`ab siege wrk wrk2 hey vegeta bombardier oha autocannon k6 locust artillery slowhttptest h2load
		slowloris goldeneye`)
	exploit = argv.Pattern(`(?i)(?:^|[/_-])(?:exploit|cve-\d{4}-\d+|rootkit|keylogger|firefox_decrypt|` +
		`hackbrowserdata)[\w.-]*\.\w+$`)
)

// killed is the processes that kill stops, without its signal; ok is false where it only
// asks.
func killed(e *effect.Effect) (targets []effect.Arg, ok bool) {
	for i := 0; i < len(e.Args); i++ {
		switch a := e.Args[i]; {
		case a.Text == "-0", a.Text == "-l", a.Text == "-L", a.Text == "--list", a.Text == "--help":
			return nil, false
		case a.Text == "-s" || a.Text == "-n" || a.Text == "--signal":
			if i++; i < len(e.Args) && e.Args[i].Text == "0" {
				return nil, false
			}
		case a.Text == "--":
			return append(targets, e.Args[i+1:]...), true
		case i == 0 && strings.HasPrefix(a.Text, "-") && len(e.Args) > 1: // a signal
		default:
			targets = append(targets, a)
		}
	}
	return targets, true
}

func killsAll(w *shell.Walker, e *effect.Effect) bool {
	if e.Kind != effect.Exec {
		return false
	}
	switch e.Name {
	case "kill":
		targets, ok := killed(e)
		// A glob is every number in /proc.
		return ok && slices.ContainsFunc(targets, func(a effect.Arg) bool {
			return a.Text == "-1" || a.Text == "1" && !effect.Among(e.Args[0].Text, "-HUP -SIGHUP") ||
				!strings.HasPrefix(a.Text, "%") && strings.ContainsAny(a.Text, "*[?")
		})
	case "pkill":
		return slices.ContainsFunc(childrenOf(e), func(a effect.Arg) bool { return a.Text == "1" })
	}
	return false
}

// childrenOf is the parents whose children pkill stops.
func childrenOf(e *effect.Effect) []effect.Arg { return argv.Values(e.Args, "-P", "--parent") }

func killsParent(_ *shell.Walker, e *effect.Effect) bool {
	var targets []effect.Arg
	switch {
	case e.Runs("kill"):
		targets, _ = killed(e)
	case e.Runs("pkill"):
		targets = childrenOf(e)
	}
	return slices.ContainsFunc(targets, func(a effect.Arg) bool { return slices.Contains(a.From, effect.ParentProcess) })
}
