vim9script
# Talk to a sidecar: requests, commands that run, and what it says by itself.

import autoload 'pillion/log.vim'

var count = 0
var Asker: func
var Withdrawn: func

# Ask gets server, id and params of each question, and calls Reply with its result;
# Withdraw gets server and id (null: all) of one that needs no answer any more.
export def OnQuestion(Ask: func, Withdraw: func)
  Asker = Ask
  Withdrawn = Withdraw
enddef

# The sidecar is gone, and its questions and commands with it.
export def Interrupt(server: dict<any>)
  var runs = server.runs
  server.runs = {}
  Withdrawn(server, null)
  for Handler in values(runs)
    call(Handler, ['interrupted', {}])
  endfor
  redrawstatus!
enddef

export def Uri(path: string): string
  return 'file://' .. range(strlen(path))->mapnew((_, i) => strpart(path, i, 1))
    ->map((_, byte) => byte =~ '[A-Za-z0-9/._~-]' ? byte : printf('%%%02X', char2nr(byte)))->join('')
enddef

export def Request(server: dict<any>, method: string, params: dict<any>, Then: func)
  ch_sendexpr(server.job, {method: method, params: params}, {callback: (_, answer) => Then(answer)})
enddef

# Vim sends no ids but numbers, and the sidecar's are strings.
export def Reply(server: dict<any>, id: any, member: string, value: any)
  if server.job != null_job && job_status(server.job) == 'run'
    var body = json_encode({jsonrpc: '2.0', id: id, [member]: value})
    ch_sendraw(server.job, printf("Content-Length: %d\r\n\r\n%s", strlen(body), body))
  endif
enddef

export def Arrived(server: dict<any>, message: dict<any>)
  var params = get(message, 'params', {})
  if has_key(message, 'id')
    if message.method == 'exec/requestApproval'
      Asker(server, message.id, params)
    else
      Reply(server, message.id, 'error', {code: -32601, message: 'no method ' .. message.method})
    endif
  elseif message.method == '$/progress'
    if has_key(server.runs, params.token)
      call(server.runs[params.token], ['event', params.value])
    endif
  elseif message.method == 'exec/waiting' || message.method == 'exec/port'
    if has_key(server.runs, params.execId)
      call(server.runs[params.execId], ['event', extend({type: message.method[5 :]}, params)])
    endif
  elseif message.method == '$/cancelRequest'
    Withdrawn(server, params.id)
  elseif message.method == 'window/showMessage'
    log.Say(params.message)
  elseif message.method == 'window/logMessage'
    log.Log(params.message)
  endif
enddef

# Runs a command, the params of exec, and returns its execId. Handler is called
# with 'event' and what came of it, and once at last with 'result', 'error' or
# 'interrupted': the sidecar is gone.
export def Exec(server: dict<any>, params: dict<any>, Handler: func): string
  count += 1
  var id = printf('vim-%d-%d', getpid(), count)
  var Begin = () => {
    server.runs[id] = Handler
    Request(server, 'exec', extend({execId: id, partialResultToken: id}, params), (answer) => {
      if has_key(server.runs, id)
        remove(server.runs, id)
        var what = has_key(answer, 'error') ? 'error' : 'result'
        Handler(what, answer[what])
      endif
    })
  }
  var Fail = (why) => Handler('error', {message: why})
  if server.state == 'ready'
    Begin()
  elseif server.state == 'stopped'
    Fail(server.why)
  else
    add(server.waiting, {id: id, Start: Begin, Fail: Fail})
  endif
  return id
enddef

# Sends a request about a command, such as exec/write.
export def Tell(server: dict<any>, id: string, method: string, params: dict<any> = {})
  if has_key(server.runs, id) && server.state == 'ready'
    Request(server, method, extend({execId: id}, params), (_) => 0)
  endif
enddef

export def Cancel(server: dict<any>, id: string, force = false)
  for [i, wait] in items(server.waiting)
    if wait.id == id
      remove(server.waiting, i)
      wait.Fail('cancelled before it was started')
      return
    endif
  endfor
  Tell(server, id, 'exec/cancel', force ? {force: true} : {})
enddef
