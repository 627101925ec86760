;;; pillion-test.el --- Tests of the Emacs client  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Against the real binary; test/screen has what only a screen shows.

;;; Code:

(require 'ert)
(require 'pillion)

(defvar pillion-test--binary (getenv "PILLION_BIN"))
(setq-default pillion-server-path pillion-test--binary)
(defvar native-comp-enable-subr-trampolines)
(setq native-comp-enable-subr-trampolines nil) ; nothing to compile with

(defmacro pillion-test--until (form)
  "Wait until FORM is non-nil, at most 15 s."
  `(with-timeout (15 (ert-fail (list "in 15 s it did not come to" ',form (buffer-string))))
     (while (not ,form) (accept-process-output nil 0.02))))

(defun pillion-test--directory ()
  "Return a new empty directory."
  (file-name-as-directory (file-truename (make-temp-file "pillion-test" t))))

(defmacro pillion-test--run (command terminal &rest body)
  "Run COMMAND in a new directory, with a TERMINAL or not; BODY in its buffer."
  (declare (indent 2))
  `(let ((default-directory (pillion-test--directory)))
     (with-current-buffer (pillion--run-in ,command default-directory ,terminal)
       ,@body)))

(defvar pillion-test--project nil
  "A project whose sidecar the tests share that do nothing to it.")

(defmacro pillion-test--shared (command terminal &rest body)
  "As `pillion-test--run' with COMMAND, TERMINAL and BODY, and a shared sidecar."
  (declare (indent 2))
  `(let ((default-directory (make-temp-file
                             (expand-file-name
                              "x" (or pillion-test--project
                                      (let ((project (pillion-test--directory)))
                                        (make-directory (expand-file-name ".git" project))
                                        (setq pillion-test--project project))))
                             t)))
     (setq default-directory (file-name-as-directory default-directory))
     (with-current-buffer (pillion--run-in ,command default-directory ,terminal)
       ,@body)))

(defun pillion-test--end ()
  "Wait until this buffer's command has ended; return the last line."
  (pillion-test--until (not (pillion-run-live-p pillion--run)))
  (pillion-test--last))

(defun pillion-test--last ()
  "Return the last line."
  (save-excursion
    (goto-char (point-max))
    (buffer-substring-no-properties (line-beginning-position 0) (1- (point)))))

(defun pillion-test--text ()
  "Return what a command has printed."
  (string-join (seq-subseq (split-string (buffer-substring-no-properties 1 (point-max)) "\n") 2 -2) "\n"))

(defun pillion-test--has (regexp)
  "Return the start of REGEXP in this buffer."
  (save-excursion (goto-char (point-min))
                  (and (re-search-forward regexp nil t) (match-beginning 0))))

(defun pillion-test--fake (text)
  "Return a program made of TEXT, for the shell."
  (let ((file (expand-file-name "pillion" (pillion-test--directory))))
    (with-temp-file file (insert "#!/bin/sh\n" text))
    (set-file-modes file #o755)
    file))

(defun pillion-test--why (path &optional options)
  "Return why the binary at PATH can't be used with OPTIONS, or `ready'."
  (let* ((pillion-server-path path) (pillion-options options)
         (server (pillion-server-get (pillion-test--directory))))
    (pillion-test--until (memq (pillion-server-state server) '(ready stopped)))
    (if-let ((why (pillion-server-why server)))
        (progn (should-not (string-search "\n" why)) why)
      (pillion-server-state server))))

;;; The binary

(ert-deftest pillion-the-setting-comes-first ()
  (let ((pillion-server-path "/nowhere/pillion"))
    (should (equal (pillion--locate) "/nowhere/pillion"))))

(ert-deftest pillion-the-binary-of-the-repository-comes-before-path ()
  (let* ((pillion-server-path nil) (root (pillion-test--directory))
         (pillion--directory (expand-file-name "editors/emacs/" root))
         (exec-path (list (expand-file-name "onpath" root))))
    (should-not (pillion--locate))
    (dolist (dir '("onpath" "dist" "editors/emacs/bin"))
      (make-directory (expand-file-name dir root) t)
      (let ((file (expand-file-name (concat dir "/pillion") root)))
        (write-region "#!/bin/sh" nil file nil 'quiet)
        (set-file-modes file #o755)
        (should (equal (pillion--locate) file))))))

(ert-deftest pillion-a-relative-element-of-path-chooses-nothing ()
  (let* ((file (pillion-test--fake "")) (default-directory (file-name-directory file))
         (exec-path '("." nil "")) (pillion-server-path nil) (pillion--directory "/nowhere/a/b/"))
    (should-not (pillion--locate))))

(ert-deftest pillion-a-repository-chooses-neither-binary-nor-policy ()
  (let ((default-directory (pillion-test--directory)) (enable-local-variables :all)
        (evil (pillion-test--fake "touch evil; echo pillion devel")))
    (with-temp-file ".dir-locals.el"
      (insert (format "((nil . ((pillion-server-path . %S) (pillion-options . (:bogus 1)) (exec-path . (%S)))))"
                      evil (file-name-directory evil))))
    (write-region "" nil "file" nil 'quiet)
    (with-current-buffer (find-file-noselect "file")
      (should (equal pillion-server-path evil)) ; somebody said yes, always
      (should (equal (pillion--locate) pillion-test--binary))
      (with-current-buffer (pillion-run "echo fine")
        (should (string-prefix-p "exit 0" (pillion-test--end)))))
    (should-not (safe-local-variable-p 'pillion-server-path "/x"))
    (dolist (symbol '(pillion-server-path pillion-options))
      (should (get symbol 'risky-local-variable)))))

(ert-deftest pillion-an-older-version-is-one-sentence ()
  (let ((path (pillion-test--fake "echo pillion 0.0.9 linux/amd64")))
    (should (equal (pillion-test--why path)
                   (format "pillion-server-path: %s is pillion 0.0.9, but 0.1 or newer is required" path)))))

(ert-deftest pillion-a-newer-version-is-used ()
  (dolist (said '("pillion 0.1\n" "pillion v1.0.0 linux/amd64" "pillion devel linux/amd64"))
    (should-not (pillion--version-problem "/x" said))))

(ert-deftest pillion-another-program-is-one-sentence ()
  (should (equal (pillion-test--why "/bin/echo")
                 "pillion-server-path: /bin/echo is not pillion (it said \"version\"), and pillion 0.1 or newer is required")))

(ert-deftest pillion-no-binary-is-one-sentence ()
  (should (string-match-p "\\`pillion-server-path: /nowhere cannot be started, and" (pillion-test--why "/nowhere"))))

(ert-deftest pillion-another-protocol-is-one-sentence ()
  (let ((path (pillion-test--fake "test \"$1\" = version && { echo pillion 9; exit; }
body='{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":2}}'
read header; printf 'Content-Length: %d\\r\\n\\r\\n%s' ${#body} \"$body\"; cat >/dev/null")))
    (should (equal (pillion-test--why path)
                   (format "pillion-server-path: %s cannot be used: it speaks protocol 2, and protocol 1 is required" path)))))

(ert-deftest pillion-refused-options-are-one-sentence-and-not-tried-again ()
  (let ((starts (lambda () (with-current-buffer "*pillion-log*" (how-many "started, process" 1)))))
    (pillion--log "begin")
    (let ((before (funcall starts)))
      (should (string-match-p "cannot be used: .*bogus" (pillion-test--why pillion-test--binary '(:bogus 1))))
      (accept-process-output nil 0.7)
      (should (= (funcall starts) (1+ before))))))

;;; A sidecar that dies

(ert-deftest pillion-it-is-started-again-ever-later-and-the-sixth-time-not ()
  (let ((server (make-pillion-server)))
    (dolist (wanted '(0.5 1 2 4 8))
      (let ((delay (pillion--next-delay server 1000.0)))
        (should (<= (* 0.79 wanted) delay (* 1.21 wanted)))))
    (should-not (pillion--next-delay server 1000.0))))

(ert-deftest pillion-three-minutes-forget-and-a-minute-of-health-forgives ()
  (let ((server (make-pillion-server :crashes (make-list 5 1000.0))))
    (should (< 0.3 (pillion--next-delay server 1181.0) 0.7)))
  (let ((server (make-pillion-server :crashes (make-list 5 1000.0) :ready-at 1001.0)))
    (should (< 0.3 (pillion--next-delay server 1061.0) 0.7))))

(defun pillion-test--kill ()
  "Kill the sidecar of this buffer's command."
  (signal-process (jsonrpc--process (pillion-server-connection (pillion-run-server pillion--run))) 'SIGKILL))

(ert-deftest pillion-killed-in-a-run-it-is-interrupted-and-not-run-again ()
  (pillion-test--run "echo once >>times; echo up; sleep 600" t
    (pillion-test--until (pillion-test--has "^up"))
    (pillion-test--kill)
    (should (string-prefix-p "interrupted: the sidecar is gone" (pillion-test--end)))
    (should (equal (pillion--run-state) ":interrupted"))
    (should (eq (pillion-server-state (pillion-run-server pillion--run)) 'waiting))
    (should (equal (pillion-mode-line) " pillion:restarting"))
    (with-current-buffer (pillion--run-in "cat times" default-directory nil)
      (should (string-prefix-p "exit 0" (pillion-test--end)))
      (should (equal (pillion-test--text) "once")))))

(ert-deftest pillion-nothing-of-a-dead-sidecar-is-left ()
  (pillion-test--run "echo up; sleep 600" t
    (pillion-test--until (pillion-test--has "^up"))
    (let ((root (pillion-server-root (pillion-run-server pillion--run))))
      (pillion-test--kill)
      (pillion-test--end)
      (should-not (cl-remove-if-not (lambda (buffer) (string-search root (buffer-name buffer)))
                                    (buffer-list))))))

(ert-deftest pillion-a-restart-interrupts-what-runs-and-forgets-the-crashes ()
  (pillion-test--run "echo up; sleep 600" t
    (pillion-test--until (pillion-test--has "^up"))
    (let ((server (pillion-run-server pillion--run)))
      (setf (pillion-server-crashes server) (make-list 5 (float-time)))
      (pillion-restart)
      (should (string-prefix-p "interrupted" (pillion-test--end)))
      (should-not (pillion-server-crashes server))
      (pillion-test--until (string-search "is gone" (with-current-buffer "*pillion-log*" (buffer-string))))
      (should (string-prefix-p "interrupted" (pillion-test--last)))
      (pillion-test--until (eq (pillion-server-state server) 'ready)))))

(ert-deftest pillion-a-broken-one-can-be-restarted-when-it-is-mended ()
  (let ((pillion-server-path "/nowhere"))
    (pillion-test--run "true" t
      (should (string-prefix-p "not started: pillion-server-path: /nowhere cannot be started"
                               (pillion-test--end)))
      (setq pillion-server-path pillion-test--binary)
      (pillion-restart)
      (pillion-test--until (eq (pillion-server-state (pillion-run-server pillion--run)) 'ready)))))

(ert-deftest pillion-one-that-dies-again-and-again-is-given-up ()
  (pillion-test--run "true" nil
    (pillion-test--end)
    (let ((server (pillion-run-server pillion--run)))
      (setf (pillion-server-crashes server) (make-list 5 (float-time)))
      (pillion-test--kill)
      (pillion-test--until (eq (pillion-server-state server) 'stopped))
      (should (equal (pillion-server-why server)
                     "pillion died 6 times in 3 minutes: see M-x pillion-log, then M-x pillion-restart"))
      (pillion-rerun)
      (should (string-prefix-p "not started: pillion died 6 times" (pillion-test--end)))
      (pillion-restart)
      (pillion-restart)                 ; the first one has not finished
      (pillion-rerun)
      (should (string-prefix-p "exit 0" (pillion-test--end))))))

(ert-deftest pillion-one-that-ends-before-it-is-ready-is-not-tried-again ()
  (should (equal (pillion-test--why (pillion-test--fake "test \"$1\" = version || exit 2; echo pillion devel"))
                 "pillion ended with 2: see M-x pillion-log, then M-x pillion-restart")))

;;; Runs

(ert-deftest pillion-cancel-ends-the-whole-tree ()
  (pillion-test--shared "sh -c 'trap \"\" HUP TERM; sleep 60418' & echo up; wait" nil
    (pillion-test--until (pillion-test--has "^up"))
    (pillion-cancel)
    (should (string-prefix-p "cancelled (killed by SIG" (pillion-test--end)))
    (should (equal "" (shell-command-to-string "pgrep -fx 'sleep 60418'")))))

(ert-deftest pillion-cancel-of-what-has-not-started ()
  (pillion-test--run "echo never" nil
    (pillion-cancel)
    (should (equal (pillion-test--end) "not started: cancelled before it was started"))))

(ert-deftest pillion-a-killed-buffer-cancels-its-command ()
  (pillion-test--shared "trap 'touch ended; exit' TERM; echo up; while :; do sleep 0.05; done" t
    (pillion-test--until (pillion-test--has "^up"))
    (let ((file (expand-file-name "ended")))
      (kill-buffer)
      (pillion-test--until (file-exists-p file)))))

(ert-deftest pillion-rerun-runs-it-again-in-its-directory ()
  (pillion-test--shared "echo x >>times" nil
    (pillion-test--end)
    (pillion-rerun)
    (pillion-test--end)
    (should (equal (with-temp-buffer (insert-file-contents "times") (buffer-string)) "x\nx\n"))))

(ert-deftest pillion-two-commands-have-two-buffers ()
  (pillion-test--shared "echo up; sleep 600" nil
    (let ((first (current-buffer)))
      (with-current-buffer (pillion--run-in "echo two" default-directory nil)
        (should-not (eq first (current-buffer)))
        (pillion-test--end))
      (pillion-cancel)
      (pillion-test--end))))

(ert-deftest pillion-a-name-with-a-space-an-umlaut-and-a-percent-sign ()
  (let ((directory (file-name-as-directory (expand-file-name "a ü%20" (pillion-test--directory)))))
    (make-directory directory)
    (with-current-buffer (pillion--run-in "pwd" directory nil)
      (pillion-test--end)
      (should (equal (file-name-as-directory (pillion-test--text)) directory)))))

(ert-deftest pillion-the-root-of-the-project-is-what-may-be-written ()
  (let* ((root (pillion-test--directory)) (default-directory (concat root "sub/")))
    (make-directory default-directory)
    (should (zerop (call-process "git" nil nil nil "init" "-q" root)))
    (with-current-buffer (pillion-run "touch ../there; pwd")
      (should (string-prefix-p "exit 0" (pillion-test--end))))
    (should (file-exists-p (concat root "there")))))

(ert-deftest pillion-a-directory-on-another-machine-is-one-sentence ()
  (let ((server (make-pillion-server :root "/ssh:host:/x/")))
    (pillion--start server)
    (should (equal (pillion-server-why server)
                   "pillion runs on this machine, and /ssh:host:/x/ is on another one"))))

;;; What is shown

(defun pillion-test--shown (&rest pieces)
  "Return what PIECES of output come to, with their properties."
  (with-temp-buffer
    (let ((run (make-pillion-run)))
      (dolist (piece pieces) (pillion--output run (list :text piece)))
      (buffer-string))))

(ert-deftest pillion-colours-in-whatever-pieces-they-come ()
  (let ((all "a\n\e[31mred\e[0m\nb"))
    (dolist (shown (list (pillion-test--shown all)
                         (apply #'pillion-test--shown (mapcar #'string all))))
      (should (equal (substring-no-properties shown) "a\nred\nb"))
      (should-not (get-text-property 0 'font-lock-face shown))
      (should (string-match-p "ansi-color-red\\|red3" (format "%S" (get-text-property 3 'font-lock-face shown)))))))

(ert-deftest pillion-titles-clipboards-and-links-are-not-shown-nor-obeyed ()
  (let* ((all "a\e]0;title\ab\e]52;c;eA==\e\\c\e[2J\e[10;10H\e]8;;http://x\e\\d\ePq\e\\\e7\e(B"))
    (dolist (shown (list (pillion-test--shown all)
                         (apply #'pillion-test--shown (mapcar #'string all))))
      (should (equal (substring-no-properties shown) "abcd")))))

(ert-deftest pillion-a-sequence-that-never-ends-swallows-not-for-ever ()
  (should (string-suffix-p "xx" (pillion-test--shown "\e]0;" (make-string 5000 ?x)))))

(ert-deftest pillion-a-progress-line-replaces-itself ()
  (should (equal (substring-no-properties (pillion-test--shown " 50%\r" "\e[K 75%\r\e[K" "100%\r\n" "done"))
                 "100%\ndone")))

(ert-deftest pillion-a-run-shows-colours-its-end-and-its-sandbox ()
  (pillion-test--shared "printf '\\033[32mgreen\\033[0m\\n'; echo $PAGER; test -t 1; exit 3" t
    (should (string-match-p "\\`exit 3 · [0-9.]+ m?s · workspace-write, network \\(?:denied\\|by address book\\)\\'" (pillion-test--end)))
    (should (equal (pillion-test--text) "green\ncat"))
    (should (get-text-property (pillion-test--has "^green") 'font-lock-face))
    (should (equal (pillion--run-state) ":exit 3"))
    (should (string-prefix-p " pillion:" (pillion-mode-line)))))

(ert-deftest pillion-a-denial-has-why-and-instead-and-the-place-underlined ()
  (pillion-test--shared "echo grüß; rm -rf ~" nil
    (should (string-prefix-p "not started: denied: " (pillion-test--end)))
    (let ((at (pillion-test--has "^    echo grüß; rm -rf ~$")))
      (should (eq (get-text-property (+ at 22) 'font-lock-face) 'pillion-span))
      (should (equal (char-after (+ at 22)) ?~))
      (should-not (get-text-property (+ at 21) 'font-lock-face)))
    (should (pillion-test--has "^  why      A deleted system or home directory"))
    (should (pillion-test--has "^  instead  delete by name, inside the workspace$"))
    (should (equal (pillion--run-state) ":denied"))))

(ert-deftest pillion-undo-takes-back-what-a-command-did ()
  (let ((directory (pillion-test--directory)))
    (with-temp-file (expand-file-name "kept" directory) (insert "mine\n"))
    (with-current-buffer (pillion--run-in "rm kept; echo x >made" directory nil)
      (pillion-test--end)
      (should (pillion-test--has "^files: 1 deleted, 1 new (M-x pillion-undo)$"))
      (let ((id (pillion-run-undo pillion--run)))
        (pillion-undo)
        (pillion-test--until (not (equal id (pillion-run-undo pillion--run)))))
      (should (file-exists-p "kept"))
      (should-not (file-exists-p "made"))
      (pillion-undo)
      (pillion-test--until (and (file-exists-p "made") (not (file-exists-p "kept")))))
    (with-current-buffer (pillion--run-in "true" directory nil)
      (pillion-test--end)
      (should-error (pillion-undo) :type 'user-error))))

(ert-deftest pillion-what-the-sandbox-refused-has-a-line ()
  (pillion-test--shared "echo /etc/x | awk '{ print > $1 }'" nil
    (pillion-test--end)
    (should (pillion-test--has "^refused: .*/etc/x"))))

(ert-deftest pillion-no-character-of-a-command-is-hidden ()
  (should (equal (substring-no-properties (pillion--visible "a\u202eb\e[c\u200b\n"))
                 "a<U+202E>b<U+001B>[c<U+200B><U+000A>")))

(ert-deftest pillion-bytes-that-are-no-text-are-shown ()
  (pillion-test--shared "printf 'a\\377b'" nil
    (pillion-test--end)
    (should (equal (pillion-test--text) (string-to-multibyte "a\377b")))))

(ert-deftest pillion-eight-megabytes-are-shown-within-seconds ()
  (let ((since (float-time)))
    (pillion-test--shared "yes 'all work and no play' | head -c 8000000" nil
      (pillion-test--end)
      (should (> (buffer-size) 8000000)))
    (should (< (- (float-time) since) 20))))

(ert-deftest pillion-errors-in-the-output-can-be-jumped-to ()
  (pillion-test--shared "echo code.c:2: error: no" nil
    (write-region "one\ntwo\n" nil "code.c" nil 'quiet)
    (pillion-test--end)
    (should (progn (next-error 1 t) (equal (buffer-name (window-buffer)) "code.c")))))

(ert-deftest pillion-input-interrupt-and-end-of-file ()
  (pillion-test--shared "stty -echo; read a; echo \"got $a\"; cat; echo eof" t
    (pillion-test--until (equal (pillion-run-state pillion--run) "run"))
    (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "zwölf"))) (pillion-send-line))
    (pillion-test--until (pillion-test--has "^got zwölf"))
    (pillion-send-eof)
    (pillion-test--until (pillion-test--has "^eof"))
    (pillion-test--end)
    (should-error (pillion-send-eof) :type 'user-error)))

(defmacro pillion-test--says (regexp form)
  "Wait until a message of FORM matches REGEXP; return it."
  `(let (said)
     (cl-letf (((symbol-function 'message)
                (lambda (&rest args)
                  (when (and (car args) (string-match-p ,regexp (apply #'format args)))
                    (setq said (apply #'format args))))))
       ,form
       (pillion-test--until said))
     said))

(ert-deftest pillion-one-that-waits-says-so-and-what-is-hidden-stays-so ()
  (let (buffer)
    (should (equal (pillion-test--says
                    "waits for"
                    (pillion-test--shared "printf 'Word? '; stty -echo; read -r x; stty echo; echo \"${#x} letters\"" t
                      (setq buffer (current-buffer))))
                   "pillion: sh waits for a line that is not shown, such as a password: Word? (i in its buffer answers)"))
    (with-current-buffer buffer
      (cl-letf (((symbol-function 'read-passwd) (lambda (&rest _) "secret"))) (pillion-send-line))
      (pillion-test--until (pillion-test--has "6 letters"))
      (pillion-test--end))))

(ert-deftest pillion-a-server-says-where-it-is-and-is-let-out ()
  (let (buffer)
    (should (string-match-p
             ":8\\(123\\) in the sandbox"
             (pillion-test--says
              "listens on 127.0.0.1:8123"
              (pillion-test--shared "echo inside > f; exec python3 -m http.server 8123 --bind 127.0.0.1" t
                (setq buffer (current-buffer))))))
    (with-current-buffer buffer
      (let* ((said (pillion-test--says "port 8123 is at" (pillion-forward nil)))
             (url (progn (should (string-match "http://127\\.0\\.0\\.1:[0-9]+/" said)) (match-string 0 said))))
        (with-current-buffer (url-retrieve-synchronously (concat url "f") t t 15)
          (should (pillion-test--has "^inside$"))))
      (pillion-cancel)
      (pillion-test--end))))

(ert-deftest pillion-log-and-doctor-tell-which-binary-is-used ()
  (save-window-excursion
    (pillion-test--shared "true" nil (pillion-test--end))
    (pillion-log)
    (should (with-current-buffer "*pillion-log*" (pillion-test--has "started, process")))
    (with-current-buffer (pillion-doctor)
      (pillion-test--until (pillion-test--has "workspace-write"))
      (should (pillion-test--has (regexp-quote pillion-test--binary))))))

;;; Questions

(defmacro pillion-test--asked (answer &rest body)
  "In BODY answer every question with the form ANSWER, where `params' is it."
  (declare (indent 1))
  `(let ((pillion-options '(:policy (:rule [(:id "ask-touch" :decision "ask" :prefix ["touch"])])))
         (pillion-ask-function (lambda (params) (ignore params) ,answer)))
     ,@body))

(ert-deftest pillion-a-question-shows-the-exact-command-why-and-where ()
  (let (text)
    (pillion-test--asked (progn (with-current-buffer (pillion--question-buffer params)
                                  (setq text (buffer-string)))
                                '(:decision "decline"))
      (pillion-test--run "echo ü; touch asked" nil
        (should (string-prefix-p "not started: declined" (pillion-test--end)))))
    (let ((at (string-search "    echo ü; touch asked\n" text)))
      (should (eq (get-text-property (+ at 12) 'font-lock-face text) 'pillion-span)))
    (should (string-search "  rule     ask-touch\n" text))
    (should (string-match-p "  sandbox  workspace-write, network \\(?:denied\\|by address book\\)\n" text))))

(ert-deftest pillion-quit-and-an-error-are-a-no ()
  (pillion-test--asked (signal 'quit nil)
    (pillion-test--run "touch quit" nil
      (should (string-prefix-p "not started: declined" (pillion-test--end)))
      (should-not (file-exists-p "quit"))))
  (let ((debug-on-error nil))
    (pillion-test--asked (error "No")
      (pillion-test--run "touch error" nil
        (should (string-prefix-p "not started: declined" (pillion-test--end)))))))

(ert-deftest pillion-cancel-withdraws-the-question ()
  (let (withdrawn)
    (pillion-test--asked (progn (run-at-time 0 nil #'pillion-cancel)
                                (unwind-protect (while t (accept-process-output nil 0.02))
                                  (setq withdrawn t)))
      (pillion-test--run "touch cancelled" nil
        (pillion-test--end)
        (pillion-test--until (not pillion--question))
        (should withdrawn)))))

(ert-deftest pillion-the-sidecar-dies-and-its-question-goes-with-it ()
  (pillion-test--asked (progn (run-at-time 0 nil #'pillion-test--kill)
                              (while t (accept-process-output nil 0.02)))
    (pillion-test--run "touch orphan" nil
      (should (string-prefix-p "interrupted" (pillion-test--end)))
      (pillion-test--until (not pillion--question)))))

(ert-deftest pillion-questions-come-one-after-the-other ()
  (let ((depth 0) (most 0))
    (pillion-test--asked (progn (setq most (max most (cl-incf depth)))
                                (accept-process-output nil 0.3)
                                (cl-decf depth)
                                '(:decision "accept"))
      (pillion-test--run "touch first" nil
        (with-current-buffer (pillion--run-in "touch second" default-directory nil)
          (pillion-test--end))
        (pillion-test--end)
        (should (and (file-exists-p "first") (file-exists-p "second")))
        (should (= most 1))))))

(defconst pillion-test--connect
  "p=${http_proxy#http://}; p=${p##*@}; exec 3<>/dev/tcp/${p%:*}/${p##*:}
printf 'CONNECT no.example:443 HTTP/1.1\\r\\nHost: no.example:443\\r\\n\\r\\n' >&3; head -n 1 <&3
" "A script that tries to reach a host.")

(ert-deftest pillion-a-host-is-asked-about-while-its-command-runs ()
  (let* (text (default-directory (pillion-test--directory))
         (pillion-options '(:sandbox (:network "proxy") :policy (:network (:allow ["other.example"]))))
         (pillion-ask-function (lambda (params)
                                 (with-current-buffer (pillion--question-buffer params)
                                   (setq text (buffer-string)))
                                 '(:decision "decline"))))
    (write-region pillion-test--connect nil "connect.sh" nil 'quiet)
    (with-current-buffer (pillion--run-in "bash connect.sh" default-directory nil)
      (should (string-prefix-p "exit 0" (pillion-test--end)))
      (should (pillion-test--has "^HTTP/1.1 403"))
      (should (pillion-test--has "^refused: no.example:443.*; to allow it: policy.network.allow")))
    (should (string-search "connect to no.example:443?" text))
    (should (string-search "    bash connect.sh\n" text))))

(provide 'pillion-test)
;;; pillion-test.el ends here
