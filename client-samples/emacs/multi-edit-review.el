;;; multi-edit-review.el --- The changes by agents that wait for review  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Remembers the changes as the server last sent them, marks them, and shows the former text of one.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'seq)
(require 'subr-x)
(require 'multi-edit-messages)
(require 'multi-edit-session)

(defgroup multi-edit-view nil
  "Agents' edits and questions, as the user sees them."
  :group 'multi-edit)

(defface multi-edit-sign '((t :inherit diff-changed))
  "Signs in the margin at an agent's changes.")

(defface multi-edit-change '((t :inherit diff-added :extend t))
  "Lines that an agent has changed.")

(defface multi-edit-removal '((t :inherit diff-removed))
  "Text that an agent has removed.")

(cl-defstruct (multi-edit-review--hunk (:constructor multi-edit-review--new) (:copier nil))
  "A change to the file PATH, which is called NAME, as SESSION last sent it in DATA.
OVERLAYS mark it in the buffer that visits the file.  SEEN says that point has been there."
  session path name data overlays seen)

(defvar multi-edit-review--hunks nil
  "All changes that wait for review, in the order of their files and lines.")

(defvar multi-edit-review--at-point nil
  "The changes that contain point.")

(defvar multi-edit-review--shown nil
  "The change whose former text is shown, and the overlay that shows it.")

(defvar multi-edit-review--most-lines 40
  "Maximum number of lines of former text to show.")

(defvar multi-edit-review-hook nil
  "Functions called without arguments after the changes that wait for review have changed.")

(defun multi-edit-review--get (hunk key)
  (plist-get (multi-edit-review--hunk-data hunk) key))

(defun multi-edit-review--all ()
  "Return all changes, after forgetting those of sessions that have ended."
  (let ((sessions (multi-edit--sessions)))
    (dolist (hunk multi-edit-review--hunks)
      (unless (memq (multi-edit-review--hunk-session hunk) sessions) (multi-edit-review--unmark hunk)))
    (setq multi-edit-review--hunks
          (seq-filter (lambda (hunk) (memq (multi-edit-review--hunk-session hunk) sessions)) multi-edit-review--hunks))))

(defun multi-edit-review--line (hunk)
  "Return the first line of HUNK, from 1."
  (let ((overlay (car (multi-edit-review--hunk-overlays hunk))))
    (if (and overlay (overlay-buffer overlay))
        (with-current-buffer (overlay-buffer overlay) (line-number-at-pos (overlay-start overlay) t))
      (1+ (plist-get (plist-get (multi-edit-review--get hunk :range) :start) :line)))))

;;; Marks

(defvar-local multi-edit-review--margin nil
  "Non-nil if the current buffer has its left margin because of the signs.")

(defun multi-edit-review--set-margin (width)
  "Give the current buffer a left margin of WIDTH columns."
  (setq left-margin-width width
        multi-edit-review--margin (> width 0))
  (dolist (window (get-buffer-window-list nil nil t)) (set-window-buffer window (current-buffer))))

;; A line's prefix is shown in each of its lines, so one overlay gives all lines of a change their signs.
(defun multi-edit-review--sign (text &optional face)
  (propertize " " 'display `((margin left-margin) ,(propertize text 'face (or face 'multi-edit-sign)))))

(defun multi-edit-review--overlay (hunk range)
  "Mark the lines of RANGE in the current buffer as part of HUNK, and return the overlay."
  (let* ((point-at (lambda (position)
                     (goto-char (point-min))
                     (forward-line (plist-get position :line))
                     (if (> (plist-get position :character) 0) (pos-eol) (point))))
         (start (funcall point-at (plist-get range :start)))
         (end (funcall point-at (plist-get range :end)))
         (removal (and (= start end) (equal (multi-edit-review--get hunk :kind) "text")))
         (overlay (make-overlay start (if (= start end) (pos-eol) end)))
         (sign (multi-edit-review--sign (pcase (multi-edit-review--get hunk :kind)
                                          ("create" "+")
                                          ("rename" "»")
                                          (_ (if removal "▔" "▎"))))))
    (overlay-put overlay 'multi-edit-hunk hunk)
    (overlay-put overlay 'line-prefix sign)
    (overlay-put overlay 'wrap-prefix sign)
    (cond ((or (multi-edit-review--hunk-seen hunk) (not (equal (multi-edit-review--get hunk :kind) "text"))))
          (removal
           (overlay-put overlay 'before-string (propertize "[text was removed here] " 'face 'multi-edit-removal)))
          (t (overlay-put overlay 'face 'multi-edit-change)))
    overlay))

(defun multi-edit-review--mark (hunk)
  "Mark HUNK in the current buffer."
  (save-excursion
    (save-restriction
      (widen)
      (setf (multi-edit-review--hunk-overlays hunk)
            (seq-map (lambda (range) (multi-edit-review--overlay hunk range))
                     (or (multi-edit-review--get hunk :ranges) (list (multi-edit-review--get hunk :range)))))))
  (when (zerop (or left-margin-width 0)) (multi-edit-review--set-margin 1))
  (add-hook 'post-command-hook #'multi-edit-review--follow-point))

(defun multi-edit-review--unmark (hunk)
  (mapc #'delete-overlay (multi-edit-review--hunk-overlays hunk))
  (setf (multi-edit-review--hunk-overlays hunk) nil)
  (when (eq hunk (car multi-edit-review--shown)) (multi-edit-review--hide)))

(defun multi-edit-review--mark-buffer ()
  "Mark the changes to the file of the current buffer."
  (dolist (hunk multi-edit-review--hunks)
    (when (equal (multi-edit-review--hunk-path hunk) buffer-file-name)
      (multi-edit-review--unmark hunk)
      (multi-edit-review--mark hunk))))

(add-hook 'find-file-hook #'multi-edit-review--mark-buffer)

(defun multi-edit-review--in (from to)
  "Return the changes between FROM and TO, positions in the current buffer, and in the lines of both."
  (let ((start (save-excursion (goto-char from) (pos-bol)))
        (end (save-excursion (goto-char to) (pos-eol))))
    (seq-uniq
     (delq nil (mapcar (lambda (overlay)
                         ;; An overlay that ends where a line starts does not contain that line.
                         (and (or (> (overlay-end overlay) start) (= (overlay-start overlay) start))
                              (overlay-get overlay 'multi-edit-hunk)))
                       (sort (overlays-in start (min (point-max) (1+ end)))
                             (lambda (a b) (< (overlay-start a) (overlay-start b)))))))))

(defun multi-edit-review--follow-point ()
  "Remove the highlighting from the changes that point has left."
  (unless (minibufferp)
    (let ((before multi-edit-review--at-point))
      (setq multi-edit-review--at-point
            (seq-filter (lambda (hunk) (memq hunk multi-edit-review--hunks)) (multi-edit-review--in (point) (point))))
      (dolist (hunk before)
        (unless (memq hunk multi-edit-review--at-point)
          (setf (multi-edit-review--hunk-seen hunk) t)
          (dolist (overlay (multi-edit-review--hunk-overlays hunk))
            (overlay-put overlay 'face nil)
            (overlay-put overlay 'before-string nil))
          (when (eq hunk (car multi-edit-review--shown)) (multi-edit-review--hide))))))
  (unless multi-edit-review--hunks (remove-hook 'post-command-hook #'multi-edit-review--follow-point)))

(defun multi-edit-review--hide ()
  "Hide the former text."
  (when multi-edit-review--shown (delete-overlay (cdr multi-edit-review--shown)))
  (setq multi-edit-review--shown nil))

(defun multi-edit-review--show (hunk)
  "Show above HUNK, at point, who made it and the former text, until point leaves it."
  (multi-edit-review--hide)
  (multi-edit-review--follow-point)
  (let* ((lines (split-string (string-trim-right (or (multi-edit-review--get hunk :oldText) "") "\n") "\n"))
         (more (> (length lines) multi-edit-review--most-lines))
         (overlay (make-overlay (pos-bol) (pos-bol))))
    (when (equal lines '("")) (setq lines nil))
    (dolist (mark (multi-edit-review--hunk-overlays hunk)) (overlay-put mark 'before-string nil))
    (overlay-put overlay 'before-string
                 (concat (propertize (concat (multi-edit--one-line (multi-edit-review--get hunk :message)) "\n")
                                     'face 'shadow)
                         (propertize (mapconcat (lambda (line) (concat line "\n"))
                                                (append (seq-take lines multi-edit-review--most-lines) (and more '("…"))))
                                     'face 'multi-edit-removal
                                     'line-prefix (multi-edit-review--sign "-" 'multi-edit-removal))))
    (setq multi-edit-review--shown (cons hunk overlay))))

;;; What the server sends

(defun multi-edit-review-did-change (session params)
  "Replace the changes to a file by those in PARAMS of SESSION's `multiEdit/didChangeReview'."
  (let* ((path (multi-edit--path session (plist-get params :uri)))
         (buffer (and (multi-edit--possible-p path) (find-buffer-visiting path)))
         (old (seq-filter (lambda (hunk) (equal (multi-edit-review--hunk-path hunk) path)) multi-edit-review--hunks))
         (shown (and (memq (car multi-edit-review--shown) old) (multi-edit-review--get (car multi-edit-review--shown) :id)))
         (new (seq-map (lambda (data)
                         (let ((same (seq-find (lambda (hunk)
                                                 (equal (multi-edit-review--get hunk :id) (plist-get data :id)))
                                               old)))
                           (multi-edit-review--new
                            :session session :path path :name (multi-edit--name session path) :data data
                            :seen (and same (multi-edit-review--hunk-seen same)
                                       (equal (multi-edit-review--get same :newText) (plist-get data :newText))))))
                       (plist-get params :hunks))))
    (mapc #'multi-edit-review--unmark old)
    (setq multi-edit-review--hunks
          (sort (append (seq-difference multi-edit-review--hunks old #'eq) new nil)
                (lambda (a b) (string< (multi-edit-review--hunk-path a) (multi-edit-review--hunk-path b))))
          ;; A change that is replaced while point is in it has not been left.
          multi-edit-review--at-point nil)
    (when buffer
      (with-current-buffer buffer
        (mapc #'multi-edit-review--mark new)
        (when (and multi-edit-review--margin (null new)) (multi-edit-review--set-margin 0))))
    (with-current-buffer (window-buffer)
      (multi-edit-review--follow-point)
      (dolist (hunk multi-edit-review--at-point)
        (when (equal (multi-edit-review--get hunk :id) shown) (multi-edit-review--show hunk))))
    (run-hooks 'multi-edit-review-hook)))

(provide 'multi-edit-review)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-review.el ends here
