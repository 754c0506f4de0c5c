;;; multi-edit-beside.el --- Run the server alongside eglot's others, and for files without one  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; eglot allows one server per buffer and has none for many modes.  So each project gets an extra connection, which
;; manages no buffers itself, because no buffer has its mode.  It receives the changes that the buffers' own servers
;; receive; for buffers without a server, the code here sends the changes.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'multi-edit-record)
(require 'multi-edit-session)
(require 'multi-edit-unsynced)

(defvar eglot--recent-changes)
(defvar eglot--servers-by-project)
(defvar eglot-server-initialized-hook)
(defvar eglot-sync-connect)
(defvar lsp--cur-workspace)
(defvar multi-edit--connecting)
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function eglot--TextDocumentItem "eglot")
(declare-function eglot--connect "eglot")
(declare-function eglot--current-project "eglot")
(declare-function eglot--managed-buffers "eglot")
(declare-function eglot--project "eglot")
(declare-function eglot--signal-textDocument/didChange "eglot")
(declare-function eglot-current-server "eglot")
(declare-function eglot-managed-p "eglot")
(declare-function eglot-path-to-uri "eglot")
(declare-function jsonrpc--process "jsonrpc")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function jsonrpc-notify "jsonrpc")
(declare-function lsp--flush-delayed-changes "ext:lsp-mode")
(declare-function lsp-request-async "ext:lsp-mode")
(declare-function project-root "project")

