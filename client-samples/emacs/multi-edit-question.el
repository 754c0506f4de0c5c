;;; multi-edit-question.el --- Ask the user about agents' edits  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A question is a diff in a window of its own, which is
;; never selected by itself, so that nobody who is typing loses a key or answers by mistake.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'seq)
(require 'multi-edit-messages)
(require 'multi-edit-session)

(cl-defstruct (multi-edit-question--question (:constructor multi-edit-question--new) (:copier nil))
  "A question of SESSION: the request ID with PARAMS, which the server withdraws at the time DEADLINE, unless nil.
BUFFER shows the diff, from the line ABOVE on; the user has refused the hunks with the ids REFUSED.  SHOWN says that the
user has had it on the screen.  TIMER ends it if the server does not."
  session id params deadline buffer above refused shown timer)

(defvar multi-edit-question--all nil
  "The open questions, in the order in which they arrived; the first one is shown.")

(defvar multi-edit-question--idle 1
  "Number of seconds without a key after which a question is shown.")

(defvar multi-edit-question--pause 0.2
  "Number of seconds between two looks at whether the user is typing.")

(defvar multi-edit-question--patience 5
  "Number of seconds after the deadline, for a server that does not withdraw its question.")

(defvar multi-edit-question--poll nil
  "The timer that will look again; nil if none is pending.")

(defun multi-edit-question--get (question key)
  (plist-get (multi-edit-question--question-params question) key))

(defun multi-edit-question--who (question)
  (or (multi-edit--who (multi-edit-question--question-params question)) "An agent"))

(defun multi-edit-question--files (question)
  (format "%s (%s)"
          (multi-edit--count (length (multi-edit-question--get question :files)) "file")
          (multi-edit--numbers (multi-edit-question--question-params question))))

;;; The window

(defvar-keymap multi-edit-question-mode-map
  :doc "Keys in the buffer with a question."
  "C-c C-c" #'multi-edit-apply-proposal
  "C-c C-k" #'multi-edit-reject-proposal
  "x" #'multi-edit-leave-out
  "q" #'quit-window)

(define-derived-mode multi-edit-question-mode diff-mode "Question"
  "Mode of the buffer that shows an agent's edit.
\\<multi-edit-question-mode-map>\\[multi-edit-apply-proposal] applies it, and \\[multi-edit-reject-proposal] rejects it."
  ;; It would look for the files, and might ask which ones.
  (setq-local diff-font-lock-syntax nil
              diff-refine nil)
  (setq buffer-read-only t
        truncate-lines t))

(defun multi-edit-question--file-line (question file)
  "Return a line about FILE, one of those that QUESTION is about."
  (let* ((session (multi-edit-question--question-session question))
         (name (lambda (uri) (multi-edit--name session (multi-edit--path session uri)))))
    (format "  %s%s %s\n"
            (funcall name (plist-get file :uri))
            (pcase (plist-get file :kind)
              ("create" " (new)")
              ("delete" " (deleted)")
              ("rename" (format " (was %s)" (funcall name (plist-get file :oldUri))))
              (_ ""))
            (multi-edit--numbers file))))

(defun multi-edit-question--create-buffer (question)
  "Return a buffer that shows QUESTION."
  (with-current-buffer (generate-new-buffer "*multi-edit question*")
    (insert (format "%s asks to apply: %s\n" (multi-edit-question--who question)
                    (multi-edit--one-line (multi-edit-question--get question :label))))
    (seq-doseq (file (multi-edit-question--get question :files))
      (insert (multi-edit-question--file-line question file)))
    (insert "\nC-c C-c: apply   C-c C-k: reject, with a reason if you type one   q: answer later\n"
            (if (multi-edit-question--get question :hunks) "x: leave out the change at point, or take it again\n" "")
            "\n")
    (setf (multi-edit-question--question-above question) (1- (line-number-at-pos))
          (multi-edit-question--question-refused question) nil)
    (insert (multi-edit-question--get question :diff))
    (goto-char (point-min))
    (set-buffer-modified-p nil)
    (multi-edit-question-mode)
    (current-buffer)))

(defface multi-edit-refused '((t :inherit shadow :strike-through t))
  "Parts of a proposed diff that the user has refused."
  :group 'multi-edit-view)

(defun multi-edit-leave-out (from to)
  "Leave out the change at point, or those between FROM and TO, from the proposed edit; or take it again."
  (interactive (if (use-region-p) (list (region-beginning) (1- (region-end))) (list (point) (point))))
  (let* ((question (car multi-edit-question--all))
         (above (multi-edit-question--question-above question))
         (first (- (line-number-at-pos from) above))
         (last (- (line-number-at-pos to) above)))
    (remove-overlays nil nil 'face 'multi-edit-refused)
    (seq-doseq (hunk (multi-edit-question--get question :hunks))
      (let ((id (plist-get hunk :id))
            (lines (append (plist-get hunk :diffLines) nil)))
        (when (and (<= (car lines) last) (>= (cadr lines) first))
          (setf (multi-edit-question--question-refused question)
                (if (member id (multi-edit-question--question-refused question))
                    (remove id (multi-edit-question--question-refused question))
                  (cons id (multi-edit-question--question-refused question)))))
        (when (member id (multi-edit-question--question-refused question))
          (save-excursion
            (goto-char (point-min))
            (forward-line (+ above (car lines) -1))
            (let ((overlay (make-overlay (point) (pos-eol (1+ (- (cadr lines) (car lines)))))))
              (overlay-put overlay 'face 'multi-edit-refused)
              (overlay-put overlay 'after-string " left out"))))))))

(defun multi-edit-question--update-header ()
  "Show above the diff who asks, and how many questions wait."
  (when-let* ((question (car multi-edit-question--all))
              (buffer (multi-edit-question--question-buffer question))
              ((buffer-live-p buffer)))
    (let ((deadline (multi-edit-question--question-deadline question))
          (more (length (cdr multi-edit-question--all))))
      (with-current-buffer buffer
        (setq header-line-format
              (replace-regexp-in-string
               "%" "%%"
               (format "%s asks about %s%s%s. C-c C-c: apply, C-c C-k: reject"
                       (multi-edit-question--who question) (multi-edit-question--files question)
                       (if deadline (format-time-string " until %H:%M:%S" deadline) "")
                       (if (> more 0) (format ", %d more waiting" more) ""))
               t t))))))

(defun multi-edit-question--window (question)
  "Return the window that shows QUESTION, if any."
  (let ((buffer (multi-edit-question--question-buffer question)))
    (and (buffer-live-p buffer) (get-buffer-window buffer t))))

(defun multi-edit-question--show (question)
  "Show QUESTION without selecting its window.  Return the window, or nil if there is no room."
  (unless (buffer-live-p (multi-edit-question--question-buffer question))
    (setf (multi-edit-question--question-buffer question) (multi-edit-question--create-buffer question)))
  (multi-edit-question--update-header)
  (or (multi-edit-question--window question)
      (let ((window (display-buffer (multi-edit-question--question-buffer question)
                                    '((display-buffer-at-bottom) (inhibit-same-window . t) (window-height . 0.5)))))
        (setf (multi-edit-question--question-shown question) (and window t))
        window)))

;;; The queue

(defun multi-edit-question--busy-p ()
  "Return non-nil if the user is typing."
  (or (active-minibuffer-window)
      executing-kbd-macro
      defining-kbd-macro
      (> (length (this-command-keys-vector)) 0)
      (null (current-idle-time))
      (time-less-p (current-idle-time) multi-edit-question--idle)))

(defun multi-edit-question--look ()
  "Show the first question once the user does not type."
  (setq multi-edit-question--poll nil)
  (when-let* ((question (car multi-edit-question--all))
              ((not (multi-edit-question--question-shown question))))
    (if (and (not (multi-edit-question--busy-p)) (multi-edit-question--show question))
        (multi-edit--say (format "%s asks to change %s: M-x multi-edit-question"
                                      (multi-edit-question--who question) (multi-edit-question--files question)))
      (setq multi-edit-question--poll
            (run-with-timer multi-edit-question--pause nil #'multi-edit-question--look)))))

(defun multi-edit-question--start-looking ()
  (unless multi-edit-question--poll (multi-edit-question--look)))

(defun multi-edit-question-ask (session id params)
  "Ask the user the question that SESSION sent as the request ID with PARAMS."
  (let* ((expires (plist-get params :expiresInMs))
         (deadline (and expires (time-add nil (/ expires 1000.0))))
         (question (multi-edit-question--new :session session :id id :params params :deadline deadline)))
    (when deadline
      (setf (multi-edit-question--question-timer question)
            (run-with-timer (+ (/ expires 1000.0) multi-edit-question--patience) nil
                            #'multi-edit-question--withdraw question)))
    (setq multi-edit-question--all (append multi-edit-question--all (list question)))
    (multi-edit-question--update-header)
    (multi-edit--say
     (format "%s asks to change %s. %s" (multi-edit-question--who question) (multi-edit-question--files question)
             (if (cdr multi-edit-question--all)
                 "It comes after the open question."
               "See it with M-x multi-edit-question.")))
    (multi-edit-question--start-looking)))

(defun multi-edit-question--end (question)
  "Remove QUESTION, its window and its buffer."
  (setq multi-edit-question--all (delq question multi-edit-question--all))
  (when-let* ((timer (multi-edit-question--question-timer question))) (cancel-timer timer))
  (let ((buffer (multi-edit-question--question-buffer question))
        (selected (selected-window)))
    (when (buffer-live-p buffer)
      (quit-windows-on buffer t)
      (when (buffer-live-p buffer) (kill-buffer buffer)))
    ;; A person who is typing in the minibuffer stays there.
    (when (window-live-p selected) (select-window selected)))
  (multi-edit-question--update-header)
  (multi-edit-question--start-looking))

(defun multi-edit-question--withdraw (question)
  "End QUESTION without an answer, and say so."
  (when (memq question multi-edit-question--all)
    (let ((deadline (multi-edit-question--question-deadline question)))
      (multi-edit-question--end question)
      (ignore-errors
        (multi-edit--reply (multi-edit-question--question-session question) (multi-edit-question--question-id question)
                           :error '(:code -32800 :message "The question was withdrawn.")))
      (multi-edit--say
       (format "The question of %s about %s %s. Nothing was changed."
               (multi-edit-question--who question) (multi-edit-question--files question)
               (if (and deadline (time-less-p deadline nil)) "has expired" "was withdrawn"))))))

(defun multi-edit-question-cancel (session id)
  "Withdraw the question that SESSION sent as the request ID, if there is one."
  (when-let* ((question (seq-find (lambda (one)
                                    (and (eq (multi-edit-question--question-session one) session)
                                         (equal (multi-edit-question--question-id one) id)))
                                  multi-edit-question--all)))
    (multi-edit-question--withdraw question)))

;;; Commands

(defun multi-edit-question--first ()
  (or (car multi-edit-question--all) (user-error "No agent is asking")))

;;;###autoload
(defun multi-edit-question ()
  "Go to the window with an agent's question."
  (interactive)
  (let ((question (multi-edit-question--first)))
    (select-window (or (multi-edit-question--show question) (user-error "There is no room for the question's window")))))

(defun multi-edit-question--answer (question answer reason)
  "Answer QUESTION with ANSWER, a string, and with REASON unless it is empty."
  (multi-edit-question--end question)
  (let ((refused (and (equal answer "apply") (multi-edit-question--question-refused question))))
    (multi-edit--reply (multi-edit-question--question-session question) (multi-edit-question--question-id question)
                       :result `(:answer ,answer
                                         ,@(and reason (not (equal reason "")) `(:reason ,reason))
                                         ,@(and refused `(:refused ,(vconcat refused)))))))

(defun multi-edit-question--visible ()
  "Return the first question; if it is not visible, show it instead, because nobody can agree to what was never shown."
  (let ((question (multi-edit-question--first)))
    (unless (multi-edit-question--window question)
      (multi-edit-question)
      (user-error "This is the question; answer it now"))
    question))

;;;###autoload
(defun multi-edit-apply-proposal ()
  "Let the agent apply the edit that is shown, without what you have left out, and tell it the reason for that."
  (interactive)
  (let ((question (multi-edit-question--visible)))
    (multi-edit-question--answer-with-reason
     question "apply" (and (multi-edit-question--question-refused question) (multi-edit-question--read-reason)))))

(defun multi-edit-question--answer-with-reason (question answer reason)
  "Answer QUESTION with ANSWER and REASON, unless it was withdrawn in the meantime, as a message has said then."
  (when (memq question multi-edit-question--all)
    (multi-edit-question--answer question answer reason)))

(defun multi-edit-question--read-reason ()
  "Ask the user for a reason, and return it."
  ;; Otherwise the windows of the question would come back even if it has been withdrawn in the meantime.
  (let ((read-minibuffer-restore-windows nil))
    (unwind-protect (read-string "Reason for the agent, or RET for none: ")
      (when (window-minibuffer-p) (select-window (get-mru-window))))))

;;;###autoload
(defun multi-edit-reject-proposal (reason)
  "Reject the edit that is shown, and tell the agent the REASON, which may be empty."
  (interactive (progn (multi-edit-question--visible)
                      (list (cons (car multi-edit-question--all)
                                  (multi-edit-question--read-reason)))))
  (multi-edit-question--answer-with-reason (if (consp reason) (car reason) (multi-edit-question--visible))
                                           "reject" (if (consp reason) (cdr reason) reason)))

(provide 'multi-edit-question)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-question.el ends here
