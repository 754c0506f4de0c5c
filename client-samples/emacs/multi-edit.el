;;; multi-edit.el --- Apply an agent's edits, all or none, with multi-edit-language-server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: convenience, languages, tools

;;; Commentary:

;; For eglot (1.17 and later) and lsp-mode.  The README next to this file explains the setup and when eglot asks you.
;;
;; Commands: `multi-edit-apply-region' and `multi-edit-undo'.
;; For Lisp: `multi-edit-run' has the server apply a call and verify the resulting text in Emacs;
;; `multi-edit-apply' has Emacs apply the whole answer, without asking.

;;; Code:

(require 'cl-lib)
(require 'compile)
(require 'eieio)
(require 'seq)

(defgroup multi-edit nil
  "Batches of agents' edits, applied completely or not at all, even to unsaved text."
  :group 'tools)

(defcustom multi-edit-command '("multi-edit-language-server" "--stdio")
  "Program that starts the server, and its arguments."
  :type '(repeat string))

(defcustom multi-edit-settings nil
  "The server's settings as a property list, such as (:confirm \"always\").
The server reads them when it starts.  Write false as `:json-false', and lists as vectors."
  :type 'plist)

(defconst multi-edit--workspace-edit
  '(:documentChanges t :resourceOperations ["create" "rename" "delete"])
  "Kinds of edits that this file handles, regardless of what the client itself supports.")

(defconst multi-edit--experimental '(:multiEdit (:save t :didApply t :syncDelay 0))
  "Further capabilities: documents are saved at the server's request, and changes are sent after every keystroke.")

(defvar multi-edit-did-apply-functions nil
  "Functions called with the property list that the server sends after each applied batch and each undo.")

;;; Variables and functions of eglot, jsonrpc and lsp-mode, each of which may be absent

(defvar eglot--docver)
(defvar eglot--servers-by-project)
(defvar eglot--versioned-identifier)
(defvar eglot-server-initialized-hook)
(defvar eglot-server-programs)
(defvar eglot-sync-connect)
(defvar lsp--cur-version)
(defvar lsp--cur-workspace)
(defvar lsp-language-id-configuration)
(defvar multi-edit--connecting)
(defvar multi-edit--own)
(defvar multi-edit--own-buffers)
(defvar multi-edit-beside-mode)
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function eglot--TextDocumentItem "eglot")
(declare-function eglot--capabilities "eglot")
(declare-function eglot--confirm-server-edits "eglot")
(declare-function eglot--connect "eglot")
(declare-function eglot--current-project "eglot")
(declare-function eglot--languages "eglot")
(declare-function eglot--managed-buffers "eglot")
(declare-function eglot--managed-mode-off "eglot")
(declare-function eglot--maybe-activate-editing-mode "eglot")
(declare-function eglot--project "eglot")
(declare-function eglot--signal-textDocument/didChange "eglot")
(declare-function eglot--signal-textDocument/didClose "eglot")
(declare-function eglot-current-server "eglot")
(declare-function eglot-managed-p "eglot")
(declare-function eglot-path-to-uri "eglot")
(declare-function eglot-uri-to-path "eglot")
(declare-function jsonrpc--process "jsonrpc")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function jsonrpc-notify "jsonrpc")
(declare-function jsonrpc-running-p "jsonrpc")
(declare-function lsp "ext:lsp-mode")
(declare-function lsp--client-server-id "ext:lsp-mode")
(declare-function lsp--flush-delayed-changes "ext:lsp-mode")
(declare-function lsp--session-workspaces "ext:lsp-mode")
(declare-function lsp--uri-to-path "ext:lsp-mode")
(declare-function lsp--window-log-message-request "ext:lsp-mode")
(declare-function lsp--workspace-buffers "ext:lsp-mode")
(declare-function lsp--workspace-client "ext:lsp-mode")
(declare-function lsp--workspace-p "ext:lsp-mode")
(declare-function lsp--workspace-root "ext:lsp-mode")
(declare-function lsp--workspace-server-capabilities "ext:lsp-mode")
(declare-function lsp--workspace-status "ext:lsp-mode")
(declare-function lsp-disconnect "ext:lsp-mode")
(declare-function lsp-register-client "ext:lsp-mode")
(declare-function lsp-request-async "ext:lsp-mode")
(declare-function lsp-session "ext:lsp-mode")
(declare-function lsp-stdio-connection "ext:lsp-mode")
(declare-function make-lsp-client "ext:lsp-mode")
(declare-function multi-edit-eglot-server--eieio-childp "multi-edit")
(declare-function project-root "project")

;;; Setting up eglot

;;;###autoload
(defun multi-edit-use-eglot (&rest modes)
  "Make the server eglot's only server for MODES and the modes derived from them."
  (with-eval-after-load 'eglot
    (add-to-list 'eglot-server-programs `(,modes multi-edit-eglot-server ,@multi-edit-command))))

;; A separate class, so that nothing here affects eglot's other servers.
(with-eval-after-load 'eglot
  (defclass multi-edit-eglot-server (eglot-lsp-server) ()
    :documentation "A connection from eglot to multi-edit-language-server.")

  (cl-defmethod eglot-client-capabilities ((_server multi-edit-eglot-server))
    (let ((capabilities (cl-call-next-method)))
      (plist-put (plist-get capabilities :workspace) :workspaceEdit multi-edit--workspace-edit)
      (plist-put capabilities :experimental multi-edit--experimental)))

  (cl-defmethod eglot-initialization-options ((_server multi-edit-eglot-server))
    (or multi-edit-settings (make-hash-table)))

  (cl-defmethod eglot-handle-request :around
    ((server multi-edit-eglot-server) (_method (eql workspace/applyEdit)) &key edit &allow-other-keys)
    (multi-edit--answer-edit
     server edit
     (lambda (changes)
       ;; This name lets `eglot-confirm-server-edits' set whether eglot asks about these edits.
       (multi-edit--eglot-accepts-p changes (lambda () (let ((last-command 'multi-edit)) (cl-call-next-method)))))))

  ;; C-g at a question means no; without this method, eglot would not answer at all.
  (cl-defmethod eglot-handle-request :around
    ((_server multi-edit-eglot-server) (_method (eql window/showMessageRequest)) &rest _)
    (condition-case nil (cl-call-next-method) (quit nil)))

  (cl-defmethod eglot-handle-request
    ((_server multi-edit-eglot-server) (_method (eql multiEdit/saveDocuments)) &key uris &allow-other-keys)
    (multi-edit--save (seq-map (lambda (uri) (cons uri (eglot-uri-to-path uri))) uris)))

  (cl-defmethod eglot-handle-notification
    ((_server multi-edit-eglot-server) (_method (eql multiEdit/didApply)) &rest params)
    (run-hook-with-args 'multi-edit-did-apply-functions params))

  (cl-defmethod jsonrpc-connection-send :after ((server eglot-lsp-server) &key method &allow-other-keys)
    (multi-edit--pass-on server method))

  (add-hook 'eglot-managed-mode-hook #'multi-edit--eglot-managed))

(defun multi-edit--eglot-accepts-p (changes eglots-way)
  "Return non-nil if `eglot-confirm-server-edits' and, if asked, the user allow CHANGES.
If a diff must be shown, EGLOTS-WAY shows it, and the user decides whether to apply that diff."
  (let* ((is-quiet (seq-every-p (lambda (change) (and (eq (car change) 'edit) (nth 2 change))) changes))
         (decision (eglot--confirm-server-edits 'multi-edit (mapcar (lambda (_) '(text-edit)) changes))))
    (cond ((or (null decision) (and is-quiet (memq decision '(maybe-diff maybe-summary)))) t)
          ((and (memq decision '(diff maybe-diff)) (seq-every-p (lambda (change) (eq (car change) 'edit)) changes))
           (ignore (funcall eglots-way)))
          (t (y-or-n-p (format "[eglot] Server wants to:\n%s\nProceed? "
                               (mapconcat (lambda (change) (format "  %s %s" (car change) (cadr change)))
                                          changes "\n")))))))

(defun multi-edit--eglot-managed ()
  "Keep the server's text up to date when eglot has started or stopped managing the current buffer.
eglot sends changes only after half a second without typing; until then, an agent would see outdated text."
  (let ((server (eglot-current-server)))
    (cond
     ;; A clone copies the variables of its base, so eglot would mistake the killing of the clone for that of the base.
     ((buffer-base-buffer))
     ((not (eglot-managed-p))
      (remove-hook 'post-command-hook #'eglot--signal-textDocument/didChange t)
      ;; Wait, because eglot has not finished yet, and the buffer may be about to be killed.
      (run-with-timer 0 nil #'multi-edit--adopt (current-buffer))
      (when-let* ((server) (beside (multi-edit--beside server)))
        (multi-edit--tell-closed beside)))
     ((or (multi-edit--ours-p server) multi-edit-beside-mode)
      (add-hook 'post-command-hook #'eglot--signal-textDocument/didChange nil t)))))

;;; Running alongside eglot's other servers, and for files that have none

;; eglot allows one server per buffer and has none for many modes.  So each project gets an extra connection, which
;; manages no buffers itself, because no buffer has its mode.  It receives the changes that the buffers' own servers
;; receive; for buffers without a server, the code here sends the changes.

;;;###autoload
(define-minor-mode multi-edit-beside-mode
  "Start the server once for each project, with the text of every file that is open in it.
It runs alongside eglot's servers and needs none of them.  Do not combine it with `multi-edit-use-lsp-mode'."
  :global t
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

(defun multi-edit--ours-p (server)
  (object-of-class-p server 'multi-edit-eglot-server))

(defun multi-edit--beside-p (server)
  "Return non-nil if SERVER is a connection that manages no buffers itself."
  (and (multi-edit--ours-p server) (equal (eglot--languages server) '((multi-edit--no-mode . "none")))))

(defun multi-edit--others (server)
  "Return the servers of SERVER's project that are not ours."
  (seq-remove #'multi-edit--ours-p (gethash (eglot--project server) eglot--servers-by-project)))

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
            (eglot--connect '(multi-edit--no-mode) project 'multi-edit-eglot-server multi-edit-command '("none")))
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
      (eglot--signal-textDocument/didChange)
      (multi-edit--tell-open beside (eglot--TextDocumentItem)))))

(defun multi-edit--pass-on (server method)
  "After METHOD was sent to SERVER for the current buffer, send the change to the connection beside SERVER.
This file records the change itself, because the two may count columns differently, and SERVER may want whole texts."
  ;; From now on eglot syncs this buffer.
  (when (and (memq method '(:textDocument/didOpen textDocument/didOpen)) (not (multi-edit--beside-p server)))
    (multi-edit--leave))
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

(defvar-local multi-edit--own nil
  "The buffer's :project, and the :uri, :version and :tick last sent; nil unless this file syncs the buffer.")
(put 'multi-edit--own 'permanent-local t)

(defvar multi-edit--own-buffers nil
  "All buffers in which `multi-edit--own' is set.")

(defun multi-edit--own-buffers-of (server)
  "Return the buffers of SERVER's project that this file syncs."
  (seq-filter (lambda (buffer)
                (equal (eglot--project server) (plist-get (buffer-local-value 'multi-edit--own buffer) :project)))
              multi-edit--own-buffers))

(defun multi-edit--adoptable-p ()
  "Return non-nil if agents may edit the current buffer's file and nothing else syncs the buffer with the server.
This excludes remote, compressed and encrypted files, whose text differs from the disk's, and read-only files."
  (and buffer-file-name
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

;; Recording the changes to a text, for the connection beside eglot's servers

;; The hooks record one part of the text, outside of which nothing has changed since the server was last synced.  If the
;; hooks miss a change, Emacs's count of changes (`buffer-chars-modified-tick') and the length of the text reveal it.
;; If in doubt, the whole text is sent.

(cl-defstruct (multi-edit--record (:constructor multi-edit--new-record) (:copier nil))
  "The part of BUFFER's text that differs from the server's text, which has SIZE characters.
FROM is the start of the differing part, nil if there is none; TAIL is the number of characters after it.  FRONTS and
BACKS are pieces of the server's text in that part: FRONTS in order, then BACKS in reverse order.  TICK is the count of
changes for which this is true.  ANNOUNCED is a part, as (FROM TAIL FRONT BACK SIZE), that is about to change.  If
IN-DOUBT is non-nil, none of this is known."
  (buffer (current-buffer))
  (tick (buffer-chars-modified-tick))
  (size (buffer-size))
  from tail fronts backs announced in-doubt)

(defvar-local multi-edit--record nil
  "The current buffer's changes; nil if they are not recorded, in which case the whole text must be sent.")
(put 'multi-edit--record 'permanent-local t)

(defun multi-edit--tell-open (server item)
  "Notify SERVER that the current buffer, described by ITEM, is open, and start recording its changes."
  (multi-edit--start-recording)
  (jsonrpc-notify server :textDocument/didOpen (list :textDocument item)))

(defun multi-edit--tell-changes (server document)
  "Send SERVER the current buffer's changes since the last sync; DOCUMENT has its URI and its new version."
  (let ((changes (multi-edit--changes (multi-edit--encoding server)))
        (is-sent nil))
    ;; Before sending, because Emacs may do other things while it sends.
    (multi-edit--start-recording)
    (unwind-protect
        (progn
          (jsonrpc-notify server :textDocument/didChange (list :textDocument document :contentChanges changes))
          (setq is-sent t))
      (unless is-sent (setq multi-edit--record nil)))))

(defun multi-edit--start-recording ()
  "Record the changes of the current buffer from now on."
  (setq multi-edit--record (multi-edit--new-record))
  ;; The functions are re-added each time: after an error in a function of such a hook, Emacs removes all of them, and
  ;; when the mode changes, it forgets their depths.
  (remove-hook 'before-change-functions #'multi-edit--before-change t)
  (remove-hook 'after-change-functions #'multi-edit--after-change t)
  (add-hook 'before-change-functions #'multi-edit--before-change 100 t)
  (add-hook 'after-change-functions #'multi-edit--after-change -100 t))

(defun multi-edit--stop-recording ()
  (setq multi-edit--record nil)
  (remove-hook 'before-change-functions #'multi-edit--before-change t)
  (remove-hook 'after-change-functions #'multi-edit--after-change t))

(defun multi-edit--recorder ()
  "Return the record of the current buffer's changes, if there is one that can be trusted."
  ;; A clone shares the text of its base, and both have these functions in their hooks.
  (let* ((buffer (or (buffer-base-buffer) (current-buffer)))
         (record (buffer-local-value 'multi-edit--record buffer)))
    (and record
         (eq buffer (multi-edit--record-buffer record))
         (not (multi-edit--record-in-doubt record))
         record)))

(defun multi-edit--before-change (from to)
  "Remember the server's text between FROM and TO, because it is about to change."
  (when-let* ((record (multi-edit--recorder)))
    (setf (multi-edit--record-announced record)
          (and (= (multi-edit--record-tick record) (buffer-chars-modified-tick))
               ;; Functions that run between the two of this file could edit the text unnoticed.
               (eq (car (last before-change-functions)) #'multi-edit--before-change)
               (eq (car after-change-functions) #'multi-edit--after-change)
               ;; An error would remove all functions from this hook.
               (ignore-errors (multi-edit--announced record from to))))
    (unless (multi-edit--record-announced record) (setf (multi-edit--record-in-doubt record) t))))

(defun multi-edit--announced (record from to)
  "Return RECORD's differing part, extended to include FROM to TO, where nothing has changed yet."
  (save-restriction
    (widen)
    (let* ((end (1+ (buffer-size)))
           (start (multi-edit--record-from record))
           (tail (multi-edit--record-tail record)))
      (if (null start)
          (list (+ from 0) (- end to) (buffer-substring-no-properties from to) "" (buffer-size))
        (list (min start from)
              (min tail (- end to))
              (if (< from start) (buffer-substring-no-properties from start) "")
              (if (< (- end to) tail) (buffer-substring-no-properties (- end tail) to) "")
              (buffer-size))))))

(defun multi-edit--after-change (from to old-length)
  "Record that the text between FROM and TO, which had OLD-LENGTH characters, has changed, if that was announced."
  (when-let* ((record (multi-edit--recorder)))
    (let ((tick (buffer-chars-modified-tick))
          (announced (multi-edit--record-announced record)))
      (setf (multi-edit--record-announced record) nil)
      ;; Otherwise only text properties have changed.
      (when (/= tick (multi-edit--record-tick record))
        (pcase announced
          ((and `(,start ,tail ,front ,back ,size)
                (guard (and (<= start from)
                            (<= tail (- (1+ (buffer-size)) to))
                            (= (- (buffer-size) size) (- to from old-length)))))
           (setf (multi-edit--record-from record) start
                 (multi-edit--record-tail record) tail
                 (multi-edit--record-tick record) tick)
           (unless (equal front "") (push front (multi-edit--record-fronts record)))
           (unless (equal back "") (push back (multi-edit--record-backs record))))
          (_ (setf (multi-edit--record-in-doubt record) t)))))))

(defun multi-edit--changes (encoding)
  "Return the changes to the current buffer's text since the last sync, as `:contentChanges'.
Columns count units of ENCODING."
  (let* ((record (multi-edit--recorder))
         (from (and record (multi-edit--record-from record)))
         (tail (and record (multi-edit--record-tail record)))
         (old (and from (apply #'concat (append (multi-edit--record-fronts record)
                                                (reverse (multi-edit--record-backs record)))))))
    (cond
     ((not (and record (= (multi-edit--record-tick record) (buffer-chars-modified-tick))))
      (vector (list :text (multi-edit--text))))
     ((null from) [])
     ((/= (multi-edit--record-size record) (+ (1- from) (length old) tail))
      (vector (list :text (multi-edit--text))))
     (t
      (save-restriction
        (widen)
        (vector (list :range (multi-edit--range from old encoding)
                      :text (buffer-substring-no-properties from (- (1+ (buffer-size)) tail)))))))))

(defun multi-edit--range (from old encoding)
  "Return the LSP range of the text OLD, which was at FROM in the current buffer; columns count units of ENCODING."
  (let* ((line (1- (line-number-at-pos from t)))
         (column (save-excursion
                   (goto-char from)
                   (multi-edit--columns (pos-bol) from encoding)))
         (start (list :line line :character column)))
    (list :start start
          :end (if (equal old "")
                   start
                 (with-temp-buffer
                   (insert old)
                   (let ((lines (1- (line-number-at-pos)))
                         (more (multi-edit--columns (pos-bol) (point) encoding)))
                     (list :line (+ line lines) :character (if (zerop lines) (+ column more) more))))))))

(defun multi-edit--columns (from to encoding)
  "Return the length, in units of ENCODING, of the text between FROM and TO in the current buffer."
  (let ((characters (- to from))
        (bytes (- (position-bytes to) (position-bytes from))))
    (cond ((or (= characters bytes) (equal encoding "utf-32")) characters)
          ((equal encoding "utf-8") bytes)
          (t (save-excursion
               (goto-char from)
               (let ((pairs 0))
                 (while (progn (skip-chars-forward "\0-\uffff" to) (< (point) to))
                   (cl-incf pairs (skip-chars-forward "^\0-\uffff" to)))
                 (+ characters pairs)))))))

;;; Setting up lsp-mode

;;;###autoload
(defun multi-edit-use-lsp-mode ()
  "Start the server alongside the others in every buffer where `lsp' is called."
  (with-eval-after-load 'lsp-mode
    ;; Appended, so that it applies only to files of no known language; the server does not care about the language.
    (add-to-list 'lsp-language-id-configuration '("." . "plaintext") t)
    (lsp-register-client
     (make-lsp-client
      :server-id 'multi-edit
      :new-connection (lsp-stdio-connection (lambda () multi-edit-command))
      :activation-fn #'always
      :add-on? t
      :priority -10
      :custom-capabilities (list (cons 'experimental multi-edit--experimental))
      :initialization-options (lambda () (or multi-edit-settings (make-hash-table)))
      :request-handlers (multi-edit--lsp-request-handlers)
      :notification-handlers
      (multi-edit--table
       "multiEdit/didApply"
       (lambda (_workspace params)
         (run-hook-with-args 'multi-edit-did-apply-functions (multi-edit--plist params))))))))

(defun multi-edit--lsp-request-handlers ()
  (multi-edit--table
   "multiEdit/saveDocuments"
   (lambda (_workspace params)
     (multi-edit--save (seq-map (lambda (uri) (cons uri (lsp--uri-to-path uri)))
                                (plist-get (multi-edit--plist params) :uris))))
   "workspace/applyEdit"
   (lambda (workspace params)
     (multi-edit--answer-edit workspace (plist-get (multi-edit--plist params) :edit) #'always))
   ;; C-g at a question means no; without this handler, lsp-mode would not answer at all.
   "window/showMessageRequest"
   (lambda (_workspace params)
     (condition-case nil
         (list :title (lsp--window-log-message-request params))
       (quit nil)))))

(defun multi-edit--table (&rest pairs)
  "Return a hash table of PAIRS, in which keys and values alternate."
  (let ((table (make-hash-table :test #'equal)))
    (cl-loop for (key value) on pairs by #'cddr do (puthash key value table))
    table))

;;; Commands

;;;###autoload
(defun multi-edit-apply-region (start end)
  "Have the server apply the call or the patch between START and END, or in the whole buffer.
A call is JSON, in the form of a model's tool call; any other text is treated as a patch."
  (interactive (if (use-region-p) (list (region-beginning) (region-end)) (list (point-min) (point-max))))
  (multi-edit-run (multi-edit-read-call (buffer-substring-no-properties start end)) #'multi-edit-report))

;;;###autoload
(defun multi-edit-undo (&optional transaction callback)
  "Have the server undo the last applied batch, in all of its files.
With a prefix argument, ask for the TRANSACTION to undo instead.  CALLBACK is as in `multi-edit-run'."
  (interactive (list (and current-prefix-arg (read-string "Transaction: "))))
  (multi-edit--request (multi-edit--session) "workspace/executeCommand"
                       `(:command "multiEdit.undo"
                                  :arguments [,(if transaction `(:transaction ,transaction) (make-hash-table))])
                       (or callback #'multi-edit-report)))

(defun multi-edit-read-call (text)
  "Return TEXT as the params of a call: parsed if it is JSON, otherwise as a patch."
  (condition-case problem
      (json-parse-string text :null-object nil :false-object :json-false)
    (json-error
     (if (string-match-p "\\`[ \t\n\r]*[{[]" text)
         (user-error "This is not valid JSON: %s" (error-message-string problem))
       (list :patch text)))))

(defun multi-edit-run (call &optional callback)
  "Have the server apply CALL and verify the resulting text in Emacs.
CALL is an object that can be serialized as JSON.  CALLBACK receives the answer as a property list, which has `:result',
or `:error' with `:code', `:message' and `:data'."
  (multi-edit--request (multi-edit--session) "workspace/executeCommand"
                       `(:command "multiEdit.apply" :arguments [,call])
                       (or callback #'multi-edit-report)))

(defun multi-edit-apply (call &optional callback)
  "Request the edit for CALL from the server and apply it here, completely or not at all.
CALL and CALLBACK are as in `multi-edit-run'.  The user is not asked; a single undo in each buffer reverts the edit.
Edits that create, rename or delete files are left to the server."
  (let ((session (multi-edit--session))
        (callback (or callback #'multi-edit-report)))
    (multi-edit--request
     session "multiEdit/apply" call
     (lambda (answer)
       (let ((result (plist-get answer :result)))
         (cond
          ((null result) (funcall callback answer))
          ((multi-edit--whole-files-p (plist-get result :edit)) (multi-edit-run call callback))
          (t (funcall callback (multi-edit--apply-here session result)))))))))

(defun multi-edit-report (answer)
  "Show the outcome of a call in the echo area; list the locations of a failure, for `next-error'."
  (let* ((result (plist-get answer :result))
         (problem (plist-get answer :error))
         (failures (plist-get (plist-get problem :data) :failures)))
    (cond
     ((and result (equal (plist-get result :outcome) "unknown"))
      (multi-edit--list (plist-get result :text) (plist-get result :warnings) nil))
     (result
      (message "%s" (string-join (cons (plist-get result :text) (append (plist-get result :warnings) nil)) "\n")))
     (t (multi-edit--list "Nothing was changed." (list (plist-get problem :message)) failures)))))

(defun multi-edit--list (title sentences failures)
  "Show TITLE, SENTENCES and the locations of FAILURES in a buffer whose lines link to the files."
  (let ((directory (multi-edit--root (multi-edit--session))))
    (with-current-buffer (get-buffer-create "*multi-edit*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (setq default-directory directory)
        (insert title "\n\n" (mapconcat #'identity sentences "\n") "\n\n")
        (seq-doseq (failure failures)
          (seq-doseq (place (multi-edit--places failure))
            (insert (format "%s:%d: %s\n" (plist-get failure :path) (car place) (cdr place)))))
        (compilation-mode)
        (goto-char (point-min)))
      ;; Otherwise a buffer with its own checker would take over `next-error'.
      (setq next-error-last-buffer (current-buffer))
      (display-buffer (current-buffer))))
  (message "%s" title))

(defun multi-edit--places (failure)
  "Return the locations of FAILURE: line numbers, each with a short description."
  (let ((line (plist-get failure :line))
        (matches (plist-get failure :matches))
        (nearest (plist-get failure :nearest)))
    (cond
     ((null (plist-get failure :path)) nil)
     ((> (length matches) 0)
      (seq-map (lambda (match) (cons (plist-get match :line) (plist-get match :text))) matches))
     ((> (length nearest) 0)
      (seq-map (lambda (near) (cons (plist-get near :startLine) (plist-get near :difference))) nearest))
     ((and line (not (equal (plist-get failure :code) "patchSyntax")))
      (list (cons line (plist-get failure :code)))))))

;;; Sessions: connections of eglot, and workspaces of lsp-mode

(defun multi-edit--session ()
  "Return the session of the current buffer or its folder, or else the only session or one that the user chooses."
  (let ((all (multi-edit--sessions)))
    (or (seq-find (lambda (session) (memq (current-buffer) (multi-edit--buffers session))) all)
        (seq-find (lambda (session) (file-in-directory-p default-directory (multi-edit--root session))) all)
        (and all (null (cdr all)) (car all))
        (if (null all)
            (user-error "No multi-edit-language-server is running; start eglot or lsp in a file of the project")
          (let ((roots (mapcar (lambda (session) (cons (multi-edit--root session) session)) all)))
            (cdr (assoc (completing-read "Project: " roots nil t) roots)))))))

(defun multi-edit--sessions ()
  "Return all running sessions."
  (append
   (and (featurep 'eglot)
        (seq-filter (lambda (server) (and (multi-edit--ours-p server) (jsonrpc-running-p server)))
                    (apply #'append (hash-table-values eglot--servers-by-project))))
   (and (featurep 'lsp-mode)
        (seq-filter (lambda (workspace)
                      (and (eq (lsp--client-server-id (lsp--workspace-client workspace)) 'multi-edit)
                           (eq (lsp--workspace-status workspace) 'initialized)))
                    (lsp--session-workspaces (lsp-session))))))

(defun multi-edit--lsp-p (session)
  (and (featurep 'lsp-mode) (lsp--workspace-p session)))

(defun multi-edit--root (session)
  (file-name-as-directory
   (if (multi-edit--lsp-p session) (lsp--workspace-root session) (project-root (eglot--project session)))))

(defun multi-edit--buffers (session)
  "Return the buffers whose text is synced with SESSION."
  (seq-filter #'buffer-live-p
              (cond ((multi-edit--lsp-p session) (lsp--workspace-buffers session))
                    ((multi-edit--beside-p session)
                     (append (multi-edit--own-buffers-of session)
                             (mapcan (lambda (other) (copy-sequence (eglot--managed-buffers other)))
                                     (multi-edit--others session))))
                    (t (eglot--managed-buffers session)))))

(defun multi-edit--version (session buffer)
  "Return the version of BUFFER's text that was last sent to SESSION."
  (with-current-buffer buffer
    (cond ((multi-edit--lsp-p session) lsp--cur-version)
          (multi-edit--own (plist-get multi-edit--own :version))
          ((boundp 'eglot--docver) eglot--docver)
          (t eglot--versioned-identifier))))

(defun multi-edit--encoding (session)
  "Return the encoding in whose units SESSION counts columns: \"utf-8\", \"utf-16\" or \"utf-32\"."
  (or (plist-get (multi-edit--plist (if (multi-edit--lsp-p session)
                                        (lsp--workspace-server-capabilities session)
                                      (eglot--capabilities session)))
                 :positionEncoding)
      "utf-16"))

(defun multi-edit--path (session uri)
  (if (multi-edit--lsp-p session) (lsp--uri-to-path uri) (eglot-uri-to-path uri)))

(defun multi-edit--flush (session)
  "Send SESSION the pending changes of all its buffers."
  (if (multi-edit--lsp-p session)
      (lsp--flush-delayed-changes)
    (multi-edit--send-own)
    (dolist (buffer (multi-edit--buffers session))
      (unless (memq buffer multi-edit--own-buffers)
        (with-current-buffer buffer (eglot--signal-textDocument/didChange))))))

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

(defun multi-edit--plist (value)
  "Return VALUE with hash tables as property lists, and false and null as nil; eglot and lsp-mode differ in these."
  (cond ((hash-table-p value)
         (let (plist)
           (maphash (lambda (key item)
                      (push (if (keywordp key) key (intern (format ":%s" key))) plist)
                      (push (multi-edit--plist item) plist))
                    value)
           (nreverse plist)))
        ((memq value '(:json-false :null)) nil)
        ((vectorp value) (vconcat (seq-map #'multi-edit--plist value)))
        ((consp value) (mapcar #'multi-edit--plist value))
        (t value)))

;;; Applying edits

;; Both clients have defects, so this file applies edits itself.  If typed text has not been sent yet, eglot 1.17 edits
;; the wrong location; it also reports declined edits as applied and ignores file operations.  lsp-mode removes every CR
;; from a text, does not compare version 0, and saves the files that it renames.

(defun multi-edit--answer-edit (session edit accepts)
  "Answer the server's request to apply EDIT, which is applied if ACCEPTS, a function of the changes, returns non-nil.
The server asks for one change at a time and is responsible for rolling back a batch that it cannot complete."
  (condition-case problem
      (let ((changes (multi-edit--prepared session edit nil)))
        (if (not (funcall accepts changes))
            '(:applied :json-false :failureReason "It was declined, or only shown.")
          ;; Checked again, because the text may change before the user answers.
          (multi-edit--change session (multi-edit--prepared session edit nil))
          '(:applied t)))
    (quit '(:applied :json-false :failureReason "It was declined."))
    (error (list :applied :json-false :failureReason (error-message-string problem)))))

(defun multi-edit--apply-here (session result)
  "Apply RESULT's edit completely or not at all; return the answer in the form that a callback receives."
  (condition-case problem
      (progn
        (multi-edit--change session (multi-edit--prepared session (plist-get result :edit) (plist-get result :files)))
        (list :result (plist-put (plist-put result :applied t) :outcome "applied")))
    (error (list :error (list :code -32801
                              :message (format "Nothing was changed: %s" (error-message-string problem)))))))

(defun multi-edit--whole-files-p (edit)
  "Return non-nil if EDIT creates, renames or deletes files."
  (seq-some (lambda (change) (plist-get change :kind)) (plist-get edit :documentChanges)))

(defun multi-edit--prepared (session edit files)
  "Return EDIT's changes, each as (KIND PATH BUFFER MORE), after checking that it fits the current texts.
KIND is `edit', `create', `rename' or `delete'; BUFFER is nil if none visits the file; MORE is the edits to a text,
or the new path.  FILES holds the hashes of files that are not open."
  (multi-edit--flush session)
  (seq-map
   (lambda (change)
     (let* ((kind (intern (or (plist-get change :kind) "edit")))
            (document (plist-get change :textDocument))
            (uri (or (plist-get document :uri) (plist-get change :uri) (plist-get change :oldUri)))
            (path (multi-edit--path session uri))
            (buffer (find-buffer-visiting path))
            (file (seq-find (lambda (file) (equal (plist-get file :uri) uri)) files)))
       (if (eq kind 'edit)
           (multi-edit--check session path buffer (plist-get document :version) (plist-get file :hash))
         (multi-edit--check-file kind path (plist-get change :newUri) session))
       (list kind path buffer
             (if (eq kind 'rename) (multi-edit--path session (plist-get change :newUri)) (plist-get change :edits)))))
   (plist-get edit :documentChanges)))

(defun multi-edit--check (session path buffer version hash)
  "Signal an error unless BUFFER, or the file PATH, has the text that an edit was made for."
  (let ((is-synced (and buffer (memq buffer (multi-edit--buffers session)))))
    (cond
     ((and version (not is-synced)) (error "%s is no longer open" path))
     ((and version (/= version (multi-edit--version session buffer))) (error "%s has changed in the meantime" path))
     ((and (not version) (or is-synced (and buffer (buffer-modified-p buffer))))
      (error "%s has been opened in the meantime, or has text that the server has not seen" path))
     ((and hash (not (equal hash (multi-edit--hash path)))) (error "%s has changed on disk" path))
     ((and buffer (buffer-local-value 'buffer-read-only buffer)) (error "%s is read-only" path)))))

(defun multi-edit--check-file (kind path new-uri session)
  "Signal an error unless KIND is possible for the file PATH.  NEW-URI is its new name if KIND is `rename'."
  (let ((new-path (if (eq kind 'rename) (multi-edit--path session new-uri) path)))
    (when (and (memq kind '(create rename)) (file-exists-p new-path)) (error "%s already exists" new-path))
    (unless (or (eq kind 'create) (file-exists-p path)) (error "%s does not exist" path))))

(defun multi-edit--hash (path)
  "Return the SHA-256 of the bytes of the file PATH, in hex."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally path)
    (secure-hash 'sha256 (current-buffer))))

(defun multi-edit--change (session changes)
  "Make CHANGES and send the new texts."
  (multi-edit--change-texts session (seq-filter (lambda (change) (eq (car change) 'edit)) changes))
  (pcase-dolist (`(,kind ,path ,buffer ,new-path) changes)
    (pcase kind
      ('create
       (make-directory (file-name-directory path) t)
       (write-region "" nil path nil 'silent nil 'excl))
      ('rename (multi-edit--rename session path buffer new-path))
      ('delete
       (delete-file path)
       (when buffer
         (with-current-buffer buffer (set-buffer-modified-p nil))
         (kill-buffer buffer)))))
  (multi-edit--flush session))

(defun multi-edit--rename (session path buffer new-path)
  "Rename the file PATH to NEW-PATH; BUFFER follows and keeps its text, saved or not."
  (make-directory (file-name-directory new-path) t)
  (rename-file path new-path)
  (when buffer
    (with-current-buffer buffer
      (if (multi-edit--lsp-p session) (lsp-disconnect) (multi-edit--eglot-leave))
      (set-visited-file-name new-path t t)
      (if (multi-edit--lsp-p session) (lsp) (eglot--maybe-activate-editing-mode)))))

(defun multi-edit--eglot-leave ()
  (when (eglot-managed-p)
    (eglot--signal-textDocument/didClose)
    (eglot--managed-mode-off)))

(defun multi-edit--change-texts (session changes)
  "Make CHANGES to the texts of buffers; if one of them fails, restore the old text of every buffer."
  (let* ((encoding (multi-edit--encoding session))
         (work (mapcar (pcase-lambda (`(,_ ,path ,buffer ,edits))
                         (with-current-buffer (or buffer (find-file-noselect path))
                           (cons (current-buffer) (multi-edit--regions edits encoding))))
                       changes))
         (buffers (mapcar #'car work))
         (group (progn (multi-edit--undo-boundaries buffers) (mapcan #'prepare-change-group buffers)))
         (is-done nil))
    (unwind-protect
        (progn
          (activate-change-group group)
          (pcase-dolist (`(,buffer . ,regions) work)
            (with-current-buffer buffer
              (save-excursion
                (save-restriction
                  (widen)
                  (pcase-dolist (`(,from ,to ,text) regions)
                    ;; Insert after the old text, so that a cursor before it stays there.
                    (goto-char to)
                    (insert text)
                    (delete-region from to))))))
          (setq is-done t))
      (if (not is-done)
          (cancel-change-group group)
        (undo-amalgamate-change-group group)
        (accept-change-group group)
        (multi-edit--undo-boundaries buffers)))))

(defun multi-edit--undo-boundaries (buffers)
  "Let earlier changes in BUFFERS be undone separately from later ones."
  (dolist (buffer buffers)
    (when (buffer-live-p buffer)
      (with-current-buffer buffer (undo-boundary)))))

(defun multi-edit--regions (edits encoding)
  "Return EDITS to the current buffer, each as (FROM TO TEXT), last one first."
  ;; In the buffer of a CRLF file, lines end with LF alone, so the CRs must be dropped.
  (let ((is-dos (eq 1 (coding-system-eol-type buffer-file-coding-system))))
    (nreverse
     (seq-map (lambda (edit)
                (let ((range (plist-get edit :range))
                      (text (plist-get edit :newText)))
                  (list (multi-edit--point (plist-get range :start) encoding)
                        (multi-edit--point (plist-get range :end) encoding)
                        (if is-dos (string-replace "\r\n" "\n" text) text))))
              edits))))

(defun multi-edit--point (position encoding)
  "Return the point at POSITION, with columns in units of ENCODING.  Signal an error if there is none."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (let ((left (plist-get position :character))
            (inhibit-field-text-motion t))
        (unless (and (zerop (forward-line (plist-get position :line))) (bolp)) (setq left 1) (goto-char (point-max)))
        (while (and (> left 0) (not (eolp)))
          (cl-decf left (multi-edit--width (char-after) encoding))
          (forward-char))
        (unless (zerop left) (error "%s differs from the server's text" (buffer-name)))
        (point)))))

(defun multi-edit--width (char encoding)
  (pcase encoding
    ("utf-32" 1)
    ("utf-16" (if (> char #xffff) 2 1))
    (_ (cond ((< char #x80) 1) ((< char #x800) 2) ((< char #x10000) 3) (t 4)))))

;;; Saving

(defun multi-edit--save (documents)
  "Save DOCUMENTS, pairs of URI and path; return the answer to `multiEdit/saveDocuments'.
A document is not saved if Emacs would ask a question first."
  (let (saved failed)
    (pcase-dolist (`(,uri . ,path) (append documents nil))
      (condition-case problem
          (with-current-buffer (or (find-buffer-visiting path) (error "No buffer visits the file"))
            (unless (verify-visited-file-modtime) (error "The file has changed on disk"))
            (unless (file-writable-p path) (error "The file is write-protected"))
            (let ((inhibit-interaction t) (save-silently t)) (save-buffer))
            (when (buffer-modified-p) (error "The buffer is still modified"))
            (push uri saved))
        ((error quit) (push (list :uri uri :message (error-message-string problem)) failed))))
    (list :saved (vconcat (nreverse saved)) :failed (vconcat (nreverse failed)))))

(provide 'multi-edit)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit.el ends here
