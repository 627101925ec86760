package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

// What is offered instead runs, and no rule finds it that is as grave.
func TestSuggestionsRun(t *testing.T) {
	for command, want := range map[string]string{
		"git push --force origin main":      "git push --force-with-lease origin main",
		"git push -f":                       "git push --force-with-lease",
		"git clean -fdx":                    "git clean -fdx -n",
		"git reset --hard HEAD~3":           "git stash push -u",
		"git branch -D x":                   "git branch -d x",
		"npm publish --access public":       "npm publish --access public --dry-run",
		"kubectl delete -f k8s/":            "kubectl delete -f k8s/ --dry-run=server",
		"terraform apply -auto-approve":     "terraform plan",
		"rsync -a --delete x/ .":            "rsync -a --delete x/ . -n",
		"git push origin +main":             "",
		"git push --force origin \"$X\"":    "",
		"sh -c 'git push -f'":               "",
		"docker push x/y:1":                 "",
		"helm upgrade a ./b && git push -f": "helm upgrade a ./b --dry-run",
	} {
		v := judge(command)
		if len(v.Findings) == 0 || v.Findings[0].Suggestion == nil {
			t.Errorf("%q: nothing found, or nothing to say", command)
			continue
		}
		got := v.Findings[0].Suggestion.Command
		if got != want {
			t.Errorf("%q: instead %q, want %q", command, got, want)
		}
		if got == "" {
			continue
		}
		if left := judge(got); left.Decision != rule.Allow && left.Findings[0].Severity <= v.Findings[0].Severity {
			t.Errorf("%q is offered, and %s", got, describe(judge(got)))
		}
	}
}

func TestFindingsMarkWhatIsDangerous(t *testing.T) {
	for command, want := range map[string]string{
		"cd src && git clean -fdx && ls": "clean -fdx", "sudo -n ls; mkfs.ext4 /dev/sda1": "mkfs.ext4 /dev/sda1",
		"docker push x/y:1": "push x/y:1", "shutdown -h now": "shutdown -h now", "rm -rf /": "/", "reboot": "reboot",
	} {
		v := judge(command)
		if s := v.Findings[0].Span; command[s.Start:s.End] != want {
			t.Errorf("%q marks %q, want %q", command, command[s.Start:s.End], want)
		}
	}
}
