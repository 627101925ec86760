local helper = require('helper')

describe('the sidecar', function()
  local server, workspace

  before_each(function()
    workspace = helper.workspace()
    server = helper.server()
    server.folders = { workspace }
  end)

  after_each(function()
    server:stop()
    helper.cleanup()
  end)

  local function settle()
    local settled, problem
    server:ready(function(why)
      settled, problem = true, why
    end)
    helper.eventually('the sidecar', function()
      return settled
    end)
    return problem
  end

  local function state(wanted)
    helper.eventually('the state ' .. wanted, function()
      return server.state == wanted
    end)
  end

  it('that is killed with a command is started again, and the command is not', function()
    local outcome
    require('pillion.exec').start(server, { command = 'echo x >> runs; sleep 600' }, {
      started = function()
        vim.defer_fn(function()
          vim.uv.kill(server.connection.pid, 'sigkill')
        end, 100)
      end,
      done = function(got)
        outcome = got
      end,
    })
    helper.eventually('the interruption', function()
      return outcome
    end)
    assert.truthy(outcome.interrupted)
    assert.equal('waiting', server.state)
    local again = helper.exec(server, { command = 'cat runs' })
    assert.equal(0, again.result.exitCode)
    assert.same({ 'x' }, vim.fn.readfile(workspace .. '/runs'))
  end)

  it('that ends at every start is given up with one sentence, and restart tries anew', function()
    server.backoff = require('pillion.backoff').new()
    local crashed = server.backoff.crashed
    server.backoff.crashed = function(...)
      return crashed(...) and 1 -- the delays have a test of their own
    end
    local starts = 0
    local real = server.options.locate
    server.options.locate = function(callback)
      starts = starts + 1
      callback({ cmd = { '/bin/sh', '-c', 'echo no >&2; exit 3' }, path = '/bin/sh', version = '0' })
    end
    local problem = settle()
    assert.equal(6, starts)
    assert.equal(
      'pillion: the sidecar ended with code 3, for the sixth time: see :Pillion log, then :Pillion restart',
      problem
    )
    assert.equal(problem, settle(), 'it stays given up')
    server.options.locate = real
    server:restart()
    assert.is_nil(settle())
  end)

  it('that speaks another protocol is refused with one sentence that names the setting', function()
    local protocol = require('pillion.protocol')
    local own = protocol.protocol_version
    protocol.protocol_version = 99
    local problem = settle()
    protocol.protocol_version = own
    assert.equal(
      (
        'pillion: found %s, version of the test, which speaks protocol 1; this plugin requires protocol 99: '
        .. 'set server.path to a pillion that speaks it'
      ):format(helper.binary),
      problem
    )
    assert.equal('failed', server.state)
    vim.wait(700)
    assert.equal('failed', server.state, 'there is no restart behind a refusal')
  end)

  it('that answers with another protocol is refused just so', function()
    local body = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"serverInfo":{}}}'
    local script = ('printf "Content-Length: %d\\r\\n\\r\\n%%s" \'%s\'; cat >/dev/null'):format(#body, body)
    server.options.locate = function(callback)
      callback({ cmd = { '/bin/sh', '-c', script }, path = '/opt/pillion', version = '2.0.0' })
    end
    assert.equal(
      'pillion: found /opt/pillion, version 2.0.0, which speaks protocol 2; this plugin requires protocol 1: '
        .. 'set server.path to a pillion that speaks it',
      settle()
    )
  end)

  it('that does not know its arguments is not started again', function()
    server.options.locate = function(callback)
      callback({ cmd = { helper.binary, 'serve', '--bogus' }, path = helper.binary, version = '1' })
    end
    assert.truthy(settle():find('server.args (serve --bogus)', 1, true))
    assert.equal('failed', server.state)
  end)

  it('that refuses its options says which', function()
    server.options.init_options = function()
      return { sandbox = { mode = 'none' } }
    end
    local problem = settle()
    assert.truthy(problem:find('init_options', 1, true), problem)
    assert.truthy(problem:find('sandbox', 1, true), problem)
  end)

  it('that writes something else than frames is ended', function()
    server.options.locate = function(callback)
      callback({ cmd = { '/bin/sh', '-c', 'printf "hello\\r\\n\\r\\n"; sleep 600' }, path = 'x', version = '1' })
    end
    server:ready(function() end)
    state('waiting')
  end)

  it('loses no message behind one whose receiver fails', function()
    assert.is_nil(settle())
    local got, outcome = '', nil
    local said = helper.notified(function()
      require('pillion.exec').start(server, { command = 'echo one; sleep 0.1; echo two' }, {
        output = function(bytes)
          got = got .. bytes
          error('a mistake in a receiver')
        end,
        done = function(result)
          outcome = result
        end,
      })
    end, function()
      return outcome
    end)
    assert.equal('one\ntwo\n', got)
    assert.equal(0, outcome.result.exitCode)
    assert.truthy(said[1]:find('a mistake in a receiver', 1, true))
  end)

  it('is told when the folders change', function()
    assert.is_nil(settle())
    local other = helper.workspace()
    local refused = helper.exec(server, { command = 'pwd', cwd = other })
    assert.equal(-31007, refused.error.code)
    server:open_folders({ workspace, other })
    local _, text = helper.exec(server, { command = 'pwd', cwd = other })
    assert.equal(other .. '\n', text.stdout)
    server:open_folders({ other })
    assert.equal(-31007, helper.exec(server, { command = 'pwd', cwd = workspace }).error.code)
  end)

  it('ends with everything that runs in it when it is stopped', function()
    local pid, outcome
    require('pillion.exec').start(server, { command = 'sleep 600' }, {
      started = function(event)
        pid = event.pid
      end,
      done = function(got)
        outcome = got
      end,
    })
    helper.eventually('the start', function()
      return pid
    end)
    server:stop()
    assert.equal('shutdown', outcome.result.reason)
    assert.equal(nil, (vim.uv.kill(pid, 0)))
    assert.equal('stopped', server.state)
  end)

  it('that needs 20 MB of output to be shown holds no more of it than was acknowledged', function()
    server.options.init_options = function()
      return { limits = { streamMaxBytes = 64 * 1024 * 1024 } }
    end
    local bytes, waiting, most, outcome = 0, 0, 0, nil
    require('pillion.exec').start(server, { command = "yes 'all work' | head -c 20000000" }, {
      output = function(text)
        bytes = bytes + #text
        waiting = 0
        for _, message in ipairs(server.connection.arrived) do
          waiting = waiting + (vim.tbl_get(message, 'params', 'value', 'length') or 0)
        end
        most = math.max(most, waiting)
      end,
      done = function(got)
        outcome = got
      end,
    })
    helper.eventually('the end', function()
      return outcome
    end)
    assert.equal(20000000, bytes)
    assert.is_true(most <= 262144, ('%d bytes waited'):format(most))
  end)
end)
