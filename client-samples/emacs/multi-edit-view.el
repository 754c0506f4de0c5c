;;; multi-edit-view.el --- Mark what agents have changed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Remembers the changes by agents, and marks the changed lines until point has been there.

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

(defface multi-edit-change '((t :inherit diff-added :extend t))
  "Lines that an agent has changed.")

(defface multi-edit-removal '((t :inherit diff-removed))
  "Places where an agent has removed text.")

(cl-defstruct (multi-edit-view--change (:constructor multi-edit-view--new-change) (:copier nil))
  "A changed place, or a FILE that has none, changed by WHO at the time AT in the call TRANSACTION.
FROM and TO are lines, from 1, unless there is no place; they hold while no buffer visits the file.  OVERLAY marks the
lines in the buffer.  REMOVAL says that text was only removed; FIRST, that it is the call's first place in the file;
SEEN, that point has been there."
  file who at transaction from to removal first overlay seen)

(defvar multi-edit-view--changes nil
  "All changes, oldest first.")

(defvar multi-edit-view--most 2000
  "Maximum number of changes to remember.")

(defvar multi-edit-view--here nil
  "The marked changes that contain point.")

(defun multi-edit-view--path (change)
  (plist-get (multi-edit-view--change-file change) :path))

(defun multi-edit-view--buffer (change)
  "Return the buffer in which CHANGE is marked, if any."
  (when-let* ((overlay (multi-edit-view--change-overlay change)))
    (overlay-buffer overlay)))

(defun multi-edit-view--update (change)
  "Update the lines of CHANGE, because text before it may have changed.  Return its first line."
  (when-let* ((buffer (multi-edit-view--buffer change))
              (overlay (multi-edit-view--change-overlay change)))
    (with-current-buffer buffer
      (let ((from (line-number-at-pos (overlay-start overlay) t)))
        (setf (multi-edit-view--change-from change) from
              (multi-edit-view--change-to change)
              (max from (line-number-at-pos (max (overlay-start overlay) (1- (overlay-end overlay))) t))))))
  (multi-edit-view--change-from change))

(defun multi-edit-view--mark (change buffer)
  "Mark CHANGE in BUFFER."
  (with-current-buffer buffer
    (save-excursion
      (save-restriction
        (widen)
        (let* ((start (progn (goto-char (point-min))
                             (forward-line (1- (multi-edit-view--change-from change)))
                             (pos-bol)))
               (end (progn (forward-line (1+ (- (multi-edit-view--change-to change)
                                                (multi-edit-view--change-from change))))
                           (point)))
               (overlay (make-overlay start end)))
          (overlay-put overlay 'multi-edit-change change)
          (setf (multi-edit-view--change-overlay change) overlay)
          (multi-edit-view--paint change)))))
  (add-hook 'kill-buffer-hook #'multi-edit-view--forget-buffer)
  (add-hook 'post-command-hook #'multi-edit-view--follow-point))

(defun multi-edit-view--paint (change)
  "Highlight CHANGE unless it has been seen."
  (let ((overlay (multi-edit-view--change-overlay change))
        (seen (multi-edit-view--change-seen change)))
    (if (multi-edit-view--change-removal change)
        (overlay-put overlay 'before-string
                     (and (not seen) (propertize "[text was removed here] " 'face 'multi-edit-removal)))
      (overlay-put overlay 'face (and (not seen) 'multi-edit-change)))))

(defun multi-edit-view--unmark (change)
  (when-let* ((overlay (multi-edit-view--change-overlay change)))
    (delete-overlay overlay)
    (setf (multi-edit-view--change-overlay change) nil)))

(defun multi-edit-view--drop (drops)
  "Forget the changes for which the function DROPS returns non-nil."
  (setq multi-edit-view--changes
        (seq-remove (lambda (change) (when (funcall drops change) (multi-edit-view--unmark change) t))
                    multi-edit-view--changes)
        multi-edit-view--here
        (seq-filter (lambda (change) (memq change multi-edit-view--changes)) multi-edit-view--here))
  (unless multi-edit-view--changes
    (remove-hook 'kill-buffer-hook #'multi-edit-view--forget-buffer)
    (remove-hook 'post-command-hook #'multi-edit-view--follow-point)))

(defun multi-edit-view--forget-buffer ()
  "Remember the lines of the changes in the current buffer, which is about to be killed."
  (dolist (change multi-edit-view--changes)
    (when (eq (multi-edit-view--buffer change) (current-buffer))
      (multi-edit-view--update change)
      (multi-edit-view--unmark change))))

