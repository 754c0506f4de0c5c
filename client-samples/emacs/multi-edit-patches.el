;;; multi-edit-patches.el --- Apply the patches in any buffer, such as a chat  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; eglot and lsp-mode show the server's code actions only in files.  The command in this file works in every buffer.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'url-util)
(require 'multi-edit-beside)
(require 'multi-edit-session)

(declare-function multi-edit-report "multi-edit")

;;;###autoload
(defun multi-edit-patch-actions (start end)
  "Ask what to do with the patch at point, or with those between START and END: apply, preview, or copy its failure.
The buffer's text is sent to the server for that, whatever the buffer is."
  (interactive (if (use-region-p) (list (region-beginning) (region-end)) (list (point) (point))))
  (let* ((session (multi-edit--session))
         (document (list :uri (concat "untitled:" (url-hexify-string (buffer-name)))))
         (at (lambda (position) (list :line (1- (line-number-at-pos position t)) :character 0))))
    (multi-edit--notify session "textDocument/didOpen"
                        (list :textDocument `(,@document :languageId "markdown" :version 0 :text ,(multi-edit--text))))
    (multi-edit--request session "textDocument/codeAction"
                         (list :textDocument document
                               :range (list :start (funcall at start) :end (funcall at end))
                               :context '(:diagnostics []))
                         (lambda (answer)
                           (multi-edit--notify session "textDocument/didClose" (list :textDocument document))
                           ;; A question must not be asked while Emacs reads from the server.
                           (run-with-timer 0 nil #'multi-edit--choose-action session (plist-get answer :result))))))

(defun multi-edit--choose-action (session actions)
  "Ask which of ACTIONS to take, and have SESSION do it."
  (if (seq-empty-p actions)
      (message "There is no patch here")
    (let* ((titles (seq-map (lambda (action) (plist-get action :title)) actions))
           (title (completing-read "Patch: " titles nil t nil nil (car titles)))
           (command (plist-get (seq-find (lambda (action) (equal (plist-get action :title) title)) actions) :command)))
      (unless (multi-edit--show-p command)
        (multi-edit--request session "workspace/executeCommand"
                             (list :command (plist-get command :command) :arguments (plist-get command :arguments))
                             #'multi-edit-report)))))

(defun multi-edit--show-p (command)
  "Run COMMAND here and return non-nil if it is `multiEdit.show': show the diff of a preview, or copy a failure."
  (when (equal (plist-get command :command) "multiEdit.show")
    (pcase-let ((`(,text ,name) (append (plist-get command :arguments) nil)))
      (if (not (equal name "preview.diff"))
          (progn (kill-new text) (message "The failure has been copied; give it to the model"))
        (with-current-buffer (get-buffer-create "*multi-edit preview*")
          (let ((inhibit-read-only t)) (erase-buffer) (insert text))
          (diff-mode)
          (view-mode)
          (display-buffer (current-buffer)))))
    t))

(provide 'multi-edit-patches)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-patches.el ends here
