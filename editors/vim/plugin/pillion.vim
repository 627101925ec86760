vim9script noclear
# Only the command and its completion; the rest is loaded when it is used.

if exists('g:loaded_pillion')
  finish
endif
g:loaded_pillion = true

import autoload 'pillion.vim'

command -nargs=+ -complete=customlist,pillion.Complete Pillion pillion.Command(<q-args>)
