package caches

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// A reading command must not be able to leave something that a writing one runs,
// nor one of another workspace.
func TestCachesAreSharedByThoseWhoMayWriteTheSame(t *testing.T) {
	write := func(dirs ...string) sandbox.Policy {
		return sandbox.Policy{Mode: sandbox.WorkspaceWrite, Writable: dirs}
	}
	key := func(p sandbox.Policy, folders ...string) string { return Key(p, folders) }
	mine := key(write("/a"), "/a")
	network := write("/a")
	network.Network = sandbox.NetworkAllow
	network.Name = "another"
	if key(network, "/a") != mine || key(write("/a", "/b"), "/b", "/a") != key(write("/b", "/a"), "/a", "/b") {
		t.Error("the same rights have several caches")
	}
	seen := map[string]int{}
	for i, k := range []string{
		mine, key(write("/b"), "/b"), key(write("/a/sub"), "/a"), key(write("/a", "/x"), "/a"), key(write("/a", "/b"), "/a", "/b"),
		key(sandbox.Policy{Mode: sandbox.ReadOnly, Writable: []string{"/a"}}, "/a"), key(write("/a b"), "/a b"), key(write("/a", "b"), "/a b"),
	} {
		if old, ok := seen[k]; ok {
			t.Errorf("%d and %d share caches", old, i)
		}
		seen[k] = i
	}
}

func TestWhereToolsKeepTheirCaches(t *testing.T) {
	user := map[string]string{"GOMODCACHE": "/h/go/pkg/mod", "CARGO_HOME": "/h/.cargo"}
	for name, c := range map[string]struct {
		network sandbox.Network
		user    map[string]string
		has     []string
		want    map[string]string // of what depends on it
	}{
		"without a network the user's modules are read": {
			network: sandbox.NetworkDeny, user: user, want: map[string]string{"CARGO_HOME": "/c/cargo"},
		},
		"what was fetched is found without a network": {
			network: sandbox.NetworkDeny, user: user, has: []string{"go-mod", "cargo-net"},
			want: map[string]string{"CARGO_HOME": "/c/cargo-net", "GOMODCACHE": "/c/go-mod", "GOPROXY": "file:///h/go/pkg/mod/cache/download,off"},
		},
		"with one nothing is fetched twice": {
			network: sandbox.NetworkAllow, user: user,
			want: map[string]string{"CARGO_HOME": "/c/cargo-net", "GOMODCACHE": "/c/go-mod", "GOPROXY": "file:///h/go/pkg/mod/cache/download,https://proxy.golang.org,direct"},
		},
		"the user's own proxy": {
			network: sandbox.NetworkAllow, user: map[string]string{"GOPROXY": "https://p,off"},
			want: map[string]string{"CARGO_HOME": "/c/cargo-net", "GOMODCACHE": "/c/go-mod", "GOPROXY": "https://p,off"},
		},
		"maven's repository stands behind ours": {
			network: sandbox.NetworkDeny, user: map[string]string{MavenRepository: "/h/.m2/repository"},
			want: map[string]string{"CARGO_HOME": "/c/cargo", "MAVEN_OPTS": "-Dmaven.repo.local=/c/maven -Dmaven.repo.local.tail=/h/.m2/repository"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Vars("/c", c.network, c.user, func(s string) bool { return slices.Contains(c.has, s) })
			want := map[string]string{
				"XDG_CACHE_HOME": "/c/xdg", "GOCACHE": "/c/go-build", "npm_config_cache": "/c/npm", "PIP_CACHE_DIR": "/c/pip",
				"GRADLE_USER_HOME": "/c/gradle", "MAVEN_OPTS": "-Dmaven.repo.local=/c/maven",
			}
			maps.Copy(want, noNews)
			if c.network == sandbox.NetworkDeny { // nothing is tried again
				maps.Copy(want, noRetries)
			}
			maps.Copy(want, c.want)
			if d := cmp.Diff(want, got); d != "" {
				t.Error("(-want +got):\n", d)
			}
		})
	}
	if got := WithTools(map[string]string{"GOMODCACHE": "/u", MavenRepository: "/m", GoBuilds: "/b", View("pip"): "/p", "NVM_DIR": "/n"}, map[string]string{"GOMODCACHE": "/c"}); !cmp.Equal(got, map[string]string{"GOMODCACHE": "/c", "NVM_DIR": "/n"}) {
		t.Errorf("%v", got)
	}
	if got := mavenOptions("/a b", ""); got != "" {
		t.Errorf("a blank splits %q", got)
	}
}

func TestTheOldestCachesGoFirst(t *testing.T) {
	at := func(n int64) time.Time { return time.Unix(n, 0) }
	all := []use{{"new", at(3), 50}, {"old", at(1), 40}, {"older", at(0), 30}, {"mid", at(2), 20}}
	for limit, want := range map[int64][]string{
		140: nil, 139: {"older"}, 110: {"older"}, 109: {"older", "old"}, 60: {"older", "old", "mid"}, 0: {"older", "old", "mid", "new"},
	} {
		if got := leastUsed(all, limit); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", limit, got, want)
		}
	}
}

func TestViewsOfTheUsersCaches(t *testing.T) {
	got, in := Views("/c/key", map[string]string{"NVM_DIR": "/n", View("pip"): "/h/.cache/pip", View("npm/_cacache"): "/h/.npm/_cacache"})
	want := []sandbox.View{
		{At: "/c/key/npm/_cacache", Lower: []string{"/h/.npm/_cacache"}}, {At: "/c/key/pip", Lower: []string{"/h/.cache/pip"}},
	}
	if d := cmp.Diff(want, got); d != "" || in != "/c/key.views" {
		t.Errorf("%s (-want +got):\n%s", in, d)
	}
}
