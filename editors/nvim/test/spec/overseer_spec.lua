--- What overseer.nvim asks of a strategy (lua/overseer/strategy/init.lua there):
--- new(), reset, get_bufnr, start, stop, dispose; a strategy dispatches on_output
--- and on_output_lines and calls on_exit.
local helper = require('helper')

describe('the strategy for overseer.nvim', function()
  local workspace, strategy, task

  before_each(function()
    workspace = helper.editor()
    strategy = require('overseer.strategy.pillion').new({})
    task = { cwd = workspace, lines = {}, raw = '' }
    function task:dispatch(event, data)
      if event == 'on_output_lines' then
        vim.list_extend(self.lines, data)
      else
        assert(event == 'on_output')
        self.raw = self.raw .. table.concat(data, '\n')
      end
    end
    function task:on_exit(code)
      self.code = code
    end
  end)

  after_each(helper.quit)
  teardown(helper.stop)

  local function run(cmd)
    task.cmd, task.code = cmd, nil
    strategy:start(task)
    helper.eventually('the exit', function()
      return task.code
    end)
  end

  it('runs shell text, gives output as it comes and as lines, and the exit code', function()
    run("printf '\\033[32mone\\033[0m\\ntwo'; exit 3")
    assert.equal(3, task.code)
    assert.same({ 'one', 'two' }, task.lines)
    assert.truthy(task.raw:find('\27[32mone', 1, true))
    helper.eventually('the output', function()
      return helper.text(strategy:get_bufnr()):find('\none\ntwo\nexit 3', 1, true)
    end)
  end)

  it('runs a program with its arguments, without a shell, in an environment', function()
    task.env = { GREETING = 'hi' }
    run({ 'printenv', 'GREETING' })
    assert.same({ 'hi' }, task.lines)
    run({ 'printf', '%s', '$HOME' })
    assert.equal('$HOME', task.lines[#task.lines])
  end)

  it('says in the buffer why a command was denied, and exits with 125', function()
    run('rm -rf ~')
    assert.equal(125, task.code)
    assert.truthy(helper.text(strategy:get_bufnr()):find('not run: denied: deletes', 1, true))
  end)

  it('ends the command on stop() and says nothing more to the task', function()
    task.cmd = 'echo up; sleep 600'
    strategy:start(task)
    helper.eventually('the start', function()
      return task.raw:find('up')
    end)
    local active = require('pillion.runs').last
    strategy:stop()
    helper.eventually('the end', function()
      return active.outcome
    end)
    assert.equal('cancelled', active.outcome.result.reason)
    assert.is_nil(task.code)
  end)

  it('has another buffer after reset(), and none after dispose()', function()
    run('true')
    local before = strategy:get_bufnr()
    strategy:reset()
    assert.is_nil(strategy:get_bufnr())
    run('true')
    assert.not_equal(before, strategy:get_bufnr())
    local buffer = strategy:get_bufnr()
    strategy:dispose()
    assert.is_false(vim.api.nvim_buf_is_valid(buffer))
  end)
end)
