local helper = require('helper')
local locator = require('pillion.locator')

local function answer(path)
  local got
  locator.version(path, function(version, problem)
    got = { version = version, problem = problem }
  end)
  return helper.eventually('a version', function()
    return got
  end)
end

describe('the binary', function()
  local path, dir

  before_each(function()
    path, dir = vim.env.PATH, helper.workspace()
    vim.g.pillion = nil
  end)

  after_each(function()
    vim.env.PATH = path
    vim.g.pillion = nil
    helper.cleanup()
    package.loaded['pillion.locator'] = nil
    locator = require('pillion.locator')
  end)

  local function program(name)
    return helper.write(dir .. '/' .. name, '#!/bin/sh\necho "pillion 1.2.3 linux/amd64"\n', 'rwxr-xr-x')
  end

  --- The locator of a plugin that lies somewhere else.
  local function copied(place)
    local file = dir .. '/' .. place .. '/lua/pillion/locator.lua'
    vim.fn.mkdir(vim.fs.dirname(file), 'p')
    vim.uv.fs_copyfile(helper.plugin .. '/lua/pillion/locator.lua', file)
    return dofile(file)
  end

  it('is the one of the setting', function()
    vim.g.pillion = { server = { path = program('mine') } }
    assert.same({ dir .. '/mine', 'server.path' }, { locator.find() })
  end)

  it('of a setting without a program is named in one sentence', function()
    vim.g.pillion = { server = { path = dir .. '/none' } }
    local found, sentence = locator.find()
    assert.is_nil(found)
    assert.equal(
      ('pillion: server.path is %s/none, where there is no program: correct or remove the setting'):format(dir),
      sentence
    )
  end)

  it('of a relative setting is refused: a workspace must not choose', function()
    vim.g.pillion = { server = { path = 'pillion' } }
    local found, sentence = locator.find()
    assert.is_nil(found)
    assert.truthy(sentence:find('absolute path', 1, true))
  end)

  it("is the plugin's own: bin/, then the repository's dist/ and what go build makes", function()
    vim.env.PATH = ''
    local located = copied('r/editors/nvim')
    assert.is_nil((located.find()))
    assert.truthy(select(2, located.find()):find('set server.path', 1, true))
    program('r/pillion')
    assert.equal(dir .. '/r/pillion', (located.find()))
    program('r/dist/pillion')
    assert.equal(dir .. '/r/dist/pillion', (located.find()))
    program('r/editors/nvim/bin/pillion')
    assert.same({ dir .. '/r/editors/nvim/bin/pillion', 'beside the plugin' }, { located.find() })
  end)

  it('is not looked for above a plugin that is no part of the repository', function()
    vim.env.PATH = ''
    program('start/pillion')
    assert.is_nil((copied('start/x/pillion.nvim').find()))
  end)

  it('is the one on PATH, of which relative directories do not count', function()
    local located = copied('site/pillion.nvim')
    program('here/pillion')
    vim.cmd.cd(dir .. '/here')
    vim.env.PATH = '.:here:' .. dir .. '/there'
    assert.is_nil((located.find()))
    program('there/pillion')
    assert.same({ dir .. '/there/pillion', 'PATH' }, { located.find() })
    vim.cmd.cd(vim.env.PILLION_TEST_TMP)
  end)

  it('says its version', function()
    assert.truthy(answer(helper.binary).version)
  end)

  it('that is another program is named in one sentence', function()
    local other = helper.write(dir .. '/other', '#!/bin/sh\nprintf "cat\\033]0;x\\007 9\\n"\n', 'rwxr-xr-x')
    assert.equal(
      ('pillion: %s is not pillion (its version: cat^[]0;x^G 9): set server.path to a pillion'):format(other),
      answer(other).problem
    )
  end)
end)
