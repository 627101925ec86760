#!/usr/bin/env bash
# Makes the .vsix for one platform, with the binary inside:
#
#   ./package.sh [FILE]      # default: dist/pillion-linux-x64.vsix of the repository
#
# VSCE_TARGET is the platform as VS Code names it (default linux-x64).
# The binary is PILLION_BIN, else dist/pillion; it is built if that isn't there. The
# MCP server beside it, pillion-mcp, comes along where the repository has one.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${VSCE_TARGET:-linux-x64} suffix=
[[ $target != win32-* ]] || suffix=.exe
vsix=$(realpath -m "${1:-$root/dist/pillion-$target.vsix}")
bin=$(realpath -m "${PILLION_BIN:-$root/dist/pillion}")
cd "$root/editors/vscode"
[[ -x $bin ]] || make -C "$root" build >&2

rm -rf bin
mkdir -p bin "$(dirname "$vsix")"
install -m 0755 "$bin" "bin/pillion$suffix"
if [[ -d $root/rpc/agent/mcp/pillion-mcp ]]; then
	mcp=$(dirname "$bin")/pillion-mcp$suffix
	[[ -x $mcp ]] || (cd "$root" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$mcp" ./rpc/agent/mcp/pillion-mcp)
	install -m 0755 "$mcp" "bin/pillion-mcp$suffix"
fi
cp "$root/LICENSE" LICENSE
node esbuild.mjs
node_modules/.bin/vsce package --no-dependencies --target "$target" --allow-missing-repository --out "$vsix"
