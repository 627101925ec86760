--- A page in a window, with a list to choose from. The built-in vim.ui.select()
--- waits for a key, and until that comes nothing else happens in Neovim: no output
--- is shown, and no question can be taken back. So this takes its place.
local M = {}

-- What is typed in the moment in which a window appears was meant for another one.
local unawares_ms = 400

--- A key of a buffer that does nothing in that moment.
---@param buffer integer
---@param lhs string
---@param desc string
---@param action fun()
function M.key(buffer, lhs, desc, action)
  local since = vim.uv.now()
  vim.keymap.set('n', lhs, function()
    if vim.uv.now() - since >= unawares_ms then
      action()
    end
  end, { buffer = buffer, nowait = true, desc = desc })
end

--- Whether vim.ui.select() is the built-in one.
---@return boolean
function M.built_in()
  return debug.getinfo(vim.ui.select, 'S').source:find('vim/ui.lua', 1, true) ~= nil
end

--- Whether nobody can be asked: the built-in picker would wait on standard input.
---@return boolean
function M.nobody()
  return M.built_in() and #vim.api.nvim_list_uis() == 0
end

---@param page pillion.Page
---@param title string
---@param enter boolean
---@return integer window
function M.window(page, title, enter)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  page:show(buffer)
  local width = 40
  for _, line in ipairs(page.lines) do
    width = math.max(width, vim.fn.strwidth(line))
  end
  width = math.max(1, math.min(width + 1, vim.o.columns - 2))
  local room = enter and vim.o.lines - 5 or vim.o.lines - 12 -- a picker needs some of it
  return vim.api.nvim_open_win(buffer, enter, {
    relative = 'editor',
    row = 0,
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = math.max(1, math.min(#page.lines, room)),
    style = 'minimal',
    border = 'rounded',
    zindex = 60,
    title = { { ' ' .. title .. ' ', 'FloatTitle' } },
    footer = enter and { { ' Enter chooses, Esc declines ', 'FloatFooter' } } or nil,
  })
end

--- Shows a page with items below it, the cursor on the first of them.
---@param page pillion.Page
---@param title string
---@param items { label: string }[]
---@param chosen fun(item?: table) called once, with nothing if the window is closed
---@return integer window
function M.open(page, title, items, chosen)
  page:add()
  local first = #page.lines
  for i, item in ipairs(items) do
    page:add(('  %d  %s'):format(i, item.label), 'PillionChoice')
  end
  local window = M.window(page, title, true)
  local buffer = vim.api.nvim_win_get_buf(window)
  vim.wo[window].cursorline = true
  vim.api.nvim_win_set_cursor(window, { first + 1, 2 })
  local over = false
  local function finish(item)
    if not over then
      over = true
      pcall(vim.api.nvim_win_close, window, true)
      chosen(item)
    end
  end
  M.key(buffer, '<CR>', 'pillion: choose', function()
    local item = items[vim.api.nvim_win_get_cursor(window)[1] - first]
    if item then
      finish(item)
    end
  end)
  M.key(buffer, '<Esc>', 'pillion: decline', finish)
  M.key(buffer, 'q', 'pillion: decline', finish)
  for i = 1, math.min(9, #items) do
    M.key(buffer, tostring(i), 'pillion: go to this line', function()
      vim.api.nvim_win_set_cursor(window, { first + i, 2 })
    end)
  end
  vim.api.nvim_create_autocmd('WinClosed', {
    pattern = tostring(window),
    once = true,
    callback = vim.schedule_wrap(function()
      finish()
    end),
  })
  return window
end

return M
