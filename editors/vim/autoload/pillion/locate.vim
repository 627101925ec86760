vim9script
# Find the pillion binary, and see that it is one. It never comes from a
# repository: it is the setting, what lies beside this plugin, or an absolute
# directory of PATH.

export const required = '0.1'

const plugin = resolve(expand('<sfile>:p'))->fnamemodify(':h:h:h')

export def Locate(): string
  var path = get(g:, 'pillion_path', '')
  if path != ''
    return fnamemodify(expand(path), ':p')
  endif
  var dirs = [plugin, plugin .. '/bin', plugin .. '/../../dist', plugin .. '/../..']
  for dir in dirs + split($PATH, ':')
    path = dir .. '/pillion'
    if dir[0] == '/' && !isdirectory(path) && executable(path) == 1
      return simplify(path)
    endif
  endfor
  return ''
enddef

# What is wrong with the binary, which said this: the setting, what was found,
# what is required. Empty: nothing.
export def Problem(path: string, said: string): string
  var version = matchstr(said, '^pillion \zs[^ \n]\+')
  if version == ''
    return printf('g:pillion_path: %s is not pillion (it said "%s"), and pillion %s or newer is required',
      path, strpart(trim(said), 0, 60), required)
  endif
  if version != 'devel' && Older(version, required)
    return printf('g:pillion_path: %s is pillion %s, but %s or newer is required', path, version, required)
  endif
  return ''
enddef

def Older(version: string, than: string): bool
  var has = split(version, '[^0-9]\+')->map((_, n) => str2nr(n))
  var wants = split(than, '\.')->map((_, n) => str2nr(n))
  for i in range(len(wants))
    var n = get(has, i, 0)
    if n != wants[i]
      return n < wants[i]
    endif
  endfor
  return false
enddef

# Asks the binary for its version; Then gets the problem, or ''.
export def Check(path: string, Then: func)
  if executable(path) != 1
    Then(printf('g:pillion_path: %s cannot be started, and pillion %s or newer is required', path, required))
    return
  endif
  var said = ''
  var timer: number
  var job = job_start([path, 'version'], {
    in_io: 'null', out_mode: 'raw', err_io: 'out', cwd: '/',
    out_cb: (_, text) => {
      said ..= text
    },
    close_cb: (_) => {
      timer_stop(timer)
      Then(Problem(path, said))
    },
  })
  timer = timer_start(5000, (_) => job_stop(job, 'kill'))
enddef
