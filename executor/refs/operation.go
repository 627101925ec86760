package refs

import (
	"bytes"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

var mailName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^rebase-apply/(?:[0-9]{4,}|patch)$`) })

// mails judges the patches that git am goes on with. What a rebase goes on with are
// commits, which were judged.
func (j *judge) mails(d gitDir, before, now state) {
	if _, rebases := now.files["rebase-apply/rebasing"]; rebases {
		return
	}
	var names []string
	for name := range now.files {
		if mailName().MatchString(name) && now.files[name] != before.files[name] {
			names = append(names, name)
		}
	}
	for name := range now.large {
		if mailName().MatchString(name) && !before.large[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		paths, read := j.sight.patched(d, now.files[name])
		if read && len(paths) == 0 && !now.large[name] {
			continue
		}
		aside := path.Dir(name) + "/tmp_" + path.Base(name)
		j.report(Found{File: filepath.Join(d.path, name), Name: name, Paths: paths, Aside: aside}, moveAside(d.path, name, aside))
	}
}

// encodedMail is a mail whose text is not what git applies.
var encodedMail = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^content-(?:transfer-encoding:\s*(?:base64|quoted-printable)|type:\s*multipart)`)
})

var octal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[0-7]{3}`) })

// patched are the notable names among those that a patch gives a content; not read
// where it is encoded.
func (s Sight) patched(d gitDir, mail string) (paths []string, read bool) {
	for line := range strings.Lines(mail) {
		if strings.HasPrefix(line, "new file mode "+modeLink) || strings.HasPrefix(line, "new mode "+modeLink) {
			paths = append(paths, "a link")
		}
		for _, word := range []string{"+++ ", "--- ", "diff --git ", "rename to ", "copy to "} {
			rest, is := strings.CutPrefix(line, word)
			if !is {
				continue
			}
			rest = octal().ReplaceAllStringFunc(rest, func(o string) string {
				b, _ := strconv.ParseUint(o[1:], 8, 16) // three of these digits are a number
				return string(bytes.TrimRight([]byte{byte(b)}, "\x00"))
			})
			for file := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"", r) }) {
				if file = strings.Trim(file, "/"); file != "" && s.isObeyed(d, file) {
					paths = append(paths, file)
				}
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), !encodedMail().MatchString(mail)
}

// isObeyed: some directory of a path, whatever git strips of it, is protected.
func (s Sight) isObeyed(d gitDir, file string) bool {
	for rest, more := file, true; more; _, rest, more = strings.Cut(rest, "/") {
		if s.notable(d.top, rest, "") {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(file, "/"), func(part string) bool {
		return protect.SealedName(protect.Canonical(part)) != "" || brought(part)
	})
}
