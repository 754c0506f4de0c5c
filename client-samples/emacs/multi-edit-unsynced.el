;;; multi-edit-unsynced.el --- Report unsaved changes that no server sees  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Some buffers hold the text of a file without being synced, such as those of a package for notebooks.  The server does
;; not write the files whose URIs are reported here.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'multi-edit-session)

(defvar multi-edit--unsynced (make-hash-table :test #'eq :weakness 'key)
  "For each session, the URIs that were reported last.")

(defvar multi-edit--unsynced-timer nil
  "Timer that reports the files while the user is idle, because some changes run no hook.")

(defun multi-edit--watch-unsynced ()
  "From now on, report the files with unsaved changes that a session does not see, so that it does not write them."
  (unless multi-edit--unsynced-timer
    (setq multi-edit--unsynced-timer (run-with-idle-timer 1 t #'multi-edit--report-unsynced))
    (dolist (hook '(first-change-hook after-save-hook after-revert-hook after-set-visited-file-name-hook
                                      kill-buffer-hook))
      (add-hook hook #'multi-edit--report-unsynced-soon))
    (with-eval-after-load 'eglot
      (add-hook 'eglot-connect-hook (lambda (_) (multi-edit--report-unsynced)))
      (add-hook 'eglot-managed-mode-hook #'multi-edit--report-unsynced-soon))
    (with-eval-after-load 'lsp-mode
      (add-hook 'lsp-after-initialize-hook #'multi-edit--report-unsynced)
      (add-hook 'lsp-after-open-hook #'multi-edit--report-unsynced-soon))))

(defun multi-edit--report-unsynced-soon (&rest _)
  "Report the files once the present event is over, when the buffers are in their new state."
  ;; The report itself uses buffers, which visit no file; without this condition, it would never end.
  (when buffer-file-name (run-with-timer 0 nil #'multi-edit--report-unsynced)))

(defun multi-edit--report-unsynced ()
  "Send each session its list of files if the list has changed."
  (dolist (session (multi-edit--sessions))
    (let* ((synced (multi-edit--buffers session))
           (paths (cl-loop for buffer in (buffer-list)
                           for path = (buffer-file-name buffer)
                           when (and path (buffer-modified-p buffer) (not (file-remote-p path))
                                     (not (memq buffer synced)))
                           collect path))
           (uris (mapcar (lambda (path) (multi-edit--uri session path)) (sort paths #'string<))))
      (unless (equal uris (gethash session multi-edit--unsynced))
        (puthash session uris multi-edit--unsynced)
        (multi-edit--notify session "multiEdit/didChangeUnsynced" (list :uris (vconcat uris)))))))

(provide 'multi-edit-unsynced)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-unsynced.el ends here
