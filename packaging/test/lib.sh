# What packaging/test/run and packaging/check have in common; to be sourced, in the
# repository's directory. Every function is one thing that must hold of what was made.
passed=0 failed=0
log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT

count() { # NAME COMMAND...: one test; its output is shown if it fails
	# Not "if (…)": in there, set -e does nothing.
	local status
	set +e
	(set -euo pipefail && "${@:2}") >"$log" 2>&1
	status=$?
	set -e
	if ((status == 0)); then
		passed=$((passed + 1)) && echo "ok $1"
	else
		failed=$((failed + 1)) && echo "not ok $1" && sed 's/^/    /' "$log"
	fi
}

finish() {
	echo "$passed passed, $failed failed"
	((failed == 0 && passed > 0))
}

install_missing() { # COMMAND:PACKAGE...
	local pair missing=()
	for pair; do command -v "${pair%:*}" >/dev/null || missing+=("${pair#*:}"); done
	((${#missing[@]})) || return 0
	apt-get -o DPkg::Lock::Timeout=300 update -q
	DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends "${missing[@]}"
}

# No interpreter and no library: it runs on every Linux, in every container.
is_static() { # PROGRAM...
	local program
	for program; do
		readelf -lW "$program" >"$work/segments"
		grep LOAD "$work/segments" >/dev/null
		if grep -E 'INTERP|DYNAMIC' "$work/segments"; then return 1; fi
	done
}

says_version() { # VERSION DIR
	[[ $("$2/pillion" version) == "pillion $1 "* ]]
	[[ $("$2/pillion-mcp" --version) == "pillion-mcp $1 "* ]]
}

# The main job, from where a package has put the program: a command in the sandbox.
runs_a_command() { # DIR
	local program=$1/pillion
	mkdir -p "$work/project" "$work/home"
	cd "$work/project"
	[[ $(HOME=$work/home "$program" exec -q -- 'echo made >made && cat made') == made ]]
	if HOME=$work/home "$program" exec -q -- 'rm -rf ~/*'; then return 1; fi
	cd "$OLDPWD"
}

same() { # DIR DIR
	diff -r "$1" "$2"
}

# deb_installs: into a root of its own, where it runs and says what the machine gives.
deb_installs() { # VERSION FILE
	local root=$work/root
	mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
	: >"$root/var/lib/dpkg/status"
	dpkg --root="$root" --force-not-root --force-script-chrootless --log=/dev/null -i "$2"
	says_version "$1" "$root/usr/bin"
	chroot "$root" /usr/bin/pillion version
	HOME=$work/home "$root/usr/bin/pillion" doctor
	runs_a_command "$root/usr/bin"
	local f
	for f in bash-completion/completions/pillion zsh/vendor-completions/_pillion fish/vendor_completions.d/pillion.fish \
		man/man1/pillion.1.gz man/man1/pillion-mcp.1.gz doc/pillion/{copyright,README.md,CHANGELOG.md,changelog.gz,THIRD_PARTY_LICENSES}; do
		[[ -s $root/usr/share/$f ]] || { echo "$f is missing"; return 1; }
	done
	dpkg --root="$root" --force-not-root --log=/dev/null -r pillion
	[[ -z $(find "$root/usr" -type f) ]]
}

# npm_works adds the tests of the npm packages in a directory to the sum.
npm_works() { # VERSION DIR
	local tap=$work/npm.tap
	PACKAGES=$2 VERSION=$1 node --test --test-reporter=tap packaging/test/npm.test.mjs >"$tap" || sed 's/^/    /' "$tap"
	local pass total
	pass=$(sed -n 's/^# pass \([0-9]*\)$/\1/p' "$tap") total=$(sed -n 's/^# tests \([0-9]*\)$/\1/p' "$tap")
	grep -E '^(ok|not ok) ' "$tap" | sed -E 's/^(ok|not ok) [0-9]+ - /\1 npm: /'
	passed=$((passed + ${pass:-0})) failed=$((failed + ${total:-1} - ${pass:-0}))
	((${pass:-0} > 0)) || failed=$((failed + 1))
}
