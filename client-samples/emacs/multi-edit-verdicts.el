;;; multi-edit-verdicts.el --- Undo, keep and comment on agents' changes  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What the user says of the changes that wait for review, and the history of the agents' calls.

;;; Code:

(require 'seq)
(require 'tabulated-list)
(require 'multi-edit-beside)
(require 'multi-edit-jumps)
(require 'multi-edit-messages)
(require 'multi-edit-review)
(require 'multi-edit-session)

(declare-function multi-edit-report "multi-edit")

;;;###autoload (autoload 'multi-edit-review-map "multi-edit" nil nil 'keymap)
(defvar-keymap multi-edit-review-map
  :doc "Keys for the review of agents' changes, for a key of your choice."
  :repeat t
  "n" #'multi-edit-next-change
  "p" #'multi-edit-previous-change
  "u" #'multi-edit-undo-change
  "k" #'multi-edit-keep-change
  "c" #'multi-edit-comment
  "l" #'multi-edit-list-changes
  "h" #'multi-edit-log)

(defun multi-edit-verdicts--hunks ()
  "Return the changes in the region or at point; in the list of changes, those of its lines."
  (let ((from (if (use-region-p) (region-beginning) (point)))
        (to (if (use-region-p) (max (region-beginning) (1- (region-end))) (point)))
        hunks)
    (if (not (derived-mode-p 'multi-edit-changes-mode))
        (multi-edit-review--in from to)
      (save-excursion
        (goto-char from)
        (while (progn
                 (when-let* ((hunk (get-text-property (pos-bol) 'multi-edit-hunk))) (push hunk hunks))
                 (and (zerop (forward-line)) (<= (point) to)))))
      (nreverse hunks))))

(defun multi-edit-verdicts--read ()
  "Return the arguments of a command: the changes, and with a prefix argument what else to take with them."
  (let ((hunks (or (multi-edit-verdicts--hunks) (user-error "No change of an agent is here"))))
    (list hunks (and current-prefix-arg
                     (completing-read "All changes of this: " '("file" "call" "agent" "all") nil t)))))

(defun multi-edit-verdicts--tell (method hunks scope callback)
  "Send METHOD about HUNKS or, unless SCOPE is nil, about all in the file, call or agent of the first; then run CALLBACK."
  (let* ((hunk (car hunks))
         (agent (multi-edit-review--get hunk :agent)))
    (multi-edit--request
     (multi-edit-review--hunk-session hunk) method
     (pcase scope
       ("file" (list :uri (multi-edit-review--get hunk :uri)))
       ((and "agent" (guard agent)) (list :agent agent))
       ((or "agent" "call") (list :transaction (multi-edit-review--get hunk :transaction)))
       ("all" '(:all t))
       (_ (list :hunks (vconcat (mapcar (lambda (one) (multi-edit-review--get one :id)) hunks)))))
     callback)))

;;;###autoload
(defun multi-edit-undo-change (hunks &optional scope)
  "Undo HUNKS, the changes by agents at point or in the region.
With a prefix argument, undo all changes in SCOPE: in the file, of the call, of the agent, or everywhere."
  (interactive (multi-edit-verdicts--read))
  (multi-edit-verdicts--tell "multiEdit/undo" hunks scope #'multi-edit-report))

(defun multi-edit-verdicts--say (words answer)
  "Show WORDS, a function of the result, or the problem in ANSWER."
  (multi-edit--say (if (plist-get answer :error)
                       (plist-get (plist-get answer :error) :message)
                     (funcall words (plist-get answer :result)))))

;;;###autoload
(defun multi-edit-keep-change (hunks &optional scope)
  "Keep HUNKS, the changes by agents at point or in the region: they no longer wait for review.
With a prefix argument, keep all changes in SCOPE: in the file, of the call, of the agent, or everywhere."
  (interactive (multi-edit-verdicts--read))
  (multi-edit-verdicts--tell
   "multiEdit/keep" hunks scope
   (lambda (answer)
     (multi-edit-verdicts--say (lambda (result)
                                 (concat "Kept " (multi-edit--count (length (plist-get result :kept)) "change")))
                               answer))))

;;;###autoload
(defun multi-edit-comment (text)
  "Tell the agent TEXT about the change at point or the lines of the region, with its next answer."
  (interactive (list (read-string "Comment for the agent: "
                                  (let ((hunk (car (multi-edit-verdicts--hunks))))
                                    (and hunk (multi-edit-review--get hunk :comment))))))
  (let* ((hunk (car (multi-edit-verdicts--hunks)))
         (session (if hunk (multi-edit-review--hunk-session hunk) (multi-edit--session)))
         (line (lambda (position more) (list :line (+ (1- (line-number-at-pos position t)) more) :character 0))))
    (multi-edit--request
     session "multiEdit/comment"
     `(:text ,text
             ,@(if hunk
                   (list :hunk (multi-edit-review--get hunk :id))
                 (list :uri (multi-edit--uri session (or buffer-file-name (user-error "This is no file")))
                       :range (list :start (funcall line (if (use-region-p) (region-beginning) (point)) 0)
                                    :end (funcall line (if (use-region-p) (region-end) (point)) 1)))))
     (lambda (answer)
       (multi-edit-verdicts--say (lambda (result) (format "The agent will read this about %s" (plist-get result :about)))
                                 answer)))))

;;; The history

(defvar-local multi-edit-log--session nil
  "The session whose calls are shown.")

(defvar-keymap multi-edit-log-mode-map
  :doc "Keys in the history of calls."
  "u" #'multi-edit-log-undo
  "r" #'multi-edit-log-redo)

(define-derived-mode multi-edit-log-mode tabulated-list-mode "Calls"
  "Mode of the history of agents' calls.
\\<multi-edit-log-mode-map>\\[multi-edit-log-undo] undoes the call at point, and \\[multi-edit-log-redo] redoes it."
  (setq tabulated-list-format [("Time" 6 nil) ("Agent" 14 nil) ("Lines" 10 nil) ("State" 14 nil) ("Files" 0 nil)])
  (add-hook 'tabulated-list-revert-hook #'multi-edit-log--fill nil t)
  (tabulated-list-init-header))

(defun multi-edit-log--entry (call)
  "Return the row for CALL."
  (let ((name (lambda (path) (multi-edit--name multi-edit-log--session path))))
    (list (plist-get call :transaction)
          (vector (format-time-string "%H:%M" (date-to-time (plist-get call :at)))
                  (or (multi-edit--who call) "You")
                  (multi-edit--numbers call)
                  (pcase (plist-get call :state) ("partlyUndone" "partly undone") (state state))
                  (mapconcat name (plist-get call :files) ", ")))))

(defun multi-edit-log--fill ()
  "Show the calls in the current buffer."
  (let ((buffer (current-buffer)))
    (multi-edit--request multi-edit-log--session "multiEdit/history" (make-hash-table)
                         (lambda (answer)
                           (when (buffer-live-p buffer)
                             (with-current-buffer buffer
                               (setq tabulated-list-entries
                                     (seq-map #'multi-edit-log--entry (plist-get (plist-get answer :result) :calls)))
                               (tabulated-list-print t)))))))

;;;###autoload
(defun multi-edit-log ()
  "Show the calls by agents; there, a key undoes or redoes one."
  (interactive)
  (let ((session (multi-edit--session)))
    (with-current-buffer (get-buffer-create "*multi-edit log*")
      (multi-edit-log-mode)
      (setq multi-edit-log--session session)
      (multi-edit-log--fill)
      (pop-to-buffer (current-buffer)))))

(defun multi-edit-log--run (method)
  "Send METHOD about the call at point, and show the calls again."
  (let ((buffer (current-buffer)))
    (multi-edit--request multi-edit-log--session method
                         (list :transaction (or (tabulated-list-get-id) (user-error "No call is here")))
                         (lambda (answer)
                           (multi-edit-report answer)
                           (when (buffer-live-p buffer) (with-current-buffer buffer (multi-edit-log--fill)))))))

(defun multi-edit-log-undo ()
  "Undo the call at point, in all of its files."
  (interactive)
  (multi-edit-log--run "multiEdit/undo"))

(defun multi-edit-log-redo ()
  "Redo the call at point, which was undone."
  (interactive)
  (multi-edit-log--run "multiEdit/redo"))

(provide 'multi-edit-verdicts)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-verdicts.el ends here
