vim9script
# Where the binary comes from, and what is said if it is the wrong one.

import autoload 'pillion/locate.vim'
import autoload 'pillion/server.vim'
import autoload 'pillion/log.vim'

# A program in a directory of its own, made of this shell text.
export def Fake(text: string, name = 'pillion'): string
  var dir = tempname()
  mkdir(dir)
  writefile(['#!/bin/sh'] + split(text, "\n"), dir .. '/' .. name)
  setfperm(dir .. '/' .. name, 'rwxr-xr-x')
  return dir .. '/' .. name
enddef

# Why the binary at this path can't be used, once that is known.
export def Why(path: string): string
  g:pillion_path = path
  var root = tempname()
  mkdir(root)
  var on = server.Get(root)
  for _ in range(1000)
    if on.state =~ 'ready\|stopped'
      break
    endif
    sleep 10m
  endfor
  unlet g:pillion_path
  assert_equal(1, len(split(on.why, "\n")), 'one line')
  return on.state == 'ready' ? 'ready' : on.why
enddef

export def Tests(Test: func(string, func))
  Test('the setting comes first', () => {
    g:pillion_path = '/nowhere/pillion'
    assert_equal('/nowhere/pillion', locate.Locate())
    unlet g:pillion_path
  })
  Test('the plugin finds the binary of the repository that it lies in, then PATH', () => {
    var root = tempname()
    mkdir(root .. '/editors', 'p')
    system('cp -r ' .. shellescape(expand('<script>:p:h:h')) .. ' ' .. shellescape(root .. '/editors/vim'))
    var script = root .. '/locate.vim'
    writefile(['vim9script', 'set runtimepath^=' .. root .. '/editors/vim', "import autoload 'pillion/locate.vim'",
      'writefile([locate.Locate()], "' .. root .. '/found")', 'qall!'], script)
    var Found = (): string => {
      system('PATH=/usr/bin:.:' .. root .. '/onpath ' .. v:progpath .. ' -u NONE -i NONE -N -es -S ' .. script .. ' </dev/null')
      return readfile(root .. '/found')[0]
    }
    assert_equal('', Found())
    for dir in ['onpath', 'dist', 'editors/vim/bin']
      mkdir(root .. '/' .. dir, 'p')
      writefile(['#!/bin/sh'], root .. '/' .. dir .. '/pillion')
      setfperm(root .. '/' .. dir .. '/pillion', 'rwxr-xr-x')
      assert_equal(root .. '/' .. dir .. '/pillion', Found())
    endfor
  })
  Test('a relative element of PATH chooses nothing', () => {
    var path = Fake('')
    var [old, cwd] = [$PATH, getcwd()]
    execute 'cd' fnamemodify(path, ':h')
    $PATH = '.:' .. old
    assert_notequal(path, locate.Locate())
    $PATH = old
    execute 'cd' cwd
  })
  Test('an older version is one sentence that names the setting, found and required', () => {
    var path = Fake('echo pillion 0.0.9 linux/amd64')
    assert_equal('g:pillion_path: ' .. path .. ' is pillion 0.0.9, but 0.1 or newer is required', Why(path))
  })
  Test('a newer version is used', () => {
    for said in ['pillion 0.1', 'pillion v1.0.0-rc1 linux/amd64', 'pillion devel linux/amd64']
      assert_equal('', locate.Problem('/x', said))
    endfor
  })
  Test('a program that is not pillion is one sentence', () => {
    assert_equal('g:pillion_path: /bin/echo is not pillion (it said "version"), and pillion 0.1 or newer is required',
      Why('/bin/echo'))
  })
  Test('a binary that is not there is one sentence', () => {
    assert_equal('g:pillion_path: /nowhere cannot be started, and pillion 0.1 or newer is required', Why('/nowhere'))
  })
  Test('another version of the protocol is one sentence', () => {
    var path = Fake("test \"$1\" = version && { echo pillion 9; exit; }\n"
      .. "body='{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":2}}'\n"
      .. "read header; printf 'Content-Length: %d\\r\\n\\r\\n%s' ${#body} \"$body\"; cat >/dev/null")
    assert_equal('g:pillion_path: ' .. path .. ' cannot be used: it speaks protocol 2, and protocol 1 is required', Why(path))
  })
  Test('a setting that is none runs nothing: it may have been meant to be stricter', () => {
    g:pillion_option = {sandbox: {mode: 'read-only'}}
    assert_match('^g:pillion_option is no setting: nothing runs', Why($PILLION_BIN))
    unlet g:pillion_option
    g:pillion_options = ['read-only']
    assert_equal('g:pillion_options is no dictionary', Why($PILLION_BIN))
    unlet g:pillion_options
  })
  Test('options that initialize refuses are one sentence, and nothing is tried again', () => {
    g:pillion_options = {bogus: 1}
    assert_match('^g:pillion_options: .*bogus', Why($PILLION_BIN))
    unlet g:pillion_options
    assert_equal(1, copy(log.Lines())->filter((_, line) => line =~ 'started, process' && line =~ $PILLION_BIN)->len())
  })
enddef
