package guard

import (
	"slices"
	"strings"
)

// gitRules are about work and history that git can lose, here or on the server.
var gitRules = []Rule{
	{
		ID: "git/discard", Title: "Discard uncommitted work", Decision: Ask, Severity: 2,
		Why:      "Changes that are not committed can't be restored, and someone else may have made them.",
		Message:  "{what} throws away changes that are not committed",
		Safer:    "git stash push -u keeps them",
		Match:    []string{"git reset --hard HEAD~3", "git reset --har", "git checkout -- .", "git checkout .", "git checkout HEAD -- src/", "git restore .", "git restore --staged --worktree .", "git restore -SW .", "git checkout -f main", "git switch --discard-changes main", "git switch -f x", "git -C web reset --hard", "git checkout -- src", "git read-tree -u --reset HEAD", "git checkout-index -f -a", "git rm -rf src", "cd web && git checkout -- '*.ts'", "git reset -q --hard origin/main", "sudo git reset --hard", "git submodule deinit -f vendor", "git worktree remove --force wt"},
		NotMatch: []string{"git reset HEAD src/a.ts", "git reset --soft HEAD~1", "git reset", "git checkout main", "git checkout -b fix/reset-hard", "git restore --staged .", "git restore -S src", "git checkout -- package-lock.json", "git restore src/a.ts", "git switch -c x", "git commit -m 'git reset --hard'", "git log --grep='reset --hard'", "git rm -r --cached .", "git checkout --theirs .", "git restore -p .", "git rm src/a.go", "git merge --abort", "git checkout feature/x", "git worktree remove wt"},
		when:     discards,
	},
	{
		ID: "git/clean", Title: "Delete untracked files", Decision: Ask, Severity: 2,
		Why:      "Files that git doesn't track are nowhere else; with -x local settings go too.",
		Message:  "{what} deletes untracked files",
		Safer:    "git clean -n shows what would go",
		Match:    []string{"git clean -fdx", "git clean -f", "git clean -xdf src", "git clean --force -d", "git -C x clean -ffdx", "git -c clean.requireForce=false clean -d", "git clean --forc", "git clean -d -f -e '*.log'"},
		NotMatch: []string{"git clean -n", "git clean -fdn", "git clean --dry-run -fd", "npm run clean", "git commit -m 'clean -fdx'", "make clean", "git clean -i"},
		when: func(_ *walker, e *effect) bool {
			g, ok := gitOf(e)
			free := slices.ContainsFunc(g.config, func(c string) bool { return strings.HasPrefix(strings.ToLower(c), "clean.requireforce") })
			return ok && g.name == "clean" && (free || g.has("-f", "--force")) && !g.has("-n", "--dry-run", "-i", "--interactive")
		},
	},
	{
		ID: "git/force-push", Title: "Rewrite the server's history", Decision: Ask, Severity: 2,
		Why:      "Commits that others pushed meanwhile are lost, and everyone's copy no longer fits.",
		Message:  "{what} overwrites branches on the server",
		Safer:    "git push --force-with-lease",
		Match:    []string{"git push --force origin main", "git push -f", "git push origin +main", "git push -uf origin x", "git push origin +HEAD:main", "git push --mirror", "git push --force --no-verify", "git -C web push -f", "git push --force origin HEAD --tags", "git push --mirr origin"},
		NotMatch: []string{"git push", "git push -u origin feature/login", "git push --force-with-lease", "git push --tags", "git push --dry-run --force", "git push origin main", "git push -o ci.skip", "git push --force-with-lease --force-if-includes origin x", "git commit -m 'push --force'", "git fetch -f"},
		when: func(_ *walker, e *effect) bool {
			g, ok := gitOf(e)
			return ok && g.name == "push" && !g.has("-n", "--dry-run") && (forces(&g) || anyText(g.operands, func(s string) bool { return strings.HasPrefix(s, "+") }))
		},
	},
	{
		ID: "git/delete-remote", Title: "Delete on the server", Decision: Ask, Severity: 2,
		Why:      "A branch or tag that is deleted on the server is gone for everyone.",
		Message:  "{what} deletes branches or tags on the server",
		Match:    []string{"git push origin --delete release/1.0", "git push -d origin x", "git push origin :old", "git push --prune origin", "git push origin :refs/tags/v1", "git push --del origin x"},
		NotMatch: []string{"git push origin main:main", "git branch -d merged", "git fetch --prune", "git remote prune origin", "git push -n origin :x", "git push origin HEAD:refs/heads/x"},
		when: func(_ *walker, e *effect) bool {
			g, ok := gitOf(e)
			return ok && g.name == "push" && !g.has("-n", "--dry-run") &&
				(g.has("-d", "--delete", "--prune") || anyText(g.operands, func(s string) bool { return len(s) > 1 && s[0] == ':' }))
		},
	},
	{
		ID: "git/delete-branch", Title: "Delete a branch unmerged", Decision: Ask, Severity: 3,
		Why:      "Commits that are only on that branch are lost.",
		Message:  "{what} deletes or moves a branch without asking whether it was merged",
		Safer:    "git branch -d refuses when something would be lost",
		Match:    []string{"git branch -D feature/x", "git branch -d --force x", "git branch -df x", "git branch --delete -f x", "git branch -f main HEAD~3", "git -C web branch -D x", "git update-ref -d refs/heads/x", "git branch | grep -v main | xargs git branch -D"},
		NotMatch: []string{"git branch -d merged-branch", "git branch -M main", "git branch -m old new", "git branch -a", "git branch --show-current", "git checkout -B x", "git branch -r --merged", "git branch -v", "git update-ref refs/heads/x HEAD"},
		when: func(_ *walker, e *effect) bool {
			g, ok := gitOf(e)
			return ok && (g.name == "branch" && g.has("-D", "-f", "--force") || g.name == "update-ref" && g.has("-d", "--delete", "--stdin"))
		},
	},
	{
		ID: "git/drop-stash", Title: "Drop stashed work", Decision: Ask, Severity: 3,
		Why:      "A stash is kept nowhere else.",
		Message:  "{what} throws stashed work away",
		Safer:    "git stash show -p first, or git stash branch NAME",
		Match:    []string{"git stash clear", "git stash drop", "git stash drop stash@{1}", "git -C x stash clear", "git stash -q drop", "sudo git stash clear"},
		NotMatch: []string{"git stash", "git stash pop", "git stash list", "git stash push -m drop", "git stash apply", "git stash show -p"},
		when: func(_ *walker, e *effect) bool {
			g, ok := gitOf(e)
			return ok && g.name == "stash" && (g.operand(0) == "clear" || g.operand(0) == "drop")
		},
	},
	{
		ID: "git/rewrite", Title: "Rewrite or purge history", Decision: Ask, Severity: 2,
		Why:      "Old commits, and with them the way back, are removed from the repository.",
		Message:  "{what} rewrites history or removes the way back",
		Safer:    "make a copy first: git clone --mirror . /tmp/backup.git",
		Match:    []string{"git filter-branch --all", "git filter-repo --path x", "git reflog expire --expire=now --all", "git gc --prune=now", "git gc --aggressive --prune=all", "git prune", "bfg --delete-files x", "git reflog delete HEAD@{1}", "git-filter-repo --path x", "git prune --expire now"},
		NotMatch: []string{"git gc", "git reflog", "git rebase main", "git commit --amend", "git prune -n", "git fetch -p", "git remote prune origin", "git rebase -i HEAD~3", "git gc --auto", "git worktree prune", "git log --all"},
		when:     rewrites,
	},
	{
		ID: "git/other", Title: "Discard work in another version control", Decision: Ask, Severity: 2,
		Why:      "Changes that were not committed, or commits that are nowhere else, are lost.",
		Message:  "{what} throws work or history away",
		Safer:    "make a copy first: svn diff > x.patch, hg shelve, jj op log",
		Match:    []string{"svn revert -R .", "svn revert --recursive src", "svn cleanup --remove-unversioned", "svn rm https://svn.x.io/p/branches/x -m x", "hg update -C", "hg up --clean default", "hg strip tip", "hg revert --all", "hg purge", "hg push -f", "jj abandon 'all()'", "jj op restore abc", "jj restore", "bzr revert", "p4 revert //...", "git lfs prune --force", "cvs update -C", "darcs obliterate", "git lfs migrate import --include='*.bin'", "hg -R web update -C"},
		NotMatch: []string{"svn revert a.c", "svn update", "svn commit -m 'revert -R'", "svn status", "hg update default", "hg revert a.py", "hg purge --print", "hg push", "jj new", "jj undo", "jj restore src/a.rs", "jj git push", "jj log -r 'all()'", "git lfs prune --dry-run", "git lfs prune", "git lfs pull", "hg status --all", "svn rm a.c", "p4 revert -a //...", "fossil status", "hg commit -m 'strip x'", "git lfs migrate info"},
		when:     discardsElsewhere,
	},
}