(defun multi-edit-view--mark-buffer ()
  "Mark the changes to the file of the current buffer."
  (dolist (change multi-edit-view--changes)
    (when (and (multi-edit-view--change-from change)
               (not (multi-edit-view--buffer change))
               (equal (multi-edit-view--path change) buffer-file-name))
      (multi-edit-view--mark change (current-buffer)))))

(add-hook 'find-file-hook #'multi-edit-view--mark-buffer)

(defun multi-edit-view--follow-point ()
  "Remove the highlighting from the changes that point has left."
  (unless (minibufferp)
    (let ((here (delq nil (mapcar (lambda (overlay)
                                    (when-let* ((change (overlay-get overlay 'multi-edit-change)))
                                      (and (not (multi-edit-view--change-seen change)) change)))
                                  (overlays-in (pos-bol) (min (point-max) (1+ (pos-eol))))))))
      (setq here (seq-filter (lambda (change)
                               (let ((overlay (multi-edit-view--change-overlay change)))
                                 (or (= (overlay-start overlay) (pos-bol))
                                     (and (<= (overlay-start overlay) (point)) (< (point) (overlay-end overlay))))))
                             here))
      (dolist (change multi-edit-view--here)
        (unless (memq change here)
          (setf (multi-edit-view--change-seen change) t)
          (when (multi-edit-view--buffer change) (multi-edit-view--paint change))))
      (setq multi-edit-view--here here))))

(defun multi-edit-view--follow-file (file)
  "Let the earlier changes of FILE follow if it was renamed; forget them if it was deleted."
  (pcase (plist-get file :kind)
    ("rename"
     (dolist (change multi-edit-view--changes)
       (when (equal (multi-edit-view--path change) (plist-get file :old-path))
         (setf (multi-edit-view--change-file change)
               (plist-put (plist-put (copy-sequence (multi-edit-view--change-file change)) :path (plist-get file :path))
                          :name (plist-get file :name))))))
    ("delete"
     (multi-edit-view--drop (lambda (change) (equal (multi-edit-view--path change) (plist-get file :path)))))))

(defun multi-edit-view--add-file (call file)
  "Remember and mark the changes of CALL to FILE."
  (multi-edit-view--follow-file file)
  (let* ((ranges (append (plist-get file :ranges) nil))
         (path (plist-get file :path))
         (buffer (and ranges (multi-edit--possible-p path) (find-buffer-visiting path)))
         (is-first t))
    (dolist (range (or ranges '(nil)))
      (let* ((start (plist-get range :start))
             (end (plist-get range :end))
             (from (and range (1+ (plist-get start :line))))
             (is-before (and range (zerop (plist-get end :character)) (> (plist-get end :line) (plist-get start :line))))
             (change (multi-edit-view--new-change
                      :file file :who (plist-get call :who) :at (plist-get call :at)
                      :transaction (plist-get call :transaction)
                      :from from :to (and range (+ (plist-get end :line) (if is-before 0 1)))
                      :removal (and range (equal start end))
                      :first is-first)))
        (setq is-first nil
              multi-edit-view--changes (nconc multi-edit-view--changes (list change)))
        (when buffer (multi-edit-view--mark change buffer))))))

(defun multi-edit-view-did-apply (session params)
  "Mark and list the changes in PARAMS of SESSION's `multiEdit/didApply'; if an agent made them, show a message."
  (let* ((files (mapcar (lambda (file)
                          (let* ((path (multi-edit--path session (plist-get file :uri)))
                                 (old-uri (plist-get file :oldUri))
                                 (old (and old-uri (multi-edit--path session old-uri))))
                            (append (list :path path
                                          :name (multi-edit--name session path)
                                          :root (multi-edit--root session)
                                          :old-path old
                                          :old-name (and old (multi-edit--name session old)))
                                    file)))
                        (append (plist-get params :files) nil)))
         (transaction (plist-get params :transaction))
         (call (list :who (or (multi-edit--who params) "You") :at (plist-get params :at) :transaction transaction
                     :undone (equal (plist-get params :kind) "undone") :files files)))
    (multi-edit-view--drop (lambda (change) (equal (multi-edit-view--change-transaction change) transaction)))
    (unless (plist-get call :undone)
      (dolist (file files) (multi-edit-view--add-file call file))
      (let ((oldest (seq-take multi-edit-view--changes
                              (max 0 (- (length multi-edit-view--changes) multi-edit-view--most)))))
        (when oldest (multi-edit-view--drop (lambda (change) (memq change oldest)))))
      (with-current-buffer (window-buffer) (multi-edit-view--follow-point)))
    ;; A call from Emacs itself has an answer, which is shown anyway.
    (when (and (plist-get params :agent) files) (multi-edit--mention call))))

(provide 'multi-edit-view)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-view.el ends here
