package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSecretsAreRedacted(t *testing.T) {
	for in, want := range map[string]string{
		// by name
		"GITHUB_TOKEN=abc gh pr list":            "GITHUB_TOKEN=[redacted] gh pr list",
		`export DB_PASSWORD='a b c'; make`:       `export DB_PASSWORD=[redacted]; make`,
		`STRIPE_KEY="sk x\" y" npm test`:         `STRIPE_KEY=[redacted] npm test`,
		"PASSWORD='not closed":                   "PASSWORD=[redacted]",
		"deploy --token abc --verbose":           "deploy --token [redacted] --verbose",
		"deploy --api-key=abc -v":                "deploy --api-key=[redacted] -v",
		`curl -d '{"password":"hunter2","u":1}'`: `curl -d '{"password":[redacted],"u":1}'`,
		"curl 'https://x.io/?access_token=abc'":  "curl 'https://x.io/?access_token=[redacted]",
		"set aws.secret.access.key=abc":          "set aws.secret.access.key=[redacted]",
		"mysql -u root -phunter2 db":             "mysql -u root -p[redacted] db",
		"sshpass -p 'a b' ssh h":                 "sshpass -p [redacted] ssh h",
		"redis-cli -h x -a hunter2 ping":         "redis-cli -h x -a [redacted] ping",
		// by place
		"git clone https://u:p@h/r.git":             "git clone https://[redacted]@h/r.git",
		"psql postgres://u:p@db:5432/x":             "psql postgres://[redacted]@db:5432/x",
		"git clone https://sometoken@h/r":           "git clone https://[redacted]@h/r",
		"curl -u me:hunter2 h":                      "curl -u me:[redacted] h",
		"curl --user=me:hunter2 h":                  "curl --user=me:[redacted] h",
		`curl -H "Authorization: Bearer abc.def" h`: `curl -H "Authorization: [redacted]" h`,
		`curl -H 'X-Api-Key: abc def' h`:            `curl -H 'X-Api-Key: [redacted]' h`,
		`curl -H 'Cookie: a=b; c=d'`:                `curl -H 'Cookie: [redacted]'`,
		"x -----BEGIN RSA PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nBG5v\n-----END RSA PRIVATE KEY----- y": "x -----BEGIN RSA PRIVATE KEY-----[redacted]----END RSA PRIVATE KEY----- y",
		"--opt=token=abc x": "--opt=token=[redacted] x",
		// by form
		"echo ghp_0123456789abcdefABCD":                  "echo [redacted]",
		"aws x AKIAIOSFODNN7EXAMPLE y":                   "aws x [redacted] y",
		"login eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.SflKxwRJ z": "login [redacted] z",
		"x 'sk-proj-0123456789abcdef'":                   "x '[redacted]'",
		"denied: prints ghp_0123456789abcdefABCD":        "denied: prints [redacted]",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

// A log in which ordinary words are missing is of no use.
func TestOrdinaryTextIsNotRedacted(t *testing.T) {
	for _, s := range []string{
		"go test ./... | tail", "git log --author=me --oneline", "sort --key=2,2 -t: f", "sort -k 2", "ssh git@host", "git clone ssh://git@host/r",
		`curl -H "Authorization: $AUTH" h`, "TOKEN=$(pass show x) deploy", `deploy --token "$TOKEN"`, "docker login --password-stdin registry.example",
		"kubectl create secret generic x --from-file=f", "PWD=/x make", "A=b c=d make", "tar --exclude=./x", "rsync -a a:/b c", "npm run build -- --tokenizer x",
		"openssl x509 -in cert.pem", "git commit -m 'fix: keep tokens'", "deploy --token-file f --verbose", "echo a:b http://localhost:8080/x",
		"mysql -u root db", "grep -r password src", "ls ~/.ssh", "make KEYBOARD=us", "curl https://x.io/a@b",
	} {
		if got := Redact(s); got != s {
			t.Errorf("%s became %s", s, got)
		}
	}
}

func TestSecretWordsOfArgvAreRedacted(t *testing.T) {
	for _, tc := range []struct{ in, want []string }{
		{[]string{"deploy", "--token", "a b", "x"}, []string{"deploy", "--token", Redacted, "x"}},
		{[]string{"deploy", "--token", "--verbose"}, []string{"deploy", "--token", "--verbose"}},
		{[]string{"env", "API_KEY=a b,c", "make"}, []string{"env", "API_KEY=" + Redacted, "make"}},
		{[]string{"curl", "-u", "me:a b"}, []string{"curl", "-u", "me:" + Redacted}},
		{[]string{"curl", "-H", "Authorization: Basic a b"}, []string{"curl", "-H", "Authorization: " + Redacted}},
		{[]string{"git", "clone", "https://u:p@h/r"}, []string{"git", "clone", "https://" + Redacted + "@h/r"}},
		{[]string{"env", "TOKEN=a b", "make"}, []string{"env", "TOKEN=" + Redacted, "make"}},
		{[]string{"sh", "-c", "TOKEN=abc make"}, []string{"sh", "-c", "TOKEN=" + Redacted + " make"}},
		{[]string{"go", "test", "./..."}, []string{"go", "test", "./..."}},
		{nil, []string{}},
	} {
		if got := RedactArgv(tc.in); !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q, want %q", tc.in, got, tc.want)
		}
	}
}

// A name that sounds like a secret's must not hide from the log what ran.
func TestCommandsAreNotHiddenBySecretNames(t *testing.T) {
	for _, in := range []string{
		`TOKEN="a$(curl evil)" make`, "TOKEN=a`curl evil`", "TOKEN=x; curl evil", "TOKEN=x&&curl evil", "TOKEN=x|curl evil", "deploy --token x;curl evil",
		"echo -----BEGIN PRIVATE KEY-----; curl evil", "echo -----BEGIN PRIVATE KEY-----\ncurl evil", `curl -H "Authorization: $(curl evil)"`,
		"TOKEN='" + strings.Repeat(" ", maxSecret) + "curl evil'", "TOKEN=\ncurl evil", "TOKEN= curl evil", "echo https://x@y;curl evil",
		"echo token: a; curl evil", `bash -c "token: a; curl evil"`, `bash -c "cookie: a=b; curl evil"`, "mysql -u x -pa;curl evil",
	} {
		if got := Redact(in); !strings.Contains(got, "curl evil") {
			t.Errorf("%s became %s", in, got)
		}
	}
}

func TestScriptsInArgvAreNotHiddenBySecretNames(t *testing.T) {
	for _, script := range []string{"token: ; curl evil", "TOKEN=x; curl evil", "TOKEN=x\ncurl evil", "TOKEN=$(curl evil)"} {
		for _, argv := range [][]string{{"sh", "-c", script}, {"x", "--token", script}, {"x", "-u", "a:" + script}} {
			if got := RedactArgv(argv); !strings.Contains(got[2], "curl evil") {
				t.Errorf("%q became %q", argv, got)
			}
		}
	}
}

// Everyday text stays as it is, but for the lines with secrets.
func TestTheCorpusOfOrdinaryCommandsIsToldAsItIs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "guard", "rules-ordinary.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all, changed := 0, []string{}
	for line := range strings.Lines(string(data)) {
		all++
		if got := Redact(line); got != line {
			changed = append(changed, got)
		}
	}
	if len(changed)*100 > all {
		t.Errorf("%d of %d:\n%s", len(changed), all, strings.Join(changed, ""))
	}
}

// A log line must not cost what the command itself does not, whatever its text.
func TestRedactingTakesTimeInProportion(t *testing.T) {
	for _, text := range []string{"a=", "--token ", "'", "TOKEN=", "mysql -", "://", "eyJ", `"\`, "-----BEGIN PRIVATE KEY-----", "a:"} {
		long := strings.Repeat(text, 64<<10/len(text))
		least := time.Hour // a machine that stalls for seconds doesn't do so each time
		for tries := 0; tries < 5 && least > 10*time.Second; tries++ {
			begin := time.Now()
			Redact(long)
			least = min(least, time.Since(begin))
		}
		if least > 10*time.Second { // the square of the length would take longer
			t.Errorf("%q × %d took %s", text, len(long)/len(text), least)
		}
	}
}

func BenchmarkRedact(b *testing.B) {
	for b.Loop() {
		Redact("cd sub && GOFLAGS=-count=1 go test ./... | tail -n 20")
	}
}
