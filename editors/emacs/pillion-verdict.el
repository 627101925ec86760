;;; pillion-verdict.el --- Show what the guard found in a command  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The command with what was found underlined, why, and what to do
;; instead: for a denial, and for a question.

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

(defun pillion-underlined (command spans)
  "Return COMMAND as it can be shown, with SPANS of its bytes underlined."
  (let ((byte 0))
    (mapconcat
     (lambda (c)
       (let ((text (pillion--visible (string c) t))
             (at byte))
         (cl-incf byte (string-bytes (string c)))
         (if (cl-some (lambda (span) (and (<= (plist-get span :start) at)
                                          (< at (plist-get span :end))))
                      spans)
             (propertize text 'font-lock-face 'pillion-span)
           text)))
     command "")))

(defun pillion--spans (findings)
  "Return the spans of FINDINGS that are in the text of a command."
  (cl-loop for finding across findings
           when (equal (plist-get (plist-get finding :source) :field) "command")
           collect (plist-get finding :span)))

(defun pillion--finding-text (finding)
  "Return the lines about FINDING: what, why, instead, rule."
  (let ((line (lambda (label text)
                (if text (format "  %-8s %s\n" label (pillion--visible text)) ""))))
    (concat (funcall line "what" (plist-get finding :message))
            (funcall line "why" (plist-get finding :explanation))
            (funcall line "instead" (plist-get (plist-get finding :suggestion) :title))
            (funcall line "rule" (plist-get finding :ruleId)))))

(defun pillion-verdict-text (headline command findings)
  "Return HEADLINE, COMMAND with what FINDINGS object to, and the reasons."
  (concat (propertize (pillion--visible headline) 'font-lock-face 'bold) "\n\n    "
          (replace-regexp-in-string
           "\n" "\n    " (pillion-underlined (or command "") (pillion--spans findings)) t t)
          "\n\n"
          (mapconcat #'pillion--finding-text findings "")))

(provide 'pillion-verdict)
;;; pillion-verdict.el ends here
