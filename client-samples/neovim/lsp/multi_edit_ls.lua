-- For `vim.lsp.enable("multi_edit_ls")` in Neovim 0.11 and later: attaches to buffers that have a file type.
return require("multi_edit").config()
