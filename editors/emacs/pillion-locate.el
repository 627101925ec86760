;;; pillion-locate.el --- Find the pillion binary, and see that it is one  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Where the sidecar comes from: the setting, what lies beside this
;; file, PATH.  Never from a repository: only the global values of the
;; settings are read, and relative elements of PATH are not looked at.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defgroup pillion nil
  "Run shell commands judged by a guard and confined by a sandbox."
  :group 'processes
  :prefix "pillion-")

(defcustom pillion-server-path nil
  "The pillion binary; nil: beside pillion.el, or in PATH.
A value that is local to a buffer or a directory is ignored."
  :type '(choice (const :tag "Look for it" nil) file)
  :risky t)

(defconst pillion-required-version "0.1"
  "The oldest release of pillion that this client can use.")

(defconst pillion--protocol-version 1
  "The version of the protocol that this client speaks.")

(defconst pillion--directory
  (file-name-directory (file-truename (or load-file-name buffer-file-name "/")))
  "Where this client lies, links resolved.")

(defmacro pillion--outside-buffers (&rest body)
  "Run BODY where no buffer's or directory's local variables hold."
  (declare (indent 0) (debug t))
  `(with-temp-buffer (setq default-directory "/") ,@body))

(defun pillion--locate ()
  "Return the path of the binary, or nil."
  (pillion--outside-buffers
    (if-let ((path (default-value 'pillion-server-path)))
        (expand-file-name path)
      (cl-find-if
       (lambda (file) (and (file-regular-p file) (file-executable-p file)))
       (append
        (mapcar (lambda (name) (expand-file-name name pillion--directory))
                '("pillion" "bin/pillion" "../../dist/pillion" "../../pillion"))
        (cl-loop for dir in (default-value 'exec-path)
                 when (and dir (file-name-absolute-p dir))
                 collect (expand-file-name "pillion" dir)))))))

(defun pillion--version-problem (path output)
  "Return what is wrong with the binary at PATH, which said OUTPUT, or nil.
One sentence: the setting, what was found, what is required."
  (let ((version (and (string-match "\\`pillion \\([^ \n]+\\)" output)
                      (match-string 1 output))))
    (cond
     ((or (equal version "devel")
          (ignore-errors
            (version<= pillion-required-version (string-remove-prefix "v" version))))
      nil)
     (version
      (format "pillion-server-path: %s is pillion %s, but %s or newer is required"
              path version pillion-required-version))
     (t
      (format "pillion-server-path: %s is not pillion (it said %S), and pillion %s or newer is required"
              path (truncate-string-to-width (string-trim output) 60)
              pillion-required-version)))))

(defun pillion--check-binary (path then)
  "Ask the binary at PATH for its version; call THEN with a problem or nil."
  (if (not (and (file-regular-p path) (file-executable-p path)))
      (funcall then (format "pillion-server-path: %s cannot be started, and pillion %s or newer is required"
                            path pillion-required-version))
    (pillion--outside-buffers
      (let* ((output "") timer
             (process
              (make-process
               :name "pillion-version" :command (list path "version")
               :connection-type 'pipe :noquery t
               :filter (lambda (_ text) (setq output (concat output text)))
               :sentinel (lambda (process _)
                           (unless (process-live-p process)
                             (cancel-timer timer)
                             (funcall then (pillion--version-problem path output)))))))
        (setq timer (run-at-time 5 nil #'delete-process process))))))

(provide 'pillion-locate)
;;; pillion-locate.el ends here
