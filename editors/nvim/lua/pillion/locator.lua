--- Which binary is the sidecar: the setting, the one beside the plugin, the one on
--- PATH. Nothing is downloaded, and no folder of a workspace is searched.
local config = require('pillion.config')

local M = {}

local exe = vim.fn.has('win32') == 1 and 'pillion.exe' or 'pillion'

--- The directory of this plugin, where it really is if it was linked to.
---@return string
function M.plugin_dir()
  return vim.uv.fs_realpath(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h'))
end

---@param path string
local function runnable(path)
  local stat = vim.uv.fs_stat(path)
  return stat ~= nil and stat.type == 'file' and vim.fn.executable(path) == 1
end

--- Beside the plugin: in a package of it, or in the repository that it is part of,
--- where `make build` and `go build` leave the binary.
---@param dir string of the plugin
---@return string[]
local function beside(dir)
  local repository = dir:match('^(.*)/editors/nvim$')
  local places = { vim.fs.joinpath(dir, 'bin', exe) }
  if repository then
    vim.list_extend(places, { vim.fs.joinpath(repository, 'dist', exe), vim.fs.joinpath(repository, exe) })
  end
  return places
end

--- Not exepath(): a relative directory in PATH would let a workspace choose.
local function on_path()
  local places = {}
  for dir in vim.gsplit(vim.env.PATH or '', vim.fn.has('win32') == 1 and ';' or ':', { plain = true }) do
    if vim.startswith(dir, '/') or dir:match('^%a:[/\\]') then
      table.insert(places, vim.fs.joinpath(dir, exe))
    end
  end
  return places
end

--- The binary and where it was found, or nil and a sentence.
---@return string?, string
function M.find()
  local setting = config.get().server.path
  if setting then
    local path = vim.fs.normalize(setting)
    if not (vim.startswith(path, '/') or path:match('^%a:/')) then
      return nil, ('pillion: server.path is %s: it must be an absolute path (or begin with ~)'):format(setting)
    elseif not runnable(path) then
      return nil, ('pillion: server.path is %s, where there is no program: correct or remove the setting'):format(path)
    end
    return path, 'server.path'
  end
  for _, place in ipairs({ { beside(M.plugin_dir()), 'beside the plugin' }, { on_path(), 'PATH' } }) do
    for _, path in ipairs(place[1]) do
      if runnable(path) then
        return path, place[2]
      end
    end
  end
  local own = table.concat(beside(M.plugin_dir()), ', ')
  return nil, ('pillion: no binary is at %s or on PATH: build it there or set server.path'):format(own)
end

--- What `pillion version` says, asked of the binary itself.
---@param path string
---@param callback fun(version?: string, problem?: string)
function M.version(path, callback)
  local function answered(out, err)
    local version = out and out.code == 0 and (out.stdout or ''):match('^pillion (%S+)')
    if version then
      return callback(version)
    end
    local found = err or vim.trim(out.stdout .. out.stderr):match('^[^\n]*')
    found = vim.fn.strtrans(vim.fn.strcharpart(found ~= '' and found or 'nothing', 0, 80))
    callback(nil, ('pillion: %s is not pillion (its version: %s): set server.path to a pillion'):format(path, found))
  end
  local started, err = pcall(vim.system, { path, 'version' }, { timeout = 5000 }, vim.schedule_wrap(answered))
  if not started then
    answered(nil, tostring(err))
  end
end

return M
