package guard

import (
	"strings"
	"sync"
)

// programs says how well-known programs use their arguments: names, the roles
// of the first operand, of the others and of the last ("." as the others), and
// the options that take a value with its role. See spec for the letters.
// A program that is not here is a guess: only what looks like a path outside
// counts. The table errs towards "not a path"; the sandbox has the last word.
var programs = [...][3]string{
	{"cat tac nl zcat bzcat xzcat rev strings expand unexpand bat batcat diff3 sdiff vimdiff iconv", ".<.", "-j:"},
	{"md5sum sha1sum sha224sum sha256sum sha512sum b2sum shasum md5 cksum sum realpath readlink vdir dir", ".+.", "-a:"},
	{"less more most", ".<.", "-p: -o> -O> -P: -x: -T<"},
	{"head tail", ".<.", "-n: -c: -s: --lines: --bytes: --pid:"},
	{"wc", ".+.", "--files0-from<"},
	{"ls exa eza lsd", ".+.", "-I: -w: -T: --ignore: --hide: --width: --sort: --time: --format: --color: --time-style: -L:"},
	{"tree", ".+.", "-L: -P: -I: -o> -H: -T: --filelimit: --charset: --timefmt: --sort:"},
	{"stat", ".+.", "-c: -f: -t: --format: --printf:"},
	{"file", ".+.", "-f< -m< -F: -P: -e: --files-from<"},
	{"du ncdu", ".+.", "-d: -B: -t: -x: --max-depth: --exclude: -X< --exclude-from< --block-size: --files0-from<"},
	{"df", ":::", ""},
	{"patch", "><.", "-d@ --directory@ -i< --input< -o> --output> -r> --reject-file> -p: --strip: -F: --fuzz: -D: -B: -Y: -z: -V: -g:"},
	{"dpkg dpkg-deb", ".>.", "-x< --extract< -X< --vextract< -R< --raw-extract< -e< --control< -c< --contents< -I< --info< -f< --field< -b< --build< -i< --install< --unpack< -A< -S: --search: -L: --listfiles: -s: --status: -l: --list: -p: -r: --remove: -P: --purge: --root> --instdir> --admindir:"},
	{"cpio", "???", "-D@ -I< -O> -F< -E< -H: -R: -C: --directory@ --file<"},
	{"mount", ".>.", "-t: -o: -O: -L: -U: --types: --options:"},
	{"od hexdump hd", ".<.", "-A: -t: -N: -j: -w: -n: -s: -e: -f<"},
	{"xxd", ".<>", "-l: -s: -c: -g: -o: -n:"},
	{"column xmllint look tomlq dasel", ".<.", "-s: -o: -N: -l: --xpath: --separator: --output-separator:"},
	{"cut fold fmt pr paste join comm cmp diff colordiff", ".<.", "-d: -f: -c: -b: -w: -s: -t: -o: -l: -h: -1: -2: -j: -U: -I: -x: -X< -N: -n: -i: --exclude: --label: --unified: --color: --from-file< --to-file<"},
	{"sort", ".<.", "-o> -T< -k: -t: -S: --output> --key: --field-separator: --files0-from< --temporary-directory< --compress-program: --parallel:"},
	{"uniq", ".<>", "-f: -s: -w:"},
	{"shuf", ".<.", "-n: -i: -o> --output> --random-source< -e:"},
	{"base64 base32 basenc", ".<.", "-w: --wrap:"},
	{"uuencode", "<::", ""},
	{"split csplit", ".<>", "-b: -l: -n: -C: -a: -f> --bytes: --lines: --number: --suffix-length: --additional-suffix: --filter:"},
	{"grep egrep fgrep zgrep", ":<.", "-e= -f~ -A: -B: -C: -m: -d: -D: --regexp= --file~ --include: --exclude: --exclude-dir: --exclude-from< --color: --max-count: --label: --context: -q! -c! -l! -L! --quiet! --silent! --count! --files-with-matches! --files-without-match!"},
	{"rg ag ack ugrep", ":<.", "-e= -f~ -g: -t: -T: -A: -B: -C: -m: -j: -r: -E: -M: -d: --regexp= --file~ --glob: --iglob: --type: --type-not: --max-count: --max-depth: --context: --color: --sort: --replace: --pre: --ignore-file< --ignore: --path-separator: -q! -c! -l! --quiet! --count! --files-with-matches!"},
	{"fd fdfind", ":<.", "-e: -E: -t: -d: -S: -x: -X: -c: -C@ --extension: --exclude: --type: --max-depth: --search-path<"},
	{"sed gsed", ":<.", "-e= -f~ -l: --expression= --file~ --line-length: -i! --in-place!"},
	{"awk gawk mawk nawk", ":<.", "-F: -v: -f~ -i: -l: -e= --field-separator: --assign: --file~ --source= --include: --load:"},
	{"jq gojq", ":<.", "-f~ --from-file~ --indent: --arg: --tab: -L<"},
	{"yq", ":<.", "-o: -p: -I:"},
	{"touch", ".>.", "-d: -t: -r< --date: --reference< --time:"},
	{"mkdir", ".>.", "-m: --mode:"},
	{"mkfifo mknod tee sponge", ".>.", "-m: --mode:"},
	{"truncate fallocate", ".>.", "-s: -r< -l: -o: --size: --reference< --length: --offset:"},
	{"chmod chown chgrp", ":>.", "--reference~ --from:"},
	{"chattr", ".>.", "-p: -v:"}, // +i and -i are its modes
	{"setfacl", ".>.", "-m: -x: -M< -X< --modify: --remove: --modify-file< --remove-file< --set: --set-file< --restore<"},
	{"rm unlink rmdir srm", ".x.", "--interactive:"},
	{"shred wipe", ".x.", "-n: -s: --iterations: --size: --random-source<"},
	{"del erase rd", "?x?", ""},
	{"rimraf del-cli", ".x.", "--max-retries: --retry-delay: --tmp> --impl:"},
	{"cp", ".+>", "-t> -S: --target-directory> --suffix: --no-preserve: --preserve: --backup: --sparse: --reflink:"},
	{"install", ".+>", "-m: -o: -g: -t> -S: --mode: --owner: --group: --target-directory>"},
	{"mv", ".m>", "-t> -S: --target-directory> --suffix: --backup:"},
	{"ln", ".+>", "-t> -S: --target-directory> --suffix: --backup:"},
	{"scp", ".<>", "-P: -i+ -F+ -o: -l: -c: -J: -S: -D: -X:"},
	{"rsync", ".<>", "-e: --rsh: --exclude: --include: --exclude-from< --include-from< --files-from< --filter: -f: --bwlimit: --port: --log-file> --backup-dir> --partial-dir: --chmod: --out-format: --timeout:"},
	{"tar bsdtar gtar", ".<.", "-f? -C@ -T< -X< --file? --directory@ --exclude: --exclude-from< --files-from< --transform: --strip-components: --owner: --group: --mtime: -I: --use-compress-program: --checkpoint-action: --to-command:"},
	{"zip", "><.", "-x: -i: -P: -b< -n: -t:"},
	{"7z 7za 7zr rar", ":<.", "-o>"},
	{"unzip", "<::", "-d> -x: -P:"},
	{"gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress", ".>.", "-S: -o> -T: --suffix:"},
	{"curl", "???", "-o> --output> --output-dir> -T: --upload-file: -K< --config< -d: --data: --data-raw: --data-binary: --data-urlencode: --json: -F: --form: -H: --header: -X: --request: -u: --user: -A: --user-agent: -e: --referer: -b: --cookie: -c> --cookie-jar> -m: --max-time: --connect-timeout: --retry: -w: --write-out: -x: --proxy: -r: --range: --cacert+ --cert+ -E+ --key+ -D> --dump-header> --resolve: --url:"},
	{"wget", "???", "-O> --output-document> -P> --directory-prefix> -o> -a> -i< --input-file< --header: --post-data: --post-file: --user-agent: -U: -t: -T: --body-data: --body-file: --load-cookies< --save-cookies> -A: -R: -e:"},
	{"git", "???", ""},
	{"go", "???", "-o> -C@ -run: -bench: -count: -timeout: -coverprofile> -cpuprofile> -memprofile> -trace> -ldflags: -gcflags: -tags: -p: -f: -modfile< -mod: -json: -exec: -toolexec:"},
	{"gcc g++ cc c++ clang clang++ tcc rustc ghc ocamlopt nvcc ld gfortran", "???", "-o> -MF>"},
	{"gofmt gofumpt goimports", ".<.", "-r: -local: -cpuprofile>"},
	{"make gmake", ":::", "-C@ -f< -j: -o: -W: -I< --directory@ --file< --makefile< --include-dir<"},
	{"configure autogen.sh", "???", installDirs},
	{"meson", "???", installDirs + " -D:"},
	{"cmake", "???", "-S< -B> -G: -D: --build> --install< -P< -C<"},
	{"python python2 python3 pypy pypy3", "<::", "-c= -m= -W: -X:"},
	{"node nodejs", "<::", "-e= -p= -r? --eval= --print= --require? --loader? --import?"},
	{"deno", "???", "-e= --eval="},
	{"bun", "???", "-e= --eval= --cwd@ -F: --filter:"},
	{"perl", "<<.", "-e= -E= -I< -M: -m:"},
	{"ruby", "<::", "-e= -I< -r: -C@"},
	{"php", "<::", "-r= -f~ -d: -c<"},
	{"lua luajit", "<::", "-e= -l:"},
	{"npm", ":::", "--prefix@ -C@ -w: --workspace: --registry: --tag: --access: --otp: --loglevel: --userconfig: --cache: --omit: --include:"},
	{"pnpm", ":::", "-C@ --dir@ -F: --filter: --filter-prod: --registry: --tag: --access: --otp: --reporter: --loglevel:"},
	{"yarn npx pnpx bunx corepack", ":::", "--prefix@ -C@ --dir@ --cwd@"},
	{"uv", "???", "-r< -c< -e< -t> --requirement< --target> --constraint< --editable< --directory@ --project? --color: --cache-dir? --config-file?"},
	{"pip pip3 pipx", "???", "-r< -c< -e< -t> --requirement< --target> --constraint< --editable<"},
	{"cargo", "???", "--manifest-path< --target-dir> -C@ --config: -Z: --color:"},
	{"mvn mvnw", "???", "-f? --file? -s? --settings? -gs? --global-settings? -l? --log-file? -P: --activate-profiles: -pl: --projects: -T: --threads:"},
	{"vi vim nvim nano code subl micro", ".+.", "-c: -u< -S< -w>"},
	{"ed ex", ".<.", "-c:"},
	{"echo printf test [ [[ true false : sleep exit return break continue shift wait jobs fg bg ulimit umask hash let expr seq yes basename dirname uname whoami id groups hostname tput clear reset kill killall pkill pgrep ps top free uptime lsof nproc which type whereis man tldr getopts logger help dirs let set shopt nslookup dig host ping ss netstat ifconfig ip env printenv", ":::", ""},
	{"date gdate", ":::", "-f< --file< -r+ --reference+ -d: --date:"},
	{"bwrap firejail", ":::", ""},
	{"docker podman nerdctl docker-compose buildah", ":::", "-H: --host: --context: --config: -l: -f: --file: -p: --project-name: --profile: --tag: -t: --log-level:"},
	{"kubectl oc helm helmfile", ":::", "-n: --namespace: --context: --kube-context: --kubeconfig: --cluster: --user: -s: --server: -l: --selector: -o: --output: -f: --filename: --values: --set: --version: -c: --container: --field-selector: --as: --token: --type: -p: --patch: --overrides: --image: --replicas: --timeout: --from-env-file: --from-file: --from-literal: -v: --v: --request-timeout: --as-group: --as-uid: --certificate-authority: --client-certificate: --client-key: --tls-server-name: --cache-dir: --log-file: -d> --destination>"},
	{"terraform tofu terragrunt", ":::", "-var: -var-file+ -target: -out> -state+ -chdir@ -backend-config: -config:"},
	{"aws", ":::", "--profile: --region: --output: --endpoint-url: --query: --exclude: --include: --acl: --cli-input-json: --color: --ca-bundle: --cli-read-timeout: --cli-connect-timeout: --cli-binary-format:"},
	{"gcloud gsutil", ":::", "--project: --region: --zone: --format: --filter: --account: --configuration: -h:"},
	{"az", ":::", "-g: --resource-group: -n: --name: -o: --output: --query: --subscription: -l: --location:"},
	{"gh glab", ":::", "-R: --repo: -t: --title: -b: --body: -F: --body-file: --jq: -q: --json: -X: --method: -f: -H: --hostname: -B: --base: --head: -l: --label: -L: --limit: -m: --milestone: -a: --assignee: -r: --reviewer:"},
	{"heroku fly flyctl vercel netlify firebase", ":::", "-a: --app: --remote: -r: -c: --config: -t: --token: --access-token: --scope: --project: -P:"},
	{"systemctl service journalctl loginctl", ":::", "-u: --unit: -n: --lines: -p: --property: -t: --type: -H: --host: -M: --machine: -o: --output: --since: --until: --state: -s: --signal:"},
	{"apt apt-get dnf yum zypper", ":::", "-o: -c: -t: --target-release: --option: --config-file: --enablerepo: --disablerepo: --root: --releasever:"},
	{"brew pacman apk snap flatpak choco winget scoop", ":::", ""},
	{"ssh", ":::", ""},
	{"psql mysql mariadb redis-cli mongosh mongo", ":::", "-f? --file?"},
	{"sqlite3 sqlite litecli duckdb", "<::", "-cmd: -init< -separator: -newline: -nullvalue: -vfs: -f< -c: -s:"},
	{"mysqladmin dropdb dropuser createdb", ":::", "-u: -h: -P: -S: -U: -p: --user: --host: --port: --username:"},
	{"etcdctl", ":::", "--endpoints: --endpoint: --cacert+ --cert+ --key+ --user: --password: --prefix: -w: --write-out: --command-timeout: --dial-timeout:"},
	{"gem", ":::", "-v: --version: -s: --source: -P: --platform: -C@"},
	{"hatch", ":::", "-e: --env: -p: --project: --data-dir: --cache-dir: --config:"},
	{"twine poetry alembic rails rake goose sqlx diesel vault op security pass", ":::", "-c: --config: --repository: -r: -C: -E:"},
	{"emacs emacsclient", ".<.", "--eval: -eval: --execute: -e: -f: --funcall: -l< --load< --script< -a: --alternate-editor:"},
	{"qemu-aarch64 qemu-arm qemu-x86_64 qemu-i386 qemu-riscv64 qemu-mips qemu-ppc64le qemu-s390x", "<::", "-L: -E: -cpu: -g:"},
	{"history", ":::", "-a> -w> -r< -n< -s: -d:"},
}

// installDirs are only written down: what copies files there is a later install.
const installDirs = "--prefix: --exec-prefix: --bindir: --sbindir: --libexecdir: --libdir: --includedir: --datarootdir: --datadir: --sysconfdir: --sharedstatedir: --localstatedir: --runstatedir: --infodir: --localedir: --mandir: --docdir: --htmldir:"

var specs = sync.OnceValue(func() map[string]*spec {
	m := make(map[string]*spec, 300)
	for _, row := range programs {
		s := newSpec(row[1], row[2])
		for name := range strings.FieldsSeq(row[0]) {
			m[name] = s
		}
	}
	return m
})
