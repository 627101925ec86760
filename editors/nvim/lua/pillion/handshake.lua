--- The first words with a sidecar: who we are, which folders are open, and whether both
--- know the same protocol.
local protocol = require('pillion.protocol')

local M = {}

---@param path string
---@return pillion.WorkspaceFolder
function M.folder(path)
  return { uri = vim.uri_from_fname(path), name = vim.fs.basename(path) }
end

---@param before string[]
---@param after string[]
---@return pillion.FoldersEvent? nil: nothing has changed
function M.folders_event(before, after)
  local function only(here, there)
    return vim.tbl_map(
      M.folder,
      vim.tbl_filter(function(path)
        return not vim.list_contains(there, path)
      end, here)
    )
  end
  local event = { added = only(after, before), removed = only(before, after) }
  return (#event.added > 0 or #event.removed > 0) and event or nil
end

local function params(server)
  local options = vim.deepcopy(server.options.init_options())
  options.protocolVersion = protocol.protocol_version
  local version = vim.version()
  return {
    processId = vim.fn.getpid(),
    clientInfo = { name = 'neovim', version = ('%d.%d.%d'):format(version.major, version.minor, version.patch) },
    workspaceFolders = vim.tbl_map(M.folder, server.folders),
    trace = server.options.trace and server.options.trace() or 'off',
    capabilities = {
      workspace = { workspaceFolders = true },
      window = { showMessage = vim.empty_dict() },
      exec = {
        approval = server.options.ask ~= nil,
        grants = server.options.ask ~= nil,
        ack = true,
        events = { 'violation', 'waiting', 'port' },
      },
    },
    initializationOptions = options,
  }
end

--- One sentence that names the setting, what was found and what is required.
local function other_version(located, found)
  local sentence = 'pillion: found %s, version %s, which speaks protocol %s; this plugin requires protocol %d: '
    .. 'set server.path to a pillion that speaks it'
  return sentence:format(located.path, located.version, found, protocol.protocol_version)
end

---@param server pillion.Server
---@param connection pillion.Connection
---@param callback fun(info?: pillion.InitializeResult, refused?: { message: string, lost?: boolean })
function M.initialize(server, connection, callback)
  connection:request('initialize', params(server), function(err, info)
    if err and err.lost then
      return callback(nil, err)
    elseif err and err.code == protocol.ErrorCode.UnsupportedProtocol then
      local supported = table.concat(vim.tbl_get(err, 'data', 'supported') or {}, ', ')
      return callback(nil, { message = other_version(server.located, supported) })
    elseif err then
      return callback(nil, { message = ('pillion: the sidecar does not start: %s (init_options)'):format(err.message) })
    elseif info.protocolVersion ~= protocol.protocol_version then
      return callback(nil, { message = other_version(server.located, tostring(info.protocolVersion)) })
    end
    connection:notify('initialized', vim.empty_dict())
    callback(info)
  end)
end

return M
