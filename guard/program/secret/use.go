// Package secret knows what prints, copies and sends credentials.
package secret

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/cloud"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// copiesSecret judges where cp, mv and ln take a secret. Another secret name in
// the workspace, or the same name in another of its folders, keeps it guarded.
func copiesSecret(w *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("cp", "mv", "ln", "install", "gcp", "gmv") {
		return false
	}
	opts, operands := program.MustSpec(strings.TrimPrefix(e.Name, "g")).Options(e.Args)
	for _, o := range opts {
		if argv.Named(o, "-t", "--target-directory") && o.Valued {
			operands = append(operands, o.Value)
			operands[len(operands)-1].Text += "/"
		}
	}
	return Bares(w, operands)
}

// Bares reports copies of a secret to where it is guarded no longer.
func Bares(w *shell.Walker, operands []effect.Arg) bool {
	if len(operands) < 2 {
		return false
	}
	to := operands[len(operands)-1].Text
	if !place.NamesSecret(operands[:len(operands)-1]) {
		return false
	}
	folder := strings.HasSuffix(to, "/") || to == "." || to == ".."
	kept := folder && !slices.ContainsFunc(strings.Split(path.Clean(to), "/"), published) || !folder && place.SecretArg(to)
	return !kept || w.InRoots(path.Clean(to))
}

// published reports folders that servers and bundlers give to everyone.
func published(dir string) bool {
	return slices.Contains([]string{"public", "static", "www", "htdocs", "html", "dist", "build", "out", "assets"}, dir)
}

// asksStore is what no phrase can say.
func asksStore(_ *shell.Walker, e *effect.Effect) bool {
	switch e.Name {
	case "aws":
		words := program.Words(e)
		return program.Means(e, "prints-secrets") && !cloud.LocalEndpoint(e.Name, e.Args) ||
			argv.Begins(words, []string{"configure", "export-credentials"}) ||
			argv.Begins(words, []string{"configure", "get"}) && len(words) > 2 && place.SecretVariable(words[2])
	case "kubectl", "oc":
		return clusterSecret(e)
	case "openssl":
		return printsKey(e)
	}
	return e.Text == e.Name && program.Reveals(e.Name, e.Args)
}

// clusterSecret is kubectl printing the content of secrets, not their names.
func clusterSecret(e *effect.Effect) bool {
	opts, words := program.MustSpec("kubectl").Options(e.Args)
	if len(words) > 1 && words[0].Text == "config" {
		return words[1].Text == "view" && argv.Any(opts, "--raw")
	}
	if len(words) < 2 || words[0].Text != "get" {
		return false
	}
	kindOf, _, _ := strings.Cut(words[1].Text, "/")
	if !slices.Contains(strings.Split(kindOf, ","), "secret") && !slices.Contains(strings.Split(kindOf, ","), "secrets") {
		return false
	}
	return argv.AnyValue(opts, func(as string) bool { return as != "name" && as != "wide" }, "-o", "--output")
}

// printsKey is openssl writing a private key, or encoding a file that is one.
func printsKey(e *effect.Effect) bool {
	if len(e.Args) == 0 || !place.NamesSecret(e.Args[1:]) {
		return false
	}
	to := argv.Given(e.Args, "-out")
	has := func(words ...string) bool { return argv.Has(e.Args, words...) }
	switch e.Args[0].Text {
	case "rsa", "pkey", "ec", "pkcs8":
		return !has("-pubout", "-noout", "-out") && !to
	case "pkcs12":
		return !has("-noout", "-out", "-export", "-info") && !to
	case "base64":
		return true
	case "enc":
		aes := func(s string) bool { return strings.HasPrefix(s, "-aes") }
		return has("-a", "-base64", "-none") && !argv.AnyText(e.Args, aes)
	}
	return false
}

func printsSecret(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("printenv") {
		return false
	}
	_, operands := program.BareSpec.Options(e.Args)
	return slices.ContainsFunc(operands, func(a effect.Arg) bool { return place.SecretVariable(a.Text) })
}

// postsSecret is a forge's tool given a secret file as a text or a field.
func postsSecret(_ *shell.Walker, e *effect.Effect) bool {
	posts := program.Means(e, "gists") || program.Means(e, "uploads")
	texts := argv.Values(e.Args, "-F", "--body-file", "--notes-file", "--field", "--input") // a comment, a field
	return e.Runs("gh", "glab") && (place.NamesSecret(texts) || posts && place.NamesSecret(e.Args))
}

// Family is what prints, copies and sends credentials.
func Family() run.Family {
	return run.Family{Means: []run.Meaning{
		{Word: "secret/copy", When: copiesSecret},
		{Word: "secret/store", When: run.OfMachine(asksStore)},
		{Word: "secret/send", When: postsSecret},
		{Word: "secret/variable", When: printsSecret},
		{Word: effect.PrintsAll, When: run.PrintsAll},
	}}
}
