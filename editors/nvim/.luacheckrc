std = 'luajit'
read_globals = { 'vim' }
globals = { 'vim.g', 'vim.o', 'vim.bo', 'vim.wo', 'vim.b', 'vim.ui', 'vim.env', 'vim.notify' }
max_line_length = 120
files['test'] = { std = 'luajit+busted' }
