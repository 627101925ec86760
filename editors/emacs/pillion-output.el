;;; pillion-output.el --- A command's output, as it comes  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; One buffer for each running command, like that of `compile': colours, errors to jump to,
;; input, and at the end a line that says how it ended.  What a command prints is shown and
;; never acted upon.

;;; Code:

(require 'comint)
(require 'compile)
(require 'pillion-server)
(require 'pillion-text)
(require 'pillion-verdict)

(defvar-local pillion--run nil
  "What this buffer shows: a `pillion-run'.")

(defvar pillion-output-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "g" #'pillion-rerun)
    (define-key map "i" #'pillion-send-line)
    (define-key map (kbd "C-c C-c") #'pillion-interrupt)
    (define-key map (kbd "C-c C-d") #'pillion-send-eof)
    (define-key map (kbd "C-c C-k") #'pillion-cancel)
    map)
  "Keys in the output of a command.")

(define-derived-mode pillion-output-mode compilation-mode "Pillion"
  "The output of a command that pillion runs.
\\{pillion-output-mode-map}"
  (setq mode-line-process '(:eval (pillion--run-state)))
  (add-hook 'window-size-change-functions #'pillion--resized nil t)
  (add-hook 'kill-buffer-hook #'pillion--buffer-killed nil t))

(defun pillion--run-state ()
  "Return what the mode line says of this buffer's command."
  (if pillion--run (format ":%s" (pillion-run-state pillion--run)) ""))

(defun pillion-run-live-p (run)
  "Return non-nil if RUN has not ended."
  (and run (pillion-run-id run) t))

;;; The result of a command

(defun pillion--handler (buffer run)
  "Return the function that shows in BUFFER what becomes of RUN."
  (lambda (what value)
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (pcase what
          ('event (pillion--event run value))
          (_ (setf (pillion-run-id run) nil)
             (pcase what
               ('result (pillion--result run value))
               ('error (pillion--error run value))
               ('interrupted
                (pillion--ended run "interrupted" 'error
                                "interrupted: the sidecar is gone, and the command with it; g runs it again"))))))
      (force-mode-line-update t))))

(defun pillion--event (run event)
  "RUN goes on, as EVENT says."
  (pcase (plist-get event :type)
    ("started" (setf (pillion-run-state run) "run"))
    ("output" (pillion--output run event))
    ("waiting" (setf (pillion-run-waits run) (plist-get event :kind))
     (message "pillion: %s (i in its buffer answers)"
              (pillion--visible (plist-get (aref (plist-get event :display) 0) :text))))
    ("port" (pillion--port run event))
    ("gap" (pillion--note (pillion-display-text (plist-get event :display))))))

(defconst pillion--ephemeral 32768
  "Ports from here on are the system's: nobody has chosen them to be looked at.")

(defun pillion--port (run event)
  "RUN listens on a port or ceases to, as EVENT says."
  (let ((port (plist-get event :port)))
    (setf (pillion-run-ports run) (delq port (pillion-run-ports run)))
    (when (eq (plist-get event :listening) t)
      (push port (pillion-run-ports run))
      (when (< port pillion--ephemeral)
        (message "pillion: %s listens on %s:%d in the sandbox (M-x pillion-forward opens it)"
                 (pillion--visible (plist-get event :process))
                 (pillion--visible (plist-get event :address)) port)))))

;;;###autoload
(defun pillion-forward (port &optional browse)
  "Let PORT of this buffer's command, or of the only one, out to 127.0.0.1.
With prefix argument BROWSE open it in a browser as well."
  (interactive (list nil current-prefix-arg))
  (let* ((run (or (and (pillion-run-live-p pillion--run) pillion--run)
                  (pillion--pick-run) (user-error "Nothing runs")))
         (ports (or (pillion-run-ports run) (user-error "This command listens on no port")))
         (port (or port (if (cdr ports)
                            (string-to-number
                             (completing-read "Port: " (mapcar #'number-to-string ports) nil t))
                          (car ports)))))
    (pillion--request
     (pillion-run-server run) 'exec/forward (list :execId (pillion-run-id run) :port port)
     (lambda (result)
       (let ((url (format "http://%s/" (plist-get result :address))))
         (message "pillion: port %d is at %s" port url)
         (when browse (browse-url url))))
     (lambda (err) (message "pillion: %s" (pillion--visible (plist-get err :message)))))))

(defun pillion--ended (run state face line)
  "RUN is over: its STATE for the mode line, and a LINE to show in FACE."
  (setf (pillion-run-state run) state)
  (let ((line (pillion--visible line)))
    (pillion--note (concat line "\n") face)
    (message "pillion: %s" line)))

(defun pillion--result (run result)
  "Show the end of RUN, its RESULT, in the sidecar's words."
  (let* ((lines (append (plist-get result :display) nil))
         (last (car (last lines)))
         (how (car (split-string (plist-get last :text) " · "))))
    (setf (pillion-run-undo run) (plist-get (plist-get result :effects) :id))
    (pillion--note (pillion-display-text (butlast lines)))
    (pillion--ended run how (if (equal (plist-get last :tone) "ok") 'success 'error)
                    (plist-get last :text))
    (run-hook-with-args 'compilation-finish-functions (current-buffer) how)))

(defun pillion--error (run err)
  "RUN did not start: show why, as ERR says."
  (let* ((data (plist-get err :data))
         (display (plist-get data :display))
         (denied (equal (plist-get data :kind) "guardDenied")))
    (when (> (length display) 1) ; more than the message
      (pillion--note (concat "\n" (pillion-display-text display) "\n")))
    (pillion--ended run (if denied "denied" "not started") 'error
                    (format "not started: %s" (plist-get err :message)))))

;;; Input

(defun pillion--tell (method &rest params)
  "Send METHOD with PARAMS about this buffer's command."
  (unless (pillion-run-live-p pillion--run)
    (user-error "The command has ended"))
  (apply #'pillion-exec-tell (pillion-run-server pillion--run) (pillion-run-id pillion--run)
         method params))

(defun pillion-send-line ()
  "Read a line and send it to the command, as if typed in its terminal."
  (interactive)
  (let ((last (buffer-substring (save-excursion (goto-char (point-max)) (line-beginning-position))
                                (point-max))))
    (pillion--tell 'exec/write :text
                   (concat (if (or (equal (cl-shiftf (pillion-run-waits pillion--run) nil) "hidden")
                                   (string-match-p comint-password-prompt-regexp last))
                               (read-passwd last)
                             (read-string "Input: "))
                           "\n"))))

(defun pillion-interrupt ()
  "Press Ctrl-C in the command's terminal; without one, cancel it."
  (interactive)
  (if (and pillion--run (pillion-run-terminal pillion--run))
      (pillion--tell 'exec/write :text "\C-c")
    (pillion-cancel)))

(defun pillion-send-eof ()
  "Press Ctrl-D in the command's terminal."
  (interactive)
  (pillion--tell 'exec/write :text "\C-d"))

;;;###autoload
(defun pillion-cancel (&optional force)
  "End this buffer's command, or the only one that runs.
With prefix argument FORCE, or the second time, kill it at once."
  (interactive "P")
  (let* ((run (or (and (pillion-run-live-p pillion--run) pillion--run)
                  (pillion--pick-run) (user-error "Nothing runs")))
         (force (or force (equal (pillion-run-state run) "cancelling"))))
    (setf (pillion-run-state run) "cancelling")
    (pillion-exec-cancel (pillion-run-server run) (pillion-run-id run) force)))

(defun pillion--pick-run ()
  "Return the command that runs; if there are several, ask which one."
  (let ((runs (cl-loop for buffer in (buffer-list)
                       for run = (buffer-local-value 'pillion--run buffer)
                       when (pillion-run-live-p run)
                       collect (cons (buffer-name buffer) run))))
    (if (cdr runs)
        (cdr (assoc (completing-read "Which one: " runs nil t) runs))
      (cdar runs))))

(defun pillion--terminal-size ()
  "Return the size of the terminal for this buffer's window."
  (let ((window (or (get-buffer-window) (selected-window))))
    (list :rows (max 2 (window-body-height window)) :cols (max 20 (window-max-chars-per-line window)))))

(defun pillion--resized (window)
  "Tell the command that WINDOW shows about its new size."
  (with-current-buffer (window-buffer window)
    (when (and (pillion-run-live-p pillion--run) (pillion-run-terminal pillion--run))
      (pillion--tell 'exec/resize :size (pillion--terminal-size)))))

(defun pillion--buffer-killed ()
  "End the command whose output nobody can see any more."
  (when (pillion-run-live-p pillion--run) (pillion-cancel)))

(declare-function pillion-rerun "pillion")

(provide 'pillion-output)
;;; pillion-output.el ends here
