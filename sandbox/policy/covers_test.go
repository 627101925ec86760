package policy

import "testing"

// What the policy names by name is shown; a directory around it shows it not.
func TestSecretsAreHiddenUnlessThePolicyNamesThem(t *testing.T) {
	for path, want := range map[string]bool{
		"/home/u/.ssh/id_rsa": true, "/home/u/.ssh": true, "/home/u/.config/gh/hosts.yml": true,
		"/home/u/.sshd": false, "/home/u": false, "/home/u/src/.ssh": false, "/srv/.ssh": false,
		"/home/u/.aws/credentials": false, "/home/u/.aws": true, "/home/u/.kube/config": false,
	} {
		p := Policy{Mode: WorkspaceWrite, Readable: []string{"/home/u", "/home/u/.aws/credentials"}, Writable: []string{"/home/u/.kube"}}
		if got := p.Hides("/home/u", path); got != want {
			t.Errorf("%s: hidden %v", path, got)
		}
		if p.Hides("", path) {
			t.Errorf("%s: a home that nobody knows", path)
		}
		if p.Mode = Off; p.Hides("/home/u", path) {
			t.Errorf("%s: hidden in mode off", path)
		}
	}
}
