package protect

import "testing"

func TestStatesOfAnOperation(t *testing.T) {
	const pick = "pick 0123abc one\n"
	const author = "GIT_AUTHOR_NAME='O'\\''Brien'\nGIT_AUTHOR_EMAIL='o@x.org'\nGIT_AUTHOR_DATE='@1700000000 +0100'\n"
	for _, row := range []struct {
		name          string
		before, after string
		fine          bool
	}{
		{"msgnum", "", "12\n", true},
		{"end", "", "", true},
		{"msgnum", "1\n", "$(touch x)\n", false},
		{"next", "", "1;x", false},
		{"head-name", "", "refs/heads/o'brien\n", false},
		{"head-name", "", "refs/heads/feature/x-1\n", true},
		{"onto_name", "", "detached HEAD\n", true},
		{"head-name", "", "refs/heads/x;touch${IFS}/x\n", false},
		{"strategy", "", "ort\n", true},
		{"strategy", "", "../x\n", false},
		{"git-rebase-todo", "", pick + "# comment\n\nfixup -C 12ab\nlabel onto\nreset onto\nmerge -C 12ab x # y\nupdate-ref refs/heads/x\nbreak\nnoop\n", true},
		{"git-rebase-todo", pick, pick + "exec touch x\n", false},
		{"todo", pick, pick + "x touch x\n", false},
		{"Git-Rebase-Todo", pick, pick + "\texec touch x\n", false},
		{"git-rebase-todo", pick + "exec make test\n", "exec make test\n", true},
		{"git-rebase-todo", "exec make test\n", "exec make test; touch x\n", false},
		{"strategy_opts", "", " --ignore-space-change --find-renames=50%", true},
		{"strategy_opts", "", "--x=$(touch x)", false},
		{"author-script", "", author, true},
		{"author-script", "", author + "touch x\n", false},
		{"author-script", "", "GIT_AUTHOR_NAME=''$(touch x)\n", false},
		{"refs-to-delete", "", "refs/rewritten/onto\n", true},
		{"refs-to-delete", "", "refs/heads/main\n", false},
		{"update-refs", "", "refs/heads/x\n01\nab\n", true},
		{"update-refs", "", "refs/replace/x\n01\nab\n", false},
		{"apply-opt", "", " '-C1' '-p2' '--whitespace=fix' '--directory=lib/x'\n", true},
		{"apply-opt", "", "", true},
		{"apply-opt", "", " '--build-fake-ancestor=/home/x/.bashrc'", false},
		{"apply-opt", "", " '-p1'--unsafe-paths", false},
		{"apply-opt", "", " '--directory=../x'", false},
		{"apply-opt", "", " '--directory=.vscode'", false},
		{"apply-opt", "", " '--exclude=x' '--unsafe-paths'", false},
		{"opts", "", "[options]\n\tno-commit = true\n\tstrategy = ort\n\tstrategy-option = theirs\n", true},
		{"opts", "", "[options]\n\tstrategy = x/evil\n", false},
		{"opts", "", "[options]\n\tgpg-sign = $(touch x)\n", false},
		{"opts", "", "[include]\n\tpath = x\n", false},
		{"MERGE_RR", "", "0123456789abcdef\tsrc/a b.c\x000123abcd.1\tb\x00", true},
		{"MERGE_RR", "", "", true},
		{"MERGE_RR", "", "01\t../.ssh/id\x00", false},
		{"MERGE_RR", "", "01\ta/../../x\x00", false},
		{"MERGE_RR", "", "01\t/etc/passwd\x00", false},
		{"MERGE_RR", "", "01\t.git/hooks/pre-commit\x00", false},
		{"MERGE_RR", "", "01\tx/.GIT/config\x00", false},
		{"MERGE_RR", "", "01\t.vscode/tasks.json\x00", false},
		{"MERGE_RR", "", "../x\ta\x00", false},
		{"BISECT_NAMES", "", " 'a b' 'c'\n", true},
		{"BISECT_NAMES", "", " 'a'; touch x\n", false},
		{"BISECT_TERMS", "", "bad\ngood\n", true},
		{"BISECT_TERMS", "", "bad;touch x\ngood\n", false},
		{"BISECT_START", "", "main\n", true},
		{"BISECT_START", "", "$(touch x)\n", false},
		{"something-new", "", "x", false},
	} {
		if err := JudgeState(row.name, row.before, row.after); (err == nil) != row.fine {
			t.Errorf("%s, %q, before %q: %v", row.name, row.after, row.before, err)
		}
	}
}

// What git does not know in the directory of an operation is not there for the git of
// tomorrow to obey.
func TestNamesOfAnOperationAreGits(t *testing.T) {
	for name, fine := range map[string]bool{
		"rebase-merge/done": true, "rebase-merge/git-rebase-todo.lock": true, "rebase-apply/0001": true, "sequencer/opts.lock": true,
		"rebase-apply/patch": true, "rebase-merge/run-this": false, "rebase-apply/.vscode": false, "sequencer/hooks": false,
	} {
		if z := Locate(".git/" + name); z.Permits(Create, false) != fine {
			t.Errorf("%s: %+v", name, z)
		}
	}
}
