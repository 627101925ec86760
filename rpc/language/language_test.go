package language

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/pillion-sidecar/pillion/config"
)

var schema = sync.OnceValues(func() (map[config.FileKind]*node, error) {
	data, err := os.ReadFile("../../docs/policy.schema.json")
	if err != nil {
		return nil, err
	}
	return readSchema(data)
})

// opened is a text as the server has it; the file it is of need not exist.
func opened(t testing.TB, kind config.FileKind, content string) *document {
	t.Helper()
	keys, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	return &document{config.ReadDocument(kind, "", []byte(content)), newText(content), 1, keys[kind], keys[config.UserFile]}
}

// cut takes the cursor | out of a text.
func cut(t *testing.T, marked string) (string, int) {
	t.Helper()
	before, after, ok := strings.Cut(marked, "|")
	if !ok {
		t.Fatalf("%q has no cursor", marked)
	}
	return before + after, len(before)
}

const user, workspaceFile = config.UserFile, config.WorkspaceFileKind

func TestDiagnosticsMarkWhatIsMeant(t *testing.T) {
	for name, c := range map[string]struct {
		kind                config.FileKind
		text, marks, answer string
	}{
		"misspelt key":      {user, "allowNetwrk = true", "allowNetwrk", "allowNetwrk: there is no such key; did you mean allowNetwork?"},
		"element of a list": {user, `readable = ["/a", "b"]`, `"b"`, `readable[1]: expected an absolute path, got "b"`},
		"after emoji":       {user, "readable = [ \"/😀\", \"ö😀\" ]", `"ö😀"`, `readable[1]: expected an absolute path, got "ö😀"`},
		"after a mark":      {user, "\uFEFFallowNetwrk = true", "allowNetwrk", "allowNetwrk: there is no such key; did you mean allowNetwork?"},
		"CRLF":              {user, "allowOff = true\r\nx = 1\r\n", "x", "x: there is no such key; known here: "},
		"quoted key":        {user, "[rules]\n\"fs/delete-sistem\" = \"ask\"", `"fs/delete-sistem"`, `rules."fs/delete-sistem": expected the id of a built-in rule; did you mean "fs/delete-system"?`},
		"header":            {workspaceFile, "[audit]\nenabled = true", "audit", "audit: a file of the workspace can only tighten; "},
		"not TOML":          {user, "[sandbox]\nmode = read-only # x", "read-only # x", "not TOML: "},
		"at the end":        {user, "[sandbox", "x", "not TOML: "},
		"no effect":         {user, "[sandbox]\nnetwork = \"deny\"\n[network]\nallow = [\"a.example\"]", "allow", `network.allow: no command reaches these hosts, because sandbox.network is "deny"`},
	} {
		t.Run(name, func(t *testing.T) {
			list := opened(t, c.kind, c.text).diagnostics()
			if len(list) != 1 || !strings.HasPrefix(list[0].Message, c.answer) {
				t.Fatalf("%+v", list)
			}
			if got := marked(c.text, list[0].Range); got != c.marks {
				t.Errorf("%q is marked, not %q", got, c.marks)
			}
		})
	}
}

// marked is what an editor marks: it counts lines and UTF-16 units.
func marked(s string, r span) string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n")
	units := utf16.Encode([]rune(lines[r.Start.Line]))
	return string(utf16.Decode(units[r.Start.Character:r.End.Character]))
}

// A bad file gets the same problems as from policy validate, and each fix that is offered
// takes one away.
func TestEachFixOfABadFileMendsIt(t *testing.T) {
	files, err := filepath.Glob("../../testdata/policy/bad/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	offered := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind := user
		if strings.HasPrefix(filepath.Base(file), "workspace-") {
			kind = workspaceFile
		}
		d := opened(t, kind, string(data))
		for _, m := range d.Mistakes {
			for _, f := range d.fixes(m) {
				offered++
				after := opened(t, kind, string(data[:f.at.From])+f.text+string(data[f.at.To:]))
				if slices.ContainsFunc(after.Mistakes, func(n config.Mistake) bool { return n.Text() == m.Text() && n.Line >= m.Line }) {
					t.Errorf("%s: after %q there is still %q", file, f.title, m.Text())
				}
			}
		}
	}
	if offered < 25 {
		t.Errorf("only %d fixes were offered", offered)
	}
}

