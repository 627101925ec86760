--- Questions of the sidecar: whether a command may run, or connect to a host. One
--- at a time, in the order they came. Whatever is not an answer is a no.
local Page = require('pillion.page')
local text = require('pillion.text')
local verdict = require('pillion.verdict')

local M = {}

---@class pillion.Question
---@field params pillion.ApprovalParams
---@field reply fun(result: pillion.ApprovalResult)
---@field window? integer
---@field over? boolean

---@type pillion.Question[] the first one is shown
local queue = {}

---@return integer
function M.waiting()
  return #queue
end

local networks = { deny = 'network denied', proxy = 'network by address book', allow = 'network allowed' }

---@param params pillion.ApprovalParams
---@return pillion.Page
function M.page(params)
  local page, subject = Page.new(), params.subject
  page:add(text.visible(params.title), 'PillionAsk')
  page:add()
  verdict.findings(page, subject, params.findings)
  page:field('in', text.visible(subject.cwd))
  page:field('sandbox', ('%s, %s'):format(subject.sandbox.mode, networks[subject.network] or subject.network))
  if subject.env and #subject.env > 0 then
    page:field('env', text.visible(table.concat(subject.env, ' ')))
  end
  if subject.stdin then
    page:field('input', ('%d bytes that the guard has not read'):format(subject.stdin))
  end
  if params.description then
    page:field('said', text.visible(params.description))
  end
  return page
end

--- Decline is the first: what somebody types who did not see the question coming
--- (1 and Enter, or Enter alone in most pickers) must not let anything run.
---@param params pillion.ApprovalParams
local function choices(params)
  local items, offered = { { label = 'Decline', decision = 'decline' } }, {}
  for _, decision in ipairs(params.availableDecisions) do
    offered[decision] = true
  end
  local host = params.subject.type == 'host'
  if offered.accept then
    table.insert(items, { label = host and 'Accept, for this sandbox' or 'Accept', decision = 'accept' })
  end
  if offered.acceptForSession then
    local what = host and 'this host, in all sandboxes' or 'exactly this command, here'
    table.insert(items, { label = 'Accept for the session: ' .. what, decision = 'acceptForSession' })
  end
  local command = params.subject.command
  if offered.edit and command and not command:find('\n') then
    table.insert(items, { label = 'Edit…', decision = 'edit', edit = command })
    for _, finding in ipairs(params.findings) do
      local instead = finding.suggestion and finding.suggestion.command
      if instead then
        table.insert(items, { label = 'Run instead: ' .. text.visible(instead), decision = 'edit', command = instead })
      end
    end
  end
  return items
end

local show_next

--- Closes what is shown of a question and takes the next one.
---@param question pillion.Question
local function close(question)
  question.over = true
  if question.window and vim.api.nvim_win_is_valid(question.window) then
    vim.api.nvim_win_close(question.window, true)
  end
  for i, other in ipairs(queue) do
    if other == question then
      table.remove(queue, i)
      vim.schedule(show_next)
    end
  end
  require('pillion.status').changed()
end

---@param question pillion.Question
---@param result pillion.ApprovalResult
local function answer(question, result)
  if not question.over then
    close(question)
    question.reply(result)
  end
end

---@param question pillion.Question
local function preview(question)
  local page = M.page(question.params)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  page:show(buffer)
  local width = 40
  for _, line in ipairs(page.lines) do
    width = math.max(width, vim.fn.strwidth(line))
  end
  question.window = vim.api.nvim_open_win(buffer, false, {
    relative = 'editor',
    row = 0,
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = math.max(1, math.min(width, vim.o.columns - 2)),
    height = math.max(1, math.min(#page.lines, vim.o.lines - 12)),
    style = 'minimal',
    border = 'rounded',
    focusable = true,
    zindex = 60,
    title = { { ' pillion asks ', 'FloatTitle' } },
  })
  vim.cmd.redraw()
end

local function edit(question, command)
  vim.ui.input({ prompt = 'Run instead: ', default = command }, function(typed)
    if typed and vim.trim(typed) ~= '' then
      answer(question, { decision = 'edit', command = typed })
    else
      answer(question, { decision = 'decline' })
    end
  end)
end

--- With nobody in front of it, the built-in picker would wait on standard input.
local function nobody()
  return #vim.api.nvim_list_uis() == 0 and debug.getinfo(vim.ui.select, 'S').source:find('vim/ui.lua', 1, true)
end

---@param question pillion.Question
local function show(question)
  if nobody() then
    return answer(question, { decision = 'decline', message = 'nobody could be asked: no user interface is attached' })
  end
  if vim.fn.mode() ~= 'n' then
    vim.cmd.stopinsert()
  end
  for _ = 1, 1000 do -- what was typed before the question is no answer to it
    if vim.fn.getchar(0) == 0 then
      break
    end
  end
  preview(question)
  vim.ui.select(choices(question.params), {
    prompt = text.visible(question.params.title),
    kind = 'pillion.approval',
    format_item = function(item)
      return item.label
    end,
  }, function(item)
    if item and item.edit and not question.over then
      edit(question, item.edit)
    else
      answer(question, { decision = item and item.decision or 'decline', command = item and item.command })
    end
  end)
end

function show_next()
  local question = queue[1]
  if not question or question.shown then
    return
  end
  question.shown = true
  local ok, why = pcall(show, question)
  if not ok then
    answer(question, { decision = 'decline' })
    vim.notify('pillion: a question could not be shown and was declined: ' .. tostring(why), vim.log.levels.ERROR)
  end
end

---@type pillion.Asker
function M.ask(params, reply)
  local question = { params = params, reply = reply }
  table.insert(queue, question)
  require('pillion.status').changed()
  vim.schedule(show_next)
  return function()
    local shown = question.shown
    close(question)
    if shown then
      vim.notify('pillion: withdrawn: ' .. text.visible(params.title), vim.log.levels.WARN)
      M.dismiss()
    end
  end
end

--- The built-in picker waits for a key and can't be closed otherwise.
function M.dismiss()
  if vim.api.nvim_get_mode().blocking then
    vim.api.nvim_input('<Esc>')
  end
end

return M
