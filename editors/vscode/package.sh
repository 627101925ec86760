#!/usr/bin/env bash
# Makes the .vsix for Linux on x86-64, with the binary inside:
#
#   ./package.sh [FILE]      # default: dist/pillion-linux-x64.vsix of the repository
#
# The binary is PILLION_BIN, else dist/pillion; it is built if that isn't there. The
# MCP server beside it, pillion-mcp, comes along where the repository has one.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
vsix=$(realpath -m "${1:-$root/dist/pillion-linux-x64.vsix}")
bin=$(realpath -m "${PILLION_BIN:-$root/dist/pillion}")
cd "$root/editors/vscode"
[[ -x $bin ]] || make -C "$root" build >&2

rm -rf bin
mkdir -p bin "$(dirname "$vsix")"
install -m 0755 "$bin" bin/pillion
if [[ -d $root/rpc/agent/mcp/pillion-mcp ]]; then
	mcp=$(dirname "$bin")/pillion-mcp
	[[ -x $mcp ]] || (cd "$root" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$mcp" ./rpc/agent/mcp/pillion-mcp)
	install -m 0755 "$mcp" bin/pillion-mcp
fi
cp "$root/LICENSE" LICENSE
node esbuild.mjs
node_modules/.bin/vsce package --no-dependencies --target linux-x64 --allow-missing-repository --out "$vsix"
