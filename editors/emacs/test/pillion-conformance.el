;;; pillion-conformance.el --- The script that every client's core must pass  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; editors/conformance/conformance.jsonl, a test for each case, in one
;; session and in their order (ERT runs tests by name, hence the numbers).

;;; Code:

(require 'ert)
(require 'pillion)

(defvar pillion-conformance--root (file-name-as-directory (make-temp-file "pillion-ws" t)))
(defvar pillion-conformance--answers nil "Those that are left.")
(defvar pillion-conformance--asked nil "Params of the questions, newest first.")

(defun pillion-conformance--read (file)
  "Return the lines of FILE as property lists."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents file))
    (mapcar (lambda (line) (json-parse-string line :object-type 'plist
                                              :null-object nil :false-object :json-false))
            (split-string (buffer-string) "\n" t))))

(defun pillion-conformance--answer (params)
  "Answer the question PARAMS as the case says."
  (push params pillion-conformance--asked)
  (or (pop pillion-conformance--answers) (error "No answer is left")))

(defun pillion-conformance--problem (expected got path)
  "Say at which PATH the value GOT is not at least EXPECTED, or return nil."
  (cond
   ((and (consp expected) (keywordp (car expected)))
    (cl-loop for (key value) on expected by #'cddr
             thereis (if (plist-member got key)
                         (pillion-conformance--problem value (plist-get got key)
                                                       (format "%s/%s" path key))
                       (format "%s/%s is absent" path key))))
   ((and (vectorp expected) (vectorp got) (= (length expected) (length got)))
    (cl-loop for i below (length expected)
             thereis (pillion-conformance--problem (aref expected i) (aref got i)
                                                   (format "%s/%d" path i))))
   ((not (equal expected got)) (format "%s: expected %S, got %S" path expected got))))

(defun pillion-conformance--step (server id step)
  "Do STEP about the command ID on SERVER."
  (cl-loop
   for (key value) on step by #'cddr do
   (pcase key
     (:write (pillion-exec-tell server id 'exec/write :text value))
     (:close (pillion-exec-tell server id 'exec/write :close t))
     (:resize (pillion-exec-tell server id 'exec/resize :size value))
     (:cancel (pillion-exec-cancel server id))
     (:kill (signal-process (jsonrpc--process (pillion-server-connection server)) 'SIGKILL)))))

(defun pillion-conformance--run (server case)
  "Run CASE on SERVER; return how it ended, its value and an alist of its streams."
  (let* ((steps (append (plist-get case :steps) nil)) (seen "") (pieces nil) (end nil) id
         (advance (lambda ()
                    (while (and steps id (string-search (plist-get (car steps) :when) seen))
                      (pillion-conformance--step server id (pop steps))))))
    (setq id (pillion-exec
              server (plist-get case :exec)
              (lambda (what value)
                (pcase (cons what (plist-get value :type))
                  ('(event . "started") (setq seen (concat seen "started")))
                  ('(event . "output")
                   (let ((bytes (if-let ((text (plist-get value :text)))
                                    (encode-coding-string text 'utf-8-unix)
                                  (base64-decode-string (plist-get value :data)))))
                     (push bytes (alist-get (plist-get value :stream) pieces nil nil #'equal))
                     (when steps
                       (setq seen (concat seen (decode-coding-string bytes 'utf-8-unix))))))
                  (`(,(or 'result 'error 'interrupted) . ,_)
                   (should-not end)
                   (setq end (list what value))))
                (funcall advance))))
    (funcall advance)
    (with-timeout (20 (ert-fail (list "no answer" (plist-get case :name))))
      (while (not end) (accept-process-output nil 0.05)))
    (append end (list (mapcar (lambda (stream)
                                (cons (car stream) (apply #'concat (reverse (cdr stream)))))
                              pieces)))))

(defun pillion-conformance--check (case end value streams)
  "Fail unless END, VALUE and STREAMS are as CASE expects."
  (cl-flet ((same (expected got path)
              (when-let ((problem (pillion-conformance--problem expected got path)))
                (ert-fail problem)))
            (stream (key) (alist-get (substring (symbol-name key) 1) streams "" nil #'equal)))
    (cl-loop
     for (key expected) on (plist-get case :expect) by #'cddr do
     (pcase key
       (:result (should (eq end 'result)) (same expected value "result"))
       (:error (should (eq end 'error)) (same expected value "error"))
       (:interrupted (should (eq end 'interrupted)))
       (:text (cl-loop for (name text) on expected by #'cddr do
                       (should (equal (decode-coding-string (stream name) 'utf-8-unix) text))))
       (:sha256 (cl-loop for (name hash) on expected by #'cddr do
                         (should (equal (secure-hash 'sha256 (stream name)) hash))))
       (:rules (same expected
                     (vconcat (mapcar (lambda (finding) (plist-get finding :ruleId))
                                      (plist-get (plist-get (plist-get value :data) :verdict)
                                                 :findings)))
                     "rules"))
       (:shown (let ((shown (mapconcat (lambda (line) (plist-get line :text))
                                       (plist-get (if (eq end 'error) (plist-get value :data) value)
                                                  :display)
                                       "\n"))
                     (at 0))
                 (cl-loop for text across expected do
                          (setq at (string-search text shown at))
                          (should at))))
       (:asked (same expected (vconcat (reverse pillion-conformance--asked)) "asked"))
       (_ (ert-fail (format "Nobody checks %s" key)))))))

(let* ((lines (pillion-conformance--read
               (expand-file-name "../conformance/conformance.jsonl" pillion--directory)))
       (options (plist-get (plist-get (car lines) :session) :initializationOptions))
       (number 0))
  (dolist (case (cdr lines))
    (eval
     `(ert-deftest ,(intern (format "pillion-conformance-%02d-%s" (cl-incf number)
                                    (plist-get case :name)))
          ()
        (let* ((pillion-options ',options)
               (pillion-ask-function #'pillion-conformance--answer)
               (pillion-conformance--answers (append ,(plist-get case :answers) nil))
               (pillion-conformance--asked nil)
               (server (pillion-server-get pillion-conformance--root)))
          (apply #'pillion-conformance--check ',case
                 (pillion-conformance--run server ',case))
          (should-not pillion-conformance--answers)))
     t)))

(provide 'pillion-conformance)
;;; pillion-conformance.el ends here
