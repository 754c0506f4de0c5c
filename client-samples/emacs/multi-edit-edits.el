;;; multi-edit-edits.el --- Apply edits completely or not at all, and save files  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Both clients have defects, so this file applies edits itself.  If typed text has not been sent yet, eglot 1.17 edits
;; the wrong location; it also reports declined edits as applied and ignores file operations.  lsp-mode removes every CR
;; from a text, does not compare version 0, and saves the files that it renames.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'multi-edit-beside)
(require 'multi-edit-session)

(declare-function eglot--managed-mode-off "eglot")
(declare-function eglot--maybe-activate-editing-mode "eglot")
(declare-function eglot--signal-textDocument/didClose "eglot")
(declare-function eglot-managed-p "eglot")
(declare-function lsp "ext:lsp-mode")
(declare-function lsp-disconnect "ext:lsp-mode")

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

(defun multi-edit--save (session uris)
  "Save the documents with URIS; return SESSION's answer to `multiEdit/saveDocuments'.
A document is not saved if Emacs would ask a question first.  The answer names the versions around each save, so that an
undo also reverses what a formatter changes on save."
  (let (saved failed versions)
    (seq-doseq (uri uris)
      (condition-case problem
          (let ((path (multi-edit--path session uri)))
            (with-current-buffer (or (find-buffer-visiting path) (error "No buffer visits the file"))
              (unless (verify-visited-file-modtime) (error "The file has changed on disk"))
              (unless (file-writable-p path) (error "The file is write-protected"))
              (let ((before (multi-edit--sent-version session)))
                (let ((inhibit-interaction t) (save-silently t)) (save-buffer))
                (when (buffer-modified-p) (error "The buffer is still modified"))
                (push uri saved)
                (when before
                  (push (list :uri uri :before before :after (multi-edit--sent-version session)) versions)))))
        ((error quit) (push (list :uri uri :message (error-message-string problem)) failed))))
    (list :saved (vconcat (nreverse saved)) :failed (vconcat (nreverse failed))
          :versions (vconcat (nreverse versions)))))

(defun multi-edit--sent-version (session)
  "Send SESSION the pending changes; return the version of the current buffer's text, nil if it is not synced."
  (when (memq (current-buffer) (multi-edit--buffers session))
    (multi-edit--flush session)
    (multi-edit--version session (current-buffer))))

(provide 'multi-edit-edits)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-edits.el ends here
