;;; multi-edit-jumps.el --- List agents' changes, and jump through them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands for the changes that `multi-edit-view' remembers.

;;; Code:

(require 'compile)
(require 'seq)
(require 'subr-x)
(require 'multi-edit-messages)
(require 'multi-edit-view)

(defun multi-edit-jumps--in-order ()
  "Return the changes in the order of their files and lines."
  (let ((rank (make-hash-table :test #'equal)))
    (seq-do-indexed (lambda (change index)
                      (let ((path (multi-edit-view--path change)))
                        (puthash path (gethash path rank index) rank)))
                    multi-edit-view--changes)
    (sort (copy-sequence multi-edit-view--changes)
          (lambda (a b)
            (let ((x (gethash (multi-edit-view--path a) rank))
                  (y (gethash (multi-edit-view--path b) rank)))
              (if (= x y) (< (or (multi-edit-view--update a) 0) (or (multi-edit-view--update b) 0)) (< x y)))))))

(defun multi-edit-jumps--line (change)
  "Return the text of the first line of CHANGE, if there is one."
  (when-let* ((line (multi-edit-view--update change))
              (path (multi-edit-view--path change))
              ((multi-edit--possible-p path))
              ((or (multi-edit-view--buffer change) (file-readable-p path))))
    (with-current-buffer (or (multi-edit-view--buffer change) (generate-new-buffer " *multi-edit line*" t))
      (unwind-protect
          (save-excursion
            (save-restriction
              (widen)
              (unless buffer-file-name (insert-file-contents path))
              (goto-char (point-min))
              (forward-line (1- line))
              (string-trim (buffer-substring-no-properties (pos-bol) (pos-eol)))))
        (unless buffer-file-name (kill-buffer))))))

(defun multi-edit-jumps--entry (change root)
  "Return the line for CHANGE in the list of changes; file names are relative to ROOT."
  (let* ((file (multi-edit-view--change-file change))
         (kind (plist-get file :kind))
         (path (plist-get file :path))
         (name (if (multi-edit--possible-p path) (file-relative-name path root) (plist-get file :name)))
         (shown (multi-edit--printable name))
         (at (multi-edit-view--change-at change))
         (who (concat (multi-edit-view--change-who change)
                      (and at (format-time-string " %H:%M" (date-to-time at)))))
         (line (and (not (equal kind "create")) (multi-edit-jumps--line change))))
    ;; Without a line number, no link leads there.
    (concat (if (or (equal kind "delete") (not (equal name shown))) shown (format "%s:%d" name (or (multi-edit-view--update change) 1)))
            ": " who
            (and (multi-edit-view--change-first change)
                 (format ": %s%s"
                         (pcase kind
                           ("create" "new ") ("delete" "deleted ")
                           ("rename" (format "was %s " (plist-get file :old-name)))
                           (_ ""))
                         (multi-edit--numbers file)))
            (cond ((multi-edit-view--change-removal change) " | text was removed")
                  (line (concat " | " (multi-edit--printable line))))
            "\n")))

(defun multi-edit-jumps--none ()
  (user-error "No agent has changed anything, or the changes were cleared"))

;;;###autoload
(defun multi-edit-list-changes ()
  "List the changes by agents; \\[next-error] jumps to the next one."
  (interactive)
  (unless multi-edit-view--changes (multi-edit-jumps--none))
  (let ((root (plist-get (multi-edit-view--change-file (car multi-edit-view--changes)) :root))
        (changes (multi-edit-jumps--in-order)))
    (with-current-buffer (get-buffer-create "*multi-edit changes*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (setq default-directory root)
        (insert "Changes by agents\n\n")
        (dolist (change changes) (insert (multi-edit-jumps--entry change root)))
        (compilation-mode "Changes")
        ;; Other patterns would take the time of day for a line number.
        (setq-local compilation-error-regexp-alist
                    '(("^\\(\\(?:[^:\n]\\|:[^ \n]\\)+?\\):\\([0-9]+\\): " 1 2 nil 1)))
        (goto-char (point-min)))
      (setq next-error-last-buffer (current-buffer))
      (pop-to-buffer (current-buffer)))))

;;;###autoload
(defun multi-edit-clear-changes ()
  "Remove the marks on all changes by agents, and forget the changes.  The texts stay as they are."
  (interactive)
  (multi-edit-view--drop #'always))

(defun multi-edit-jumps--go (change)
  (push-mark nil t)
  (find-file (multi-edit-view--path change))
  (widen)
  (goto-char (point-min))
  (forward-line (1- (or (multi-edit-view--update change) 1)))
  (back-to-indentation)
  (multi-edit-view--follow-point))

;;;###autoload
(defun multi-edit-next-change (&optional count)
  "Go to the next change by an agent, or to the COUNT-th, in whatever file it is."
  (interactive "p")
  (let* ((changes (seq-filter (lambda (change)
                                (and (not (equal (plist-get (multi-edit-view--change-file change) :kind) "delete"))
                                     (multi-edit--possible-p (multi-edit-view--path change))))
                              (multi-edit-jumps--in-order)))
         (step (or count 1)))
    (unless changes (multi-edit-jumps--none))
    (dotimes (_ (abs step))
      (let* ((line (line-number-at-pos nil t))
             (same (lambda (change) (equal (multi-edit-view--path change) buffer-file-name)))
             (is-after (lambda (change) (and (funcall same change) (> (or (multi-edit-view--update change) 1) line))))
             (is-before (lambda (change) (and (funcall same change) (< (or (multi-edit-view--update change) 1) line))))
             (in-file (seq-filter same changes))
             (target
              (cond ((null in-file) (if (> step 0) (car changes) (car (last changes))))
                    ((> step 0)
                     (or (seq-find is-after in-file) (cadr (memq (car (last in-file)) changes))))
                    (t (or (car (last (seq-filter is-before in-file)))
                           (cadr (memq (car in-file) (reverse changes))))))))
        (unless target
          (setq target (if (> step 0) (car changes) (car (last changes))))
          (message "This is the %s change again." (if (> step 0) "first" "last")))
        (multi-edit-jumps--go target)))))

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
