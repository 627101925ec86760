vim9script
# A sidecar's life: found, checked, started, initialized; and when it dies,
# started again a little later, but not for ever. Its commands may write in their
# project, so every project has a sidecar of its own.

import autoload 'pillion/locate.vim'
import autoload 'pillion/log.vim'
import autoload 'pillion/wire.vim'

const protocol = 1

var servers: dict<dict<any>> = {}
# Starting

export def Get(root: string): dict<any>
  if !has_key(servers, root)
    servers[root] = {root: root, state: 'new', why: '', rung: '', runs: {}, waiting: [],
      crashes: [], ready_at: 0.0, timer: 0, attempt: 0, job: null_job, path: ''}
    Start(servers[root])
  endif
  return servers[root]
enddef

export def Existing(root: string): dict<any>
  return get(servers, root, {})
enddef

export def Now(): float
  return reltimefloat(reltime())
enddef

# What is wrong with the settings: what was meant by them may have been stricter, so
# nothing runs.
def Settings(): string
  for name in keys(g:)
    if name =~ '^pillion_' && index(['pillion_path', 'pillion_options', 'pillion_terminal'], name) < 0
      return printf('g:%s is no setting: nothing runs until it is corrected (:help pillion-settings)', name)
    endif
  endfor
  return type(get(g:, 'pillion_options', {})) == v:t_dict ? '' : 'g:pillion_options is no dictionary'
enddef

def Start(server: dict<any>)
  server.state = 'starting'
  server.attempt += 1
  var attempt = server.attempt # what came of older ones is moot
  server.why = ''
  var wrong = Settings()
  if wrong != ''
    Stopped(server, wrong)
    return
  endif
  server.path = locate.Locate()
  if server.path == ''
    Stopped(server, 'pillion was not found beside the plugin or in PATH: set g:pillion_path to pillion '
      .. locate.required .. ' or newer')
    return
  endif
  locate.Check(server.path, (problem) => {
    if server.attempt == attempt
      if problem != ''
        Stopped(server, problem)
      else
        Connect(server)
      endif
    endif
  })
enddef

def Connect(server: dict<any>)
  var ends = 0
  # Its messages are read to the end, and its exit code is known, when both are called.
  var Ended = (job) => {
    ends += 1
    if ends == 2
      Died(server, job)
    endif
  }
  var job: job
  job = job_start([server.path, 'serve', '--stdio'], {
    in_mode: 'lsp', out_mode: 'lsp', err_mode: 'nl', noblock: 1, cwd: '/', stoponexit: 'term',
    out_cb: (_, message) => {
      if job == server.job
        wire.Arrived(server, message)
      endif
    },
    err_cb: (_, line) => log.Log(line),
    close_cb: (_) => Ended(job),
    exit_cb: (_, _) => Ended(job),
  })
  server.job = job
  log.Log(printf('%s: started, process %d', server.path, job_info(job).process))
  wire.Request(server, 'initialize', {
    processId: getpid(),
    clientInfo: {name: 'Vim', version: printf('%d.%d', v:version / 100, v:version % 100)},
    workspaceFolders: [{uri: wire.Uri(server.root), name: fnamemodify(server.root, ':t')}],
    capabilities: {exec: {approval: true, grants: true, events: ['waiting', 'port']}},
    initializationOptions: extend({protocolVersion: protocol}, get(g:, 'pillion_options', {})),
  }, (answer) => {
    if job == server.job
      Initialized(server, answer)
    endif
  })
enddef

def Initialized(server: dict<any>, answer: dict<any>)
  var result = get(answer, 'result', {})
  if has_key(answer, 'error') # trying again would not help
    Stopped(server, 'g:pillion_options: ' .. answer.error.message)
    return
  endif
  var problem = result.protocolVersion != protocol
    ? printf('it speaks protocol %s, and protocol %d is required', result.protocolVersion, protocol) : ''
  if problem != ''
    # Trying again would not help.
    Stopped(server, printf('g:pillion_path: %s cannot be used: %s', server.path, problem))
    return
  endif
  server.state = 'ready'
  server.ready_at = Now()
  server.rung = result.capabilities.sandbox.rung
  ch_sendexpr(server.job, {method: 'initialized', params: {}})
  var waiting = remove(server, 'waiting')
  server.waiting = []
  for wait in waiting
    wait.Start()
  endfor
  redrawstatus!
enddef

# It does not run any more, and why: one sentence.
def Stopped(server: dict<any>, why: string)
  server.state = 'stopped'
  server.why = why
  Disconnect(server)
  var waiting = remove(server, 'waiting')
  server.waiting = []
  for wait in waiting
    wait.Fail(why)
  endfor
  log.Say(why)
  redrawstatus!
enddef

def Disconnect(server: dict<any>)
  timer_stop(server.timer)
  if server.job != null_job && job_status(server.job) == 'run'
    ch_close_in(server.job)
  endif
enddef

# Dying, and starting again

# Seconds until it is started again: 0.5, 1, 2, 4, 8 within three minutes, then no
# more (-1); from the beginning after a minute of health.
export def NextDelay(server: dict<any>, now: float): float
  if server.ready_at > 0.0 && now - server.ready_at >= 60.0
    server.crashes = []
  endif
  server.ready_at = 0.0
  filter(server.crashes, (_, then) => now - then <= 180.0)->add(now)
  var n = len(server.crashes)
  return n > 5 ? -1.0 : 0.5 * pow(2, n - 1) * (0.8 + (rand() % 400) / 1000.0)
enddef

# Its commands are gone with it; none is run again.
def Died(server: dict<any>, job: job)
  if job != server.job
    return
  endif
  var code = job_info(job).exitval
  log.Log(printf('the sidecar of %s is gone (%d)', server.root, code))
  server.job = null_job
  var delay = server.state != 'ready' || code == 2 ? 0.0 : NextDelay(server, Now()) # 2: usage
  if delay > 0.0
    server.state = 'waiting'
    server.timer = timer_start(float2nr(delay * 1000), (_) => Start(server))
  elseif server.state != 'stopped'
    Stopped(server, printf('pillion %s: see :Pillion log, then :Pillion restart',
      delay < 0.0 ? 'died 6 times in 3 minutes' : 'ended with ' .. code))
  endif
  wire.Interrupt(server)
enddef

export def Restart(server: dict<any>)
  Disconnect(server)
  server.job = null_job
  server.crashes = []
  wire.Interrupt(server)
  Start(server)
enddef
