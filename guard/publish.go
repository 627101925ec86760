package guard

import (
	"slices"
	"strings"
	"sync"
)

var publishers = sync.OnceValue(func() phrases {
	return phrases{
		"npm": "publish unpublish deprecate owner+add owner+rm dist-tag+add dist-tag+rm access+set access+grant access+revoke access+public", "pnpm": "publish", "yarn": "publish npm+publish", "bun": "publish", "cargo": "publish yank", "rye": "publish", "stack": "upload", "swift": "package-registry+publish", "twine": "upload", "poetry": "publish", "flit": "publish",
		"hatch": "publish", "uv": "publish", "pdm": "publish", "gem": "push yank owner", "docker": "push image+push compose+push compose+publish manifest+push buildx+imagetools+create trust+sign trust+revoke", "podman": "push image+push manifest+push", "nerdctl": "push image+push", "buildah": "push manifest+push", "ctr": "images+push image+push", "helm": "push",
		"oras": "push cp copy attach tag manifest+push manifest+delete blob+push blob+delete", "crane": "push copy cp delete tag append mutate rebase index", "gcrane": "push copy cp delete tag gc", "regctl": "image+copy image+delete tag+delete image+mod", "skopeo": "copy delete sync", "cosign": "sign attest attach+* upload+* copy clean save+*", "notation": "sign", "ko": "publish apply create resolve build deps+push", "cr": "upload index",
		"jsr": "publish", "expo": "publish upload", "deno": "publish", "pkg-pr-new": "publish", "gh-pages": "", "mkdocs": "gh-deploy", "ghp-import": "", "hexo": "deploy", "clasp": "push deploy", "web-ext": "sign", "maturin": "publish upload", "wasm-pack": "publish", "sentry-cli": "releases+new releases+finalize releases+deploys", "hf": "upload repo+*", "huggingface-cli": "upload repo+*", "opam": "publish", "nimble": "publish", "rake": "release",
		"hub": "release+create release+delete release+edit delete create fork",
		"gh":  "workflow+run workflow+enable issue+close issue+edit issue+delete issue+transfer issue+lock issue+reopen issue+pin pr+close pr+review pr+edit pr+reopen pr+lock run+cancel run+delete gist+delete gist+rename label+create label+edit label+delete label+clone repo+fork cache+delete codespace+create codespace+delete variable+delete ssh-key+delete gpg-key+delete release+create release+delete release+edit release+upload pr+merge repo+delete repo+archive repo+rename repo+create repo+edit secret+set secret+delete variable+set ssh-key+add gpg-key+add repo+deploy-key", "glab": "issue+close issue+update issue+delete issue+reopen mr+close mr+update mr+approve mr+revoke mr+reopen ci+run ci+cancel ci+trigger ci+delete variable+set variable+update variable+delete schedule+create schedule+run label+create release+create release+delete release+upload mr+merge repo+delete repo+create",
		"goreleaser": "release", "semantic-release": "", "release-it": "", "np": "", "lerna": "publish", "changeset": "publish", "vsce": "publish unpublish", "ovsx": "publish", "mvn": "deploy release:perform", "mvnw": "deploy release:perform",
		"dotnet": "nuget+push nuget+delete", "nuget": "push delete", "pod": "trunk+push", "flutter": "pub+publish", "dart": "pub+publish", "mix": "hex.publish", "sbt": "publish", "conan": "upload", "anaconda": "upload", "jfrog": "rt+upload", "fastlane": "release deliver pilot beta supply", "xcrun": "altool notarytool+submit", "eas": "submit update", "luarocks": "upload", "cabal": "upload", "lein": "deploy",
	}
})

func publishes(_ *walker, e *effect) bool {
	if e.kind != kindExec {
		return false
	}
	name, args := launched(e.name, e.args)
	switch name {
	case "goreleaser":
		if flagged(args, "--snapshot", "--skip-publish") {
			return false
		}
	case "gradle", "gradlew":
		return !rehearsal(args) && anyText(args, func(s string) bool {
			s = s[strings.LastIndexByte(s, ':')+1:]
			return s == "publish" || s == "uploadArchives" || s == "bintrayUpload" || strings.HasPrefix(s, "publish") && !strings.Contains(s, "Local") && strings.Contains(s, "To") || s == "publishPlugins"
		})
	case "docker", "podman":
		if anyText(args, func(s string) bool { return strings.HasPrefix(s, "localhost:") || strings.HasPrefix(s, "127.0.0.1:") }) {
			return false
		}
		if flagged(args, "--push") {
			return begins(commandWords(name, args), []string{"buildx"}) || begins(commandWords(name, args), []string{"build"})
		}
	case "gh", "glab":
		if words := commandWords(name, args); begins(words, []string{"api"}) {
			return changesForge(args, words)
		}
		if begins(commandWords(name, args), []string{"repo", "sync"}) {
			return flagged(args, "--force")
		}
	case "cargo":
		if begins(commandWords(name, args), []string{"owner"}) {
			return flagged(args, "-a", "--add", "-r", "--remove")
		}
		if begins(commandWords(name, args), []string{"release"}) { // without it, it only tells
			return flagged(args, "-x", "--execute")
		}
	case "mike": // without --push it only commits
		return flagged(args, "--push", "-p") && !rehearsal(args)
	case "ko":
		if flagged(args, "-L", "--local", "--push=false") || anyText(args, func(s string) bool { return s == "--push=false" }) {
			return false
		}
	case "python", "python3":
		return len(args) > 1 && base(args[0].text) == "setup.py" && anyText(args[1:], func(s string) bool { return s == "upload" || s == "register" })
	}
	return publishers().match(e)
}

var ghSpec = newSpec(":::", "-X: --method: -f: -F: --field: --raw-field: -H: --header: --jq: -q: --input: -t: --template: --hostname: --cache: -p: --preview:")

// changesForge is gh api with another method than GET; fields without a method
// are a POST. Queries of GraphQL are one too.
func changesForge(args []arg, words []string) bool {
	opts, _ := ghSpec.options(args)
	fields := false
	for _, o := range opts {
		switch {
		case named(o, "-X", "--method") && o.valued:
			return !strings.EqualFold(o.value.text, "get") && !strings.EqualFold(o.value.text, "head")
		case named(o, "-f", "-F", "--field", "--raw-field", "--input"):
			fields = true
			if strings.HasPrefix(o.value.text, "query=") {
				fields = strings.Contains(o.value.text, "mutation")
			}
			if fields && len(words) > 1 && words[1] == "graphql" {
				fields = strings.Contains(o.value.text, "mutation")
			}
		}
		if fields {
			return true
		}
	}
	return false
}

// deletes reports a DELETE request, as curl and gh name the method.
func deletes(s *spec, args []arg) bool {
	opts, _ := s.options(args)
	return slices.ContainsFunc(opts, func(o option) bool {
		return named(o, "-X", "--request", "--method") && strings.EqualFold(o.value.text, "delete")
	})
}
