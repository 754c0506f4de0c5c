;;; emacs.el --- The driver inside Emacs  -*- lexical-binding: t; -*-

;; Connects to the test's socket and runs its commands, one JSON value per line.  The user's configuration attaches the
;; server; this file knows only the sample's functions.  Keys come from the terminal, as they would from a person.
;; One of them, C-^, calls the function in `driver-next' as a user's command.

;;; Code:

(require 'cl-lib)
(require 'json)

(defvar driver-next nil "Function for the next C-^ to call, or nil.")
(defvar driver-presses 0 "Number of times that C-^ has been pressed.")
(defvar driver-connection nil "The connection to the test.")
(defvar driver-rest "" "Received text that is not yet a complete line.")

(defun driver-press ()
  "Run the prepared command as a user's command; if there is none, do not interrupt a sequence of undos."
  (interactive)
  (let ((next driver-next))
    (setq driver-next nil)
    (cl-incf driver-presses)
    (if next (funcall next) (setq this-command last-command))))

(global-set-key (kbd "C-^") #'driver-press)

(defun driver-buffer (path)
  (find-buffer-visiting path))

(defun driver-show (path)
  (switch-to-buffer (or (driver-buffer path) (error "%s is not open" path)) nil t))

;;; Commands: functions that take the params and, if they answer later, a callback for the answer

(defun driver-ready-open (path)
  (setq driver-next (lambda () (find-file path))))

(defun driver-ready-command (call)
  "Prepare a command that applies CALL from the text of a buffer."
  (setq driver-next
        (lambda ()
          (with-temp-buffer
            (insert call)
            (multi-edit-apply-region (point-min) (point-max))))))

(defun driver-ready-save (path)
  (setq driver-next (lambda () (driver-show path) (save-buffer))))

(defun driver-presses (_params)
  driver-presses)

(defun driver-ready-retype (params)
  (setq driver-next
        (lambda ()
          (driver-show (gethash "path" params))
          (erase-buffer)
          ;; In the buffer of a CRLF file, lines end with LF.
          (let ((text (gethash "text" params))
                (is-dos (eq 1 (coding-system-eol-type buffer-file-coding-system))))
            (insert (if is-dos (string-replace "\r\n" "\n" text) text))))))

(defun driver-request (call answer)
  (multi-edit-apply
   call
   (lambda (reply)
     (let ((problem (plist-get reply :error)))
       (funcall answer (list :applied (if problem :json-false t)
                             :message (plist-get (or problem (plist-get reply :result)) (if problem :message :text))))))))

(defun driver-held (path)
  "The text that would be written to PATH if its buffer were saved."
  (when-let* ((buffer (driver-buffer path)))
    (with-current-buffer buffer
      (save-restriction
        (widen)
        (let* ((text (buffer-substring-no-properties (point-min) (point-max)))
               (line-end (pcase (coding-system-eol-type buffer-file-coding-system) (1 "\r\n") (2 "\r") (_ "\n"))))
          (list :text (string-replace "\n" line-end text)
                :modified (if (buffer-modified-p) t :json-false)
                :bom (if (coding-system-get buffer-file-coding-system :bom) t :json-false)))))))

(defun driver-opened (_params)
  (vconcat (delq nil (mapcar #'buffer-file-name (buffer-list)))))

(defun driver-focus (path)
  (driver-show path)
  t)

(defun driver-lock (path)
  (with-current-buffer (driver-buffer path) (read-only-mode 1)))

(defun driver-find (params)
  (driver-show (gethash "path" params))
  (goto-char (point-min))
  (search-forward (gethash "before" params))
  (goto-char (match-beginning 0))
  t)

(defvar driver-questions 0 "Number of questions so far.")
(add-hook 'minibuffer-setup-hook (lambda () (cl-incf driver-questions)))

(defun driver-asked (_params)
  "The question that Emacs is asking its user, and the number of that question."
  (when-let* ((window (active-minibuffer-window)))
    (with-current-buffer (window-buffer window)
      (list :number driver-questions :words (minibuffer-prompt)))))

(defun driver-close-all (_params)
  (dolist (buffer (buffer-list))
    (when (buffer-file-name buffer)
      (with-current-buffer buffer
        (set-buffer-modified-p nil)
        (let ((kill-buffer-query-functions nil)) (kill-buffer buffer)))))
  t)

(defun driver-messages (_params)
  (with-current-buffer (messages-buffer) (buffer-substring-no-properties (point-min) (point-max))))

(defun driver-evaluate (form)
  (eval (car (read-from-string form)) t))

(defconst driver-late '(driver-request) "Functions that answer later.")

;;; The connection

(defun driver-send (value)
  (process-send-string driver-connection
                       (concat (json-serialize value :null-object nil :false-object :json-false) "\n")))

(defun driver-take (_connection text)
  (setq driver-rest (concat driver-rest text))
  (while (string-match "\n" driver-rest)
    (let ((line (substring driver-rest 0 (match-beginning 0))))
      (setq driver-rest (substring driver-rest (match-end 0)))
      (driver-obey (json-parse-string line :null-object nil :false-object :json-false)))))

(defun driver-obey (order)
  (let* ((id (gethash "id" order))
         (params (gethash "params" order))
         (function (intern (concat "driver-" (gethash "method" order))))
         (answer (lambda (result) (driver-send (list :id id :result result)))))
    (condition-case problem
        (save-current-buffer
          (if (memq function driver-late)
              (funcall function params answer)
            (let ((result (funcall function params)))
              (funcall answer (and (not (functionp result)) result)))))
      (error (driver-send (list :id id :error (error-message-string problem)))))))

(setq driver-connection
      (make-network-process :name "driver" :family 'local :service (getenv "EDITOR_SOCKET")
                            :coding 'utf-8-unix :filter #'driver-take :noquery t))
(driver-send '(:editor 1))

;;; emacs.el ends here
