package guard

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// foreign reports output that nobody could read before it runs: it came over the
// network, or out of a decoder.
func foreign(from []string) bool { return fetched(from) || decoded(from) }

func fetched(from []string) bool {
	return slices.ContainsFunc(from, func(p string) bool { return slices.Contains(downloaders, p) })
}

func decoded(from []string) bool {
	return slices.ContainsFunc(from, func(p string) bool { return strings.HasSuffix(p, decoding) })
}

// decoding marks, among the programs an output went through, one that turned
// text back that was not readable before.
const decoding = " -d"

// download remembers the files that a downloader writes by itself.
func (w *walker) download(st *state, name string, args []arg) {
	var files []arg
	switch name {
	case "curl":
		files = curlFiles(args)
	case "wget":
		files = wgetFiles(args)
	case "aria2c", "axel", "lwp-download":
		files = savedFiles(args)
	case "http", "https", "xh":
		files = valuesOf(args, "-o", "--out", "--output")
	case "scp", "rsync", "sftp":
		if n := len(args); n > 1 && strings.Contains(args[n-2].text, ":") {
			files = into(args[n-1], args[n-2].text)
		}
	}
	w.keep(st, files, stream{text: unknown, from: []string{courier(name)}}, false)
}

// courier is the name under which a program counts as a downloader.
func courier(name string) string {
	if slices.Contains(downloaders, name) {
		return name
	}
	return "ssh"
}

func curlFiles(args []arg) []arg {
	files := valuesOf(args, "-o", "--output")
	dir := ""
	for _, a := range valuesOf(args, "--output-dir") {
		dir = a.text + "/"
	}
	named := slices.ContainsFunc(args, func(a arg) bool {
		return strings.HasPrefix(a.text, "--remote-name") || short(a.text, "O")
	})
	for _, a := range args {
		if named && remote(a.text) {
			files = append(files, renamed(a, urlBase(a.text)))
		}
	}
	for i := range files {
		if !strings.HasPrefix(files[i].text, "/") {
			files[i] = renamed(files[i], dir+files[i].text)
		}
	}
	return files
}

// savedFiles are named by an option, or by the address.
func savedFiles(args []arg) []arg {
	files := valuesOf(args, "-o", "--out", "--output")
	for _, a := range args {
		if len(files) == 0 && remote(a.text) {
			return []arg{renamed(a, urlBase(a.text))}
		}
	}
	return files
}

func wgetFiles(args []arg) []arg {
	if files := valuesOf(args, "-O", "--output-document"); len(files) > 0 {
		return files
	}
	dir := ""
	for _, a := range valuesOf(args, "-P", "--directory-prefix") {
		dir = a.text + "/"
	}
	var files []arg
	for _, a := range args {
		if remote(a.text) {
			files = append(files, renamed(a, dir+urlBase(a.text)))
		}
	}
	return files
}

// valuesOf are the values of an option in its spellings: -o x, -ox, -sSo x, -sox,
// --output x, --output=x. The letters before it are taken for options without
// a value: one name too many does no harm.
func valuesOf(args []arg, names ...string) []arg {
	var out []arg
	for i, a := range args {
		for _, name := range names {
			text, ok := strings.CutPrefix(a.text, name)
			if long := strings.HasPrefix(name, "--"); long {
				if ok = ok && (text == "" || text[0] == '='); ok && text != "" {
					out = append(out, renamed(a, text[1:]))
					continue
				}
			} else if ok = short(a.text, name[1:]); ok {
				_, text, _ = strings.Cut(a.text, name[1:])
				if text != "" {
					out = append(out, renamed(a, text))
					continue
				}
			}
			if ok && i+1 < len(args) {
				out = append(out, args[i+1])
			}
		}
	}
	return out
}

// short reports a cluster of one-letter options that has one of the letters.
func short(text, letters string) bool {
	return len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text[1:], letters)
}

func renamed(a arg, text string) arg {
	a.text, a.exact = text, false
	return a
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
func into(target arg, remote string) []arg {
	return []arg{target, renamed(target, strings.TrimSuffix(target.text, "/")+"/"+path.Base(remote[strings.LastIndexByte(remote, ':')+1:]))}
}
