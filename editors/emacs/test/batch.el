;;; batch.el --- Run the tests and count them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Code:

(require 'ert)
(load (expand-file-name "pillion-test" (file-name-directory load-file-name)) nil t)
(load (expand-file-name "pillion-conformance" (file-name-directory load-file-name)) nil t)

(defun pillion-batch--report (event &rest args)
  "Print how a test has ended, if that is EVENT, with ARGS."
  (when (eq event 'test-ended)
    (pcase-let ((`(,_ ,test ,result) args))
      (message "%s %s (%.2f s)%s"
               (if (ert-test-passed-p result) "ok    " "FAILED")
               (ert-test-name test) (ert-test-result-duration result)
               (if (ert-test-result-with-condition-p result)
                   (format "\n         %S" (ert-test-result-with-condition-condition result))
                 "")))))

(let ((stats (ert-run-tests (if-let ((name (getenv "PILLION_ONLY"))) name t)
                            #'pillion-batch--report)))
  (write-region (format "%d %d\n" (ert-stats-completed-expected stats)
                        (- (ert-stats-total stats) (ert-stats-completed-expected stats)))
                nil (getenv "PILLION_COUNTS") t 'quiet)
  (kill-emacs 0))
;;; batch.el ends here
