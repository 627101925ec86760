--- What the specs share: a temporary world with a workspace, and waiting.
local M = {}

M.plugin = vim.env.PILLION_PLUGIN
M.repository = vim.fs.dirname(vim.fs.dirname(M.plugin))
M.binary = vim.env.PILLION_BIN

local worlds = {}

--- An empty workspace with a git directory, where it really is.
---@return string
function M.workspace()
  local dir = vim.uv.fs_realpath(vim.uv.fs_mkdtemp(vim.fs.joinpath(vim.env.PILLION_TEST_TMP, 'w-XXXXXX')))
  vim.fn.mkdir(dir .. '/.git', 'p')
  table.insert(worlds, dir)
  return dir
end

function M.cleanup()
  for _, dir in ipairs(worlds) do
    vim.fn.delete(dir, 'rf')
  end
  worlds = {}
end

--- Waits until `test` gives something, and gives that.
---@generic T
---@param what string for the message when it never does
---@param test fun(): T?
---@param ms? integer
---@return T
function M.eventually(what, test, ms)
  local value
  local ok = vim.wait(ms or 15000, function()
    value = test()
    return value
  end, 5)
  assert(ok, 'waited in vain: ' .. what)
  return value
end

---@param path string
---@param text string
---@param mode? string such as rwxr-xr-x
function M.write(path, text, mode)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
  if mode then
    vim.fn.setfperm(path, mode)
  end
  return path
end

--- vim.fn.sha256() takes no NUL.
---@param bytes string
---@return string
function M.sha256(bytes)
  return vim.system({ 'sha256sum' }, { stdin = bytes }):wait().stdout:match('^%x+')
end

--- A sidecar for the core, without windows.
---@param options? table
---@return pillion.Server
function M.server(options)
  return require('pillion.server').new(vim.tbl_extend('force', {
    locate = function(callback)
      callback({ cmd = { M.binary, 'serve' }, path = M.binary, version = 'of the test' })
    end,
    init_options = function()
      return vim.empty_dict()
    end,
  }, options or {}))
end

--- Runs a command in the core and waits for its end.
---@param server pillion.Server
---@param params table
---@return pillion.Outcome, table<string, string>
function M.exec(server, params)
  local outcome
  local text = {}
  require('pillion.exec').start(server, params, {
    output = function(bytes, stream)
      text[stream] = (text[stream] or '') .. bytes
    end,
    done = function(got)
      outcome = got
    end,
  })
  M.eventually('the end of ' .. vim.inspect(params), function()
    return outcome
  end)
  return outcome, text
end

local options ---@type table? that the sidecar was started with

--- A Neovim as a user has it: settings, a workspace as its directory, one window.
--- The sidecar of the test before it is used again if its options are the same.
---@param settings? table
---@return string workspace
function M.editor(settings)
  local wanted = settings and settings.init_options or {}
  if options and not vim.deep_equal(options, wanted) then
    M.stop()
  end
  options = wanted
  vim.cmd('silent! %bwipeout! | silent! only! | silent! tabonly!')
  vim.cmd.runtime('plugin/pillion.lua')
  vim.g.pillion = vim.tbl_deep_extend('force', { server = { path = M.binary }, trusted = true }, settings or {})
  local workspace = M.workspace()
  vim.cmd.cd(workspace)
  return workspace
end

--- Ends the commands that a test has left.
function M.quit()
  for _, run in ipairs(vim.list_slice(require('pillion.runs').active())) do
    run:cancel(true)
    M.eventually('the end of ' .. vim.inspect(run.spec), function()
      return run.outcome
    end)
  end
  vim.cmd.cd(vim.env.PILLION_TEST_TMP)
  M.cleanup()
end

--- Ends the sidecar, at the end of a file and before other options.
function M.stop()
  require('pillion.session').get():stop()
end

--- What is said with vim.notify() while `action` runs, and as long as `enough` says no.
function M.notified(action, enough)
  local said, notify = {}, vim.notify
  vim.notify = function(message)
    table.insert(said, message)
  end
  local ok, why = pcall(function()
    action()
    M.eventually('a message', function()
      return enough and enough(said) or not enough and said[1]
    end)
  end)
  vim.notify = notify
  assert(ok, why)
  return said
end

--- Waits for the end of a run that is shown in a window.
---@param run pillion.Run
---@return string the buffer's text
function M.ended(run)
  M.eventually('the end of the run', function()
    return run.outcome
  end)
  local result = run.outcome.result
  local last = result and require('pillion.summary').ending(result) .. ' · '
    or (run.outcome.error and 'not run: ' or 'interrupted: ')
  return M.eventually(last, function() -- the terminal shows a moment later what it was given
    local text = M.text(run.buffer)
    return text:find(last, 1, true) and text
  end)
end

--- The exit code of a run that is shown in a window.
---@param run any
---@return integer
function M.code(run)
  M.ended(run)
  return require('pillion.summary').code(run.outcome)
end

---@param buffer integer
function M.text(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  return (table.concat(lines, '\n'):gsub('%s+$', ''))
end

return M
