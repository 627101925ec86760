;;; pillion-text.el --- Text of a command, shown and never acted upon  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Of what a command prints, colours and the carriage return of a
;; progress line have an effect; no other control sequence has.

;;; Code:

(require 'ansi-color)
(require 'cl-lib)
(require 'comint)

(cl-defstruct pillion-run command directory server terminal id state undo waits ports (pending ""))

(defconst pillion--escape
  (concat "\e\\(?:[]P_^X][^\a\e]*\\(?:\a\\|\e\\\\\\)"    ; title, clipboard, …
          "\\|\\[\\([\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]\\)"
          "\\|[\x20-\x2f]*[\x30-\x4f\x51-\x57\x59\x5a\x5c\x60-\x7e]\\)")
  "An escape sequence; the first group is one that begins with ESC [.")

(defconst pillion--unfinished
  "\e\\(?:\\[[\x20-\x3f]*\\|[]P_^X][^\a\e]*\e?\\|[\x20-\x2f]*\\)\\'"
  "An escape sequence whose end has not come yet.")

(defun pillion--colours-only (text)
  "Return TEXT with no escape sequences but those for colours.
The value is a cons of that and the beginning of an unfinished one."
  (let* ((rest (or (string-match pillion--unfinished text) (length text)))
         (rest (if (> (- (length text) rest) 4096) (length text) rest)))
    (cons (replace-regexp-in-string
           "\e\\(?:[^[]\\|\\'\\)" ""
           (replace-regexp-in-string
            pillion--escape
            (lambda (found)
              (let ((control (match-string 1 found)))
                (if (and control (string-match-p "\\`[0-9:;]*m\\'" control)) found "")))
            (substring text 0 rest) t t))
          (substring text rest))))

(defun pillion--insert (text)
  "Insert TEXT, which may have faces, at the end of the output and follow it."
  (let* ((inhibit-read-only t)
         (start (copy-marker (point-max)))
         (windows (cl-remove-if-not (lambda (window) (= (window-point window) (point-max)))
                                    (get-buffer-window-list nil nil t)))
         (follow (= (point) (point-max))))
    (save-excursion
      (goto-char (point-max))
      (insert text)
      (when (string-match-p "[\r\b]" text)
        (comint-carriage-motion start (point-max))))
    (when follow (goto-char (point-max)))
    (dolist (window windows) (set-window-point window (point-max)))))

(defun pillion--output (run event)
  "Show EVENT, output of RUN, in the current buffer."
  (let* ((text (or (plist-get event :text)
                   (decode-coding-string (base64-decode-string (plist-get event :data)) 'utf-8-unix)))
         (text (concat (pillion-run-pending run) text)))
    (if (or ansi-color-context (string-search "\e" text))
        (let ((cleaned (pillion--colours-only text)))
          (setf (pillion-run-pending run) (cdr cleaned))
          (pillion--insert (ansi-color-apply (car cleaned))))
      ;; Most output is plain, and a copy less of much of it is time.
      (setf (pillion-run-pending run) "")
      (pillion--insert text))))

(defun pillion--note (text &optional face)
  "Insert TEXT of our own on lines of its own, in FACE."
  (pillion--insert (concat (if (or (bobp) (eq (char-before (point-max)) ?\n)) "" "\n")
                           (if face (propertize text 'font-lock-face face) text))))

(provide 'pillion-text)
;;; pillion-text.el ends here
