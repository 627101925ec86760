--- Questions of the sidecar: whether a command may run, or connect to a host. One
--- at a time, in the order they came. Whatever is not an answer is a no.
local menu = require('pillion.menu')
local question_of = require('pillion.question')
local text = require('pillion.text')

local M = {}

---@class pillion.Question
---@field params pillion.ApprovalParams
---@field reply fun(result: pillion.ApprovalResult)
---@field window? integer
---@field shown? boolean
---@field over? boolean

---@type pillion.Question[] the first one is shown
local queue = {}

---@return integer
function M.waiting()
  return #queue
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
---@param choice? pillion.Choice
local function chosen(question, choice)
  if question.over then
    return
  elseif not choice or not choice.edit then
    choice = choice or { decision = 'decline' }
    return answer(question, { decision = choice.decision, command = choice.command })
  end
  -- The prompt for the text may be a window of its own, below this one.
  if question.window and vim.api.nvim_win_is_valid(question.window) then
    vim.api.nvim_win_close(question.window, true)
  end
  vim.ui.input({ prompt = 'Run instead: ', default = choice.edit }, function(typed)
    if typed and vim.trim(typed) ~= '' and not question.over then
      require('pillion.runs').edited(question.params.execId, typed)
      answer(question, { decision = 'edit', command = typed })
    else
      answer(question, { decision = 'decline' })
    end
  end)
end

---@param question pillion.Question
local function show(question)
  local params = question.params
  local page, choices = question_of.page(params), question_of.choices(params)
  local function done(choice)
    chosen(question, choice)
  end
  if menu.nobody() then
    local message = 'nobody could be asked: no user interface is attached'
    return answer(question, { decision = 'decline', message = message })
  elseif menu.built_in() then
    vim.cmd.stopinsert()
    question.window = menu.open(page, 'pillion asks', choices, done)
    return
  end
  question.window = menu.window(page, 'pillion asks', false)
  vim.cmd.redraw()
  vim.ui.select(choices, {
    prompt = text.visible(params.title),
    kind = 'pillion.approval',
    format_item = function(choice)
      return choice.label
    end,
  }, done)
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
    end
  end
end

return M
