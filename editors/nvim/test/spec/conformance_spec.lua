--- The script that the core of every client must pass, see editors/conformance.
local exec = require('pillion.exec')
local helper = require('helper')

local lines = vim.fn.readfile(helper.repository .. '/editors/conformance/conformance.jsonl')
local session = vim.json.decode(table.remove(lines, 1)).session

--- The first difference between what is wanted at least and what came, or nil.
local function difference(want, got, at)
  if want == vim.NIL then
    want = nil
  end
  if type(want) == 'table' and not vim.islist(want) and type(got) == 'table' then
    for key, value in pairs(want) do
      local found = difference(value, got[key], at .. '.' .. key)
      if found then
        return found
      end
    end
  elseif type(want) == 'table' and type(got) == 'table' and #want == #got then
    for i, value in ipairs(want) do
      local found = difference(value, got[i], at .. '.' .. i)
      if found then
        return found
      end
    end
  elseif not vim.deep_equal(want, got) then
    return ('%s: expected %s, got %s'):format(at, vim.inspect(want), vim.inspect(got))
  end
end

local asked, answers

local function ask(params, reply)
  table.insert(asked, params)
  local answer = table.remove(answers, 1)
  vim.schedule(function()
    reply(answer or { decision = 'decline' })
  end)
  return function() end
end

--- Takes the steps that are due, in their order.
local function take_steps(steps, run, server, state)
  local due = function(step)
    return step.when == 'started' and state.started or step.when ~= 'started' and state.all:find(step.when, 1, true)
  end
  while steps[1] and due(steps[1]) do
    local step = table.remove(steps, 1)
    if step.write then
      run:write(step.write)
    elseif step.close then
      run:close_input()
    elseif step.resize then
      run:resize(step.resize.rows, step.resize.cols)
    elseif step.cancel then
      run:cancel()
    elseif step.kill then
      vim.uv.kill(server.connection.pid, 'sigkill')
    end
  end
end

local function play(server, case)
  asked, answers = {}, case.answers or {}
  local state = { all = '', started = false, streams = {}, starts = 0 }
  local steps = case.steps or {}
  local run
  run = exec.start(server, case.exec, {
    started = function()
      state.started, state.starts = true, state.starts + 1
      take_steps(steps, run, server, state)
    end,
    output = function(bytes, stream)
      state.all = state.all .. bytes
      state.streams[stream] = (state.streams[stream] or '') .. bytes
      take_steps(steps, run, server, state)
    end,
    done = function(outcome)
      state.outcome = outcome
    end,
  })
  helper.eventually('the answer to ' .. case.name, function()
    return state.outcome
  end)
  assert.same({}, steps, 'steps that were never due')
  return state
end

local function check(expect, state)
  local outcome = state.outcome
  if expect.interrupted then
    assert.truthy(outcome.interrupted, vim.inspect(outcome))
  else
    assert.is_nil(outcome.interrupted)
  end
  assert.is_nil(difference(expect.result, expect.result and outcome.result, 'result'))
  assert.is_nil(difference(expect.error, expect.error and outcome.error, 'error'))
  for stream, text in pairs(expect.text or {}) do
    assert.equal(text, state.streams[stream])
  end
  for stream, sum in pairs(expect.sha256 or {}) do
    assert.equal(sum, helper.sha256(state.streams[stream]))
  end
  if expect.rules then
    local rules = vim.tbl_map(function(finding)
      return finding.ruleId
    end, outcome.error.data.verdict.findings)
    assert.same(expect.rules, rules)
  end
  if expect.shown then
    local display = (outcome.result or outcome.error.data).display
    local texts = vim.tbl_map(function(line)
      return line.text
    end, display)
    local shown, at = table.concat(texts, '\n'), 1
    for _, text in ipairs(expect.shown) do
      local _, last = shown:find(text, at, true)
      assert.truthy(last, ('%s is not shown in\n%s'):format(text, shown))
      at = last + 1
    end
  end
  if expect.asked then
    assert.equal(#expect.asked, #asked)
    assert.is_nil(difference(expect.asked, asked, 'asked'))
  end
end

describe('conformance', function()
  local server

  setup(function()
    server = helper.server({
      ask = ask,
      init_options = function()
        return session.initializationOptions
      end,
    })
    server.folders = { helper.workspace() }
  end)

  teardown(function()
    server:stop()
    helper.cleanup()
  end)

  for _, line in ipairs(lines) do
    local case = vim.json.decode(line)
    it(case.name, function()
      check(case.expect, play(server, case))
    end)
  end
end)
