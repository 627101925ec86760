--- The window in which a command is seen: its terminal while it runs, or a page
--- that says why it did not.
local config = require('pillion.config')
local text = require('pillion.text')

---@class pillion.View
---@field buffer integer
---@field private channel? integer
local View = {}
View.__index = View

local M = {}

--- A buffer's name, by which `:ls!` distinguishes it.
---@param buffer integer
---@param number integer
---@param title string
function M.name(buffer, number, title)
  local first = vim.fn.strcharpart(text.visible(title:match('^[^\n]*')), 0, 60)
  pcall(vim.api.nvim_buf_set_name, buffer, ('pillion://%d %s'):format(number, first))
end

---@param title string
local function float_title(title)
  return { { ' ' .. vim.fn.strcharpart(text.visible(title), 0, 60) .. ' ', 'FloatTitle' } }
end

--- Where a float is, on the screen as it is now.
local function area(output)
  local function part(share, whole)
    return math.max(1, math.floor(share <= 1 and share * whole or share))
  end
  local width = math.max(1, math.min(part(output.width, vim.o.columns), vim.o.columns - 4))
  local height = math.max(1, math.min(part(output.height, vim.o.lines), vim.o.lines - 4))
  return {
    relative = 'editor',
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
    width = width,
    height = height,
  }
end

local function float(buffer, output, title)
  local look = { style = 'minimal', border = output.border, title = float_title(title) }
  local window = vim.api.nvim_open_win(buffer, true, vim.tbl_extend('error', area(output), look))
  vim.api.nvim_create_autocmd('VimResized', {
    group = vim.api.nvim_create_augroup('pillion-float-' .. window, { clear = true }),
    desc = 'pillion: the float keeps its part of the screen',
    callback = function(event)
      if not vim.api.nvim_win_is_valid(window) then
        return vim.api.nvim_del_augroup_by_id(event.group)
      end
      vim.api.nvim_win_set_config(window, area(output))
    end,
  })
  return window
end

local splits = { split = 'botright split', vsplit = 'botright vsplit', tab = 'tab split' }

--- Shows a buffer; `bang` takes the other kind of window than the configured one.
---@param buffer integer
---@param bang? boolean
---@param title string
---@return integer window
function M.window(buffer, bang, title)
  local output = config.get().output
  local kind = output.window
  if bang then
    kind = kind == 'float' and 'split' or 'float'
  end
  if kind == 'float' then
    return float(buffer, output, title)
  end
  vim.cmd(splits[kind] or splits.split)
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(window, buffer)
  if kind == 'split' and output.height > 1 then
    vim.api.nvim_win_set_height(window, output.height)
  end
  for option, value in pairs({ number = false, relativenumber = false, signcolumn = 'no', foldcolumn = '0' }) do
    vim.api.nvim_set_option_value(option, value, { win = window, scope = 'local' })
  end
  return window
end

--- Floats of a buffer get another title.
---@param buffer integer
---@param title string
function M.retitle(buffer, title)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      vim.api.nvim_win_set_config(window, { title = float_title(title) })
    end
  end
end

--- A buffer that is not a file.
---@param name string
---@return integer
function M.scratch(name)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'hide'
  vim.bo[buffer].filetype = 'pillion'
  vim.b[buffer].pillion = name
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, desc = 'pillion: close this window' })
  return buffer
end

---@return pillion.View
function M.new()
  return setmetatable({ buffer = M.scratch('output'), filter = text.filter(), ends_line = true }, View)
end

--- The size that a terminal in this buffer has: that of its largest window.
---@return { rows: integer, cols: integer }? nil: it is not shown
function View:size()
  local size
  for _, window in ipairs(vim.fn.win_findbuf(self.buffer)) do
    local info = vim.fn.getwininfo(window)[1]
    size = size or { rows = 1, cols = 1 }
    size.rows = math.max(size.rows, info.height)
    size.cols = math.max(size.cols, info.width - info.textoff)
  end
  return size
end

--- Makes the buffer a terminal. `input` gets what is typed in it.
---@param header string the command
---@param input fun(bytes: string)
---@param pty boolean line ends are those of a terminal already
function View:terminal(header, input, pty)
  vim.bo[self.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(self.buffer, 0, -1, false, {})
  self.channel = vim.api.nvim_open_term(self.buffer, {
    on_input = function(_, _, _, bytes)
      input(bytes)
    end,
    force_crlf = not pty,
  })
  self:watch()
  vim.bo[self.buffer].scrollback = 10000 -- a line takes some kilobytes
  for line in vim.gsplit(header, '\n', { plain = true }) do
    self:say(line, '1')
  end
end

--- Output, with a terminal or without one.
---@param bytes string
function View:feed(bytes)
  local shown = self.filter(bytes)
  if self.channel and shown ~= '' then
    self.ends_line = shown:sub(-1) == '\n'
    vim.api.nvim_chan_send(self.channel, shown)
  end
end

--- A line of our own in the terminal.
---@param line string
---@param style string of SGR
function View:say(line, style)
  if self.channel then
    local before = self.ends_line and '' or '\r\n'
    vim.api.nvim_chan_send(self.channel, ('%s\27[0;%sm%s\27[0m\r\n'):format(before, style, text.visible(line)))
    self.ends_line = true
  end
end

--- Takes back what a program may have left switched on: another screen, a hidden
--- cursor, a scroll region, the mouse, bracketed paste.
function View:reset()
  if self.channel then
    vim.api.nvim_chan_send(self.channel, '\27[?1047l\27[?25h\0277\27[r\0278\27[?1000;1002;1003;2004l\27[0m')
  end
end

--- Windows whose cursor is at the end stay at the end, and full: a terminal that
--- becomes smaller has fewer lines than a window may be showing.
---@private
function View:follow()
  local last = vim.api.nvim_buf_line_count(self.buffer)
  for _, window in ipairs(vim.fn.win_findbuf(self.buffer)) do
    local typing = window == vim.api.nvim_get_current_win() and vim.fn.mode() == 't'
    if not typing and vim.api.nvim_win_get_cursor(window)[1] >= math.min(self.last, last) then
      vim.api.nvim_win_set_cursor(window, { last, 0 })
      -- Not by keys: they fail while another terminal has them.
      local top = math.max(1, last - vim.api.nvim_win_get_height(window) + 1)
      vim.api.nvim_win_call(window, function()
        vim.fn.winrestview({ topline = top })
      end)
    end
  end
  self.last = last
end

--- The buffer changes a moment after the terminal has got its bytes.
---@private
function View:watch()
  local due = false
  self.last = 1
  vim.api.nvim_buf_attach(self.buffer, false, {
    on_lines = function()
      if not due then
        due = true
        vim.schedule(function()
          due = false
          if vim.api.nvim_buf_is_valid(self.buffer) then
            self:follow()
          end
        end)
      end
    end,
  })
end

return M
