--- Which folder a command belongs to, and whether anything may run in it.
---
--- The sandbox confines a command to its folder, so the folder is what is given to
--- it: to change, and to be read. Whether that may be is asked once for each folder.
--- Nothing in the folder can answer; the answer is kept outside of it.
local config = require('pillion.config')
local menu = require('pillion.menu')
local text = require('pillion.text')

local M = {}

--- The workspace folder of a path, without links.
---@param path string
---@return string
local function folder_of(path)
  local found = vim.fs.root(path, config.get().root_markers) or path
  return vim.uv.fs_realpath(found) or found
end

--- Where a command of the current buffer runs: in the folder of the buffer's file,
--- or of the working directory if it has none; in the window of a command, where
--- that command ran.
---@return { root: string, cwd: string }
function M.current()
  if vim.b.pillion_place then
    return vim.b.pillion_place
  end
  local cwd = vim.uv.fs_realpath(vim.fn.getcwd()) or vim.fn.getcwd()
  local name = vim.api.nvim_buf_get_name(0)
  local in_file = vim.bo.buftype == '' and name ~= ''
  local root = folder_of(in_file and vim.fs.dirname(name) or cwd)
  return { root = root, cwd = M.contains(root, cwd) and cwd or root }
end

--- The same for a directory.
---@param dir string
---@return { root: string, cwd: string }
function M.of(dir)
  dir = vim.uv.fs_realpath(dir) or dir
  return { root = folder_of(dir), cwd = dir }
end

---@param outer string
---@param inner string
function M.contains(outer, inner)
  return inner == outer or outer == '/' or vim.startswith(inner, outer .. '/')
end

local function store()
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'pillion-trusted.json')
end

---@return table<string, boolean>
local function remembered()
  local file = io.open(store())
  local ok, known = pcall(vim.json.decode, file and file:read('*a') or '')
  if file then
    file:close()
  end
  return ok and type(known) == 'table' and known or {}
end

local session = {}

---@param root string
---@param trusted boolean
---@param forever? boolean
function M.trust(root, trusted, forever)
  session[root] = trusted or nil
  if forever then
    local known = remembered()
    known[root] = trusted or nil
    vim.fn.mkdir(vim.fs.dirname(store()), 'p')
    local written = vim.fn.writefile({ vim.json.encode(next(known) and known or vim.empty_dict()) }, store())
    assert(written == 0, 'pillion: ' .. store() .. ' cannot be written')
  end
end

---@param root string
---@return boolean
function M.trusted(root)
  local setting = config.get().trusted
  if setting == true or session[root] or remembered()[root] then
    return true
  end
  for _, folder in ipairs(type(setting) == 'table' and setting or {}) do
    local real = vim.uv.fs_realpath(vim.fs.normalize(folder))
    if real and M.contains(real, root) then
      return true
    end
  end
  return false
end

local choices = {
  { label = 'No, run nothing there' },
  { label = 'Yes, until Neovim ends', trusted = true },
  { label = 'Yes, always', trusted = true, forever = true },
}

--- Asks where it is not known; no answer is a no.
---@param root string
---@param callback fun(trusted: boolean)
function M.ask(root, callback)
  if M.trusted(root) or menu.nobody() then
    return callback(M.trusted(root))
  end
  vim.ui.select(choices, {
    prompt = ('pillion: commands will read and change what is in %s. Do you trust it?'):format(text.visible(root)),
    kind = 'pillion.trust',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if choice and choice.trusted then
      M.trust(root, true, choice.forever)
    end
    callback(choice ~= nil and choice.trusted == true)
  end)
end

return M
