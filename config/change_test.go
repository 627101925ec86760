package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

func options(t *testing.T, text string) (o InitOptions) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &o, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// session is what initialize asked for in these tests: something of everything.
const session = `{"policy":{"allowReadsAll":true,"readable":["/opt/a"],"writable":["/srv"],"path":["/opt/bin"],"env":{"A":"1"},"allowRoots":["/home/dev"],
	"roots":["/tmp","/srv"],"programs":["/usr/bin","~/bin"],"allowPatterns":["^make","^ls"],"restrictToWorkspace":true,"rules":{"git/force-push":"ask","program/unknown":"allow"},
	"network":{"allow":["example.org","*.example.org"],"deny":["bad.example.org"],"sockets":["$SSH_AUTH_SOCK"]},"ssh":{"keys":["~/.ssh/a.pub","~/.ssh/b.pub"],"hosts":["a.test"]},
	"rule":[{"id":"r","decision":"ask","prefix":["make"]}]},
	"sandbox":{"mode":"workspace-write","network":"deny","reads":"all","require":"bestEffort"},
	"limits":{"maxCommandBytes":1000,"maxConcurrent":4,"maxQueued":8,"maxChunkBytes":1000,"streamMaxBytes":1000,"spoolMaxBytes":1000,"spoolTotalBytes":1000,"retentionMs":1000,
		"retainedExecs":4,"inlineMaxBytes":1000,"timeoutMs":1000,"inputWaitMs":1000,"maxProcesses":10,"maxMemoryBytes":1000,"maxFileBytes":1000,"maxOpenFiles":10,"maxCpuSeconds":10,"minFreeDiskBytes":1000,"maxTmpBytes":1000},
	"approvals":{"fallback":"showMessageRequest","timeoutMs":1000},"shutdown":{"graceMs":1000},"onBackground":"leave"}`

func sessionUser() Config {
	c := fixed()
	c.Home = "/home/dev"
	return c
}

// Every setting, with what tightens it, or only repeats it.
func TestSettingsThatTighten(t *testing.T) {
	for _, now := range []string{
		`{}`, session,
		`{"profile":"balanced"}`, `{"policy":{"profile":"balanced"}}`,
		`{"policy":{"rules":{"git/force-push":"deny"}}}`, `{"policy":{"rules":{"program/unknown":"ask"}}}`, `{"policy":{"rules":{"git/*":"deny"}}}`,
		`{"policy":{"rule":[{"id":"s","decision":"deny","prefix":["ls"]}]}}`,
		`{"policy":{"roots":["/tmp"]}}`, `{"policy":{"roots":[]}}`, `{"policy":{"roots":["..."]}}`,
		`{"policy":{"programs":["~/bin"]}}`, `{"policy":{"allowPatterns":["^ls"]}}`, `{"policy":{"restrictToWorkspace":true}}`,
		`{"policy":{"readable":["/opt/a"],"writable":["/srv"],"path":["/opt/bin"],"env":{"A":"1"}}}`,
		`{"policy":{"network":{"allow":["example.org"],"sockets":["$SSH_AUTH_SOCK"]}}}`, `{"policy":{"network":{"deny":["www.example.org"]}}}`,
		`{"policy":{"ssh":{"keys":["~/.ssh/a.pub"]}}}`, `{"policy":{"ssh":{"keys":["~/.ssh/b.pub"],"hosts":["a.test"]}}}`,
		`{"policy":{"allowReadsAll":true}}`, `{"policy":{"shell":{"sandbox":false}}}`,
		`{"sandbox":{"mode":"read-only"}}`, `{"sandbox":{"reads":"private"}}`, `{"sandbox":{"require":"enforced"}}`, `{"policy":{"sandbox":{"mode":"read-only"}}}`,
		`{"limits":{"maxCommandBytes":999}}`, `{"limits":{"maxConcurrent":3}}`, `{"limits":{"maxQueued":7}}`, `{"limits":{"maxChunkBytes":999}}`,
		`{"limits":{"streamMaxBytes":999}}`, `{"limits":{"spoolMaxBytes":999}}`, `{"limits":{"spoolTotalBytes":999}}`, `{"limits":{"retentionMs":0}}`, `{"limits":{"retainedExecs":0}}`,
		`{"limits":{"inlineMaxBytes":999}}`, `{"limits":{"timeoutMs":999}}`, `{"policy":{"limits":{"timeoutMs":999}}}`,
		`{"limits":{"maxProcesses":9}}`, `{"limits":{"maxMemoryBytes":999}}`, `{"limits":{"maxFileBytes":999}}`, `{"limits":{"maxOpenFiles":9}}`,
		`{"limits":{"maxCpuSeconds":9}}`, `{"limits":{"minFreeDiskBytes":1001}}`, `{"limits":{"maxTmpBytes":999}}`,
		`{"approvals":{"fallback":"deny"}}`, `{"approvals":{"timeoutMs":999}}`, `{"shutdown":{"graceMs":999}}`, `{"onBackground":"kill"}`,
	} {
		o := options(t, now)
		if now == session {
			o.Policy.Rule = nil // a rule can't be there twice
		}
		if _, bad := sessionUser().Change(options(t, session), o); len(bad) > 0 {
			t.Errorf("%s: %v", now, bad)
		}
	}
}

