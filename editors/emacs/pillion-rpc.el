;;; pillion-rpc.el --- Talk to a sidecar  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Requests, commands that run, and what the sidecar says by itself, on
;; top of jsonrpc.el.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)

(cl-defstruct pillion-server
  root connection
  (state 'new)                          ; new starting ready waiting stopped
  why                                   ; it stopped
  sandbox                               ; what was tested, of initialize
  (runs (make-hash-table :test #'equal))
  waiting                               ; (ID START FAIL) until it is ready
  (attempt 0)                           ; to start it; what came of older ones is moot
  crashes ready-at timer)

(defun pillion--log (format &rest args)
  "Append a line, FORMAT with ARGS, to the log."
  (with-current-buffer (get-buffer-create "*pillion-log*")
    (unless (derived-mode-p 'special-mode) (special-mode))
    (let ((inhibit-read-only t))
      (save-excursion
        (goto-char (point-max))
        (insert (format-time-string "%T ") (apply #'format format args) "\n")))))

(defun pillion--say (format &rest args)
  "Log a line, FORMAT with ARGS, and show it."
  (let ((text (apply #'format format args)))
    (pillion--log "%s" text)
    (message "%s" text)))

(defvar pillion--request-function #'ignore
  "Called with server, id, method and params of a request from the sidecar.
It calls `pillion--reply', now or later, or returns nil if it serves none.")

(defclass pillion-connection (jsonrpc-process-connection)
  ((server :initarg :server :reader pillion-connection-server))
  :documentation "A connection that answers requests when it likes to.")

(cl-defmethod jsonrpc-connection-send ((connection pillion-connection)
                                       &rest args &key id result &allow-other-keys)
  "Send ARGS over CONNECTION, unless RESULT says that the answer comes later.
The dispatcher of jsonrpc.el has to answer at once, from within the
process filter, where nobody can be asked; and it isn't told the ID."
  (pcase result
    (`(pillion--later ,method ,params)
     (or (and (eq connection (pillion-server-connection (pillion-connection-server connection)))
              (funcall pillion--request-function
                       (pillion-connection-server connection) id method params))
         (cl-call-next-method
          connection :id id
          :error (list :code -32601 :message (format "no method %s" method)))))
    (_ (apply #'cl-call-next-method connection args))))

(defun pillion--reply (server id result)
  "Answer SERVER's request ID with RESULT."
  (let ((connection (pillion-server-connection server)))
    (when (and connection (jsonrpc-running-p connection))
      (jsonrpc-connection-send connection :id id :result result))))

(defun pillion--request (server method params &optional success failure timeout)
  "Send METHOD with PARAMS to SERVER.
SUCCESS gets the result, FAILURE the error; without TIMEOUT they may
take as long as they like.  If the sidecar is dead they are not
called: what it leaves open is for `pillion--died'."
  (condition-case err
      (jsonrpc-async-request
       (pillion-server-connection server) method params
       :timeout timeout
       :success-fn (or success #'ignore)
       :error-fn (lambda (err)
                   (when (and failure (not (eql (plist-get err :code) -1)))
                     (funcall failure err)))
       :timeout-fn (lambda ()
                     (when failure
                       (funcall failure (list :message (format "no answer in %s s" timeout))))))
    (error (pillion--log "%s was not sent: %s" method (error-message-string err)))))

(defun pillion-exec (server params handler)
  "Run a command, the PARAMS of exec, on SERVER; return its execId.
HANDLER is called later, with `event' and what came of the command, and
once at last with `result', `error' or `interrupted' (the sidecar is gone)."
  (let* ((id (format "emacs-%d-%x" (emacs-pid) (random (expt 2 60))))
         (params (append (list :execId id :partialResultToken id) params))
         (end (lambda (what)
                (lambda (value)
                  (when (gethash id (pillion-server-runs server)) ; not interrupted
                    (remhash id (pillion-server-runs server))
                    (funcall handler what value)))))
         (start (lambda ()
                  (puthash id handler (pillion-server-runs server))
                  (pillion--request server 'exec params
                                    (funcall end 'result) (funcall end 'error))))
         (fail (lambda (why) (funcall handler 'error (list :message why)))))
    (pcase (pillion-server-state server)
      ('ready (funcall start))
      ('stopped (run-at-time 0 nil fail (pillion-server-why server)))
      (_ (push (list id start fail) (pillion-server-waiting server))))
    id))

(defun pillion-exec-cancel (server id &optional force)
  "Stop the command ID of SERVER; with FORCE kill it at once."
  (if-let ((waits (assoc id (pillion-server-waiting server))))
      (progn
        (setf (pillion-server-waiting server) (delq waits (pillion-server-waiting server)))
        (funcall (nth 2 waits) "cancelled before it was started"))
    (apply #'pillion-exec-tell server id 'exec/cancel (and force '(:force t)))))

(defun pillion-exec-tell (server id method &rest params)
  "Send METHOD, such as exec/cancel, about the command ID to SERVER with PARAMS."
  (when (and (gethash id (pillion-server-runs server))
             (eq (pillion-server-state server) 'ready))
    (pillion--request server method (append (list :execId id) params))))

(defvar pillion-withdrawn-functions nil
  "Called with server and id of a question that needs no answer any more.
Without an id: all of a sidecar that is gone.")

(defun pillion--notified (connection method params)
  "The sidecar behind CONNECTION has sent the notification METHOD with PARAMS."
  (let ((server (pillion-connection-server connection)))
    (pcase method
      ('$/progress
       (when-let ((handler (gethash (plist-get params :token) (pillion-server-runs server))))
         (funcall handler 'event (plist-get params :value))))
      ((or 'exec/waiting 'exec/port)
       (when-let ((handler (gethash (plist-get params :execId) (pillion-server-runs server))))
         (funcall handler 'event (append (list :type (substring (symbol-name method) 5)) params))))
      ('$/cancelRequest
       (run-hook-with-args 'pillion-withdrawn-functions server (plist-get params :id)))
      ('window/showMessage (pillion--say "%s" (plist-get params :message)))
      ('window/logMessage (pillion--log "%s" (plist-get params :message))))))

(provide 'pillion-rpc)
;;; pillion-rpc.el ends here