func anyText(args []arg, f func(string) bool) bool {
	return slices.ContainsFunc(args, func(a arg) bool { return f(a.text) })
}

// forces reports a forced push. --force-with-lease begins with the same letters
// and is the safe way.
func forces(g *gitCommand) bool {
	return slices.ContainsFunc(g.opts, func(o option) bool {
		return o.name == "-f" || o.name == "--force" || len(o.name) > 4 && strings.HasPrefix("--mirror", o.name)
	})
}

func discards(_ *walker, e *effect) bool {
	g, ok := gitOf(e)
	if !ok {
		return false
	}
	many := anyText(g.operands, broad)
	switch g.name {
	case "reset":
		return g.has("--hard", "--merge")
	case "checkout":
		return g.has("-f", "--force") || !g.has("-b", "-B", "--orphan", "-p", "--patch", "--theirs", "--ours", "-t", "--track") && g.overwrites(e)
	case "restore":
		staged := g.has("-S", "--staged") && !g.has("-W", "--worktree")
		return many && !staged && !g.has("-p", "--patch")
	case "switch":
		return g.has("-f", "--force", "--discard-changes")
	case "read-tree":
		return g.has("--reset") && g.has("-u")
	case "checkout-index":
		return g.has("-f", "--force") && g.has("-a", "--all")
	case "rm":
		return g.has("-f", "--force") && many && !g.has("--cached", "-n", "--dry-run")
	case "worktree":
		return g.operand(0) == "remove" && g.has("-f", "--force")
	case "submodule":
		return g.operand(0) == "deinit" && g.has("-f", "--force")
	}
	return false
}

// overwrites reports a checkout of many files. Before "--" a word without a dot
// is a branch; after it, everything is a path.
func (g *gitCommand) overwrites(e *effect) bool {
	dashes := slices.IndexFunc(e.args, func(a arg) bool { return a.text == "--" })
	if dashes >= 0 {
		return anyText(e.args[dashes+1:], broad)
	}
	return anyText(g.operands, func(s string) bool {
		return s == "." || s == "./" || s == ":/" || s == "*" || strings.HasPrefix(s, "*.") || len(g.operands) > 1 && strings.HasSuffix(s, "/")
	})
}

func rewrites(_ *walker, e *effect) bool {
	if e.runs("bfg", "git-filter-repo") {
		return true
	}
	g, ok := gitOf(e)
	if !ok {
		return false
	}
	switch g.name {
	case "filter-branch", "filter-repo":
		return true
	case "reflog":
		return (g.operand(0) == "expire" || g.operand(0) == "delete") && !g.has("-n", "--dry-run")
	case "gc":
		return slices.ContainsFunc(g.opts, func(o option) bool { return named(o, "--prune") && (o.value.text == "now" || o.value.text == "all") })
	case "prune":
		return !g.has("-n", "--dry-run")
	}
	return false
}
