" A Vim that is too old says so in one sentence, when it is used.
if !has('vim9script') || !has('job') || !has('channel') || !has('popupwin') || !has('textprop') || !exists('*indexof')
  command! -nargs=* Pillion echomsg 'pillion needs Vim 9.0 (of 2023 or newer) with +job, +channel, +popupwin and +textprop'
  finish
endif
vim9script noclear
# Only the command and its completion; the rest is loaded when it is used.

if exists('g:loaded_pillion')
  finish
endif
g:loaded_pillion = true

import autoload 'pillion.vim'

command -nargs=+ -complete=customlist,pillion.Complete Pillion pillion.Command(<q-args>)
