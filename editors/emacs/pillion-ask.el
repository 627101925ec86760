;;; pillion-ask.el --- Put the guard's questions to a person  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A question comes at any time, from a process filter, so it is put when nothing else
;; reads from the keyboard.  A key that is typed before the question can be seen doesn't
;; answer it, and no answer is a no.

;;; Code:

(require 'pillion-server)
(require 'pillion-verdict)

(defvar pillion-ask-function #'pillion-ask
  "Called with the params of exec/requestApproval; returns its result.")

(defvar pillion--questions nil
  "Questions that wait, oldest first: (SERVER ID PARAMS).")

(defvar pillion--question nil
  "The question that is being asked.")

(defun pillion--question-arrived (server id method params)
  "Queue SERVER's request ID, if METHOD is a question, with its PARAMS."
  (when (eq method 'exec/requestApproval)
    (setq pillion--questions
          (append pillion--questions (list (list server id params))))
    (run-at-time 0 nil #'pillion--ask-next)
    t))

(setq pillion--request-function #'pillion--question-arrived)

(defun pillion--ask-next ()
  "Ask the oldest question, as soon as the minibuffer is free."
  (cond
   ((or pillion--question (null pillion--questions)))
   ((> (minibuffer-depth) 0) (run-at-time 0.2 nil #'pillion--ask-next))
   (t
    (pcase-let* ((question (pop pillion--questions))
                 (`(,server ,id ,params) question)
                 (answer '(:decision "decline")))
      (setq pillion--question question)
      (unwind-protect
          (setq answer (catch 'pillion-withdrawn
                         (condition-case nil
                             (let ((inhibit-quit nil)) ; a timer's is t
                               (funcall pillion-ask-function params))
                           (quit answer))))
        (setq pillion--question nil)
        (when answer (pillion--reply server id answer))
        (run-at-time 0 nil #'pillion--ask-next))))))

(defun pillion--withdraw (server id)
  "SERVER needs no answer to its question ID any more, or without ID to none."
  (let ((question pillion--question)
        (concerns (lambda (question)
                    (and (eq (car question) server)
                         (or (null id) (equal (cadr question) id))))))
    (setq pillion--questions (cl-remove-if concerns pillion--questions))
    (when (and question (funcall concerns question))
      ;; Not from within the process filter, which has more to read.
      (run-at-time 0 nil (lambda ()
                           (when (eq question pillion--question)
                             (message "pillion: the question was withdrawn")
                             (throw 'pillion-withdrawn nil)))))))

(add-hook 'pillion-withdrawn-functions #'pillion--withdraw)

(defconst pillion--choices
  '((?a "accept" "accept" "Let it run, once.")
    (?s "session" "acceptForSession" "Let it run, and don't ask about the very same again in this session.")
    (?A "always" "acceptAlways" "Let it run, and keep this yes in your policy, as the question says.")
    (?e "edit" "edit" "Change the command; the new one is judged from the beginning.")
    (?d "decline" "decline" "Don't let it run (as C-g does)."))
  "Key, name and description of each decision, and its word in the protocol.")

(defun pillion-ask (params)
  "Ask a person about PARAMS of exec/requestApproval; return the result."
  (let* ((command (plist-get (plist-get params :subject) :command))
         (offered (append (plist-get params :availableDecisions) nil))
         (choices (cl-loop for (key name decision help) in pillion--choices
                           when (and (member decision offered)
                                     (or command (not (equal decision "edit"))))
                           collect (list key name help)))
         (buffer (pillion--question-buffer params)))
    (save-window-excursion
      (unwind-protect
          (progn
            (display-buffer buffer '((display-buffer-reuse-window display-buffer-pop-up-window)
                                     (window-height . fit-window-to-buffer)))
            (while (not (sit-for 0.4)) (discard-input))
            (pillion--answer
             (car (read-multiple-choice (pcase (plist-get params :reason)
                                          ("network" "pillion: let it connect?")
                                          ("use" "pillion: let it?")
                                          (_ "pillion: run it?"))
                                        choices))
             command))
        (kill-buffer buffer)))))

(defun pillion--answer (key command)
  "Return the result for KEY, pressed in a question about COMMAND."
  (let ((decision (nth 2 (assq key pillion--choices))))
    (if (equal decision "edit")
        (list :decision decision
              :command (read-from-minibuffer "Run instead: " command))
      (list :decision decision))))

(defun pillion--question-buffer (params)
  "Return a buffer that shows the question PARAMS."
  (with-current-buffer (get-buffer-create "*pillion question*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert (pillion-display-text (plist-get params :display))))
    (special-mode)
    (goto-char (point-min))
    (current-buffer)))

(provide 'pillion-ask)
;;; pillion-ask.el ends here
