/** Real editors with real language servers beside ours. */
import { blockOf } from "./attach.js";
import { type Column, mute } from "./diagnosticScenes.js";
import type { EditorKind, Place } from "./editor.js";
import { type EmacsDriver, type EmacsKind, eglotWith, lspModeWith } from "./emacs.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";

const lua = ({ servers, repository }: Place): string => `
${blockOf("client-samples/neovim/README.md", "lua neovim").replace("~/multi-edit-language-server", repository)}
local function start(name, filetype, command)
  vim.api.nvim_create_autocmd("FileType", {
    pattern = filetype,
    callback = function(event)
      local root = vim.fs.dirname(vim.api.nvim_buf_get_name(event.buf))
      vim.lsp.start({ name = name, cmd = command, root_dir = root }, { bufnr = event.buf })
    end,
  })
end
start("ts", "typescript", { "${servers}/typescript-language-server", "--stdio" })
start("basedpyright", "python", { "${servers}/basedpyright-langserver", "--stdio" })
start("mute", "markdown", { "node", "-e", [[${mute}]] })
`;

const neovimColumn = (kind: EditorKind): Column => ({
  name: `${kind.name} (${kind.root})`,
  kind: neovimWith(kind, lua),
  names: { ts: "ts", basedpyright: "basedpyright", mute: "mute" },
  count: (path) => `return #vim.diagnostic.get(vim.fn.bufnr(${JSON.stringify(path)}))`,
  running: (name) => `return #vim.lsp.get_clients({ name = "${name}" })`,
  kill: (name) => `for _, client in ipairs(vim.lsp.get_clients({ name = "${name}" })) do client.rpc.terminate() end`,
});

const modeOf = (server: string): string => ({ ts: "ts", basedpyright: "py" })[server] ?? "md";

/** A mode for each server, and the command of the one that never reports. */
const modes = `
(define-derived-mode driver-ts-mode prog-mode "ts")
(define-derived-mode driver-py-mode prog-mode "py")
(define-derived-mode driver-md-mode text-mode "md")
(dolist (end '("ts" "py" "md"))
  (add-to-list 'auto-mode-alist (cons (format "\\\\.%s\\\\'" end) (intern (format "driver-%s-mode" end)))))
(defun driver-mute-command () (list "node" "-e" ${JSON.stringify(mute)}))
`;

const eglotServers = ({ servers }: Place): string => `
${modes}
(setq eglot-report-progress nil eglot-autoshutdown nil eglot-sync-connect nil)
(with-eval-after-load 'eglot
  (setq eglot-server-programs
    (append
     (list (cons '((driver-ts-mode :language-id "typescript")) '("${servers}/typescript-language-server" "--stdio"))
           (cons '((driver-py-mode :language-id "python")) '("${servers}/basedpyright-langserver" "--stdio"))
           (cons '((driver-md-mode :language-id "markdown")) (driver-mute-command)))
     eglot-server-programs)))
(dolist (hook '(driver-ts-mode-hook driver-py-mode-hook driver-md-mode-hook)) (add-hook hook #'eglot-ensure))
`;

/** An Emacs whose driver runs Lisp. */
const runningLisp = (kind: EmacsKind): EditorKind => ({
  ...kind,
  async start(place) {
    const driver = (await kind.start(place)) as EmacsDriver;
    return { ...driver, run: driver.evaluate };
  },
});

const eglotColumn: Column = {
  name: "Emacs, eglot",
  kind: runningLisp(eglotWith(["beside"], eglotServers)),
  names: { ts: "typescript-language-server", basedpyright: "basedpyright", mute: "node" },
  count: (path) => `(with-current-buffer (find-buffer-visiting ${JSON.stringify(path)}) (length eglot--diagnostics))`,
  running: (name) => `(seq-count (lambda (server) (and (eglot--managed-buffers server)
    (eq '${`driver-${modeOf(name)}-mode`} (buffer-local-value 'major-mode (car (eglot--managed-buffers server))))))
    (apply #'append (hash-table-values eglot--servers-by-project)))`,
  kill: (name) => `(dolist (server (apply #'append (hash-table-values eglot--servers-by-project)))
    (when (and (eglot--managed-buffers server) (eq '${`driver-${modeOf(name)}-mode`}
               (buffer-local-value 'major-mode (car (eglot--managed-buffers server)))))
      (delete-process (jsonrpc--process server))))`,
};

const lspServers = ({ servers, repository }: Place): string => `
(add-to-list 'load-path "${repository}/client-samples/emacs")
${modes}
${blockOf("client-samples/emacs/README.md", "elisp lsp-mode")}
(setq lsp-warn-no-matched-clients nil lsp-restart 'ignore)
(with-eval-after-load 'lsp-mode
  (pcase-dolist (\`(,id ,mode ,language . ,command)
                 (list '(ts driver-ts-mode "typescript" "${servers}/typescript-language-server" "--stdio")
                       '(basedpyright driver-py-mode "python" "${servers}/basedpyright-langserver" "--stdio")
                       \`(mute driver-md-mode "markdown" ,@(driver-mute-command))))
    (add-to-list 'lsp-language-id-configuration (cons mode language))
    (lsp-register-client
     (make-lsp-client :server-id id :major-modes (list mode) :new-connection (lsp-stdio-connection command)))))
`;

const ofLspMode = (name: string): string => `(seq-filter (lambda (workspace)
  (and (eq '${name} (lsp--client-server-id (lsp--workspace-client workspace)))
       (eq 'initialized (lsp--workspace-status workspace))))
  (lsp--session-workspaces (lsp-session)))`;

const lspModeColumn: Column = {
  name: "Emacs, lsp-mode",
  kind: runningLisp(lspModeWith(lspServers)),
  names: { ts: "ts", basedpyright: "basedpyright", mute: "mute" },
  count: (path) => `(length (gethash ${JSON.stringify(path)} (lsp-diagnostics)))`,
  running: (name) => `(length ${ofLspMode(name)})`,
  endsTogether: true,
  kill: (name) => `(dolist (workspace ${ofLspMode(name)}) (lsp-workspace-shutdown workspace))`,
};

/** The editors. */
export const columns: readonly Column[] = [neovimColumn(neovim), neovimColumn(olderNeovim), eglotColumn, lspModeColumn];