func TestFixes(t *testing.T) {
	for name, c := range map[string]struct {
		kind        config.FileKind
		before      string
		title, want string
	}{
		"misspelt key":                {user, "allowNetwrk = true\n", "Change to allowNetwork", "allowNetwork = true\n"},
		"misspelt table":              {user, "[sandbx]\nmode = \"off\"\n", "Change to sandbox", "[sandbox]\nmode = \"off\"\n"},
		"misspelt rule":               {user, "[rules]\n\"fs/delete-sistem\" = \"ask\"\n", `Change to "fs/delete-system"`, "[rules]\n\"fs/delete-system\" = \"ask\"\n"},
		"wrong value":                 {user, "[sandbox]\nmode = \"readonly\" # x\n", `Change to "read-only"`, "[sandbox]\nmode = \"read-only\" # x\n"},
		"wrong decision":              {user, "[rules]\n\"git/*\" = \"dny\"\n", `Change to "deny"`, "[rules]\n\"git/*\" = \"deny\"\n"},
		"not for this file":           {workspaceFile, "roots = []\nallowOff = true # why\n[sandbox]\n", "Remove allowOff", "roots = []\n[sandbox]\n"},
		"not for this file, misspelt": {workspaceFile, "alowOff = true\nroots = []\n", "Remove alowOff", "roots = []\n"},
		"a table not for this file":   {workspaceFile, "roots = []\n\n[audit]\n# x\nenabled = true\n\n[limits]\n", "Remove audit", "roots = []\n\n\n[limits]\n"},
		"text of a rule":              {workspaceFile, "[[rule]]\nid = \"a\"\nwhy = '''\nb'''\ndecision = \"ask\"\nprefix = [\"x\"]\n", "Remove rule[0].why", "[[rule]]\nid = \"a\"\ndecision = \"ask\"\nprefix = [\"x\"]\n"},
		"too loose":                   {workspaceFile, "[sandbox]\nmode = \"off\"\n", "Remove sandbox.mode", "[sandbox]\n"},
		"twice":                       {user, "allowOff = true\nallowOff = false", "Remove allowOff", "allowOff = true\n"},
		"no quotes, value":            {user, "[sandbox]\nmode = read-only\n", "Put read-only in quotes", "[sandbox]\nmode = \"read-only\"\n"},
		"no quotes, rule":             {user, "[rules]\ngit/force-push = \"deny\"\n", "Put git/force-push in quotes", "[rules]\n\"git/force-push\" = \"deny\"\n"},
		"no effect":                   {user, "[sandbox]\nnetwork = \"deny\"\n[network]\nallow = [\"a.example\"]\n", `Set sandbox.network to "proxy"`, "[sandbox]\nnetwork = \"proxy\"\n[network]\nallow = [\"a.example\"]\n"},
		"dotted":                      {user, "sandbox.mode = \"of\"\n", `Change to "off"`, "sandbox.mode = \"off\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := opened(t, c.kind, c.before)
			list := d.fixes(d.Mistakes[0])
			if len(list) == 0 || list[0].title != c.title {
				t.Fatalf("%q is mended by %+v", d.Mistakes[0].Text(), list)
			}
			if got := c.before[:list[0].at.From] + list[0].text + c.before[list[0].at.To:]; got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestCompletions(t *testing.T) {
	for name, c := range map[string]struct {
		kind       config.FileKind
		marked     string
		label      string // that is offered
		after, not string // the text with it; what is not offered
	}{
		"key of a table":         {user, "[sandbox]\nmo|", "mode", "[sandbox]\nmode = ", "allowOff"},
		"before a value":         {user, "[sandbox]\nmo| = \"off\"", "mode", "[sandbox]\nmode = \"off\"", ""},
		"key that is there":      {user, "[sandbox]\nmode = \"off\"\n|", "network", "[sandbox]\nmode = \"off\"\nnetwork = ", "mode"},
		"at the top":             {user, "|", "allowOff", "allowOff = ", "mode"},
		"not for this file":      {workspaceFile, "|", "roots", "roots = ", "allowOff"},
		"table":                  {user, "[sa|]", "[sandbox]", "[sandbox]", "mode"},
		"table by its name":      {user, "roots = []\nsan|", "[sandbox]", "roots = []\n[sandbox]", ""},
		"table of a list":        {user, "[[ru|", "[[rule]]", "[[rule]]", ""},
		"table for this file":    {workspaceFile, "[|", "[limits]", "[limits]", "[[grant]]"},
		"value":                  {user, "[sandbox]\nmode = |", `"off"`, "[sandbox]\nmode = \"off\"", `"private"`},
		"value in quotes":        {user, "[sandbox]\nmode = \"re|\" # x", `"read-only"`, "[sandbox]\nmode = \"read-only\" # x", ""},
		"value for this file":    {workspaceFile, "[sandbox]\nmode = \"|\"", `"read-only"`, "[sandbox]\nmode = \"read-only\"", `"off"`},
		"true or false":          {user, "allowOff = t|", "true", "allowOff = true", ""},
		"dotted":                 {user, "sandbox.mo|", "mode", "sandbox.mode = ", ""},
		"dotted value":           {user, "sandbox.mode = |", `"off"`, "sandbox.mode = \"off\"", ""},
		"rule":                   {user, "[rules]\n\"git/fo|\"", `"git/force-push"`, "[rules]\n\"git/force-push\" = ", ""},
		"decision":               {workspaceFile, "[rules]\n\"git/force-push\" = |", `"deny"`, "[rules]\n\"git/force-push\" = \"deny\"", `"allow"`},
		"of one's own rule":      {user, "[[rule]]\nid = \"a\"\ndecision = \"|\"", `"ask"`, "[[rule]]\nid = \"a\"\ndecision = \"ask\"", `"allow"`},
		"second rule":            {user, "[[rule]]\nid = \"a\"\n[[rule]]\ni|", "id", "[[rule]]\nid = \"a\"\n[[rule]]\nid = ", ""},
		"below what is not TOML": {user, "[sandbox]\nmode = x\n[limits]\nmaxQ|", "maxQueued", "[sandbox]\nmode = x\n[limits]\nmaxQueued = ", "mode"},
	} {
		t.Run(name, func(t *testing.T) {
			text, offset := cut(t, c.marked)
			d := opened(t, c.kind, text)
			list := d.completions(offset)
			at := slices.IndexFunc(list, func(o completion) bool { return o.Label == c.label })
			if at < 0 {
				t.Fatalf("offered are %+v", list)
			}
			edit := list[at].TextEdit
			if got := text[:d.text.offset(edit.Range.Start)] + edit.NewText + text[d.text.offset(edit.Range.End):]; got != c.after {
				t.Errorf("got %q", got)
			}
			if list[at].Documentation == "" {
				t.Error("it is not explained")
			}
			if slices.ContainsFunc(list, func(o completion) bool { return o.Label == c.not }) {
				t.Errorf("%s is offered", c.not)
			}
		})
	}
	for _, marked := range []string{"# mo|", "[sandbox]\nmode = \"off\" # |", "x y|", "match = [\"git pu|"} {
		text, offset := cut(t, marked)
		if list := opened(t, user, text).completions(offset); len(list) > 0 {
			t.Errorf("%q: offered are %+v", marked, list)
		}
	}
}

func TestHoverExplainsKeys(t *testing.T) {
	for marked, want := range map[string]string{
		"[sandbox]\nmo|de = \"off\"":         "`sandbox.mode`\n\nWhat a command may write.\n\nOne of `\"read-only\"`, `\"workspace-write\"`, `\"off\"`",
		"[sandbox]\nmode = \"o|ff\"":         "`sandbox.mode`\n\nWhat a command may write.",
		"[net|work]":                         "`network`\n\nThe hosts that commands may reach",
		"network = { allow = [\"a|\"] }":     "`network.allow[0]`\n\nHosts that commands may connect to",
		"[[rule]]\nid = 1\n[[rule]]\ni|d= 2": "`rule[1].id`\n\nNames the rule in verdicts",
		"[rules]\n\"git/for|ce-push\" = 1":   "`rules.\"git/force-push\"`\n\nDecisions of built-in rules",
		"allowOff = true # o|ff":             "",
		"|nothing = 1":                       "",
	} {
		text, offset := cut(t, marked)
		got := ""
		if o, ok := opened(t, user, text).hover(offset).(object); ok {
			got = o["contents"].(object)["value"].(string)
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q", marked, got)
		}
	}
}

// Every key of the schema is explained: what an editor shows is what the types' comments
// say.
func TestEveryKeyIsExplained(t *testing.T) {
	d := opened(t, user, "")
	for name, n := range d.all.Properties {
		if n.Description == "" {
			t.Errorf("%s has no words of its own", name)
		}
		for member, m := range n.names() {
			if m.Description == "" && n.rest == nil {
				t.Errorf("%s.%s has no words of its own", name, member)
			}
		}
	}
}
