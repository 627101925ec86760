# For test/host/run and test/ui/run: installs what they need and makes the .vsix.
# PILLION_VSIX is one that is made already, PILLION_BIN the binary that goes in.

# What could not be prepared has failed.
set -E
trap 'echo "0 passed, 1 failed"' ERR

test=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
extension=$(dirname "$test")
cache=${PILLION_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pillion}

# Installs these versions of VS Code, at once: the time goes into waiting for npm.
install_vscode() {
	local version pids=()
	for version; do
		"$test/install-vscode.sh" "$cache/vscode-$version" "$version" >&2 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid"; done
}

vsix() {
	if [[ -z ${PILLION_VSIX:-} ]]; then
		[[ -d $extension/node_modules ]] || (cd "$extension" && npm ci --no-audit --no-fund >&2)
		PILLION_VSIX=$(cd "$extension/../.." && pwd)/dist/pillion-linux-x64.vsix
		"$extension/package.sh" "$PILLION_VSIX" >&2
	fi
	realpath "$PILLION_VSIX"
}

# A node_modules that is older than what it was made from is made again.
node_modules() {
	[[ $test/ui/node_modules/.package-lock.json -nt $test/ui/package-lock.json ]] || (cd "$test/ui" && npm ci --no-audit --no-fund >&2)
}

passed=0 failed=0
# Runs tests and counts them. What ended badly has failed, whatever it counted.
tests() {
	local log status=0 p=0 f=0 _
	log=$(mktemp)
	"$@" | tee "$log" || status=1
	read -r p _ f _ < <(tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed$') || status=1
	rm "$log"
	passed=$((passed + ${p:-0})) failed=$((failed + (${f:-0} > 0 ? ${f:-0} : status)))
}

sum() {
	echo "$passed passed, $failed failed"
	exit $((failed > 0))
}
