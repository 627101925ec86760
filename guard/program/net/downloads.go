package net

import (
	"net/url"
	"path"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// download remembers the files that a downloader writes by itself.
func download(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) {
	var files []effect.Arg
	switch p.Text {
	case "curl":
		files = curlFiles(args)
	case "wget":
		files = wgetFiles(args)
	case "lwp-download":
		files = savedFiles(args)
		if n := len(args); n > 1 && !strings.Contains(args[n-1].Text, "://") {
			files = args[n-1:]
		}
	case "aria2c", "axel":
		files = within(directory(args, "-d", "--dir"), savedFiles(args))
	case "ftp", "lftp", "tftp", "smbclient", "smbget":
		files = ordered(w, st, p, args, in)
	case "http", "https", "xh":
		files = argv.Values(args, "-o", "--out", "--output")
	case "scp", "rsync", "sftp":
		if n := len(args); n > 1 && strings.Contains(args[n-2].Text, ":") {
			files = into(args[n-1], args[n-2].Text)
		}
		files = append(files, ordered(w, st, p, args, in)...)
	}
	if len(files) > 0 {
		w.Keep(st, files, effect.Stream{Text: effect.Unknown, From: []string{courier(p.Text)}}, false)
	}
}

// courier is the name under which a program counts as a downloader.
func courier(name string) string {
	if effect.Among(name, effect.Downloaders) {
		return name
	}
	return "ssh"
}

func curlFiles(args []effect.Arg) []effect.Arg {
	files := argv.Values(args, "-o", "--output")
	if argv.AnyText(args, func(s string) bool { return strings.HasPrefix(s, "--remote-name") || argv.Cluster(s, "O") }) {
		files = append(files, addressed(args, "")...)
	}
	return within(directory(args, "--output-dir"), files)
}

// within is files below a directory, but for those that say where they are.
func within(dir string, files []effect.Arg) []effect.Arg {
	for i := range files {
		if !strings.HasPrefix(files[i].Text, "/") {
			files[i] = effect.Renamed(files[i], dir+files[i].Text)
		}
	}
	return files
}

// orders are those of programs that transfer files by commands of their own: get x y.
var orders = argv.Pattern(`(?m)(?:^|[;"'])\s*(?:get|mget|recv|pget|reget)[ \t]+([^\n;"']+)`)

// ordered are the files that such commands bring, which stand in an argument, a file or the
// input; or that an address names.
func ordered(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) (files []effect.Arg) {
	text := in.Rest() + "\n" + strings.Join(effect.Texts(args), "\n")
	for i, a := range args {
		if i > 0 && args[i-1].Text == "-c" && a.Text == "get" { // tftp h -c get x
			text += "\n" + strings.Join(effect.Texts(args[i:]), " ")
		}
		for _, s := range w.Contents(st, strings.TrimPrefix(a.Text, "-s:")) { // Windows' ftp
			text += "\n" + s.Text
		}
		if strings.Contains(a.Text, "://") {
			files = append(files, effect.Renamed(a, urlBase(a.Text)))
		}
	}
	if !w.Spend(1 + len(text)/64) {
		return nil
	}
	for _, m := range orders().FindAllStringSubmatch(text, 32) {
		for word := range strings.FieldsSeq(m[1]) {
			files = append(files, effect.Renamed(p, word), effect.Renamed(p, path.Base(word)))
		}
	}
	return files
}

// savedFiles are named by an option, or by the address.
func savedFiles(args []effect.Arg) []effect.Arg {
	if files := argv.Values(args, "-o", "--out", "--output"); len(files) > 0 {
		return files
	}
	files := addressed(args, "")
	return files[:min(1, len(files))]
}

func wgetFiles(args []effect.Arg) []effect.Arg {
	if files := argv.Values(args, "-O", "--output-document"); len(files) > 0 {
		return files
	}
	return addressed(args, directory(args, "-P", "--directory-prefix"))
}

// directory is the last value of the option that says where files go.
func directory(args []effect.Arg, names ...string) (dir string) {
	for _, a := range argv.Values(args, names...) {
		dir = a.Text + "/"
	}
	return dir
}

// addressed are files that are called as the addresses they come from.
func addressed(args []effect.Arg, dir string) (files []effect.Arg) {
	for _, a := range args {
		if remote(a.Text) {
			files = append(files, effect.Renamed(a, dir+urlBase(a.Text)))
		}
	}
	return files
}

// remote reports an operand that may be a URL; curl and wget need no scheme.
func remote(text string) bool {
	return !strings.HasPrefix(text, "-") && strings.ContainsAny(text, "./") && !strings.Contains(text, " ")
}

// urlBase is the file name a downloader gives to what it gets from a URL.
func urlBase(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Path == "" || strings.HasSuffix(u.Path, "/") {
		return "index.html"
	}
	return path.Base(u.Path)
}

// into are the names a copy of a remote file may get.
func into(target effect.Arg, remote string) []effect.Arg {
	return []effect.Arg{target, effect.Renamed(target,
		strings.TrimSuffix(target.Text, "/")+"/"+path.Base(remote[strings.LastIndexByte(remote, ':')+1:]))}
}

// curlConfig judges the options in a configuration that the command itself
// writes: curl reads one option a line, with or without dashes.
func curlConfig(w *shell.Walker, st *shell.State, file effect.Arg, in effect.Stream) {
	for _, s := range configTexts(w, st, file, in) {
		words := []effect.Arg{{Text: "curl", Index: file.Index, Span: file.Span}}
		for line := range strings.SplitSeq(s.Text, "\n") {
			if !w.Spend(1) {
				return
			}
			name, value := configLine(line)
			if name == "" || name == "--config" || name == "-K" {
				continue
			}
			words = append(words, effect.Arg{Text: name, Index: file.Index, Span: file.Span})
			if value != "" {
				words = append(words, effect.Arg{Text: value, Index: file.Index, Span: file.Span, From: s.From})
			}
		}
		if len(words) > 1 && w.Deeper() {
			w.Run(st, words, in)
			w.Back()
		}
	}
}

// configTexts is what is in the file: the input for "-", or what the command wrote there.
func configTexts(w *shell.Walker, st *shell.State, file effect.Arg, in effect.Stream) []effect.Stream {
	if shell.Standard(file.Text) {
		return []effect.Stream{in}
	}
	return w.Contents(st, file.Text)
}

func configLine(line string) (name, value string) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", ""
	}
	i := strings.IndexAny(line, " \t=:")
	if i < 0 {
		i = len(line)
	}
	name, value = line[:i], strings.Trim(strings.TrimLeft(line[i:], " \t=:"), `"`)
	if !strings.HasPrefix(name, "-") {
		name = "--" + name
	}
	return name, value
}
