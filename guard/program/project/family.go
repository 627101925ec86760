// Package project knows what builds, tests, publishes and sets up projects: the files
// that run without being named, and what a command changes for others.
package project

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is what builds, publishes and sets up projects.
func Family() run.Family {
	return run.Family{
		Kinds: map[string]run.Kind{
			"make": makeText, "makevar": makeAssignment, "gdb": gdbCommand, "cmakevar": cmakeVariable,
		},
		Before: []run.Look{urlPackages, texShell},
		Files:  project,
		After:  []run.Look{packageSet, onProduction, onTests},
		Means: []run.Meaning{
			{Word: "outward/publish", When: publishes},
			{Word: "system/source", When: plainSource},
		},
	}
}

// scriptFiles are how programs read a file of their own commands: the kind of code in
// it, and the options that name one; without them, any operand does.
var scriptFiles = sync.OnceValue(func() map[string][]string { return argv.Lists(namesText, "reads") })

// madeScript judges the files of such commands that this command wrote.
func madeScript(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	r := scriptFiles()[name]
	if r == nil {
		return
	}
	for i, a := range args {
		if len(r) > 1 && (i == 0 || !slices.Contains(r[1:], args[i-1].Text)) {
			continue
		}
		for _, s := range w.Contents(st, strings.ReplaceAll(a.Text, `\`, "/")) {
			if effect.Foreign(s.From) && effect.Among(r[0], "vbs vim powershell elisp othershell gdb") {
				w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: name, Text: name + " " + a.Text, From: s.From})
			}
			if w.Spend(1) {
				run.Value(w, st, r[0], name+" "+a.Text, a.Tail(s.Text))
			}
		}
	}
}

// stages are the variables that name the system a framework works on.
var stages = []string{
	"RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV", "MIX_ENV", "SYMFONY_ENV", "LARAVEL_ENV",
	"HANAMI_ENV", "FLASK_ENV", "ALEMBIC_ENV", "ENVIRONMENT", "ASPNETCORE_ENVIRONMENT", "DOTNET_ENVIRONMENT",
}

// onProduction judges a command that changes the database of the production
// system, where a variable or an option says that it is that one.
func onProduction(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, _ effect.Stream) {
	name, rest := program.Launched(p.Text, args)
	named := namesDeployment(w, st, p.Text, args) || name != p.Text && namesDeployment(w, st, name, rest)
	if named || program.Means(&effect.Effect{Kind: effect.Exec, Name: name, Args: rest}, "migrates") &&
		(staged(w, st) || argv.AnyText(rest, saysLive) || argv.AnyText(rest, place.NamesElsewhere) || database(w, st) ||
			slices.ContainsFunc(rest, func(a effect.Arg) bool { return slices.Contains(a.From, effect.Production) })) {
		w.EmitAt(p, effect.Effect{Kind: effect.Net, Name: name, Text: name, Sends: effect.ChangesThere})
	}
}

func staged(w *shell.Walker, st *shell.State) bool {
	return slices.ContainsFunc(stages, func(v string) bool {
		_, set := st.Vars[v]
		return set && live(w.Get(st, v))
	})
}

// onTests takes back that a task destroys data, where a variable says that it is the tests'.
func onTests(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, _ effect.Stream) {
	tests := slices.ContainsFunc(stages, func(v string) bool { return w.Get(st, v) == "test" })
	task := argv.AnyText(args, func(s string) bool { return effect.Begins(s, "db: ecto.") })
	if !tests || !task || database(w, st) || argv.AnyText(args, place.NamesElsewhere) {
		return
	}
	for i := range w.Effects {
		if e := &w.Effects[i]; e.Kind == effect.Exec && e.Name == p.Text && len(e.Args) == len(args) {
			e.Means = slices.DeleteFunc(e.Means, func(m string) bool { return m == "data/destroy" })
		}
	}
}

func live(stage string) bool {
	return effect.Among(strings.ToLower(stage), "production prod live staging")
}

func parts(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("=:-_.", r) })
}

// saysLive is production, ENV=production and deploy:prod.
func saysLive(text string) bool {
	return slices.ContainsFunc(parts(text), live)
}

// outgoing are what names of scripts and targets say first, or last, that bring work to others;
// keeping are words with which they only look or prepare, or stay on this machine.
var (
	outgoing = argv.Names("deploy release publish push ship rollout promote deployment")
	keeping  = argv.Names(`notes note check checks dry dryrun test tests build local dev preview plan status list snapshot
		prepare prep lint verify validate docs doc help stats diff config app util utils helper helpers types client
		notifications subscription message model log logs`)
)

// goesOut reports deploy, release:prod, docker-push and publish_all, and not release-notes.
func goesOut(word string) bool {
	if strings.ContainsAny(word, "=/ @") {
		return false
	}
	p := parts(strings.ToLower(word))
	return len(p) > 0 && !slices.ContainsFunc(p, keeping.Has) &&
		(outgoing.Has(p[0]) || outgoing.Has(p[len(p)-1]) && p[len(p)-1] != "release")
}

// stays are arguments with which nothing goes out.
var stays = argv.Names(`--local --dry -n --version -h help --list --no-push --no-publish --skip-publish
	ENV=local ENV=dev`)

// namesDeployment is a target or a script of the project with such a name: make deploy,
// bash scripts/release.sh, bin/deploy. One that this text wrote was read instead.
func namesDeployment(w *shell.Walker, st *shell.State, p string, args []effect.Arg) bool {
	name := argv.Base(p)
	words := program.CommandWords(name, args)
	if len(words) > 64 || argv.Rehearsal(args) || argv.AnyText(args, stays.Has) {
		return false
	}
	if _, sh := shell.Dialects()[name]; sh || lang.LanguageOf(name) != nil {
		rest := argv.SkipOptions(args)
		plain := len(args) == len(rest) || len(args) == len(rest)+1 && effect.Among(args[0].Text, "-e -x -ex -eu -eux -u")
		if plain && len(rest) > 0 && namedOut(rest[0].Text) {
			return len(w.Contents(st, rest[0].Text)) == 0
		}
	}
	switch {
	case len(w.Made) > 0 || len(words) == 0:
		return false
	case effect.Among(name, "make gmake just task go-task rake mage invoke inv fab poe doit ant earthly pants grunt gulp"):
		return slices.ContainsFunc(words, func(word string) bool {
			builds := word == "release" && strings.HasSuffix(name, "make") // without what debuggers need
			return !builds && goesOut(strings.TrimPrefix(word, "+"))
		})
	case effect.Among(words[0], "run run-script task run-many"):
		return len(words) > 1 && goesOut(words[1][strings.LastIndexByte(words[1], '#')+1:]) &&
			effect.Among(name, "npm pnpm yarn bun composer deno turbo nx lerna poetry pdm hatch rye moon nix")
	case effect.Among(name, "yarn composer turbo nx gradle gradlew"):
		return goesOut(words[0])
	}
	return effect.Among(name, "tox nox") && argv.AnyText(argv.Values(args, "-e", "-s"), goesOut)
}

func namedOut(script string) bool {
	base := argv.Base(script)
	return goesOut(strings.TrimSuffix(base, path.Ext(base)))
}

// database reports settings by which migrations reach other people's data.
func database(w *shell.Walker, st *shell.State) bool {
	return slices.Contains(st.Stains("DATABASE_URL"), effect.Production) ||
		place.NamesElsewhere(w.Get(st, "DATABASE_URL")) || place.NamesElsewhere(w.Get(st, "DB_URL")) ||
		saysLive(w.Get(st, "DJANGO_SETTINGS_MODULE"))
}

// installers bring packages, or a repository whose code is run next.
var installers = argv.NamesOf(&namesText, "installers")

// plainSource reports packages from an address without a signature or certificate.
func plainSource(_ *shell.Walker, e *effect.Effect) bool {
	name, args := program.Launched(e.Name, e.Args)
	if !installers.Has(name) {
		return false
	}
	e = &effect.Effect{Kind: e.Kind, Name: name, Args: args}
	if i := slices.IndexFunc(args, func(a effect.Arg) bool { return a.Text == "--" }); i >= 0 {
		args = args[:i] // the rest is for the program that is run
	}
	trusted := argv.Values(args, "--trusted-host")
	return argv.Given(args, "--trusted-host") && (len(trusted) == 0 || argv.AnyText(trusted, elsewhere)) ||
		installs(e) && strangeIndex(args) ||
		argv.AnyText(args, func(s string) bool {
			_, url, ok := strings.Cut(s, "http://")
			source := installs(e) || e.Name == "cargo" && strings.HasPrefix(s, "source.")
			return ok && source && elsewhere(url)
		})
}

// elsewhere says that an address isn't this machine's; one that only run time tells isn't.
func elsewhere(address string) bool {
	host := place.HostOf(address)
	return !place.LocalHost(host) && !place.Service(host)
}

// strangeIndex is a registry of packages that is nobody's known one, nor of this machine.
func strangeIndex(args []effect.Arg) bool {
	for _, a := range argv.Values(args, "--extra-index-url", "--index") {
		host := place.HostOf(a.Text)
		if strings.Contains(a.Text, "://") && !strings.Contains(host, effect.Unknown) && elsewhere(a.Text) &&
			!slices.ContainsFunc(place.Listed("registries"), func(known string) bool {
				return host == known || strings.HasSuffix(host, "."+known)
			}) {
			return true
		}
	}
	return false
}

// installs keeps tests that are given an address apart from installers.
func installs(e *effect.Effect) bool {
	verbs := []string{
		"install", "i", "add", "download", "wheel", "config", "set", "env", "get", "ci", "update",
		"require", "source", "sources", "pip", "create", "sync", "repo", "box",
	}
	switch e.Name {
	case "git", "hg", "svn":
		verbs = []string{"clone", "submodule", "checkout", "co"}
	case "nix":
		verbs = []string{"run", "shell", "develop", "build", "profile"}
	}
	return slices.Contains(verbs, program.BareVerb(e))
}

// publishes is what no phrase can say: a task of Gradle's, whatever project it is in,
// and a request to a forge's API.
func publishes(w *shell.Walker, e *effect.Effect) bool {
	if strings.Contains(e.Text, "/") && w.InFolders(e.Path) && namedOut(e.Text) && len(w.Made[e.Path]) == 0 {
		return !argv.Rehearsal(e.Args) && !argv.AnyText(e.Args, stays.Has)
	}
	switch name, args := program.Launched(e.Name, e.Args); name {
	case "gradle", "gradlew":
		return !argv.Rehearsal(args) && argv.AnyText(args, func(s string) bool {
			s = s[strings.LastIndexByte(s, ':')+1:]
			if strings.HasPrefix(s, "publish") && !strings.Contains(s, "Local") {
				return strings.Contains(s, "To") || effect.Ends(s, "publish Plugins Bundle Apk Apps Release Listing Plugin")
			}
			return effect.Begins(s, "appDistributionUpload closeAndRelease dockerPush promoteRelease") ||
				effect.Among(s, "uploadArchives bintrayUpload jib githubRelease releaseRepository")
		})
	case "gh", "glab":
		words := program.CommandWords(name, args)
		return argv.Begins(words, []string{"api"}) && changesForge(args, words)
	}
	return false
}

// changesForge is gh api with another method than GET; fields without a method
// are a POST. Queries of GraphQL are one too.
func changesForge(args []effect.Arg, words []string) bool {
	opts, _ := program.Options("gh-api").Options(args)
	fields := false
	for _, o := range opts {
		switch {
		case argv.Named(o, "-X", "--method") && o.Valued:
			return !strings.EqualFold(o.Value.Text, "get") && !strings.EqualFold(o.Value.Text, "head")
		case argv.Named(o, "-f", "-F", "--field", "--raw-field", "--input"):
			fields = true
			if strings.HasPrefix(o.Value.Text, "query=") {
				fields = strings.Contains(o.Value.Text, "mutation")
			}
			if fields && len(words) > 1 && words[1] == "graphql" {
				fields = strings.Contains(o.Value.Text, "mutation")
			}
		}
		if fields {
			return true
		}
	}
	return false
}
