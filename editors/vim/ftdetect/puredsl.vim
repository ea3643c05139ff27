autocmd BufNewFile,BufRead *.dsl set filetype=puredsl
