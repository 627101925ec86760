;;; pillion.el --- Run shell commands, judged and in a sandbox  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;; Author: the pillion authors
;; Version: 0.1
;; Package-Requires: ((emacs "28.2"))
;; Keywords: processes, tools
;; URL: https://github.com/pillion-sidecar/pillion

;;; Commentary:

;; M-x pillion-run runs a shell command through pillion: a guard reads it
;; first and explains what is wrong with it, a sandbox confines it, and
;; its output is streamed into a buffer.  The README says more.

;;; Code:

(require 'project)
(require 'pillion-locate)
(require 'pillion-server)
(require 'pillion-output)
(require 'pillion-ask)

(defcustom pillion-terminal t
  "Whether commands get a terminal, and so colours and input.
Without one, more can be accepted for the whole session.
`pillion-run' with a prefix argument does the other."
  :type 'boolean
  :group 'pillion)

(defvar pillion--last nil
  "The command that ran last, to run it again.")

(defun pillion--root (directory)
  "Return the root of the project of DIRECTORY."
  (let ((project (project-current nil directory)))
    (file-name-as-directory
     (expand-file-name (if project (project-root project) directory)))))

;;;###autoload
(defun pillion-run (command &optional other)
  "Run the shell COMMAND, confined to this project.
With prefix argument OTHER it gets a terminal, or none, contrary to
`pillion-terminal'."
  (interactive (list (read-shell-command "Run confined: ") current-prefix-arg))
  (pillion--run-in command (expand-file-name default-directory)
                   (if other (not pillion-terminal) pillion-terminal)))

(defun pillion--run-in (command directory terminal)
  "Run COMMAND in DIRECTORY, with a TERMINAL if non-nil; return its buffer."
  (let* ((server (pillion-server-get (pillion--root directory)))
         (run (make-pillion-run :command command :directory directory :server server
                                :terminal terminal :state "starting"))
         (buffer (pillion--output-buffer)))
    (setq pillion--last run)
    (with-current-buffer buffer
      (let ((inhibit-read-only t)) (erase-buffer))
      (pillion-output-mode)
      (setq default-directory directory
            pillion--run run)
      (display-buffer buffer)
      (pillion--insert (format "%s $ %s\n\n" (abbreviate-file-name directory)
                               (pillion--visible command t)))
      (setf (pillion-run-id run)
            (pillion-exec server (pillion--exec-params command directory terminal)
                          (pillion--handler buffer run))))
    buffer))

(defun pillion--exec-params (command directory terminal)
  "Return the params of exec for COMMAND in DIRECTORY, in a TERMINAL or not."
  (append (list :command command :cwd (pillion--uri directory))
          (if terminal
              ;; No buffer can page.
              (list :pty (pillion--terminal-size) :env '(:PAGER "cat" :GIT_PAGER "cat"))
            '(:output (:merge t)))))

(defun pillion--output-buffer ()
  "Return a buffer for output in which nothing runs, this one if it can be."
  (let ((buffer (if (derived-mode-p 'pillion-output-mode) (current-buffer)
                  (get-buffer-create "*pillion*"))))
    (if (pillion-run-live-p (buffer-local-value 'pillion--run buffer))
        (generate-new-buffer "*pillion*")
      buffer)))

;;;###autoload
(defun pillion-rerun ()
  "Run this buffer's command again, or the last one."
  (interactive)
  (let ((run (or pillion--run pillion--last (user-error "Nothing has run yet"))))
    (pillion--run-in (pillion-run-command run) (pillion-run-directory run)
                     (pillion-run-terminal run))))

;;;###autoload
(defun pillion-undo (&optional force)
  "Take back what this buffer's command, or the last one, did to files.
What was changed since stays, and is named, unless FORCE, a prefix
argument, is there.  The same again is a redo."
  (interactive "P")
  (let* ((run (or pillion--run pillion--last (user-error "Nothing has run yet")))
         (id (or (pillion-run-undo run) (user-error "This command changed no file that is kept"))))
    (pillion--request
     (pillion-run-server run) 'exec/undo
     (append (list :execId id) (and force '(:force t)))
     (lambda (result)
       (let ((left (append (plist-get result :left) nil)))
         (unless left (setf (pillion-run-undo run) (plist-get result :undoId)))
         (message "pillion: %s%s" (plist-get result :text)
                  (mapconcat (lambda (one)
                               (pillion--visible
                                (format "; left alone: %s: %s" (plist-get one :path) (plist-get one :why))))
                             (seq-take left 8) ""))))
     (lambda (err) (message "pillion: %s" (pillion--visible (plist-get err :message)))))))

;;;###autoload
(defun pillion-restart ()
  "End this project's sidecar, if it runs, and start it anew."
  (interactive)
  (let* ((root (pillion--root default-directory))
         (server (gethash root pillion--servers)))
    (if server (pillion-server-restart server) (pillion-server-get root))
    (message "pillion: starting in %s" (abbreviate-file-name root))))

;;;###autoload
(defun pillion-log ()
  "Show what the sidecars and this client have logged."
  (interactive)
  (pillion--log "log shown")
  (pop-to-buffer "*pillion-log*"))

;;;###autoload
(defun pillion-doctor ()
  "Show which pillion is used and what this machine enforces."
  (interactive)
  (let ((path (pillion--locate)))
    (with-current-buffer (get-buffer-create "*pillion-doctor*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (format "pillion-server-path  %s\npillion-options      %S\nin use               %s\n\n"
                        (default-value 'pillion-server-path) (default-value 'pillion-options)
                        (or path "none: set pillion-server-path")))
        (special-mode)
        (display-buffer (current-buffer))
        (when path
          (make-process :name "pillion-doctor" :buffer (current-buffer) :noquery t
                        :command (list path "doctor") :connection-type 'pipe
                        :sentinel #'ignore)))
      (current-buffer))))

(defun pillion-mode-line ()
  "Return the state of this project's sidecar, for the mode line.
\(add-to-list \\='mode-line-misc-info \\='(:eval (pillion-mode-line)))"
  (let ((server (gethash (pillion--root default-directory) pillion--servers)))
    (pcase (and server (pillion-server-state server))
      ('nil "")
      ('ready (format " pillion:%s" (or (plist-get (pillion-server-sandbox server) :rung) "on")))
      ('waiting " pillion:restarting")
      (state (format " pillion:%s" state)))))

(provide 'pillion)
;;; pillion.el ends here
