;;; multi-edit-jumps.el --- List agents' changes, and jump through them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands for the changes that `multi-edit-review' remembers.

;;; Code:

(require 'compile)
(require 'seq)
(require 'subr-x)
(require 'multi-edit-messages)
(require 'multi-edit-review)

(declare-function multi-edit-comment "multi-edit-verdicts")
(declare-function multi-edit-keep-change "multi-edit-verdicts")
(declare-function multi-edit-undo-change "multi-edit-verdicts")

(defun multi-edit-jumps--entry (hunk)
  "Return the line for HUNK in the list of changes."
  (let* ((path (multi-edit-review--hunk-path hunk))
         (name (if (multi-edit--possible-p path) (file-relative-name path) (multi-edit-review--hunk-name hunk)))
         (shown (multi-edit--printable name))
         (line (string-trim (car (split-string (or (multi-edit-review--get hunk :newText) "") "\n")))))
    (propertize
     (concat
      ;; Without a line number, no link leads there.
      (if (or (equal (multi-edit-review--get hunk :kind) "delete") (not (equal name shown)))
          shown
        (format "%s:%d" name (multi-edit-review--line hunk)))
      (format-time-string ": %H:%M " (date-to-time (multi-edit-review--get hunk :at)))
      (multi-edit--printable (multi-edit-review--get hunk :message))
      (if (equal line "") "" (concat " | " (multi-edit--printable line))))
     'multi-edit-hunk hunk)))

(defun multi-edit-jumps--none ()
  (user-error "No change of an agent waits for review"))

(defvar-keymap multi-edit-changes-mode-map
  :doc "Keys in the list of changes."
  "u" #'multi-edit-undo-change
  "k" #'multi-edit-keep-change
  "c" #'multi-edit-comment)

(define-compilation-mode multi-edit-changes-mode "Changes"
  "Mode of the list of changes by agents."
  ;; Other patterns would take the time of day for a line number.
  (setq-local compilation-error-regexp-alist '(("^\\(\\(?:[^:\n]\\|:[^ \n]\\)+?\\):\\([0-9]+\\): " 1 2 nil 1))))

(defun multi-edit-jumps--fill (buffer)
  "Write the list of changes into BUFFER."
  (with-current-buffer buffer
    (let ((inhibit-read-only t)
          (line (line-number-at-pos)))
      (erase-buffer)
      (insert "Changes by agents: u undoes, k keeps, c comments\n\n"
              (mapconcat (lambda (hunk) (concat (multi-edit-jumps--entry hunk) "\n")) (multi-edit-review--all)))
      (goto-char (point-min))
      (forward-line (1- line)))))

(defun multi-edit-jumps--refresh ()
  "Keep the list of changes up to date, if it is open."
  (when-let* ((buffer (get-buffer "*multi-edit changes*"))) (multi-edit-jumps--fill buffer)))

(add-hook 'multi-edit-review-hook #'multi-edit-jumps--refresh)

;;;###autoload
(defun multi-edit-list-changes ()
  "List the changes by agents that wait for review; \\[next-error] jumps to the next one."
  (interactive)
  (let ((hunk (or (car (multi-edit-review--all)) (multi-edit-jumps--none)))
        (buffer (get-buffer-create "*multi-edit changes*")))
    (with-current-buffer buffer
      (multi-edit-changes-mode)
      (setq default-directory (multi-edit--root (multi-edit-review--hunk-session hunk))))
    (multi-edit-jumps--fill buffer)
    (with-current-buffer buffer (goto-char (point-min)))
    (setq next-error-last-buffer buffer)
    (pop-to-buffer buffer)))

(defun multi-edit-jumps--go (hunk)
  "Go to HUNK, and show the former text there."
  (push-mark nil t)
  (find-file (multi-edit-review--hunk-path hunk))
  (widen)
  (goto-char (point-min))
  (forward-line (1- (multi-edit-review--line hunk)))
  (back-to-indentation)
  (multi-edit-review--show hunk))

;;;###autoload
(defun multi-edit-next-change (&optional count)
  "Go to the next change by an agent, or to the COUNT-th, in whatever file it is."
  (interactive "p")
  (let ((hunks (or (seq-filter (lambda (hunk)
                                 (and (not (equal (multi-edit-review--get hunk :kind) "delete"))
                                      (multi-edit--possible-p (multi-edit-review--hunk-path hunk))))
                               (multi-edit-review--all))
                   (multi-edit-jumps--none)))
        (step (or count 1)))
    (when (< step 0) (setq hunks (reverse hunks)))
    (dotimes (_ (abs step))
      (let* ((path (or buffer-file-name ""))
             (line (line-number-at-pos nil t))
             (target (seq-find (lambda (hunk)
                                 (let ((other (multi-edit-review--hunk-path hunk))
                                       (other-line (multi-edit-review--line hunk)))
                                   (cond ((not (equal other path)) (if (> step 0) (string< path other) (string< other path)))
                                         ((> step 0) (> other-line line))
                                         (t (< other-line line)))))
                               hunks)))
        (unless target (message "This is the %s change again." (if (> step 0) "first" "last")))
        (multi-edit-jumps--go (or target (car hunks)))))))

;;;###autoload
(defun multi-edit-previous-change (&optional count)
  "Go to the previous change by an agent, or to the COUNT-th before, in whatever file it is."
  (interactive "p")
  (multi-edit-next-change (- (or count 1))))

(provide 'multi-edit-jumps)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-jumps.el ends here
