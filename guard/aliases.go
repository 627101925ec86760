package guard

import "strings"

func alias(w *walker, st *state, args []arg, _ stream) stream {
	st.aliases = cloneAliases(st.aliases)
	for _, a := range args[1:] {
		if name, text, ok := strings.Cut(a.text, "="); ok {
			a.text, a.exact = text, false
			st.aliases[name] = a
		}
	}
	return stream{}
}

func cloneAliases(m map[string]arg) map[string]arg {
	out := make(map[string]arg, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// hash -p makes the shell take a file for a program: `hash -p ./evil ls`.
func hash(w *walker, st *state, args []arg, _ stream) stream {
	files := valuesOf(args[1:], "-p")
	if len(files) == 0 {
		return stream{}
	}
	st.aliases = cloneAliases(st.aliases)
	file := files[0]
	if p := w.locate(st, file.text); !p.unknown && !w.inFolders(p.path) && !w.trusted(file.text, p.path) {
		w.emitAt(file, effect{kind: kindHook, name: "hash -p", text: "hash -p " + file.text})
	}
	file.text, file.exact = quote(file.text), false
	st.aliases[args[len(args)-1].text] = file
	return stream{}
}

// enable -f loads a shared library into the shell itself.
func enable(w *walker, st *state, args []arg, _ stream) stream {
	for _, file := range valuesOf(args[1:], "-f") {
		w.path(st, kindRead, file)
		w.emitAt(file, effect{kind: kindCode, name: "library", text: file.text})
	}
	return stream{}
}
