package mcp

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// site is a server as models start it. What is in the workspace before is files; before runs outside.
type site struct {
	name, command string
	port          float64
	needs         []string
	before        []string
	files         map[string]string
}

// shown is a page that has what its script has asked the server for, which reads it from a file.
const shown = `<h1>not yet</h1><script>fetch("/text").then(r => r.text()).then(t => document.querySelector("h1").textContent = t)</script>`

var sites = []site{
	{name: "python", command: "exec python3 -u -m http.server 8125 --bind 127.0.0.1", port: 8125, needs: []string{"python3"}, files: map[string]string{"index.html": shown}},
	{
		// The page of vite's is what VS Code's test opens, and has a socket with it.
		name: "vite", command: "exec npm run --silent dev", port: 5173, needs: []string{"npm", "node"},
		before: []string{"npm", "ci", "--no-audit", "--no-fund"},
	},
	{
		// As Next.js does it: a worker listens, and tells its parent.
		name: "node", command: "exec node dev.js", port: 3000, needs: []string{"node"},
		files: map[string]string{
			"page": shown, "dev.js": `require("child_process").fork("./worker.js").on("exit", (code) => process.exit(code))`,
			"worker.js": `require("http").createServer((req, res) => {
	res.setHeader("content-type", "text/html")
	res.end(require("fs").readFileSync(req.url === "/text" ? "text" : "page"))
}).listen(3000)`,
		},
	},
	{
		name: "flask", command: "exec flask --app pages run --port 5000", port: 5000, needs: []string{"flask"},
		files: map[string]string{"page": shown, "pages.py": `from flask import Flask
app = Flask(__name__)
app.add_url_rule("/", "page", lambda: open("page").read())
app.add_url_rule("/text", "text", lambda: open("text").read())
`},
	},
	{
		name: "go", command: "exec ./site", port: 8080, before: []string{"go", "build", "-o", "site", "site.go"},
		files: map[string]string{"index.html": shown, "site.go": `package main

import "net/http"

func main() { panic(http.ListenAndServe("127.0.0.1:8080", http.FileServer(http.Dir(".")))) }
`},
	},
}

// askedForPorts is a host whose person answers what is asked about ports.
func askedForPorts(asked *[]string, decision string) mcp.ClientOptions {
	return mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*asked = append(*asked, r.Params.Message)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": decision}}, nil
	}}
}

// A model's server is let out by the person alone, and looked at in a real browser. It ends with the
// command.
func TestAModelsServerIsOpenedInABrowser(t *testing.T) {
	long.Test(t)
	needs.Namespaces(t)
	needs.Program(t, "chromium")
	for _, s := range sites {
		t.Run(s.name, func(t *testing.T) {
			needs.Program(t, s.needs...)
			var asked []string
			h := connect(t, askedForPorts(&asked, choiceOnce), true)
			s.lay(t, h.folder)
			got, _ := h.exec(t, t.Context(), map[string]any{"command": s.command, "server": true, "forward": true})
			at, _ := got["listening"].(map[string]any)
			url, _ := at["url"].(string)
			if len(asked) != 1 || !strings.Contains(asked[0], "in the sandbox?\nThe command: "+s.command) || at["port"] != s.port || url == "" {
				t.Fatalf("%q %v", asked, got)
			}
			page := exec.CommandContext(t.Context(), "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--virtual-time-budget=20000", "--dump-dom", url)
			if dom, err := page.Output(); err != nil || !strings.Contains(string(dom), "<h1>made in the sandbox</h1>") {
				t.Errorf("%v %s", err, dom)
			}
			h.answer(t, map[string]any{"execId": got["execId"], "stop": true})
			reached := http.Client{Timeout: time.Minute}
			if answer, err := reached.Get(url); err == nil {
				_ = answer.Body.Close()
				t.Error("it is there after its end")
			}
		})
	}
}

func (s site) lay(t *testing.T, dir string) {
	t.Helper()
	if s.name == "vite" {
		if err := os.CopyFS(dir, os.DirFS("../../../editors/vscode/test/ui/site")); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	for name, text := range s.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("made in the sandbox"), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(s.before) > 0 {
		cmd := exec.Command(s.before[0], s.before[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}
