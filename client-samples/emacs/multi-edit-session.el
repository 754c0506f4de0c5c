;;; multi-edit-session.el --- Connections to multi-edit-language-server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A session is a connection of eglot or a workspace of lsp-mode; the functions in this file hide the difference.  Eglot's
;; own classes and functions, and those of lsp-mode, may be absent.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(defvar eglot--docver)
(defvar eglot--servers-by-project)
(defvar eglot--versioned-identifier)
(defvar lsp--cur-version)
(defvar lsp--cur-workspace)
(declare-function eglot--capabilities "eglot")
(declare-function eglot--languages "eglot")
(declare-function eglot--managed-buffers "eglot")
(declare-function eglot--project "eglot")
(declare-function eglot-path-to-uri "eglot")
(declare-function eglot-uri-to-path "eglot")
(declare-function jsonrpc-connection-send "jsonrpc")
(declare-function jsonrpc-notify "jsonrpc")
(declare-function jsonrpc-running-p "jsonrpc")
(declare-function lsp--client-server-id "ext:lsp-mode")
(declare-function lsp--send-no-wait "ext:lsp-mode")
(declare-function lsp--path-to-uri "ext:lsp-mode")
(declare-function lsp--session-workspaces "ext:lsp-mode")
(declare-function lsp--uri-to-path "ext:lsp-mode")
(declare-function lsp--workspace-buffers "ext:lsp-mode")
(declare-function lsp--workspace-client "ext:lsp-mode")
(declare-function lsp--workspace-p "ext:lsp-mode")
(declare-function lsp--workspace-proc "ext:lsp-mode")
(declare-function lsp--workspace-root "ext:lsp-mode")
(declare-function lsp--workspace-server-capabilities "ext:lsp-mode")
(declare-function lsp--workspace-status "ext:lsp-mode")
(declare-function lsp-notify "ext:lsp-mode")
(declare-function lsp-session "ext:lsp-mode")
(declare-function project-root "project")

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

;; The connections of `multi-edit-beside-mode', and the buffers that it syncs

(defun multi-edit--ours-p (server)
  (object-of-class-p server 'multi-edit-eglot-server))

(defun multi-edit--beside-p (server)
  "Return non-nil if SERVER is a connection that manages no buffers itself."
  (and (multi-edit--ours-p server) (equal (eglot--languages server) '((files-without-a-server . "none")))))

(defun multi-edit--others (server)
  "Return the servers of SERVER's project that are not ours."
  (seq-remove #'multi-edit--ours-p (gethash (eglot--project server) eglot--servers-by-project)))

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

;; All sessions

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

(defun multi-edit--raise-eglots-version ()
  "Raise the version that eglot will send for the current buffer's text, because eglot has not noticed a change to it."
  (if (boundp 'eglot--docver)
      (cl-incf eglot--docver)
    (cl-incf eglot--versioned-identifier)))

(defun multi-edit--encoding (session)
  "Return the encoding in whose units SESSION counts columns: \"utf-8\", \"utf-16\" or \"utf-32\"."
  (or (plist-get (multi-edit--plist (if (multi-edit--lsp-p session)
                                        (lsp--workspace-server-capabilities session)
                                      (eglot--capabilities session)))
                 :positionEncoding)
      "utf-16"))

(defun multi-edit--path (session uri)
  (if (multi-edit--lsp-p session) (lsp--uri-to-path uri) (eglot-uri-to-path uri)))

(defun multi-edit--uri (session path)
  (if (multi-edit--lsp-p session) (lsp--path-to-uri path) (eglot-path-to-uri path)))

(defun multi-edit--notify (session method params)
  "Send the notification METHOD with PARAMS to SESSION."
  (if (multi-edit--lsp-p session)
      (let ((lsp--cur-workspace session)) (lsp-notify method params))
    (jsonrpc-notify session (intern (concat ":" method)) params)))

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

(defun multi-edit--reply (session id &rest answer)
  "Answer SESSION's request ID with ANSWER, which is `:result' or `:error' and a value."
  (if (multi-edit--lsp-p session)
      (lsp--send-no-wait `(:jsonrpc "2.0" :id ,id ,@answer) (lsp--workspace-proc session))
    (apply #'jsonrpc-connection-send session :id id answer)))

(provide 'multi-edit-session)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-session.el ends here
