;;; pillion-verdict.el --- Show what the guard found in a command  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; What the sidecar says of a command to a person, in its words.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defface pillion-span '((t :inherit error :underline t))
  "What the guard objects to in a command."
  :group 'pillion)

(defun pillion--visible (text &optional newlines)
  "Return TEXT with characters that can't be seen or reorder others spelled out.
So what a person reads is what runs.  NEWLINES and tabs stay if non-nil."
  (mapconcat
   (lambda (c)
     (if (and (memq (get-char-code-property c 'general-category) '(Cc Cf Co Cn Cs Zl Zp))
              (not (and newlines (memq c '(?\n ?\t)))))
         (propertize (format "<U+%04X>" c) 'font-lock-face 'escape-glyph)
       (string c)))
   text ""))

(defconst pillion--faces
  '(("title" . bold) ("place" . pillion-span) ("ok" . success) ("warn" . warning) ("error" . error))
  "The face of a tone, where it is not the default.")

(defun pillion-display-text (display)
  "Return the lines DISPLAY of the sidecar, which are fit to be shown.
A command has room around it."
  (let ((last nil))
    (mapconcat
     (lambda (line)
       (let* ((text (plist-get line :text))
              (kind (cond ((string-prefix-p "    " text) 'command) ((string-prefix-p "  " text) 'row)))
              (room (and last (or (not (eq (eq kind 'command) (eq (car last) 'command)))
                                  (and (null kind) (eq (car last) 'row))))))
         (setq last (list kind))
         (concat (if room "\n" "")
                 (mapconcat (lambda (span)
                              (let ((face (cdr (assoc (plist-get span :tone) pillion--faces)))
                                    (text (plist-get span :text)))
                                (if face (propertize text 'font-lock-face face) text)))
                            (or (plist-get line :spans) (list line)) "")
                 (if (equal (plist-get line :action) "undo") " (M-x pillion-undo)" "")
                 "\n")))
     display "")))

(provide 'pillion-verdict)
;;; pillion-verdict.el ends here
