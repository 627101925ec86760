;;; pillion-server.el --- One sidecar for each project  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A sidecar's life: found, checked, started, initialized; and when it
;; dies, started again a little later, but not for ever.  Its commands
;; may write in their project, so every project has a sidecar of its own.

;;; Code:

(require 'cl-lib)
(require 'url-util)
(require 'pillion-locate)
(require 'pillion-rpc)

(defcustom pillion-options nil
  "The initializationOptions, a property list as docs/protocol.md names them.
For example (:profile \"readonly\" :limits (:timeoutMs 600000)).
A value that is local to a buffer or a directory is ignored."
  :type 'plist
  :group 'pillion
  :risky t)

(defvar pillion--servers (make-hash-table :test #'equal)
  "From the root of a project to its `pillion-server'.")

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
                                            (pillion--log "%s" (string-trim-right text))))))
             :request-dispatcher (lambda (_ method params)
                                   (list 'pillion--later method params))
             :notification-dispatcher #'pillion--notified
             :on-shutdown (lambda (connection) (pillion--died server connection))
             ;; No copy of every message.
             (if (slot-exists-p 'jsonrpc-connection '-events-buffer-config) ; Emacs 30
                 '(:events-buffer-config (:size 0 :format full))
               '(:events-buffer-scrollback-size 0))))))
    (setf (pillion-server-connection server) connection)
    (pillion--log "%s: started, process %d" path (process-id (jsonrpc--process connection)))
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
          :capabilities '(:exec (:approval t :grants t :events ["waiting" "port"]))
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
  (pillion--log "the sidecar of %s is gone (%s)" (pillion-server-root server)
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
         server (format "pillion %s: see M-x pillion-log, then M-x pillion-restart"
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

(provide 'pillion-server)
;;; pillion-server.el ends here
