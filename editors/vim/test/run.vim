vim9script
# Runs in a Vim without a screen, and in one with a screen what needs that: popups.
# Each test says its name and whether it holds in $PILLION_REPORT; the counts go to
# $PILLION_COUNTS.

const here = expand('<sfile>:p:h')
execute 'set runtimepath^=' .. fnamemodify(here, ':h')
runtime plugin/pillion.vim

import './conformance.vim'
import './locate.vim'
import './server.vim'
import './output.vim'
import './ask.vim'

var passed = 0
var failed = 0

def Test(name: string, Body: func)
  v:errors = []
  var since = reltime()
  try
    Body()
  catch
    add(v:errors, v:exception .. ' in ' .. v:throwpoint)
  endtry
  if v:errors == []
    passed += 1
  else
    failed += 1
  endif
  writefile([printf('%s %s (%.2f s)', v:errors == [] ? 'ok    ' : 'FAILED', name, reltime(since)->reltimefloat())]
    + mapnew(v:errors, (_, line) => '         ' .. line), $PILLION_REPORT, 'a')
enddef

try
  if index(v:argv, '-es') >= 0
    locate.Tests(Test)
    g:pillion_path = $PILLION_BIN
    conformance.Conformance(here .. '/../../conformance/conformance.jsonl', Test)
    server.Tests(Test)
    output.Tests(Test)
  else
    g:pillion_path = $PILLION_BIN
    ask.Tests(Test)
  endif
catch
  writefile(['FAILED ' .. v:exception .. ' in ' .. v:throwpoint], $PILLION_REPORT, 'a')
  failed += 1
endtry
writefile([passed .. ' ' .. failed], $PILLION_COUNTS, 'a')
qall!
