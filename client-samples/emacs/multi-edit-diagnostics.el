;;; multi-edit-diagnostics.el --- Tell what other servers report  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Before and after a call, the server asks what the other language servers of eglot and lsp-mode report, so that an agent
;; learns what its call has broken.  It makes no difference whether Flymake or Flycheck shows this to the user.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'multi-edit-session)

(declare-function eglot--managed-buffers "eglot")
(declare-function eglot--server-info "eglot")
(declare-function jsonrpc--process "jsonrpc")
(declare-function jsonrpc-running-p "jsonrpc")
(declare-function lsp--client-server-id "ext:lsp-mode")
(declare-function lsp--path-to-uri "ext:lsp-mode")
(declare-function lsp--session-workspaces "ext:lsp-mode")
(declare-function lsp--workspace-buffers "ext:lsp-mode")
(declare-function lsp--workspace-client "ext:lsp-mode")
(declare-function lsp--workspace-diagnostics "ext:lsp-mode")
(declare-function lsp--workspace-status "ext:lsp-mode")
(declare-function lsp-diagnostics--request-pull-diagnostics "ext:lsp-mode")
(declare-function lsp-session "ext:lsp-mode")
(defvar lsp--buffer-workspaces)
(defvar lsp--cur-workspace)

(cl-defstruct multi-edit--reports
  "How often a server has reported, when it did so last, how often before the latest call, and for eglot, what, by URI."
  (count 0) (at 0) (since 0) (files (make-hash-table :test #'equal)))

(defvar multi-edit--reports (make-hash-table :test #'eq :weakness 'key)
  "The reports of each server.")

(defun multi-edit--reports-of (server)
  (or (gethash server multi-edit--reports)
      (puthash server (make-multi-edit--reports) multi-edit--reports)))

(defun multi-edit--reported (server &rest _)
  "Note that SERVER has reported something."
  (let ((reports (multi-edit--reports-of server)))
    (cl-incf (multi-edit--reports-count reports))
    (setf (multi-edit--reports-at reports) (float-time))))

(with-eval-after-load 'eglot
  (cl-defmethod eglot-handle-notification :after
    ((server eglot-lsp-server) (_method (eql textDocument/publishDiagnostics)) &key uri diagnostics &allow-other-keys)
    (puthash uri diagnostics (multi-edit--reports-files (multi-edit--reports-of server)))
    (multi-edit--reported server)))

(with-eval-after-load 'lsp-mode
  (advice-add 'lsp--on-diagnostics :after #'multi-edit--reported)
  (advice-add 'lsp-diagnostics--apply-pull-diagnostics :after #'multi-edit--reported))

(defun multi-edit--servers-for (session paths)
  "Return the other servers of SESSION that serve PATHS, or other files of their types."
  (let ((types (mapcar #'file-name-extension paths))
        (is-lsp (multi-edit--lsp-p session)))
    (seq-filter
     (lambda (server)
       (and (if is-lsp (eq (lsp--workspace-status server) 'initialized) (jsonrpc-running-p server))
            (seq-some (lambda (buffer)
                        (when-let* ((path (buffer-file-name buffer)))
                          (or (member path paths) (member (file-name-extension path) types))))
                      (seq-filter #'buffer-live-p
                                  (if is-lsp (lsp--workspace-buffers server) (eglot--managed-buffers server))))))
     (if is-lsp (remq session (lsp--session-workspaces (lsp-session))) (multi-edit--others session)))))

(defun multi-edit--diagnostic (diagnostic)
  "Return the parts of DIAGNOSTIC that count, as JSON."
  (let ((plist (multi-edit--plist diagnostic)))
    (cl-loop for key in '(:range :severity :source :code :message)
             for value = (plist-get plist key)
             when value nconc (list key value))))

(defun multi-edit--files-of (session server)
  "Return what SERVER, of SESSION, reports at present, by file."
  (let (files)
    (maphash (lambda (file diagnostics)
               (push (list :uri (if (multi-edit--lsp-p session) (lsp--path-to-uri file) file)
                           :diagnostics (vconcat (seq-map #'multi-edit--diagnostic diagnostics)))
                     files))
             (if (multi-edit--lsp-p session)
                 (lsp--workspace-diagnostics server)
               (multi-edit--reports-files (multi-edit--reports-of server))))
    (vconcat files)))

(defun multi-edit--server-name (session server)
  (if (multi-edit--lsp-p session)
      (symbol-name (lsp--client-server-id (lsp--workspace-client server)))
    (or (plist-get (eglot--server-info server) :name)
        (file-name-base (car (process-command (jsonrpc--process server)))))))

(defun multi-edit--all-reports (session servers pendingp)
  "Return the answer about SERVERS of SESSION; those for which PENDINGP returns non-nil are pending."
  (list :servers (vconcat (mapcar (lambda (server)
                                    (list :name (multi-edit--server-name session server)
                                          :pending (if (funcall pendingp (multi-edit--reports-of server)) t :json-false)
                                          :files (multi-edit--files-of session server)))
                                  servers))))

(defun multi-edit--silent-p (reports)
  (= (multi-edit--reports-count reports) (multi-edit--reports-since reports)))

(defun multi-edit--pull (server)
  "Have lsp-mode ask SERVER for its diagnostics, if SERVER lets itself be asked."
  (dolist (buffer (seq-filter #'buffer-live-p (lsp--workspace-buffers server)))
    (with-current-buffer buffer
      (let ((lsp--cur-workspace server) (lsp--buffer-workspaces (list server)))
        (lsp-diagnostics--request-pull-diagnostics server)))))

(defun multi-edit--tell-diagnostics (session id params)
  "Answer SESSION's request ID with PARAMS: at once before a call, otherwise once the servers have reported."
  (let* ((paths (mapcar (lambda (uri) (multi-edit--path session uri)) (plist-get params :uris)))
         (servers (multi-edit--servers-for session paths))
         (wait (/ (plist-get params :waitMs) 1000.0))
         (start (float-time)))
    (cl-labels
        ((reply (pendingp)
           (let ((running (seq-intersection servers (multi-edit--servers-for session paths))))
             (multi-edit--reply session id :result (multi-edit--all-reports session running pendingp))))
         (awaited-p (reports)
           (if (multi-edit--silent-p reports)
               (< (- (float-time) start) 1)
             (< (- (float-time) (multi-edit--reports-at reports)) 0.3)))
         (check ()
           (if (and (< (- (float-time) start) wait)
                    (seq-some (lambda (server) (awaited-p (multi-edit--reports-of server)))
                              (seq-intersection servers (multi-edit--servers-for session paths))))
               (run-with-timer 0.02 nil #'check)
             (reply #'multi-edit--silent-p))))
      (cond ((zerop wait)
             (reply (lambda (reports)
                      (setf (multi-edit--reports-since reports) (multi-edit--reports-count reports))
                      (zerop (multi-edit--reports-count reports)))))
            (t (when (multi-edit--lsp-p session) (mapc #'multi-edit--pull servers))
               (check))))))

(provide 'multi-edit-diagnostics)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-diagnostics.el ends here
