;;; multi-edit-record.el --- Record the changes to a text  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The hooks record one part of the text, outside of which nothing has changed since the server was last synced.  If the
;; hooks miss a change, Emacs's count of changes (`buffer-chars-modified-tick') and the length of the text reveal it.
;; If in doubt, the whole text is sent.

;;; Code:

(require 'cl-lib)
(require 'multi-edit-session)

(declare-function jsonrpc-notify "jsonrpc")

(cl-defstruct (multi-edit--record (:constructor multi-edit--new-record) (:copier nil))
  "The part of BUFFER's text that differs from the server's text, which has SIZE characters.
FROM is the start of the differing part, nil if there is none; TAIL is the number of characters after it.  FRONTS and
BACKS are pieces of the server's text in that part: FRONTS in order, then BACKS in reverse order.  TICK is the count of
changes for which this is true.  ANNOUNCED is a part, as (FROM TAIL FRONT BACK SIZE), that is about to change.  If
IN-DOUBT is non-nil, none of this is known."
  (buffer (current-buffer))
  (tick (buffer-chars-modified-tick))
  (size (buffer-size))
  from tail fronts backs announced in-doubt)

(defvar-local multi-edit--record nil
  "The current buffer's changes; nil if they are not recorded, in which case the whole text must be sent.")
(put 'multi-edit--record 'permanent-local t)

(defun multi-edit--tell-open (server item)
  "Notify SERVER that the current buffer, described by ITEM, is open, and start recording its changes."
  (multi-edit--start-recording)
  (jsonrpc-notify server :textDocument/didOpen (list :textDocument item)))

(defun multi-edit--tell-changes (server document)
  "Send SERVER the current buffer's changes since the last sync; DOCUMENT has its URI and its new version."
  (let ((changes (multi-edit--changes (multi-edit--encoding server)))
        (is-sent nil))
    ;; Before sending, because Emacs may do other things while it sends.
    (multi-edit--start-recording)
    (unwind-protect
        (progn
          (jsonrpc-notify server :textDocument/didChange (list :textDocument document :contentChanges changes))
          (setq is-sent t))
      (unless is-sent (setq multi-edit--record nil)))))

(defun multi-edit--start-recording ()
  "Record the changes of the current buffer from now on."
  (setq multi-edit--record (multi-edit--new-record))
  ;; The functions are re-added each time: after an error in a function of such a hook, Emacs removes all of them, and
  ;; when the mode changes, it forgets their depths.
  (remove-hook 'before-change-functions #'multi-edit--before-change t)
  (remove-hook 'after-change-functions #'multi-edit--after-change t)
  (add-hook 'before-change-functions #'multi-edit--before-change 100 t)
  (add-hook 'after-change-functions #'multi-edit--after-change -100 t))

(defun multi-edit--stop-recording ()
  (setq multi-edit--record nil)
  (remove-hook 'before-change-functions #'multi-edit--before-change t)
  (remove-hook 'after-change-functions #'multi-edit--after-change t))

(defun multi-edit--recorder ()
  "Return the record of the current buffer's changes, if there is one that can be trusted."
  ;; A clone shares the text of its base, and both have these functions in their hooks.
  (let* ((buffer (or (buffer-base-buffer) (current-buffer)))
         (record (buffer-local-value 'multi-edit--record buffer)))
    (and record
         (eq buffer (multi-edit--record-buffer record))
         (not (multi-edit--record-in-doubt record))
         record)))

(defun multi-edit--before-change (from to)
  "Remember the server's text between FROM and TO, because it is about to change."
  (when-let* ((record (multi-edit--recorder)))
    (setf (multi-edit--record-announced record)
          (and (= (multi-edit--record-tick record) (buffer-chars-modified-tick))
               ;; Functions that run between the two of this file could edit the text unnoticed.
               (eq (car (last before-change-functions)) #'multi-edit--before-change)
               (eq (car after-change-functions) #'multi-edit--after-change)
               ;; An error would remove all functions from this hook.
               (ignore-errors (multi-edit--announced record from to))))
    (unless (multi-edit--record-announced record) (setf (multi-edit--record-in-doubt record) t))))

(defun multi-edit--announced (record from to)
  "Return RECORD's differing part, extended to include FROM to TO, where nothing has changed yet."
  (save-restriction
    (widen)
    (let* ((end (1+ (buffer-size)))
           (start (multi-edit--record-from record))
           (tail (multi-edit--record-tail record)))
      (if (null start)
          (list (+ from 0) (- end to) (buffer-substring-no-properties from to) "" (buffer-size))
        (list (min start from)
              (min tail (- end to))
              (if (< from start) (buffer-substring-no-properties from start) "")
              (if (< (- end to) tail) (buffer-substring-no-properties (- end tail) to) "")
              (buffer-size))))))

(defun multi-edit--after-change (from to old-length)
  "Record that the text between FROM and TO, which had OLD-LENGTH characters, has changed, if that was announced."
  (when-let* ((record (multi-edit--recorder)))
    (let ((tick (buffer-chars-modified-tick))
          (announced (multi-edit--record-announced record)))
      (setf (multi-edit--record-announced record) nil)
      ;; Otherwise only text properties have changed.
      (when (/= tick (multi-edit--record-tick record))
        (pcase announced
          ((and `(,start ,tail ,front ,back ,size)
                (guard (and (<= start from)
                            (<= tail (- (1+ (buffer-size)) to))
                            (= (- (buffer-size) size) (- to from old-length)))))
           (setf (multi-edit--record-from record) start
                 (multi-edit--record-tail record) tail
                 (multi-edit--record-tick record) tick)
           (unless (equal front "") (push front (multi-edit--record-fronts record)))
           (unless (equal back "") (push back (multi-edit--record-backs record))))
          (_ (setf (multi-edit--record-in-doubt record) t)))))))

(defun multi-edit--changes (encoding)
  "Return the changes to the current buffer's text since the last sync, as `:contentChanges'.
Columns count units of ENCODING."
  (let* ((record (multi-edit--recorder))
         (from (and record (multi-edit--record-from record)))
         (tail (and record (multi-edit--record-tail record)))
         (old (and from (apply #'concat (append (multi-edit--record-fronts record)
                                                (reverse (multi-edit--record-backs record)))))))
    (cond
     ((not (and record (= (multi-edit--record-tick record) (buffer-chars-modified-tick))))
      (vector (list :text (multi-edit--text))))
     ((null from) [])
     ((/= (multi-edit--record-size record) (+ (1- from) (length old) tail))
      (vector (list :text (multi-edit--text))))
     (t
      (save-restriction
        (widen)
        (vector (list :range (multi-edit--range from old encoding)
                      :text (buffer-substring-no-properties from (- (1+ (buffer-size)) tail)))))))))

(defun multi-edit--range (from old encoding)
  "Return the LSP range of the text OLD, which was at FROM in the current buffer; columns count units of ENCODING."
  (let* ((line (1- (line-number-at-pos from t)))
         (column (save-excursion
                   (goto-char from)
                   (multi-edit--columns (pos-bol) from encoding)))
         (start (list :line line :character column)))
    (list :start start
          :end (if (equal old "")
                   start
                 (with-temp-buffer
                   (insert old)
                   (let ((lines (1- (line-number-at-pos)))
                         (more (multi-edit--columns (pos-bol) (point) encoding)))
                     (list :line (+ line lines) :character (if (zerop lines) (+ column more) more))))))))

(defun multi-edit--columns (from to encoding)
  "Return the length, in units of ENCODING, of the text between FROM and TO in the current buffer."
  (let ((characters (- to from))
        (bytes (- (position-bytes to) (position-bytes from))))
    (cond ((or (= characters bytes) (equal encoding "utf-32")) characters)
          ((equal encoding "utf-8") bytes)
          (t (save-excursion
               (goto-char from)
               (let ((pairs 0))
                 (while (progn (skip-chars-forward "\0-\uffff" to) (< (point) to))
                   (cl-incf pairs (skip-chars-forward "^\0-\uffff" to)))
                 (+ characters pairs)))))))

(provide 'multi-edit-record)
;; Local Variables:
;; byte-compile-docstring-max-column: 120
;; End:
;;; multi-edit-record.el ends here
