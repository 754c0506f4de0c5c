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

(require 'compile)
(require 'seq)
(require 'subr-x)
(require 'multi-edit-edits)
(require 'multi-edit-beside)
(require 'multi-edit-clients)
(require 'multi-edit-disk)
(require 'multi-edit-jumps)
(require 'multi-edit-patches)
(require 'multi-edit-question)
(require 'multi-edit-session)
(require 'multi-edit-verdicts)

;;;###autoload
(defun multi-edit-apply-region (start end)
  "Have the server apply the call or the patch between START and END, or in the whole buffer.
A call is JSON, in the form of a model's tool call; any other text is treated as a patch."
  (interactive (if (use-region-p) (list (region-beginning) (region-end)) (list (point-min) (point-max))))
  (multi-edit-run (multi-edit--for-person (multi-edit-read-call (buffer-substring-no-properties start end)))
                  #'multi-edit-report))

(defun multi-edit--for-person (call)
  "Return CALL with the option that makes messages count edits from 1."
  (cond ((hash-table-p call)
         (let ((options (gethash "options" call (make-hash-table :test #'equal))))
           (when (and (hash-table-p options) (not (gethash "reader" options)))
             (puthash "reader" "person" options)
             (puthash "options" options call)))
         call)
        ((plistp call) (append call '(:options (:reader "person"))))
        (t call)))

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
        (reason (multi-edit--reason failure))
        (matches (plist-get failure :matches))
        (nearest (plist-get failure :nearest)))
    (cond
     ((null (plist-get failure :path)) nil)
     ((> (length matches) 0)
      (seq-map (lambda (match) (cons (plist-get match :line) (format "%s | %s" reason (plist-get match :text)))) matches))
     ((> (length nearest) 0)
      (seq-map (lambda (near) (cons (plist-get near :startLine) (format "%s | %s" reason (plist-get near :difference))))
               nearest))
     ((and line (not (equal (plist-get failure :code) "patchSyntax")))
      (list (cons line reason))))))

(defun multi-edit--reason (failure)
  "Return the code of FAILURE and the first sentence of its message, in one line."
  (let ((line (car (split-string (or (plist-get failure :message) "") "\n"))))
    (format "%s: %s" (plist-get failure :code)
            (string-remove-suffix ":" (if (string-match "\\`.*?[.?]\\( \\|\\'\\)" line)
                                          (string-trim-right (match-string 0 line))
                                        line)))))

(provide 'multi-edit)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit.el ends here
