package guard

import (
	"strings"
	"sync"
)

// wrapperTable lists programs that run the command in their arguments: names,
// operands of their own before it, and options with a value (see spec). Exact
// arities matter: taking an option's value for the program is how a wrapper
// hides one.
var wrapperTable = [...]struct {
	names    string
	operands int
	flags    string
}{
	{"sudo doas", 0, "-u: -g: -h: -p: -C: -r: -t: -T: -U: -D@ -R< -a: --user: --group: --host: --prompt: --chdir@ --chroot< --close-from: --role: --type: --command-timeout: --other-user:"},
	{"pkexec", 0, "--user:"},
	{"runuser", 0, "-u: -g: -G: -c: -s: -w: --user: --group: --command: --shell: --supp-group:"},
	{"env genv", 0, "-u: -C@ --unset: --chdir@ -P: -S: --split-string: --argv0: -a:"},
	{"nice gnice", 0, "-n: --adjustment:"},
	{"nohup setsid busybox toybox unbuffer catchsegv torsocks dbus-run-session eatmydata chronic ccache sccache linux64 linux32 tini dumb-init catatonit dbus-launch heaptrack", 0, ""},
	{"caffeinate", 0, "-t: -w:"},
	{"fakeroot", 0, "-l: -s> -i< -b: --lib: --faked:"},
	{"proxychains proxychains4", 0, "-f<"},
	{"gosu su-exec setarch", 1, "-p:"},
	{"gdb cgdb lldb", 0, "-ex: -iex: -cd@ --command< --core< --pid: -o: --one-line:"},
	{"setpriv", 0, "--reuid: --regid: --groups: --inh-caps: --bounding-set: --ambient-caps: --securebits: --pdeathsig: --selinux-label: --apparmor-profile:"},
	{"prlimit", 0, "-p: -o: --pid: --output:"},
	{"timeout gtimeout", 1, "-k: -s: --kill-after: --signal:"},
	{"time gtime", 0, "-f: -o> --format: --output>"},
	{"stdbuf gstdbuf", 0, "-i: -o: -e: --input: --output: --error:"},
	{"ionice", 0, "-c: -n: -p: -t: --class: --classdata:"},
	{"taskset chrt", 1, "-p: -T: -P: -D:"},
	{"numactl", 0, "-C: -N: -m: -p:"},
	{"strace ltrace", 0, "-e: -o> -p: -s: -u: -E: -a: -I: -O: -P: -S: -X: -b:"},
	{"valgrind", 0, ""},
	{"xvfb-run", 0, "-e: -f: -n: -p: -s: -w: --error-file> --auth-file: --server-num: --server-args: --xauth-protocol: --wait:"},
	{"faketime", 1, "-f:"},
	{"cpulimit", 0, "-l: -p: -e: --limit: --pid: --exe:"},
	{"chroot", 1, "--userspec: --groups:"},
	{"flock", 1, "-w: -E: --timeout: --conflict-exit-code: --wait:"},
	{"unshare nsenter", 0, "-S: -G: -t: -R< -w@ --target: --root< --wd@ --setuid: --setgid:"},
	{"systemd-run", 0, "-u: -p: -M: -H: -E: -d: --unit: --property: --slice: --description: --uid: --gid: --setenv: --working-directory@"},
	{"watch gwatch", 0, "-n: --interval: -q: --equexit:"},
	{"su", 0, "-c: -s: -g: -G: -w: --command: --shell:"},
	{"script", 0, "-c: --command: -t: -I> -O> -B>"},
	{"hyperfine", 0, "-w: -m: -M: -r: -p: -c: -s: -S: -n: -i: -L: --warmup: --min-runs: --max-runs: --runs: --prepare: --cleanup: --setup: --shell: --export-json> --export-markdown> --export-csv> --parameter-list: --command-name:"},
	{"entr", 0, ""},
	{"cross-env", 0, ""},
	{"dotenv", 0, "-e: -v: -c: -f:"},
	{"firejail winpty fakechroot arch distcc icecc scan-build bear intercept-build", 0, ""},
	{"rlwrap", 0, "-f< -H> -C: -P: -b: -s:"},
	{"envchain envdir s6-envdir setuidgid s6-setuidgid envuidgid s6-envuidgid", 1, ""},
	{"aa-exec", 0, "-p: -n: --profile: --namespace:"},
	{"shx multitime tsp nq pgrphack gow esy vaultenv env-cmd flatpak-spawn distrobox-host-exec please", 0, ""},
	{"ssh-agent", 0, "-a> -t: -E: -P:"},
	{"sshpass", 0, "-p: -f< -d: -P:"},
	{"runcon", 0, "-t: -u: -r: -l: --type: --user: --role: --range:"},
	{"chpst", 0, "-u: -U: -b: -/< -e< -d: -o: -p: -f: -c: -t: -l> -L>"},
	{"daemonize", 0, "-c@ -e> -o> -p> -l> -u: -E:"},
	{"cgexec", 0, "-g:"},
	{"systemd-cat", 0, "-t: -p: --identifier: --priority:"},
	{"systemd-inhibit", 0, "--what: --who: --why: --mode:"},
	{"trickle", 0, "-d: -u: -w: -t: -l:"},
	{"watchexec", 0, "-w< -e: -f: -i: -d: -s: -E: -o: -N: --watch< --exts: --filter: --ignore: --debounce: --signal: --shell: --env: --on-busy-update: --workdir@"},
	{"npx bunx pnpx", 0, "-p: -c: --package: --call: -w: --workspace: --node-options: --prefix@"},
	{"ld.so", 0, "--library-path: --preload: --argv0: --inhibit-rpath: --audit: --glibc-hwcaps-prepend:"},
}

type wrapper struct {
	operands int
	spec     *spec
}

var wrappers = sync.OnceValue(func() map[string]wrapper {
	m := map[string]wrapper{}
	for _, row := range wrapperTable {
		for name := range strings.FieldsSeq(row.names) {
			m[name] = wrapper{row.operands, newSpec(":::", row.flags)}
		}
	}
	return m
})

// loader reports the dynamic loader, which runs its first operand:
// `/lib64/ld-linux-x86-64.so.2 /bin/rm`.
func loader(name string) bool {
	return strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl")
}
