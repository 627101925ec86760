--- Fresh projects, with settings as they come: install, one question, answered for good.
local helper = require('helper')
local pillion = require('pillion')

local registry = helper.repository .. '/editors/conformance/registry.py'

describe('a fresh project', function()
  local workspace, select, server, projects, asked

  setup(function()
    workspace, asked = helper.editor(), {}
    local said = ''
    server = vim.system({ 'python3', registry, workspace }, {
      stdin = true,
      stdout = function(_, data)
        said = said .. (data or '')
      end,
    })
    helper.eventually('the registries', function()
      return said:find('\n')
    end)
    projects, select = vim.json.decode(said), vim.ui.select
    vim.ui.select = function(items, opts, callback)
      for _, item in ipairs(items) do
        if vim.startswith(opts.format_item(item), 'Always: this host') then
          table.insert(asked, opts.prompt)
          return callback(item)
        end
      end
      callback(nil)
    end
  end)

  teardown(function()
    vim.ui.select = select
    server:write(nil)
    os.remove(vim.env.XDG_CONFIG_HOME .. '/pillion/policy.toml')
    helper.quit()
    helper.stop()
  end)

  local function works(tool)
    local loopback = vim.startswith(projects[tool].host, '127.') -- go takes no proxy there
    return vim.fn.executable(tool == 'pip' and 'pip3' or tool) == 1 and not (tool == 'go' and loopback)
  end

  local function install(tool)
    local run = pillion.run(('cd %s && %s'):format(tool, projects[tool].command))
    assert.equal(0, helper.code(run), helper.text(run.buffer))
    vim.cmd.close()
  end

  for _, tool in ipairs({ 'npm', 'pip', 'cargo', 'go' }) do
    it('of ' .. tool .. ' is installed by one question that is answered for good', function()
      if not works(tool) then
        return pending(tool .. ' is not here')
      end
      asked = {}
      install(tool)
      assert.equal(1, #asked)
      assert.truthy(asked[1]:find(projects[tool].host, 1, true), asked[1])
    end)
  end

  it('asks no more tomorrow, of another sidecar', function()
    helper.stop()
    asked = {}
    for _, path in ipairs({ 'npm/node_modules', 'npm/package-lock.json', 'pip/lib' }) do
      vim.fn.delete(workspace .. '/' .. path, 'rf')
    end
    for tool, project in pairs(projects) do
      if works(tool) then
        install(tool)
        assert.equal(0, helper.code(pillion.run(('curl -sS http://%s/'):format(project.host))))
        vim.cmd.close()
      end
    end
    assert.same({}, asked)
  end)
end)
