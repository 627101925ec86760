vim9script
# editors/conformance/conformance.jsonl, which every client's core must pass: one
# session, the cases in their order.

import autoload 'pillion/server.vim'
import autoload 'pillion/wire.vim'

var answers: list<any>
var asked: list<any>

wire.OnQuestion((on, id, params) => {
  add(asked, params)
  wire.Reply(on, id, 'result', remove(answers, 0))
}, (_, _) => 0)

# Where what came is not at least what is expected, or ''.
def Difference(expected: any, got: any, path: string): string
  if type(expected) == v:t_dict && type(got) == v:t_dict
    for [key, value] in items(expected)
      var at = path .. '/' .. key
      var problem = has_key(got, key) ? Difference(value, got[key], at) : at .. ' is absent'
      if problem != ''
        return problem
      endif
    endfor
    return ''
  endif
  if type(expected) == v:t_list && type(got) == v:t_list && len(expected) == len(got)
    return range(len(expected))
      ->map((i, _) => Difference(expected[i], got[i], path .. '/' .. i))
      ->filter((_, problem) => problem != '')->get(0, '')
  endif
  return type(expected) == type(got) && expected == got ? ''
    : printf('%s: expected %s, got %s', path, string(expected), string(got)->strpart(0, 300))
enddef

# Bytes of base64.
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
def Decode(data: string): blob
  var bytes = 0z
  for i in range(0, len(data) - 1, 4)
    var n = 0
    for j in range(4)
      n = n * 64 + max([0, stridx(letters, data[i + j])])
    endfor
    bytes += list2blob([n / 65536, n / 256 % 256, n % 256])
  endfor
  return bytes[0 : len(bytes) - 1 - count(data, '=')]
enddef

def Sha256(text: string, data: blob): string
  var file = tempname()
  writefile(text == '' ? data : split(text, "\n", 1), file, text == '' ? '' : 'b')
  return system('sha256sum <' .. shellescape(file))[: 63]
enddef

def Step(on: dict<any>, id: string, step: dict<any>)
  if has_key(step, 'write')
    wire.Tell(on, id, 'exec/write', {text: step.write})
  elseif has_key(step, 'close')
    wire.Tell(on, id, 'exec/write', {close: true})
  elseif has_key(step, 'resize')
    wire.Tell(on, id, 'exec/resize', {size: step.resize})
  elseif has_key(step, 'cancel')
    wire.Cancel(on, id)
  elseif has_key(step, 'kill')
    job_stop(on.job, 'kill')
  endif
enddef

def Run(on: dict<any>, case: dict<any>): dict<any>
  var steps = copy(get(case, 'steps', []))
  var run = {end: '', value: {}, text: {}, data: {}}
  var seen = ''
  var id = ''
  id = wire.Exec(on, case.exec, (what, value) => {
    if what != 'event'
      assert_equal('', run.end, 'ended twice')
      run.end = what
      run.value = value
    elseif value.type == 'started'
      seen ..= 'started'
    elseif value.type == 'output' && has_key(value, 'data')
      run.data[value.stream] = get(run.data, value.stream, 0z) + Decode(value.data)
    elseif value.type == 'output'
      if !has_key(run.text, value.stream)
        run.text[value.stream] = []
      endif
      add(run.text[value.stream], value.text)
      if steps != []
        seen ..= value.text
      endif
    endif
    while steps != [] && id != '' && stridx(seen, steps[0].when) >= 0
      Step(on, id, remove(steps, 0))
    endwhile
  })
  var since = reltime()
  while run.end == '' && reltime(since)->reltimefloat() < 20
    sleep 5m
  endwhile
  map(run.text, (_, pieces) => join(pieces, ''))
  return run
enddef

def Check(case: dict<any>, run: dict<any>)
  for [key, expected] in items(case.expect)
    if key == 'result' || key == 'error'
      assert_equal(key, run.end)
      assert_equal('', Difference(expected, run.value, key))
    elseif key == 'interrupted'
      assert_equal('interrupted', run.end)
    elseif key == 'text'
      assert_equal('', Difference(expected, run.text, key))
    elseif key == 'sha256'
      for [stream, hash] in items(expected)
        assert_equal(hash, Sha256(get(run.text, stream, ''), get(run.data, stream, 0z)))
      endfor
    elseif key == 'rules'
      assert_equal(expected, mapnew(run.value.data.verdict.findings, (_, f) => f.ruleId))
    elseif key == 'shown'
      var shown = get(run.end == 'error' ? run.value.data : run.value, 'display', [])
        ->mapnew((_, line) => line.text)->join("\n")
      var at = 0
      for text in expected
        at = stridx(shown, text, at)
        assert_true(at >= 0, text .. ' is not shown in ' .. shown)
      endfor
    elseif key == 'asked'
      assert_equal('', Difference(expected, asked, key))
    else
      assert_report('nobody checks ' .. key)
    endif
  endfor
  assert_equal([], answers, 'answers that nobody asked for')
enddef

export def Conformance(script: string, Test: func(string, func))
  var [session; cases] = readfile(script)->map((_, line) => json_decode(line))
  g:pillion_options = session.session.initializationOptions
  var root = tempname()
  mkdir(root)
  var on = server.Get(root)
  for case in cases
    Test('conformance: ' .. case.name, () => {
      answers = copy(get(case, 'answers', []))
      asked = []
      Check(case, Run(on, case))
    })
  endfor
  unlet g:pillion_options
enddef