// Each of these is in VS Code's reach of a repository's settings.json.
func TestSettingsThatLoosenAreRefused(t *testing.T) {
	for now, path := range map[string]string{
		`{"policy":{"loosen":true}}`:                                                   "/policy/loosen",
		`{"policy":{"loosen":true,"allowOff":true},"sandbox":{"mode":"off"}}`:          "/policy/allowOff",
		`{"policy":{"allowOff":true}}`:                                                 "/policy/allowOff",
		`{"policy":{"allowNetwork":true}}`:                                             "/policy/allowNetwork",
		`{"policy":{"allowNetwork":true},"sandbox":{"network":"allow"}}`:               "/policy/allowNetwork",
		`{"sandbox":{"network":"allow"}}`:                                              "/sandbox/network",
		`{"sandbox":{"mode":"off"}}`:                                                   "/sandbox/mode",
		`{"policy":{"sandbox":{"mode":"off"}}}`:                                        "/policy/sandbox/mode",
		`{"policy":{"allowNoTimeout":true}}`:                                           "/policy/allowNoTimeout",
		`{"policy":{"allowEnvAll":true}}`:                                              "/policy/allowEnvAll",
		`{"policy":{"allowWrite":true}}`:                                               "/policy/allowWrite",
		`{"policy":{"allowRoots":["/"]}}`:                                              "/policy/allowRoots",
		`{"policy":{"readable":["/home/dev/.ssh"]}}`:                                   "/policy/readable",
		`{"policy":{"writable":["/"]}}`:                                                "/policy/writable",
		`{"policy":{"writable":["/srv/below"]}}`:                                       "/policy/writable",
		`{"policy":{"path":["/w/evil"]}}`:                                              "/policy/path",
		`{"policy":{"env":{"LD_PRELOAD":"/w/evil.so"}}}`:                               "/policy/env",
		`{"policy":{"env":{"A":"2"}}}`:                                                 "/policy/env",
		`{"policy":{"network":{"allow":["evil.example"]}}}`:                            "/policy/network/allow",
		`{"policy":{"network":{"allow":["a.example.org"]}}}`:                           "/policy/network/allow",
		`{"policy":{"network":{"sockets":["/run/docker.sock"]}}}`:                      "/policy/network/sockets",
		`{"policy":{"ssh":{"keys":["~/.ssh/c.pub"]}}}`:                                 "/policy/ssh/keys",
		`{"policy":{"ssh":{"keys":["~/.ssh/a.pub"],"hosts":["b.test"]}}}`:              "/policy/ssh/hosts",
		`{"policy":{"ssh":{"keys":["~/.ssh/a.pub"],"sign":true}}}`:                     "/policy/ssh/sign",
		`{"policy":{"roots":["...","/"]}}`:                                             "/policy/roots",
		`{"policy":{"roots":["/tmp/a-link-to-your-home"]}}`:                            "/policy/roots",
		`{"policy":{"programs":["/w/evil"]}}`:                                          "/policy/programs",
		`{"policy":{"restrictToWorkspace":false}}`:                                     "/policy/restrictToWorkspace",
		`{"policy":{"allowPatterns":[]}}`:                                              "/policy/allowPatterns",
		`{"policy":{"allowPatterns":["."]}}`:                                           "/policy/allowPatterns",
		`{"policy":{"rules":{"git/force-push":"allow"}}}`:                              "/policy/rules/git~1force-push",
		`{"policy":{"rules":{"git/*":"allow"}}}`:                                       "/policy/rules/git~1clean",
		`{"policy":{"rules":{"fs/delete-system":"allow"}}}`:                            "/policy/rules/fs~1delete-system",
		`{"policy":{"rules":{"fs/delete-system":"ask"}}}`:                              "/policy/rules/fs~1delete-system",
		`{"policy":{"rule":[{"id":"s","decision":"ask","prefix":["ls"],"why":"ok"}]}}`: "/policy/rule/0",
		`{"profile":"denylist"}`:                                                       "/profile",
		`{"policy":{"profile":"isolated"}}`:                                            "/profile",
		`{"limits":{"maxConcurrent":5}}`:                                               "/limits/maxConcurrent",
		`{"limits":{"maxQueued":9}}`:                                                   "/limits/maxQueued",
		`{"limits":{"streamMaxBytes":1001}}`:                                           "/limits/streamMaxBytes",
		`{"limits":{"spoolMaxBytes":1001}}`:                                            "/limits/spoolMaxBytes",
		`{"limits":{"spoolTotalBytes":1001}}`:                                          "/limits/spoolTotalBytes",
		`{"limits":{"retentionMs":1001}}`:                                              "/limits/retentionMs",
		`{"limits":{"retainedExecs":5}}`:                                               "/limits/retainedExecs",
		`{"limits":{"timeoutMs":1001}}`:                                                "/limits/timeoutMs",
		`{"limits":{"maxProcesses":11}}`:                                               "/limits/maxProcesses",
		`{"limits":{"maxMemoryBytes":1001}}`:                                           "/limits/maxMemoryBytes",
		`{"limits":{"maxFileBytes":1001}}`:                                             "/limits/maxFileBytes",
		`{"limits":{"maxOpenFiles":11}}`:                                               "/limits/maxOpenFiles",
		`{"limits":{"maxCpuSeconds":11}}`:                                              "/limits/maxCpuSeconds",
		`{"limits":{"minFreeDiskBytes":999}}`:                                          "/limits/minFreeDiskBytes",
		`{"limits":{"maxTmpBytes":1001}}`:                                              "/limits/maxTmpBytes",
		`{"approvals":{"timeoutMs":1001}}`:                                             "/approvals/timeoutMs",
		`{"shutdown":{"graceMs":1001}}`:                                                "/shutdown/graceMs",
		`{"limits":{"timeoutMs":-1}}`:                                                  "/limits/timeoutMs",
		`{"sandbox":{"network":"proxy"}}`:                                              "/sandbox/network",
		`{"sandbox":{"mode":"read-only","network":"allow"}}`:                           "/sandbox/network",
	} {
		_, bad := sessionUser().Change(options(t, session), options(t, now))
		var first *executor.ParamError
		if len(bad) == 0 || !errors.As(bad[0], &first) || first.Path != path {
			t.Errorf("%s: %v, want %s", now, bad, path)
		}
	}
}

