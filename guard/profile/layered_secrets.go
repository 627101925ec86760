package profile

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// secret says what kind of secret lies at a path, "" for none. It looks at the text as
// well: the last names after a variable are enough.
func secret(paths ...string) string {
	for _, p := range paths {
		if s := secretAt(p); s != "" {
			return s
		}
	}
	return ""
}

func secretAt(p string) string {
	p = strings.TrimRight(p, "/")
	dir, name := path.Base(path.Dir(p)), path.Base(p)
	switch {
	case p == "":
		return ""
	case name == ".ssh", dir == ".ssh" && !public(name):
		return "SSH key access"
	case name == ".aws", dir == ".aws":
		return "AWS credentials"
	case historical(name):
		return "history theft"
	case dotenv(name), slices.Contains([]string{".netrc", ".git-credentials", ".pgpass", ".pypirc"}, name):
		return "credential file access"
	}
	return ""
}

// public are the files next to SSH keys that hold no key.
func public(name string) bool {
	return strings.HasSuffix(name, ".pub") || strings.HasPrefix(name, "known_hosts") || name == "config" ||
		name == "authorized_keys"
}

func historical(name string) bool {
	shell, ok := strings.CutSuffix(name, "_history")
	return ok && strings.HasPrefix(shell, ".")
}

// dotenv is .env and its variants, but not the templates that are committed.
func dotenv(name string) bool {
	rest, ok := strings.CutPrefix(name, ".env")
	if !ok || rest != "" && rest[0] != '.' {
		return false
	}
	switch rest {
	case ".example", ".sample", ".template", ".dist", ".defaults", ".schema", ".d.ts":
		return false
	}
	return true
}

// sendsSecret says which kind of secret a program sends away, "" for none.
func sendsSecret(e *effect.Effect) string {
	switch e.Name {
	case "curl", "wget", "http", "xh":
		for i, a := range e.Args {
			if uploadsSecret(e.Args, i, a.Text) {
				return "credential exfiltration"
			}
		}
	case "scp", "rsync", "sftp":
		n := len(e.Args)
		if n > 1 && atHost(e.Args[n-1].Text) && argv.AnyText(e.Args[:n-1], precious) {
			return "file exfiltration"
		}
	}
	return ""
}

// uploadsSecret reports an argument that names a secret file as what is sent: @FILE in
// data or a form, or the value of an option that takes a file.
func uploadsSecret(args []effect.Arg, i int, text string) bool {
	if _, file, ok := strings.Cut(text, "@"); ok && !strings.Contains(text, "://") {
		file, _, _ = strings.Cut(file, ";")
		return precious(file)
	}
	for _, opt := range []string{"-T", "--upload-file", "--post-file", "--body-file"} {
		if text == opt && i+1 < len(args) {
			return precious(args[i+1].Text)
		}
		if file, ok := strings.CutPrefix(text, opt); ok && file != "" {
			return precious(strings.TrimPrefix(file, "="))
		}
	}
	return false
}

// atHost is HOST:PATH as scp and rsync read it.
func atHost(text string) bool {
	host, _, ok := strings.Cut(text, ":")
	return ok && host != "" && !strings.Contains(host, "/") || strings.HasPrefix(text, "rsync://")
}

// precious is a secret by its place or by its name.
func precious(file string) bool {
	name := strings.ToLower(path.Base(file))
	if secretAt(file) != "" || strings.HasSuffix(name, ".env") || strings.HasSuffix(name, ".pem") ||
		strings.HasSuffix(name, ".key") {
		return true
	}
	if strings.HasPrefix(name, "id_") && !strings.Contains(name, ".") {
		return true
	}
	base, _, _ := strings.Cut(name, ".")
	return slices.Contains([]string{"secret", "secrets", "credential", "credentials", "password", "passwords"}, base)
}
