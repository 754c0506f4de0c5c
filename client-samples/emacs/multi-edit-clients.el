;;; multi-edit-clients.el --- Set up eglot and lsp-mode for multi-edit-language-server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What both clients tell the server that they can do, and how they handle what it sends.

;;; Code:

(require 'cl-lib)
(require 'eieio)
(require 'seq)
(require 'multi-edit-edits)
(require 'multi-edit-beside)
(require 'multi-edit-diagnostics)
(require 'multi-edit-disk)
(require 'multi-edit-patches)
(require 'multi-edit-messages)
(require 'multi-edit-question)
(require 'multi-edit-review)
(require 'multi-edit-session)
(require 'multi-edit-unsynced)

(defvar eglot-server-programs)
(defvar lsp-language-id-configuration)
(defvar multi-edit--lsp-id)
(declare-function eglot--confirm-server-edits "eglot")
(declare-function jsonrpc-connection-send "jsonrpc")
(declare-function lsp "ext:lsp-mode")
(declare-function lsp--window-log-message-request "ext:lsp-mode")
(declare-function lsp-register-client "ext:lsp-mode")
(declare-function lsp-stdio-connection "ext:lsp-mode")
(declare-function make-lsp-client "ext:lsp-mode")

(declare-function multi-edit-eglot-server--eieio-childp "multi-edit-clients")

(defconst multi-edit--workspace-edit
  '(:documentChanges t :resourceOperations ["create" "rename" "delete"])
  "Kinds of edits that this file handles, regardless of what the client itself supports.")

(defun multi-edit--experimental ()
  "Return further capabilities: among others, Emacs saves at the server's request, and sends every keystroke at once."
  '(:multiEdit (:save t :didApply t :confirm t :didChangeOnDisk t :diagnostics t :review t :syncDelay 0)))

(defvar multi-edit-did-apply-functions nil
  "Functions called with the property list that the server sends after each applied batch and each undo.")

(defun multi-edit--did-apply (session params)
  "Mention the change that SESSION has reported with PARAMS, and run `multi-edit-did-apply-functions'."
  ;; An error must not keep other functions from learning of the change.
  (with-demoted-errors "multi-edit: %S" (multi-edit--mention-change session params))
  (run-hook-with-args 'multi-edit-did-apply-functions params))

;;; Setting up eglot

;;;###autoload
(defun multi-edit-use-eglot (&rest modes)
  "Make the server eglot's only server for MODES and the modes derived from them."
  (multi-edit--watch-unsynced)
  (with-eval-after-load 'eglot
    (add-to-list 'eglot-server-programs `(,modes multi-edit-eglot-server ,@multi-edit-command))))

;; A separate class, so that nothing here affects eglot's other servers.
(with-eval-after-load 'eglot
  (defclass multi-edit-eglot-server (eglot-lsp-server) ()
    :documentation "A connection from eglot to multi-edit-language-server.")

  (cl-defmethod eglot-client-capabilities ((_server multi-edit-eglot-server))
    (let ((capabilities (cl-call-next-method)))
      (plist-put (plist-get capabilities :workspace) :workspaceEdit multi-edit--workspace-edit)
      (plist-put capabilities :experimental (multi-edit--experimental))))

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
    ((server multi-edit-eglot-server) (_method (eql multiEdit/saveDocuments)) &key uris &allow-other-keys)
    (multi-edit--save server uris))

  (cl-defmethod eglot-handle-notification
    ((server multi-edit-eglot-server) (_method (eql multiEdit/didApply)) &rest params)
    (multi-edit--did-apply server params))

  (cl-defmethod eglot-handle-notification
    ((server multi-edit-eglot-server) (_method (eql multiEdit/didChangeReview)) &rest params)
    (multi-edit-review-did-change server params))

  (cl-defmethod eglot-handle-notification
    ((server multi-edit-eglot-server) (_method (eql multiEdit/didChangeOnDisk)) &key uris &allow-other-keys)
    (multi-edit--load-files server uris))

  (cl-defmethod eglot-handle-request
    ((server multi-edit-eglot-server) (_method (eql multiEdit/adoptDiskText)) &key uri hash &allow-other-keys)
    (multi-edit--adopt-disk server uri hash))

  (cl-defmethod eglot-execute :around ((_server multi-edit-eglot-server) action)
    (let ((command (plist-get action :command)))
      (unless (multi-edit--show-p (if (stringp command) action command)) (cl-call-next-method))))

  ;; These requests are answered later, so jsonrpc must not answer them: it gets notifications with the ids.
  (cl-defmethod jsonrpc-convert-from-endpoint :around ((_server multi-edit-eglot-server) _message)
    (let ((message (cl-call-next-method)))
      (if (and (member (plist-get message :method) '("multiEdit/confirm" "multiEdit/diagnostics"))
               (plist-get message :id))
          (list :method (plist-get message :method)
                :params (list :id (plist-get message :id) :params (plist-get message :params)))
        message)))

  (cl-defmethod eglot-handle-notification
    ((server multi-edit-eglot-server) (_method (eql multiEdit/confirm)) &key id params &allow-other-keys)
    (multi-edit-question-ask server id params))

  (cl-defmethod eglot-handle-notification
    ((server multi-edit-eglot-server) (_method (eql multiEdit/diagnostics)) &key id params &allow-other-keys)
    (multi-edit--tell-diagnostics server id params))

  (cl-defmethod eglot-handle-notification
    ((server multi-edit-eglot-server) (_method (eql $/cancelRequest)) &key id &allow-other-keys)
    (multi-edit-question-cancel server id))

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

;;; Setting up lsp-mode

;;;###autoload
(defun multi-edit-use-lsp-mode ()
  "Start the server alongside the others in every buffer where `lsp' is called."
  (multi-edit--watch-unsynced)
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
      :custom-capabilities (list (cons 'experimental (multi-edit--experimental)))
      :initialization-options (lambda () (or multi-edit-settings (make-hash-table)))
      :action-handlers
      (multi-edit--table "multiEdit.show" (lambda (command) (multi-edit--show-p (multi-edit--plist command))))
      :request-handlers (multi-edit--lsp-request-handlers)
      :async-request-handlers
      (multi-edit--table
       "multiEdit/confirm"
       (lambda (workspace params _answer)
         (multi-edit-question-ask workspace multi-edit--lsp-id (multi-edit--plist params)))
       "multiEdit/diagnostics"
       (lambda (workspace params _answer)
         (multi-edit--tell-diagnostics workspace multi-edit--lsp-id (multi-edit--plist params))))
      :notification-handlers
      (multi-edit--table
       "multiEdit/didApply"
       (lambda (workspace params) (multi-edit--did-apply workspace (multi-edit--plist params)))
       "multiEdit/didChangeReview"
       (lambda (workspace params) (multi-edit-review-did-change workspace (multi-edit--plist params)))
       "multiEdit/didChangeOnDisk"
       (lambda (workspace params) (multi-edit--load-files workspace (plist-get (multi-edit--plist params) :uris)))
       "$/cancelRequest"
       (lambda (workspace params) (multi-edit-question-cancel workspace (plist-get (multi-edit--plist params) :id))))))
    ;; lsp-mode does not tell a handler the id of its request.
    (advice-add 'lsp--on-request :around #'multi-edit--with-lsp-id)))

(defvar multi-edit--lsp-id nil
  "The id of the request that lsp-mode is handling.")

(defun multi-edit--with-lsp-id (handle workspace request)
  "Call HANDLE with WORKSPACE and REQUEST, so that its handler knows the request's id."
  (let ((multi-edit--lsp-id (plist-get (multi-edit--plist request) :id)))
    (funcall handle workspace request)))

(defun multi-edit--lsp-request-handlers ()
  (multi-edit--table
   "multiEdit/saveDocuments"
   (lambda (workspace params) (multi-edit--save workspace (plist-get (multi-edit--plist params) :uris)))
   "multiEdit/adoptDiskText"
   (lambda (workspace params)
     (let ((plist (multi-edit--plist params)))
       (multi-edit--adopt-disk workspace (plist-get plist :uri) (plist-get plist :hash))))
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

(provide 'multi-edit-clients)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-clients.el ends here
