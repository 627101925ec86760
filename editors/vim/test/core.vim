vim9script
set runtimepath^=/tmp/w/emacs/editors/vim
import '/tmp/w/emacs/editors/vim/test/conformance.vim' as c
def Test(name: string, F: func)
  v:errors = []
  var s = reltime()
  try
    F()
  catch
    add(v:errors, v:exception .. ' ' .. v:throwpoint)
  endtry
  writefile([(v:errors == [] ? 'ok ' : 'FAIL ') .. name .. ' ' .. reltimestr(reltime(s))] + v:errors, '/dev/stdout', 'a')
enddef
try
c.Conformance('/tmp/w/emacs/editors/testdata/conformance.jsonl', Test)
catch
writefile([v:exception .. v:throwpoint], '/dev/stdout', 'a')
endtry
qall!