// Where initialize left the default, that is what settings are held against.
func TestSettingsAreHeldAgainstTheDefaults(t *testing.T) {
	for now, ok := range map[string]bool{
		`{"policy":{"allowPatterns":["^ls"]}}`:                   true,
		`{"limits":{"maxCpuSeconds":10}}`:                        true,
		`{"sandbox":{"reads":"all"}}`:                            false,
		`{"policy":{"allowReadsAll":true}}`:                      false,
		`{"sandbox":{"require":"bestEffort"}}`:                   false,
		`{"onBackground":"leave"}`:                               false,
		`{"approvals":{"fallback":"showMessageRequest"}}`:        false,
		`{"limits":{"timeoutMs":121000}}`:                        false,
		`{"policy":{"shell":{"sandbox":true}}}`:                  true,
		`{"policy":{"rules":{"fs/delete-contents":"deny"}}}`:     true,
		`{"policy":{"rules":{"policy/not-granted":"allow"}}}`:    false,
		`{"policy":{"allowOff":true,"shell":{"sandbox":false}}}`: false,
	} {
		if _, bad := sessionUser().Change(InitOptions{}, options(t, now)); (len(bad) == 0) != ok {
			t.Errorf("%s: %v", now, bad)
		}
	}
}

// They replace each other, so that what tightened for a while can go again.
func TestSettingsReplaceEarlierOnes(t *testing.T) {
	said := options(t, `{"limits":{"timeoutMs":5000}}`)
	first, bad := sessionUser().Change(said, options(t, `{"limits":{"timeoutMs":1000},"sandbox":{"mode":"read-only"}}`))
	if len(bad) > 0 || first.Limits.DefaultTimeout != time.Second || first.Sandbox.Mode != sandbox.ReadOnly {
		t.Errorf("%+v %v", first, bad)
	}
	second, bad := sessionUser().Change(said, InitOptions{})
	if len(bad) > 0 || second.Limits.DefaultTimeout != 5*time.Second || second.Sandbox.Mode != sandbox.WorkspaceWrite {
		t.Errorf("%+v %v", second, bad)
	}
}

