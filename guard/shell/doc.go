// Package shell reads shell text the way shells do, and writes down what it would do.
// Text is checked, parsed and walked in the order a shell would run it: words are
// folded, functions and nested shells followed, and files that the text itself writes
// remembered. Of programs it knows only what Programs answers.
//
// Where things are:
//
//	request, gate, parse, opaque     the way in, and text that shells read otherwise than
//	                                 the parser does
//	walker, state, stmt, call        the budget; what a shell knows; commands
//	compound, branches, redirect     what may run many times, or not at all; where input
//	                                 comes from
//	fold, braces, tilde, freeze,     words: what they are when the command runs
//	lists, environ, calculated
//	paths, files                     directories, paths, files that were written
//	builtins, code, lines, …         what the shell's own commands do to those
//	endless                          shapes that never end
package shell
