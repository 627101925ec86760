# For tests of an editor on a screen: a terminal of tmux, in the session "editor".
# Sourced, also by the Emacs client's; who sources it defines reset, which gets
# the status of each test and makes the screen ready for the next one.

# A server of our own, with its socket where everything else is that is removed.
export TMUX_TMPDIR=$work/tmux
mkdir "$TMUX_TMPDIR"
mux() { tmux -L screen -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null || true' EXIT
passed=0 failed=0

keys() { mux send-keys -t editor "$@"; }
screen() { mux capture-pane -p -t editor "$@"; }
# Waits until a line of the screen matches, at most 20 s.
sees() {
	local i
	for ((i = 0; i < 400; i++)); do
		if screen "${@:2}" | grep -qE -- "$1"; then return 0; fi
		sleep 0.05
	done
	echo "the screen never had '$1':" && screen && return 1
}
gone() {
	local i
	for ((i = 0; i < 400; i++)); do
		if ! screen | grep -qE -- "$1"; then return 0; fi
		sleep 0.05
	done
	echo "the screen still has '$1':" && screen && return 1
}
check() { # name, then a function
	local out status=0 since=$SECONDS
	set +e # not in an if, where the steps of a test could fail unseen
	out=$(set -e && "$2" 2>&1)
	status=$?
	set -e
	if [ "$status" = 0 ]; then
		passed=$((passed + 1)) && echo "ok     screen: $1 ($((SECONDS - since)) s)"
	else
		failed=$((failed + 1)) && echo "FAILED screen: $1" && echo "$out"
	fi
	reset "$status"
}
