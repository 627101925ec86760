package config

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// What a grant can be, and whatever else would loosen, as TOML and as JSON.
var widening = []struct{ toml, json string }{
	{"[[grant]]\nhost = \"evil.example\"", `"grant":[{"host":"evil.example"}]`},
	{"[[grant]]\nhost = \"*\"", `"grant":[{"host":"*"}]`},
	{"[[grant]]\nread = \"/\"", `"grant":[{"read":"/"}]`},
	{"[[grant]]\nread = \"/etc/shadow\"", `"grant":[{"read":"/etc/shadow"}]`},
	{"[[grant]]\nwrite = \"/srv\"", `"grant":[{"write":"/srv"}]`},
	{
		"[[grant]]\ncommand = \"git push --force\"\nrules = [\"git/force-push\"]\nfolder = \"/\"\nmode = \"workspace-write\"\nnetwork = \"proxy\"",
		`"grant":[{"command":"git push --force","rules":["git/force-push"],"folder":"/","mode":"workspace-write","network":"proxy"}]`,
	},
	{
		"[[grant]]\nargv = [\"rm\"]\nrules = [\"fs/delete-unknown\"]\nfolder = \"/\"\nmode = \"off\"\nnetwork = \"allow\"",
		`"grant":[{"argv":["rm"],"rules":["fs/delete-unknown"],"folder":"/","mode":"off","network":"allow"}]`,
	},
	{"grant = []", `"grant":[]`},
	{"readable = [\"/\"]", `"readable":["/"]`},
	{"writable = [\"/srv\"]", `"writable":["/srv"]`},
	{"[ssh]\nkeys = [\"~/.ssh/id_ed25519.pub\"]", `"ssh":{"keys":["~/.ssh/id_ed25519.pub"]}`},
	{"[network]\nallow = [\"evil.example\"]", `"network":{"allow":["evil.example"]}`},
	{"[network]\nsockets = [\"/run/docker.sock\"]\nports = [5432]", `"network":{"sockets":["/run/docker.sock"],"ports":[5432]}`},
	{"[sandbox]\nnetwork = \"allow\"", `"sandbox":{"network":"allow"}`},
	{"[sandbox]\nmode = \"off\"", `"sandbox":{"mode":"off"}`},
	{"[rules]\n\"git/*\" = \"allow\"", `"rules":{"git/*":"allow"}`},
	{"loosen = true\nallowOff = true", `"loosen":true,"allowOff":true`},
	{"", ""},
}

// wider finds what a person would have had to give.
func wider(before, after Config) []string {
	f := &comparison{}
	f.grants(before, after)
	f.judging(before.Guard, after.Guard)
	f.sandbox(before, after)
	f.network(before, after)
	f.ssh(before.SSH, after.SSH)
	f.remembered(before, after)
	var list []string
	for _, bad := range f.bad {
		list = append(list, bad.Error())
	}
	return list
}

// Whatever a repository's file and an editor's settings during a session say of grants, in
// whatever mixture, nothing is wider after it than before.
func TestNoFileOrSettingOfAFolderWidens(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 500 {
		a, b := widening[random.IntN(len(widening))], widening[random.IntN(len(widening))]
		if random.IntN(2) == 0 {
			b.toml, b.json = "[limits]\nmaxConcurrent = 1", `"limits":{"maxConcurrent":1}`
		}
		text, join := a.toml+"\n\n"+b.toml, ","
		if strings.HasPrefix(a.toml, "[") && !strings.HasPrefix(b.toml, "[") {
			text = b.toml + "\n\n" + a.toml // bare keys come first
		}
		if a.json == "" || b.json == "" {
			join = ""
		}
		user := base().AskHosts()
		file, err := ParseWorkspace(WorkspaceFileName, []byte(text))
		if err != nil {
			refused++
		} else if list := wider(user, user.Tighten([]*WorkspaceFile{file})); len(list) > 0 {
			t.Errorf("a workspace file widens: %s\n%s", list, text)
		}
		var settings InitOptions
		if json.Unmarshal([]byte(`{"policy":{`+a.json+join+b.json+`}}`), &settings) != nil { // one key twice
			refused++
			continue
		}
		if next, bad := user.Change(InitOptions{}, settings); len(bad) > 0 {
			refused++
		} else if list := wider(user, next); len(list) > 0 {
			t.Errorf("a setting of the session widens: %s\n%s%s", list, a.json, b.json)
		}
	}
	if refused < 500 || refused == 1000 {
		t.Errorf("%d of 1000 are refused", refused)
	}
}
