;;; multi-edit-disk.el --- Load and merge files that change on disk  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; If another program writes a file, its buffer is loaded again, unless it has unsaved text.  Then the server merges the
;; changes into the buffer, and this file sets the time with which Emacs compares the file, so that Emacs asks nothing
;; when the buffer is saved.  Where both have changed the same, `multi-edit-merge' shows both texts.

;;; Code:

(require 'seq)
(require 'url-util)
(require 'multi-edit-edits)
(require 'multi-edit-session)

(declare-function ediff-buffers "ediff")
(defvar ediff-quit-hook)

(defun multi-edit--disk-contents (buffer)
  "Return (TIME . TEXT) of the file of BUFFER: its time before it was read, and a buffer with its text."
  (let* ((path (buffer-file-name buffer))
         (coding (buffer-local-value 'buffer-file-coding-system buffer))
         (time (file-attribute-modification-time (file-attributes path)))
         (text (generate-new-buffer (format "*on disk: %s*" (buffer-name buffer)))))
    (with-current-buffer text
      (let ((coding-system-for-read coding)) (insert-file-contents path)))
    (cons time text)))

;; Emacs gives up after a second if a formatter has changed thousands of lines, and then puts a new text in place.
(defun multi-edit--replace-text (text)
  "Make the text of the current buffer that of the buffer TEXT; point, and what windows show, stay where they are."
  (let* ((line (lambda (position) (goto-char position) (list (line-number-at-pos) (current-column))))
         (places (save-excursion
                   (mapcar (lambda (window)
                             (list window (funcall line (window-start window)) (funcall line (window-point window))))
                           (get-buffer-window-list nil nil t))))
         (here (save-excursion (funcall line (point))))
         (show (pcase-lambda (`(,number ,column))
                 (goto-char (point-min))
                 (forward-line (1- number))
                 (move-to-column column)
                 (point))))
    (unless (replace-buffer-contents text 1)
      (pcase-dolist (`(,window ,start ,point) places)
        (set-window-start window (funcall show start))
        (set-window-point window (funcall show point)))
      (funcall show here))))

(defun multi-edit--load-files (session uris)
  "Load the files with URIS, of SESSION, into the buffers that have no unsaved text; one undo gives the old text back."
  (seq-doseq (uri uris)
    (when-let* ((path (multi-edit--path session uri))
                (buffer (find-buffer-visiting path)))
      (with-current-buffer buffer
        (unless (or (buffer-modified-p) (not (file-readable-p path)))
          (pcase-let ((`(,time . ,text) (multi-edit--disk-contents buffer)))
            (unwind-protect
                (let ((inhibit-read-only t))
                  ;; Otherwise Emacs would ask about the file before the first change.
                  (set-visited-file-modtime time)
                  (undo-boundary)
                  (save-restriction
                    (widen)
                    (multi-edit--replace-text text))
                  (undo-boundary)
                  (set-buffer-modified-p nil))
              (kill-buffer text)))
          ;; A branch switch loads many files, of which each flush would otherwise look at all.
          (multi-edit--flush session buffer))))))

(defun multi-edit--adopt-disk (session uri hash)
  "Have Emacs treat the file with URI, of SESSION, as read if its bytes have the SHA-256 HASH; return the answer."
  (let* ((path (multi-edit--path session uri))
         (buffer (find-buffer-visiting path))
         (time (file-attribute-modification-time (file-attributes path)))
         (is-same (and buffer time (equal hash (multi-edit--hash path)))))
    (when is-same
      (with-current-buffer buffer (set-visited-file-modtime time)))
    (list :adopted (if is-same t :json-false))))

;;;###autoload
(defun multi-edit-merge ()
  "Merge the current buffer with its file on disk, change by change, in Ediff.
Quitting Ediff says that all of it has been merged as far as you want; saving the buffer then asks nothing."
  (interactive)
  (require 'ediff)
  (let* ((buffer (current-buffer))
         (path (buffer-file-name))
         (session (multi-edit--session))
         (hash (multi-edit--hash path))
         (contents (multi-edit--disk-contents buffer))
         (finish (lambda ()
                   (kill-buffer (cdr contents))
                   (with-current-buffer buffer (set-visited-file-modtime (car contents)))
                   (multi-edit--notify session "multiEdit/didMerge"
                                       (list :uri (concat "file://" (url-hexify-string path url-path-allowed-chars))
                                             :hash hash)))))
    (ediff-buffers (cdr contents) buffer (list (lambda () (add-hook 'ediff-quit-hook finish 90 t))))))

(provide 'multi-edit-disk)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-disk.el ends here
