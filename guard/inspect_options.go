package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// acting are the options of allowed programs that write or run something:
// programs, short options with a letter, and long ones with their abbreviations.
var acting = [...][2]string{
	{"find", "-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls"},
	{"sed", "-i -I --in-place"},
	{"awk", "-i -l -E --include --load --exec"},
	{"sort", "-o --output --compress-program"},
	{"rg", "--pre --hostname-bin"},
	{"ag", "--pager"},
	{"tree", "-o -R"},
	{"less", "-o -O -k --log-file --LOG-FILE --lesskey-file --lesskey-src --lesskey-content"},
	{"yq", "-i --inplace -s --split-exp"},
	{"date", "-s --set"},
	{"file", "-C --compile"},
	{"env", "-S --split-string"},
	{"go", "-exec -toolexec -vettool -overlay"},
	{"cargo", "--config"},
	{"make", "--eval -E"},
	{"python python3", "-c -i"},
	{"node", "-e -p -r -i --eval --print --require --import --loader --experimental-loader --interactive"},
	{"java", "-javaagent -agentpath -agentlib"},
	{"npx", "-c --call -p --package"},
	{"npm", "--script-shell --node-options"},
	{"ast-grep", "-U --update-all -i --interactive"},
	{"repomix", "-o --output"},
	{"cloc", "--out --report-file --extract-with --diff-list-file"},
	{"scc", "-o --output"},
	{"base64", "-o --output"},
}

var actingOptions = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, row := range acting {
		for name := range strings.FieldsSeq(row[0]) {
			m[name] = strings.Fields(row[1])
		}
	}
	return m
})

// awkActs are the parts of an awk program that run commands or read other files,
// by name or through a variable; pipes and redirections are operators already.
var awkActs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bsystem\s*\(|\bgetline\b|\bARGV\b|@\s*[a-zA-Z_]`)
})

// singleDash are the programs whose long options have one dash, so that their
// letters are no cluster.
var singleDash = []string{"find", "go", "java"}

// acts reports arguments with which a program of the table does more than look.
func acts(e *effect) bool {
	words := own(e.name, texts(e.args))
	options := actingOptions()[e.name]
	for _, word := range words {
		if word == "--" {
			break
		}
		if slices.ContainsFunc(options, func(opt string) bool { return gives(e.name, word, opt) }) {
			return true
		}
	}
	switch e.name {
	case "sed":
		return slices.ContainsFunc(sedScripts(words), sedActs)
	case "awk":
		return slices.ContainsFunc(words, awkActs().MatchString)
	case "yq": // its expressions read files
		return slices.ContainsFunc(words, func(s string) bool { return strings.Contains(s, "load") && strings.Contains(s, "(") })
	case "python", "python3", "node":
		return readsCode(words)
	case "xargs":
		return feeds(words)
	case "make":
		return slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, "SHELL=") || strings.HasPrefix(s, ".SHELLFLAGS=") })
	case "less":
		return slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, "+") && strings.ContainsAny(s, "!sv#") })
	case "npm":
		return len(words) > 0 && slices.Contains([]string{"exec", "x", "init", "create", "innit", "explore", "edit", "publish", "unpublish", "login", "adduser", "set"}, words[0])
	case "go":
		return len(words) > 1 && words[0] == "env" && (slices.Contains(words, "-w") || slices.Contains(words, "-u"))
	case "date": // MMDDhhmm sets the clock
		return slices.ContainsFunc(words, func(s string) bool { return len(s) >= 8 && strings.Trim(s, "0123456789.") == "" })
	}
	return false
}

// gives reports that word is the option opt: a beginning of a long one, a letter
// of a cluster, or a short one with its value.
func gives(program, word, opt string) bool {
	switch {
	case strings.HasPrefix(opt, "--"):
		name, _, _ := strings.Cut(word, "=")
		return name == opt || len(name) > 3 && strings.HasPrefix(opt, name)
	case len(opt) > 2 || slices.Contains(singleDash, program):
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
		name, _, _ = strings.Cut(name, ":")
		return strings.HasPrefix(word, "-") && strings.TrimPrefix(opt, "-") == strings.TrimPrefix(name, "-")
	case len(word) < 2 || word[0] != '-' || word[1] == '-':
		return false
	}
	if strings.HasPrefix(word, opt) {
		return true
	}
	// Letters before it, none of which takes the rest as its value.
	at := strings.IndexByte(word, opt[1])
	return at > 0 && !strings.ContainsAny(word[1:at], clusterEnds(program))
}

// clusterEnds are the short options that take the rest of their word as a value.
func clusterEnds(program string) string {
	switch program {
	case "sed":
		return "efl"
	case "sort":
		return "ktST"
	case "python", "python3":
		return "mWX"
	case "rg":
		return "efgtTABCmjrEMd"
	case "make":
		return "CjlWI"
	case "awk":
		return "Fvf"
	case "tree":
		return "LPIH"
	case "date":
		return "dfrI"
	case "env":
		return "uC"
	}
	return ""
}
