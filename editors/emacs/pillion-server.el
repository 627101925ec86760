;;; pillion-server.el --- One sidecar for each project  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A sidecar's life: found, checked, started, initialized; and when it
;; dies, started again a little later, but not for ever.  Its commands
;; may write in their project, so every project has a sidecar of its own.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'url-util)
(require 'pillion-locate)

(defcustom pillion-options nil
  "The initializationOptions, a property list as docs/protocol.md names them.
For example (:profile \"readonly\" :limits (:timeoutMs 600000)).
A value that is local to a buffer or a directory is ignored."
  :type 'plist
  :group 'pillion
  :risky t)

(cl-defstruct pillion-server
  root connection
  (state 'new)                          ; new starting ready waiting stopped
  why                                   ; it stopped
  sandbox                               ; what was tested, of initialize
  (runs (make-hash-table :test #'equal))
  waiting                               ; (ID START FAIL) until it is ready
  (attempt 0)                           ; to start it; what came of older ones is moot
  crashes ready-at timer)

(defvar pillion--servers (make-hash-table :test #'equal)
  "From the root of a project to its `pillion-server'.")

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

(defun pillion-log (format &rest args)
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
    (pillion-log "%s" text)
    (message "%s" text)))

;;; Starting

(defun pillion-server-get (root)
  "Return the server of ROOT; it is made and started if it has none."
  (let ((server (or (gethash root pillion--servers)
                    (puthash root (make-pillion-server :root root) pillion--servers))))
    (when (eq (pillion-server-state server) 'new)
      (pillion--start server))
    server))

(defun pillion--start (server)
  "Start SERVER's sidecar."
  (let ((path (pillion--locate))
        (attempt (cl-incf (pillion-server-attempt server))))
    (setf (pillion-server-state server) 'starting
          (pillion-server-why server) nil)
    (cond
     ((file-remote-p (pillion-server-root server))
      (pillion--stopped server (format "pillion runs on this machine, and %s is on another one"
                                       (pillion-server-root server))))
     ((not path)
      (pillion--stopped server (format "pillion was not found beside pillion.el or in PATH: set pillion-server-path to pillion %s or newer"
                                       pillion-required-version)))
     (t
      (pillion--check-binary
       path (lambda (problem)
              (when (= attempt (pillion-server-attempt server))
                (if problem (pillion--stopped server problem)
                  (pillion--connect server path)))))))))

(defun pillion--connect (server path)
  "Start the binary at PATH as SERVER's sidecar and initialize it."
  ;; The name is also that of buffers, which the next one must not share.
  (let* ((name (format "pillion %s %x" (pillion-server-root server) (random #x1000000)))
         (connection
          (pillion--outside-buffers
            (apply
             #'make-instance 'pillion-connection
             :server server :name name
             :process (lambda ()
                        (make-process
                         :name name :command (list path "serve" "--stdio")
                         :connection-type 'pipe :coding 'utf-8-emacs-unix :noquery t
                         :stderr (make-pipe-process
                                  :name "pillion-stderr" :noquery t
                                  :buffer (get-buffer-create " *pillion-stderr*")
                                  :sentinel #'ignore
                                  :filter (lambda (_ text)
                                            (pillion-log "%s" (string-trim-right text))))))
             :request-dispatcher (lambda (_ method params)
                                   (list 'pillion--later method params))
             :notification-dispatcher #'pillion--notified
             :on-shutdown (lambda (connection) (pillion--died server connection))
             ;; No copy of everything that is said.
             (if (slot-exists-p 'jsonrpc-connection '-events-buffer-config) ; Emacs 30
                 '(:events-buffer-config (:size 0 :format full))
               '(:events-buffer-scrollback-size 0))))))
    (setf (pillion-server-connection server) connection)
    (pillion-log "%s: started, process %d" path (process-id (jsonrpc--process connection)))
    (pillion--request
     server 'initialize (pillion--initialize-params server)
     (lambda (result)
       (when (eq connection (pillion-server-connection server))
         (pillion--initialized server path result)))
     (lambda (err)
       (when (eq connection (pillion-server-connection server))
         (pillion--refused server path (plist-get err :message))))
     15)))

(defun pillion--uri (directory)
  "Return DIRECTORY as a file: URI."
  (concat "file://" (url-hexify-string (directory-file-name directory)
                                       (cons ?/ url-unreserved-chars))))

(defun pillion--initialize-params (server)
  "Return the params of SERVER's initialize."
  (let ((root (pillion-server-root server)))
    (list :processId (emacs-pid)
          :clientInfo (list :name "Emacs" :version emacs-version)
          :workspaceFolders
          (vector (list :uri (pillion--uri root)
                        :name (file-name-nondirectory (directory-file-name root))))
          :capabilities '(:exec (:approval t))
          :initializationOptions
          (append (list :protocolVersion pillion--protocol-version)
                  (default-value 'pillion-options)))))

(defun pillion--initialized (server path result)
  "SERVER at PATH has answered initialize with RESULT."
  (let ((version (plist-get result :protocolVersion)))
    (if (not (eql version pillion--protocol-version))
        (pillion--refused server path (format "it speaks protocol %s, and protocol %d is required"
                                              version pillion--protocol-version))
      (setf (pillion-server-state server) 'ready
            (pillion-server-ready-at server) (float-time)
            (pillion-server-sandbox server)
            (plist-get (plist-get result :capabilities) :sandbox))
      (jsonrpc-notify (pillion-server-connection server) 'initialized (make-hash-table))
      (mapc (lambda (waits) (funcall (nth 1 waits)))
            (nreverse (cl-shiftf (pillion-server-waiting server) nil)))))
  (force-mode-line-update t))

(defun pillion--refused (server path message)
  "SERVER at PATH did not initialize, as MESSAGE says.  Trying again won't help."
  (pillion--stopped server (format "pillion-server-path: %s cannot be used: %s" path message)))

(defun pillion--stopped (server why)
  "SERVER does not run any more, and WHY: one sentence."
  (setf (pillion-server-state server) 'stopped
        (pillion-server-why server) why)
  (pillion--disconnect server)
  (mapc (lambda (waits) (funcall (nth 2 waits) why))
        (nreverse (cl-shiftf (pillion-server-waiting server) nil)))
  (pillion--say "%s" why)
  (force-mode-line-update t))

(defun pillion--disconnect (server)
  "End SERVER's process, if there is one."
  (when-let ((timer (cl-shiftf (pillion-server-timer server) nil)))
    (cancel-timer timer))
  (when-let ((connection (pillion-server-connection server)))
    (when (jsonrpc-running-p connection)
      (process-send-eof (jsonrpc--process connection)))))

;;; Dying, and starting again

(defun pillion--next-delay (server now)
  "SERVER died at NOW: return the seconds until it is started again, or nil.
0.5, 1, 2, 4, 8 within three minutes, then no more; from the
beginning after a minute of health."
  (let ((ready-at (cl-shiftf (pillion-server-ready-at server) nil)))
    (when (and ready-at (>= (- now ready-at) 60))
      (setf (pillion-server-crashes server) nil)))
  (setf (pillion-server-crashes server)
        (cons now (cl-remove-if (lambda (then) (> (- now then) 180))
                                (pillion-server-crashes server))))
  (let ((n (length (pillion-server-crashes server))))
    (and (<= n 5)
         (* 0.5 (expt 2 (1- n)) (+ 0.8 (/ (random 400) 1000.0))))))

(defun pillion--died (server connection)
  "SERVER's process behind CONNECTION is gone.
Its commands are gone with it; none is run again."
  (mapc #'kill-buffer (list (jsonrpc-events-buffer connection)
                            (jsonrpc-stderr-buffer connection)
                            (process-buffer (jsonrpc--process connection))))
  (pillion-log "the sidecar of %s is gone (%s)" (pillion-server-root server)
               (process-exit-status (jsonrpc--process connection)))
  (when (eq connection (pillion-server-connection server))
    (let* ((code (process-exit-status (jsonrpc--process connection)))
           (runs (cl-shiftf (pillion-server-runs server) (make-hash-table :test #'equal)))
           (delay (and (eq (pillion-server-state server) 'ready)
                       (not (eql code 2)) ; usage
                       (pillion--next-delay server (float-time)))))
      (setf (pillion-server-connection server) nil)
      (cond
       (delay
        (setf (pillion-server-state server) 'waiting
              (pillion-server-timer server) (run-at-time delay nil #'pillion--start server)))
       ((not (eq (pillion-server-state server) 'stopped))
        (pillion--stopped
         server (format "pillion %s: see M-x pillion-show-log, then M-x pillion-restart"
                        (if (and (eq (pillion-server-state server) 'ready) (not (eql code 2)))
                            "died 6 times in 3 minutes" (format "ended with %s" code))))))
      (pillion--interrupt server runs))))

(defun pillion--interrupt (server runs)
  "SERVER's sidecar is gone: its RUNS are over, its questions are moot."
  (run-hook-with-args 'pillion-withdrawn-functions server nil)
  (maphash (lambda (_ handler) (funcall handler 'interrupted nil)) runs)
  (force-mode-line-update t))

(defun pillion-server-restart (server)
  "End SERVER's sidecar if it runs, and start it anew with a clean record."
  (let ((connection (cl-shiftf (pillion-server-connection server) nil))
        (runs (cl-shiftf (pillion-server-runs server) (make-hash-table :test #'equal))))
    (setf (pillion-server-crashes server) nil)
    (when-let ((timer (cl-shiftf (pillion-server-timer server) nil)))
      (cancel-timer timer))
    (when connection
      (process-send-eof (jsonrpc--process connection)))
    (pillion--interrupt server runs)
    (pillion--start server)))

;;; Talking to it

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
    (error (pillion-log "%s was not sent: %s" method (error-message-string err)))))

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
      ('$/cancelRequest
       (run-hook-with-args 'pillion-withdrawn-functions server (plist-get params :id)))
      ('window/showMessage (pillion--say "%s" (plist-get params :message)))
      ('window/logMessage (pillion-log "%s" (plist-get params :message))))))

(provide 'pillion-server)
;;; pillion-server.el ends here