;; All files of the package are needed.
;;;###autoload (autoload 'multi-edit-beside-mode "multi-edit" nil t)
(define-minor-mode multi-edit-beside-mode
  "Start the server once for each project, with the text of every file that is open in it.
It runs alongside eglot's servers and needs none of them.  Do not combine it with `multi-edit-use-lsp-mode'."
  :global t
  :group 'multi-edit
  (multi-edit--watch-unsynced)
  (with-eval-after-load 'eglot
    (if multi-edit-beside-mode
        (add-hook 'eglot-connect-hook #'multi-edit--eglot-connected)
      (remove-hook 'eglot-connect-hook #'multi-edit--eglot-connected)))
  (pcase-dolist (`(,hook ,function) '((find-file-hook multi-edit--adopt)
                                      (find-file-hook multi-edit--connect-again)
                                      (after-save-hook multi-edit--connect-again)
                                      (after-set-visited-file-name-hook multi-edit--adopt-anew)
                                      (post-command-hook multi-edit--send-own)))
    (if multi-edit-beside-mode (add-hook hook function) (remove-hook hook function)))
  (setq multi-edit--connecting nil)
  (if multi-edit-beside-mode
      (dolist (buffer (buffer-list)) (multi-edit--adopt buffer))
    (dolist (buffer multi-edit--own-buffers) (with-current-buffer buffer (multi-edit--leave)))))

(defun multi-edit--connection (project)
  "Return PROJECT's connection that manages no buffers itself, if any."
  (seq-find #'multi-edit--beside-p (gethash project eglot--servers-by-project)))

(defun multi-edit--beside (server)
  "Return the connection that receives whatever SERVER receives, if any."
  (and (not (multi-edit--ours-p server)) (multi-edit--connection (eglot--project server))))

(cl-defstruct (multi-edit--start (:constructor multi-edit--new-start) (:copier nil))
  "An attempt, made at TIME, to start the server for PROJECT; it has not been answered yet and may have FAILED."
  project (time (float-time)) failed)

(defvar multi-edit--connecting nil
  "For each project, the last attempt to start the server, unless the server has answered it.")

(defvar multi-edit--pause 10
  "Minimum number of seconds between a failed attempt to start a server and the next attempt.")

(defun multi-edit--start-of (project)
  (seq-find (lambda (start) (equal project (multi-edit--start-project start))) multi-edit--connecting))

(defun multi-edit--connect (project)
  "Start the server for PROJECT, unless an earlier attempt is still pending or has only just failed."
  (let ((last (multi-edit--start-of project))
        (start (multi-edit--new-start :project project)))
    (when (or (null last)
              (and (multi-edit--start-failed last)
                   (>= (- (float-time) (multi-edit--start-time last)) multi-edit--pause)))
      (setq multi-edit--connecting (cons start (delq last multi-edit--connecting)))
      (condition-case problem
          (let ((eglot-sync-connect nil)
                (eglot-server-initialized-hook
                 (cons (lambda (connection) (multi-edit--watch start connection)) eglot-server-initialized-hook)))
            (eglot--connect '(files-without-a-server) project 'multi-edit-eglot-server multi-edit-command '("none")))
        (error (multi-edit--failed start (error-message-string problem)))))))

(defun multi-edit--watch (start connection)
  "Report START as failed if CONNECTION ends before the server has answered."
  (add-function :before (process-sentinel (jsonrpc--process connection))
                (lambda (process change)
                  (unless (process-live-p process) (multi-edit--failed start (string-trim change))))))

(defun multi-edit--failed (start problem)
  "Warn the user, only once, that START has failed with PROBLEM, unless the server has answered."
  (when (and (memq start multi-edit--connecting) (not (multi-edit--start-failed start)))
    (setf (multi-edit--start-failed start) t)
    (display-warning 'multi-edit (format "The server can't be started for %s: %s"
                                         (project-root (multi-edit--start-project start)) problem))))

(defun multi-edit--connect-again ()
  "Retry starting the server for the current buffer's project if the last attempt failed."
  (when-let* ((project (cond (multi-edit--own (plist-get multi-edit--own :project))
                             ((and (featurep 'eglot) (eglot-current-server)) (eglot--project (eglot-current-server)))))
              ((multi-edit--start-of project)))
    (multi-edit--connect project)))

(defun multi-edit--eglot-connected (server)
  "Now that SERVER has connected, make sure that the project's extra connection knows all buffers."
  (cond
   ((multi-edit--beside-p server)
    (setq multi-edit--connecting (delq (multi-edit--start-of (eglot--project server)) multi-edit--connecting))
    (dolist (other (multi-edit--others server)) (multi-edit--open-beside server other))
    (dolist (buffer (multi-edit--own-buffers-of server)) (multi-edit--open-own server buffer)))
   ((multi-edit--ours-p server))
   ((multi-edit--beside server)
    (multi-edit--open-beside (multi-edit--beside server) server))
   (t (multi-edit--connect (eglot--project server)))))

(defun multi-edit--open-beside (beside other)
  "Tell BESIDE that the buffers managed by OTHER are open."
  (dolist (buffer (eglot--managed-buffers other))
    (with-current-buffer buffer
      (multi-edit--send-eglots)
      (multi-edit--tell-open beside (eglot--TextDocumentItem)))))

(defvar-local multi-edit--eglots-tick nil
  "The count of changes to the current buffer that eglot has sent; nil if it is not known.")

(defun multi-edit--pass-on (server method)
  "After METHOD was sent to SERVER for the current buffer, send the change to the connection beside SERVER.
This file records the change itself, because the two may count columns differently, and SERVER may want whole texts."
  ;; From now on eglot syncs this buffer.
  (when (and (memq method '(:textDocument/didOpen textDocument/didOpen)) (not (multi-edit--beside-p server)))
    (multi-edit--leave))
  (when (memq method '(:textDocument/didOpen textDocument/didOpen :textDocument/didChange textDocument/didChange))
    (setq multi-edit--eglots-tick (buffer-chars-modified-tick)))
  (when-let* ((name (and method (string-remove-prefix ":" (format "%s" method))))
              ((member name '("textDocument/didOpen" "textDocument/didChange" "textDocument/didClose")))
              ((not (buffer-base-buffer)))
              (beside (multi-edit--beside server)))
    (pcase name
      ("textDocument/didOpen" (multi-edit--tell-open beside (eglot--TextDocumentItem)))
      ("textDocument/didClose" (multi-edit--tell-closed beside))
      (_ (multi-edit--tell-changes beside (list :uri (plist-get (eglot--TextDocumentIdentifier) :uri)
                                                :version (multi-edit--version beside (current-buffer))))))))

(defun multi-edit--tell-closed (beside)
  "Notify BESIDE that eglot has stopped managing the current buffer."
  (multi-edit--stop-recording)
  (jsonrpc-notify beside :textDocument/didClose (list :textDocument (eglot--TextDocumentIdentifier))))

;; Buffers without an eglot server

(defun multi-edit--adoptable-p ()
  "Return non-nil if agents may edit the current buffer's file and nothing else syncs the buffer with the server.
This excludes remote, compressed and encrypted files, whose text differs from the disk's, read-only files, and files of
Git's own, such as commit messages."
  (and buffer-file-name
       (not (string-search "/.git/" buffer-file-name))
       enable-multibyte-characters
       (not multi-edit--own)
       (not (and (featurep 'eglot) (eglot-managed-p)))
       (not (find-file-name-handler buffer-file-name 'insert-file-contents))
       (or (file-writable-p buffer-file-name) (not (file-exists-p buffer-file-name)))
       (not (memq 'eight-bit (find-charset-region (point-min) (point-max))))))

(defun multi-edit--adopt (&optional buffer)
  "Sync BUFFER, by default the current one, with the server from now on, unless eglot does so."
  (when (buffer-live-p (or buffer (current-buffer)))
    (with-current-buffer (or buffer (current-buffer))
      (when (and multi-edit-beside-mode (multi-edit--adoptable-p))
        (require 'eglot)
        (let ((project (eglot--current-project)))
          (setq multi-edit--own (list :project project :uri (eglot-path-to-uri buffer-file-name) :version -1 :tick nil))
          (push (current-buffer) multi-edit--own-buffers)
          (add-hook 'after-change-functions #'multi-edit--changed nil t)
          (add-hook 'kill-buffer-hook #'multi-edit--leave nil t)
          (if-let* ((server (multi-edit--connection project)))
              (multi-edit--open-own server (current-buffer))
            (multi-edit--connect project)))))))

(defun multi-edit--adopt-anew ()
  "Restart the syncing of the current buffer, because its file has a new name."
  (multi-edit--leave)
  (multi-edit--adopt))

(defun multi-edit--leave ()
  "Stop syncing the current buffer to the server."
  ;; A clone copies the variables of its base.
  (when (memq (current-buffer) multi-edit--own-buffers)
    (setq multi-edit--own-buffers (delq (current-buffer) multi-edit--own-buffers))
    (remove-hook 'after-change-functions #'multi-edit--changed t)
    (remove-hook 'kill-buffer-hook #'multi-edit--leave t)
    (multi-edit--stop-recording)
    (when-let* (((plist-get multi-edit--own :tick))
                (server (multi-edit--connection (plist-get multi-edit--own :project))))
      (jsonrpc-notify server :textDocument/didClose
                      (list :textDocument (list :uri (plist-get multi-edit--own :uri)))))
    (setq multi-edit--own nil)))

(defun multi-edit--open-own (server buffer)
  "Notify SERVER that BUFFER is open."
  (with-current-buffer buffer
    (multi-edit--tell-open server (nconc (multi-edit--next-version)
                                         (list :languageId "plaintext" :text (multi-edit--text))))))

(defun multi-edit--next-version ()
  "Increment the version of the current buffer's text, which is about to be sent; return its URI and version."
  (let ((version (1+ (plist-get multi-edit--own :version))))
    (setq multi-edit--own
          (plist-put (plist-put multi-edit--own :version version) :tick (buffer-chars-modified-tick)))
    (list :uri (plist-get multi-edit--own :uri) :version version)))

(defun multi-edit--text ()
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defvar multi-edit--timer nil
  "The timer that will send the changed texts; nil if none is pending.")

(defun multi-edit--changed (&rest _)
  "Ensure that the current buffer's change is sent even if no command follows."
  (unless multi-edit--timer
    (setq multi-edit--timer (run-with-timer 0 nil #'multi-edit--send-own))))

(dolist (function '(multi-edit--changed multi-edit--leave multi-edit--before-change multi-edit--after-change))
  (put function 'permanent-local-hook t))

(defun multi-edit--send-own ()
  "Send the changed texts of the buffers that this file syncs."
  (when multi-edit--timer
    (cancel-timer multi-edit--timer)
    (setq multi-edit--timer nil))
  (dolist (buffer multi-edit--own-buffers)
    (let* ((own (buffer-local-value 'multi-edit--own buffer))
           (tick (plist-get own :tick)))
      (when (and tick (/= tick (buffer-chars-modified-tick buffer)))
        ;; An error would remove this function from its hook, and then no more changes would be sent.
        (with-demoted-errors "multi-edit: %S"
          (when-let* ((server (multi-edit--connection (plist-get own :project))))
            (with-current-buffer buffer
              (multi-edit--tell-changes server (multi-edit--next-version)))))))))

(defun multi-edit--eglot-managed ()
  "Keep the server's text up to date when eglot has started or stopped managing the current buffer.
eglot sends changes only after half a second without typing; until then, an agent would see outdated text."
  (let ((server (eglot-current-server)))
    (cond
     ;; A clone copies the variables of its base, so eglot would mistake the killing of the clone for that of the base.
     ((buffer-base-buffer))
     ((not (eglot-managed-p))
      (remove-hook 'post-command-hook #'multi-edit--send-eglots t)
      ;; Wait, because eglot has not finished yet, and the buffer may be about to be killed.
      (run-with-timer 0 nil #'multi-edit--adopt (current-buffer))
      (when-let* ((server) (beside (multi-edit--beside server)))
        (multi-edit--tell-closed beside)))
     ((or (multi-edit--ours-p server) multi-edit-beside-mode)
      (add-hook 'post-command-hook #'multi-edit--send-eglots nil t)))))

;;; Sending

(defun multi-edit--send-eglots ()
  "Have eglot send the changes of the current buffer, which it manages."
  ;; A clone copies the variables of its base, and with them eglot's record of changes.
  (unless (buffer-base-buffer)
    (save-restriction
      ;; In a narrowed buffer, eglot signals an error, and the hook would lose this function.
      (widen)
      (eglot--signal-textDocument/didChange)
      ;; eglot does not see what is typed in a clone, so it would send the text with a version that it has already sent.
      (when (and multi-edit--eglots-tick (/= multi-edit--eglots-tick (buffer-chars-modified-tick)))
        (multi-edit--raise-eglots-version)
        (setq eglot--recent-changes :emacs-messup)
        (eglot--signal-textDocument/didChange)))))

(defun multi-edit--flush (session &optional only)
  "Send SESSION the pending changes of all its buffers, or of the buffer ONLY."
  (if (multi-edit--lsp-p session)
      (lsp--flush-delayed-changes)
    (multi-edit--send-own)
    (dolist (buffer (multi-edit--buffers session))
      (unless (or (and only (not (eq buffer only))) (memq buffer multi-edit--own-buffers))
        (with-current-buffer buffer (multi-edit--send-eglots))))))

(defun multi-edit--request (session method params callback)
  "Send METHOD with PARAMS to SESSION; CALLBACK receives the answer as described in `multi-edit-run'."
  (multi-edit--flush session)
  (let ((on-result (lambda (result) (funcall callback (list :result (multi-edit--plist result)))))
        (on-error (lambda (problem) (funcall callback (list :error (multi-edit--plist problem))))))
    (if (multi-edit--lsp-p session)
        (let ((lsp--cur-workspace session))
          (lsp-request-async method params on-result :error-handler on-error :mode 'detached))
      ;; No timeout, because a question to the user may stay open for minutes.
      (jsonrpc-async-request session (intern (concat ":" method)) params
                             :success-fn on-result :error-fn on-error :timeout nil))))

(provide 'multi-edit-beside)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-beside.el ends here
