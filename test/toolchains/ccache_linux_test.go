package toolchains

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// What the user has compiled is not compiled again, in another folder either, as the user's
// settings have it. What commands compile stays theirs, and no password of a server is seen.
func TestCcacheBeginsWithWhatTheUserHas(t *testing.T) {
	long.Test(t)
	needs.Program(t, "ccache", "gcc")
	everyUser(t, func(u *user) {
		if !u.viewed() {
			return
		}
		first, second := filepath.Join(u.work, "first"), filepath.Join(u.work, "second")
		for _, dir := range []string{first, second} {
			u.write(filepath.Join(dir, "main.c"), "int main(void) { return 0; }\n")
		}
		u.write(filepath.Join(u.home, ".config/ccache/ccache.conf"), "hash_dir = false\nremote_storage = http://me:"+sentinel+"@host\n")
		cache := filepath.Join(u.home, ".cache/ccache")
		u.write(filepath.Join(cache, "ccache.conf"), "remote_storage = http://me:"+sentinel+"@host\n")
		u.own(filepath.Join(u.home, ".cache"), filepath.Join(u.home, ".config"))
		const compile = "ccache gcc -g -c main.c"
		u.outside(first, "sh", "-c", "CCACHE_CONFIGPATH=/dev/null CCACHE_NOHASHDIR=1 ccache gcc -g -c main.c")
		before := u.tree(cache)
		out, code := u.inside(second, `CCACHE_LOGFILE=$TMPDIR/log `+compile+`; grep Result: $TMPDIR/log
			cat ~/.config/ccache/ccache.conf $XDG_CACHE_HOME/ccache/ccache.conf
			rm $XDG_CACHE_HOME/ccache/ccache.conf; cat $XDG_CACHE_HOME/ccache/ccache.conf`)
		if !strings.Contains(out, "direct_cache_hit") || !strings.Contains(out, "hash_dir = false") {
			u.t.Errorf("code %d\n%s", code, out)
		}
		if strings.Contains(out, sentinel) {
			u.t.Errorf("a password is seen:\n%s", out)
		}
		if out, _ := u.inside(second, "cat $XDG_CACHE_HOME/ccache/ccache.conf"); strings.Contains(out, sentinel) {
			u.t.Errorf("a password is seen by the next command:\n%s", out)
		}
		out, code = u.inside(second, `find $XDG_CACHE_HOME/ccache -name '*R' -exec sh -c 'chmod u+w "$1"; echo `+sentinel+` >"$1"' - {} \;`)
		if code != 0 {
			u.t.Errorf("code %d\n%s", code, out)
		}
		if after := u.tree(cache); after != before {
			u.t.Errorf("the user's cache was\n%s\nand is\n%s", before, after)
		}
	})
}
