;;; multi-edit-messages.el --- Say what agents have changed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Messages in the echo area: at most one in five seconds, which sums up several calls.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'multi-edit-session)

(defvar multi-edit--quiet-time 5
  "Minimum number of seconds between two messages about changes.")

(defvar multi-edit--unsaid nil
  "The calls that no message has mentioned yet, latest first.")

(defvar multi-edit--last-said 0
  "Time of the last message about changes.")

(defun multi-edit--printable (text)
  "Return TEXT, which somebody else has chosen, with control pictures such as \"␊\" instead of control characters."
  (replace-regexp-in-string "[\0-\x1f\x7f]"
                            (lambda (character) (string (if (equal character "\x7f") ?␡ (+ #x2400 (aref character 0)))))
                            text t t))

(defun multi-edit--one-line (text)
  "Return TEXT, which may have several lines, as one that can be shown."
  (multi-edit--printable (replace-regexp-in-string "[ \t]*\n[ \t]*" " " text t t)))

(defun multi-edit--say (text)
  "Show TEXT in one line of the echo area."
  (message "%s" (truncate-string-to-width (multi-edit--one-line text) (1- (frame-width)) nil nil "…")))

(defun multi-edit--who (params)
  "Return the agent that PARAMS name, or nil."
  (when-let* ((agent (plist-get params :agent))) (multi-edit--printable agent)))

(defun multi-edit--possible-p (path)
  "Return non-nil if a file can have PATH.  Emacs's own functions signal an error if a name has a NUL."
  (not (string-search "\0" path)))

(defun multi-edit--count (count noun)
  (format "%d %s%s" count noun (if (= count 1) "" "s")))

(defun multi-edit--numbers (file)
  (format "+%d -%d" (or (plist-get file :added) 0) (or (plist-get file :removed) 0)))

(defun multi-edit--name (session path)
  "Return the name of the file PATH for people: relative to SESSION's root if it is there."
  ;; Not `file-in-directory-p', which looks for symbolic links: for many files, that would take long.
  (let ((path (multi-edit--printable path))
        (root (multi-edit--printable (expand-file-name (multi-edit--root session)))))
    (if (string-prefix-p root path) (substring path (length root)) (abbreviate-file-name path))))

(defun multi-edit--describe (file)
  "Describe FILE, one of a call's files, in a few words."
  (let ((name (plist-get file :name))
        (numbers (multi-edit--numbers file)))
    (pcase (plist-get file :kind)
      ("delete" (format "%s (deleted)" name))
      ("create" (format "%s (new) %s" name numbers))
      ("rename" (format "%s (was %s) %s" name (plist-get file :old-name) numbers))
      (_ (format "%s %s" name numbers)))))

(defun multi-edit--and (words)
  "Return WORDS as a list in a sentence."
  (if (cdr words)
      (concat (string-join (butlast words) ", ") " and " (car (last words)))
    (or (car words) "")))

(defun multi-edit--about-one (call)
  "Return the message about CALL, with as many of its files as fit on a line."
  (let* ((files (plist-get call :files))
         (undone (plist-get call :undone))
         ;; A name and its comma take at least three columns.
         (count (min (length files) (/ (frame-width) 3)))
         (described (mapcar #'multi-edit--describe (seq-take files count)))
         text)
    (while (progn
             (let* ((more (- (length files) count))
                    (named (append (seq-take described count)
                                   (and (> more 0)
                                        (list (multi-edit--count more (if (> count 0) "more file" "file")))))))
               (setq text (format "%s %s %s%s" (plist-get call :who) (if undone "undid a call:" "changed")
                                  (multi-edit--and named) (if undone "" " (M-x multi-edit-undo)"))
                     count (1- count)))
             (and (>= count 0) (>= (string-width text) (frame-width)))))
    text))

(defun multi-edit--about-all (calls)
  "Return the message that sums up CALLS."
  (let* ((files (mapcan (lambda (call) (copy-sequence (plist-get call :files))) calls))
         (sum (lambda (key) (apply #'+ (mapcar (lambda (file) (or (plist-get file key) 0)) files))))
         (undone (seq-count (lambda (call) (plist-get call :undone)) calls)))
    (format "%s changed %s +%d -%d, in %s%s (M-x multi-edit-list-changes)"
            (multi-edit--and (seq-uniq (mapcar (lambda (call) (plist-get call :who)) calls)))
            (multi-edit--count (length (seq-uniq (mapcar (lambda (file) (plist-get file :path)) files))) "file")
            (funcall sum :added) (funcall sum :removed)
            (multi-edit--count (length calls) "call")
            (if (> undone 0) (format ", %d of them undone" undone) ""))))

(defun multi-edit--say-all ()
  "Show a message about the calls that no message has mentioned yet."
  (let ((calls (nreverse multi-edit--unsaid)))
    (setq multi-edit--unsaid nil
          multi-edit--last-said (float-time))
    (multi-edit--say (if (cdr calls) (multi-edit--about-all calls) (multi-edit--about-one (car calls))))))

(defun multi-edit--mention (call)
  "Show a message about CALL: at once or, if there was one lately, together with others."
  (push call multi-edit--unsaid)
  (unless (cdr multi-edit--unsaid)
    (let ((pause (- (+ multi-edit--last-said multi-edit--quiet-time) (float-time))))
      (if (> pause 0)
          (run-with-timer pause nil #'multi-edit--say-all)
        (multi-edit--say-all)))))

(defun multi-edit--mention-change (session params)
  "Show a message about the change that SESSION has reported with PARAMS, if an agent made it."
  (let* ((file (lambda (data)
                 (let ((path (multi-edit--path session (plist-get data :uri)))
                       (old-uri (plist-get data :oldUri)))
                   (append (list :path path
                                 :name (multi-edit--name session path)
                                 :old-name (and old-uri (multi-edit--name session (multi-edit--path session old-uri))))
                           data))))
         (files (seq-map file (plist-get params :files))))
    ;; A call from Emacs itself has an answer, which is shown anyway.
    (when (and (plist-get params :agent) files)
      (multi-edit--mention (list :who (multi-edit--who params) :files files
                                 :undone (equal (plist-get params :kind) "undone"))))))

(provide 'multi-edit-messages)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-messages.el ends here