func TestSettingsMayLoosenWhereInitializeSaidSo(t *testing.T) {
	said := options(t, `{"policy":{"loosen":true,"rules":{"git/force-push":"deny"}},"limits":{"timeoutMs":1000}}`)
	c, bad := sessionUser().Change(said, options(t, `{"policy":{"allowNetwork":true},"sandbox":{"network":"allow"},"limits":{"timeoutMs":2000}}`))
	if len(bad) > 0 || c.Sandbox.Network != sandbox.NetworkAllow || c.Limits.DefaultTimeout != 2*time.Second || c.Guard.Decision("git/force-push") != guard.Deny {
		t.Errorf("%+v %v", c, bad)
	}
	if c, bad = sessionUser().Change(said, options(t, `{"profile":"inspect"}`)); len(bad) > 0 || c.Guard.ID != "inspect" || c.Limits.DefaultTimeout != time.Second {
		t.Errorf("a profile takes what initialize said away: %+v %v", c, bad)
	}
	if _, bad = sessionUser().Change(said, options(t, `{"sandbox":{"mode":"off"}}`)); len(bad) == 0 {
		t.Error("a loosening without its grant")
	}
}

// The user's own file may say it, a file of the workspace may not.
func TestLoosenIsNotForWorkspaceFiles(t *testing.T) {
	_, err := ParseWorkspace(WorkspaceFileName, []byte("loosen = true\n"))
	if err == nil || !strings.Contains(err.Error(), "only tighten") {
		t.Error(err)
	}
}

// Whatever is not named in ruled may not change at all: a member that is added to
// one of these types has to be given a rule first.
func TestEveryPartOfAConfigIsCompared(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[sandbox.Policy](), reflect.TypeFor[executor.Limits](), reflect.TypeFor[sandbox.Limits](), reflect.TypeFor[executor.Grants]()} {
		for i := range typ.NumField() {
			base := sessionUser()
			next := base
			if !changed(&next, typ, i) {
				continue // a struct, whose members are tried
			}
			if len(next.looser(base)) == 0 && len(base.looser(next)) == 0 {
				t.Errorf("%s.%s can change either way", typ, typ.Field(i).Name)
			}
		}
	}
}

// changed sets one member to something else.
func changed(c *Config, typ reflect.Type, i int) bool {
	at := map[reflect.Type]reflect.Value{
		reflect.TypeFor[Config](): reflect.ValueOf(c).Elem(), reflect.TypeFor[sandbox.Policy](): reflect.ValueOf(&c.Sandbox).Elem(),
		reflect.TypeFor[executor.Limits](): reflect.ValueOf(&c.Limits).Elem(), reflect.TypeFor[sandbox.Limits](): reflect.ValueOf(&c.Sandbox.Limits).Elem(),
		reflect.TypeFor[executor.Grants](): reflect.ValueOf(&c.Grants).Elem(),
	}[typ].Field(i)
	switch {
	case !at.CanSet():
		return false
	case at.Kind() == reflect.Bool:
		at.SetBool(!at.Bool())
	case at.Kind() == reflect.String:
		at.SetString(at.String() + "x")
	case at.CanInt():
		at.SetInt(at.Int() + int64(time.Second))
	case at.Kind() == reflect.Slice:
		at.Set(reflect.Append(at, reflect.Zero(at.Type().Elem())))
	case at.Kind() == reflect.Map:
		at.Set(reflect.ValueOf(map[string]string{"X": "1"}))
	default:
		return false
	}
	return true
}

// The config that comes out is the one that initialize would have made of both.
func TestSettingsMeanWhatTheyMeanToInitialize(t *testing.T) {
	got, bad := sessionUser().Change(InitOptions{}, options(t, `{"sandbox":{"mode":"read-only"},"limits":{"timeoutMs":1000},"policy":{"rules":{"git/*":"deny"}}}`))
	want, err := sessionUser().With(options(t, `{"sandbox":{"mode":"read-only"},"limits":{"timeoutMs":1000},"policy":{"rules":{"git/*":"deny"}}}`))
	if err != nil || len(bad) > 0 {
		t.Fatal(err, bad)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Guard")); diff != "" || got.Guard.Hash() != want.Guard.Hash() {
		t.Error(diff)
	}
}
