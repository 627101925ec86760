// Package windows reads PowerShell and cmd by rules about text: there is no grammar of
// them here, and no control flow is followed.
package windows
