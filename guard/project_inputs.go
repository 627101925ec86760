package guard

import "slices"

// scriptReader is how a program reads a file of its own commands: the options
// that name one (none: any operand does), and what judges the text.
type scriptReader struct {
	options []string
	read    func(w *walker, st *state, construct string, a arg)
}

var scriptReaders map[string]scriptReader

func fillScriptReaders() {
	vim := scriptReader{[]string{"-S", "-u", "-s"}, (*walker).vimCommand}
	other := scriptReader{nil, func(w *walker, st *state, construct string, a arg) { w.otherShell(st, construct, a) }}
	power := scriptReader{nil, func(w *walker, st *state, _ string, a arg) { w.powershell(st.child(), a.text, stream{}) }}
	scriptReaders = map[string]scriptReader{
		"vim": vim, "vi": vim, "nvim": vim, "ex": vim, "nu": other, "xonsh": other, "elvish": other, "pwsh": power, "powershell": power,
		"emacs":   {[]string{"--script", "-l", "--load", "-script", "-load"}, (*walker).elisp},
		"gdb":     {[]string{"-x", "--command", "-ix"}, (*walker).gdbCommand},
		"psql":    {[]string{"-f", "--file"}, (*walker).psqlCommand},
		"sqlite3": {[]string{"-init", "--init"}, (*walker).sqliteCommand},
		"m4":      {nil, (*walker).m4},
		"ftp":     {nil, (*walker).bangLines}, "sftp": {[]string{"-b"}, (*walker).bangLines}, "lftp": {[]string{"-f"}, (*walker).bangLines},
	}
}

// madeScript judges the files of such commands that this command wrote.
func (w *walker) madeScript(st *state, name string, args []arg) {
	r, ok := scriptReaders[name]
	if !ok {
		return
	}
	for i, a := range args {
		if r.options != nil && (i == 0 || !slices.Contains(r.options, args[i-1].text)) {
			continue
		}
		for _, s := range w.contents(st, a.text) {
			if w.spend(1) {
				r.read(w, st, name+" "+a.text, a.tail(s.text))
			}
		}
	}
}
