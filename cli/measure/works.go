package measure

// work is what a task does, in a directory where makeDay was.
type work struct {
	name, what, script string
	needs              []string
}

const git = "git -c user.name=a -c user.email=a@example.org -c commit.gpgSign=false -c core.hooksPath=/dev/null "

// makeDay makes a repository of 1,000 files and 20 commits, an archive and 20 C files.
const makeDay = `mkdir repo src && cd repo && git -c init.defaultBranch=main init -q . && mkdir d1 d2 d3 d4 d5 d6 d7 d8 d9 d10 &&
i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo "line $i of some text" >d$((i%10+1))/f$i.txt; done
git add -A && ` + git + `commit -q -m first
n=0; while [ $n -lt 20 ]; do n=$((n+1)); for f in d$((n%10+1))/*9*.txt; do echo "change $n" >>$f; done; ` + git + `commit -q -a -m "change $n"; done
cd .. && tar -c -f many.tar -C repo d1 d2 d3 d4 d5 d6 d7 d8 d9 d10
i=0; while [ $i -lt 20 ]; do i=$((i+1)); printf '#include <stdio.h>\n#include <stdlib.h>\nint f%d(int a) { return printf("%%d", a); }\n' $i >src/f$i.c; done
printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\n' >src/Makefile`

// works are the working day.
var works = []work{
	{"write", "a command that writes a file", "echo x >written", nil},
	{"gitStatus", "git status, 1,000 files", "cd repo && git status --porcelain", []string{"git"}},
	{"gitLog", "git log --stat, 20 commits", "cd repo && git log --stat", []string{"git"}},
	{"gitCheckout", "git checkout, 20 commits back and forth", "cd repo && git checkout -q HEAD~20 && git checkout -q main", []string{"git"}},
	{"gitCommit", "git add and commit, 200 files", "cd repo && for f in d1/* d2/*; do echo more >>$f; done && git add -A && " + git + "commit -q -m more && git reset -q --hard HEAD~1", []string{"git"}},
	{"grep", "grep -r, 1,000 files", "grep -r 'line 99' repo/d*", []string{"git"}},
	{"find", "find, the repository and its objects", "find repo -newer many.tar", []string{"git"}},
	{"tar", "tar -x and rm -r, 1,000 files", "mkdir t && tar -x -C t -f many.tar && rm -r t", []string{"git", "tar"}},
	{"copy", "cp -r and rm -r, 1,000 files", "mkdir c && cp -r repo/d* c && rm -r c", []string{"git"}},
	{"make", "make, 20 C files", "cd src && rm -f *.o && make -s", []string{"git", "make", "cc"}},
	{"python", "python3, 5 starts", "for i in 1 2 3 4 5; do python3 -c 'import json, subprocess'; done", []string{"python3"}},
	{"sqlite", "sqlite, 100 commits", `python3 -c 'import sqlite3
c = sqlite3.connect("db"); c.execute("create table if not exists t (a)")
for i in range(100): c.execute("insert into t values (1)"); c.commit()' && rm db`, []string{"python3"}},
	{"starts", "200 starts of /bin/true", "i=0; while [ $i -lt 200 ]; do i=$((i+1)); /bin/true; done", nil},
}
