package program

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// None of these programs has a model: the verb, an option, a target or the name has to do.
func TestAVerbIsKnownWhicheverProgramHasIt(t *testing.T) {
	asked := strings.Split(`acmectl pulls merge 14|acmectl --yes delete x|acmectl -p prod redeploy api
acmectl release v1|acmectl queue kill abc|acmectl pipelines stop 3|acmectl set-pipeline -p x
acmectl maintenance:on|acmectl env:deploy|acmectl dns set x|acmectl scale web=0
acmectl rm s3://b/x|acmectl volume rm x|acmectl cordon n1|acmectl x.publish|acmectl .#deploy
acmectl migrate --env production|acmectl upgrade --settings=acme.production|acmectl seed -t prod
swa deploy|colmena apply|nixops destroy|jets rollback|apollo client:push|amplify push
acmectl pack --push|acmectl jobs --reset-offsets|acme-publish x|aws-nuke`, "|")
	fine := strings.Split(`acmectl list deleted|acmectl get release|acmectl logs --env production
acmectl build --mode production|acmectl cache purge|acmectl config set a b
acmectl run deploy|acmectl submodule update|acmectl stash apply.txt|acmectl .deploy|acmectl pre-push
acmectl publish --dry-run|acmectl pack --publish=never|acmectl test --name delete|acmectl src/push/x
acmectl -f release.toml check|acme-publish --version|acmectl generate migration create_x|prepare_release.py x`, "|")
	for want, list := range map[bool][]string{true: asked, false: fine} {
		for _, command := range strings.Split(strings.Join(list, "\n"), "\n") {
			words := strings.Fields(command)
			var args []effect.Arg
			for _, word := range words[1:] {
				args = append(args, effect.Arg{Text: word})
			}
			if Drastic(words[0], args) != want {
				t.Errorf("%s: not %v", command, want)
			}
		}
	}
}

func TestACredentialOfItsOwnIsKnownWhicheverProgramPrintsIt(t *testing.T) {
	for command, want := range map[string]bool{
		"auth token": true, "auth:token": true, "secrets get X": true, "secret download": true, "token reveal": true,
		"stack export --show-secrets": true, "auth login": false, "secrets list": false, "auth token --help": false,
		"get secrets": false, "--show": false, "token list": false,
	} {
		var args []effect.Arg
		for _, word := range strings.Fields(command) {
			args = append(args, effect.Arg{Text: word})
		}
		if Reveals("acmectl", args) != want {
			t.Errorf("%s: not %v", command, want)
		}
	}
}
