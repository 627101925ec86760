// Package lang reads one-liners and scripts in other languages as far as they tell
// what they do: where strings end, which calls run programs, touch files or talk to
// hosts. It has no grammar of any of them, and is not led astray by what it can't
// read.
package lang
