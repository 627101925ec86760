package guard

import "testing"

// A program that only the environment names is the user's: what the name says it is, it is
// judged as. What a CI fills in is a value like any other.
func TestAVariableOfTheEnvironmentNamesAProgram(t *testing.T) {
	for text, want := range map[string]Decision{
		`$NODE_CMD server.js`:                                    Allow,
		`"$CXX" --version`:                                       Allow,
		`"${PIP:-pip3}" install -r requirements.txt`:             Allow,
		`"$GOROOT/bin/go" test ./...`:                            Allow,
		`${TOOL_NAME} --help`:                                    Allow,
		`${{matrix.runner}} test --all`:                          Allow,
		`ninja -C ${{matrix.dir}} ${{ matrix.v && '-v' || '' }}`: Allow,
		`echo "${{ format('{0}-x', inputs.name) }}"`:             Allow,
		`$CMD`:                    Ask,
		`$TOOL_NAME build`:        Ask,
		`$TOOL_NAME -c 'ls'`:      Ask,
		`"$1" --version`:          Ask,
		`read TOOL; $TOOL --help`: Ask,
		`eval ${{inputs.code}}`:   Ask,
		`$TOOL rm -rf ~`:          Deny,
		`$PYTHON3 -c 'import os; os.system("rm -rf ~")'`: Ask,
		`$PYTHON -c 'import os; os.system("rm -rf ~")'`:  Deny,
		`$PREFIX/bin/rm -rf ~`:                           Deny,
		`echo '${{ '; rm -rf ~; echo ' }}'`:              Deny,
	} {
		if v := judge(text); v.Decision != want && !(want == Ask && v.Decision == Deny) {
			t.Errorf("%s: %v, want %v", text, v.Decision, want)
		}
	}
}
