local Screen = require('screen')
local helper = require('helper')

describe('the screen', function()
  local screen

  before_each(function()
    screen = Screen.open({
      init_options = {
        policy = { rule = { { id = 'ask-touch', decision = 'ask', prefix = { 'touch' } } } },
      },
    })
  end)

  after_each(function()
    screen:close()
  end)

  it('shows colours as they come, and the statusline that it runs', function()
    local script = [[
printf '\033[1;32mok\033[0m    parser\n\033[1;32mok\033[0m    writer\n'
printf '\033[1;31mFAIL\033[0m  reader: \033[33mexpected\033[0m 3, got 4\n'
printf '\033[38;5;39mblue\033[0m \033[48;2;80;0;80mpurple\033[0m \033[7mreversed\033[0m\n'
while ! [ -e go ]; do sleep 0.05; done
exit 1
]]
    helper.write(screen.workspace .. '/test.sh', script)
    screen:ex('Pillion run sh test.sh')
    for _, drawn in ipairs({
      '\27[1m\27[32mok',
      '\27[1m\27[31mFAIL',
      '\27[33mexpected',
      '\27[38;5;39mblue',
      '\27[48;2;80;0;80mpurple',
      '\27[7mreversed',
    }) do
      screen:wait_styled(vim.pesc(drawn))
    end
    screen:wait('pillion runs')
    screen:picture('colours')
    helper.write(screen.workspace .. '/go', '')
    screen:wait('exit 1 · ')
    screen:wait('pillion exit 1%s')
    screen:picture('statusline')
  end)

  it('shows why a command was denied, and underlines where', function()
    screen:ex('Pillion run git add -A; rm -rf ~')
    screen:wait('not run: denied: deletes ')
    screen:wait('instead  delete by name, inside the workspace')
    screen:wait_styled('git add %-A; rm %-rf \27%[4m[^ ~]*~')
    screen:picture('denied')
  end)

  local function asked(command)
    screen:ex('Pillion run ' .. command)
    screen:wait('pillion asks')
    screen:wait('1  Decline')
    vim.wait(450) -- so long no key counts
  end

  it('asks: the exact command, what is wrong with it, and what to do instead', function()
    asked('git push -f')
    screen:wait('Run git push %-f%?')
    screen:wait('instead  git push %-%-force%-with%-lease')
    screen:wait('2  Accept%s')
    screen:wait('pillion asks ')
    screen:wait_styled('git \27%[4m[^ ]-push %-f')
    screen:picture('question')
    screen:type('Enter')
    screen:wait('not run: ')
  end)

  it('declines by Esc, and by closing the window', function()
    asked('touch x')
    screen:type('2', 'Escape')
    screen:wait('not run: ')
    screen:type('q')
    asked('touch y')
    screen:type('2')
    screen:ex('quit')
    screen:wait('not run: ')
    assert.is_nil(vim.uv.fs_stat(screen.workspace .. '/x'))
    assert.is_nil(vim.uv.fs_stat(screen.workspace .. '/y'))
  end)

  it('runs what is accepted', function()
    asked('touch accepted')
    screen:type('2', 'Enter')
    screen:wait('exit 0 · ')
    assert.truthy(vim.uv.fs_stat(screen.workspace .. '/accepted'))
  end)

  it('takes no key for an answer that was typed before the question was there', function()
    screen:ex('Pillion run touch unawares')
    screen:type('2', 'Enter')
    screen:wait('1  Decline')
    screen:type('2', 'Enter')
    screen:wait('1  Decline')
    vim.wait(450)
    assert.is_nil(vim.uv.fs_stat(screen.workspace .. '/unawares'))
    screen:type('Escape')
    screen:wait('not run: ')
  end)

  it('runs what is typed in its place', function()
    asked('touch x')
    screen:type('5', 'Enter')
    screen:wait('Run instead: touch x')
    screen:type('C-u', 'echo of', 'Space', 'mine', 'Enter')
    screen:wait('of mine')
    screen:wait('exit 0 · ')
  end)

  it('takes a question back that nobody answered, and goes on', function()
    screen:ex("lua require('pillion').setup({ init_options = { approvals = { timeoutMs = 1500 } } })")
    screen:ex('Pillion run touch ignored')
    screen:wait('1  Decline')
    screen:wait('pillion: withdrawn: Run touch ignored%?')
    screen:wait('not run: ')
    assert.is_nil(screen:text():find('pillion asks', 1, true))
    assert.is_nil(vim.uv.fs_stat(screen.workspace .. '/ignored'))
  end)

  it('asks whether a folder is trusted, before anything runs in it', function()
    screen:ex("lua require('pillion').setup({ trusted = false })")
    screen:ex('Pillion run touch here')
    screen:wait('commands will read and change what is in .*3: Yes, always')
    screen:type('1', 'Enter')
    screen:wait('is not trusted')
    screen:type('q')
    screen:ex('Pillion run echo trusted')
    screen:wait('2: Yes, until Neovim ends')
    screen:type('2', 'Enter')
    screen:wait('│trusted .*exit 0 · ')
  end)

  it('gives keys to the command, Ctrl-C included', function()
    screen:ex('Pillion run read a; echo "got <$a>"; sleep 600')
    screen:wait('│read a; echo "got <$a>"; sleep 600 ')
    screen:type('i', 'hello', 'Enter')
    screen:wait('got <hello>')
    screen:type('C-c')
    screen:wait('killed by SIGINT · ')
    screen:ex('echo "normal" .. "again"')
    screen:wait('normalagain')
  end)

  it("goes on while the keys are another terminal's", function()
    screen:ex('Pillion! run for i in $(seq 60); do echo "line $i"; sleep 0.05; done')
    screen:wait('line 1%s')
    screen:ex('botright vsplit | terminal cat')
    screen:type('i', 'typed', 'Enter')
    screen:wait('typed.*typed')
    local text = screen:wait('exit 0 · ')
    assert.is_nil(text:find('Error', 1, true), text)
    screen:type('more', 'Enter')
    screen:wait('more.*more')
    assert.truthy(screen:text():find('line 60', 1, true), 'the newest line is seen')
  end)

  it('gives keys to the command at once, if the settings say so', function()
    screen:ex("lua require('pillion').setup({ output = { insert = true } })")
    screen:ex('Pillion run read a; echo "got <$a>"')
    screen:wait('│read a; echo "got <$a>" ')
    screen:type('hello', 'Enter')
    screen:wait('got <hello>')
    screen:wait('exit 0 · ')
  end)

  it('cancels by Ctrl-C in Normal mode', function()
    screen:ex('Pillion run echo up; sleep 600')
    screen:wait('│up ')
    screen:type('C-c')
    screen:wait('cancelled %(killed by SIGTERM%)')
  end)

  it('tells the command when the screen changes', function()
    screen:ex("Pillion! run trap 'stty size; exit 0' WINCH; echo up; while :; do sleep 0.05; done")
    screen:wait('\nup%s')
    screen:resize(80, 24)
    screen:wait('\n%d+ 80%s')
  end)

  it('stays with the newest line of a long output', function()
    screen:ex('Pillion run seq 1 3000; echo the end')
    screen:wait('│3000 .*│the end .*│exit 0 · ')
  end)
end)
