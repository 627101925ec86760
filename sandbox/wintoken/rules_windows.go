package wintoken

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// rules are what a file's security descriptor says about access.
type rules struct {
	dacl     []byte // nil where there is none: everybody may do everything
	control  windows.SECURITY_DESCRIPTOR_CONTROL
	labelled bool
}

func readRules(f *os.File) (rules, error) {
	sd, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|windows.LABEL_SECURITY_INFORMATION)
	if err != nil {
		return rules{}, os.NewSyscallError("GetSecurityInfo", err)
	}
	var r rules
	if r.control, _, err = sd.Control(); err != nil {
		return r, err
	}
	acl, _, err := sd.DACL()
	if err != nil && !errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) {
		return r, err
	}
	r.dacl = aclBytes(acl)
	sacl, _, err := sd.SACL()
	if err != nil && !errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) {
		return r, err
	}
	labels := aclBytes(sacl)
	r.labelled = len(labels) > aclHeader
	return r, nil
}

// aclBytes copies a list; its header has its size.
func aclBytes(acl *windows.ACL) []byte {
	if acl == nil {
		return nil
	}
	size := *(*uint16)(unsafe.Add(unsafe.Pointer(acl), 2))
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(acl)), size)...)
}

// Labels in SDDL. An empty list is not a label.
const noLabel = "S:"

func lowLabel(dir bool) string {
	if dir {
		return "S:(ML;OICI;NW;;;LW)"
	}
	return "S:(ML;;NW;;;LW)"
}

// write puts the list and a label, "" for the one there is, in the place of the file's. It
// changes this file only: what SetSecurityInfo hands on to everything below would follow
// the walk with one of its own, which doesn't ask about links.
func (r rules) write(f *os.File, label string) error {
	sd, err := windows.NewSecurityDescriptor()
	if err != nil {
		return err
	}
	if err := sd.SetDACL((*windows.ACL)(unsafe.Pointer(&r.dacl[0])), true, false); err != nil {
		return err
	}
	// The marks that the list was inherited, or is not to be, stay.
	const keep = windows.SE_DACL_PROTECTED | windows.SE_DACL_AUTO_INHERITED
	control := r.control & keep
	if control&windows.SE_DACL_AUTO_INHERITED != 0 {
		control |= windows.SE_DACL_AUTO_INHERIT_REQ
	}
	if err := sd.SetControl(keep|windows.SE_DACL_AUTO_INHERIT_REQ, control); err != nil {
		return os.NewSyscallError("SetSecurityDescriptorControl", err)
	}
	what := windows.SECURITY_INFORMATION(windows.DACL_SECURITY_INFORMATION)
	if label != "" {
		list, err := labelList(label)
		if err != nil {
			return err
		}
		if err := sd.SetSACL(list, true, false); err != nil {
			return err
		}
		what |= windows.LABEL_SECURITY_INFORMATION
	}
	return os.NewSyscallError("SetKernelObjectSecurity", windows.SetKernelObjectSecurity(windows.Handle(f.Fd()), what, sd))
}

func labelList(sddl string) (*windows.ACL, error) {
	if sddl == noLabel {
		empty := []byte{2, 0, aclHeader, 0, 0, 0, 0, 0}
		return (*windows.ACL)(unsafe.Pointer(&empty[0])), nil
	}
	sd, err := windows.SecurityDescriptorFromString(sddl)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sddl, err)
	}
	acl, _, err := sd.SACL()
	return acl, err
}

// SealProcess keeps the sandboxes' programs from ending the sidecar: by its rules
// they are the same user, and a level keeps lower ones only from writing and reading
// unless it says so about executing, to which ending counts. Where the machine
// doesn't take it, the self-test finds out.
func SealProcess() error {
	level, err := ownLevel()
	if err != nil {
		return err
	}
	acl, err := labelList("S:(ML;;NWNRNX;;;" + level + ")")
	if err != nil {
		return err
	}
	err = windows.SetSecurityInfo(windows.CurrentProcess(), windows.SE_KERNEL_OBJECT, windows.LABEL_SECURITY_INFORMATION, nil, nil, nil, acl)
	return os.NewSyscallError("SetSecurityInfo", err)
}

// ownLevel is the SID of our integrity level.
func ownLevel() (string, error) {
	token := windows.GetCurrentProcessToken()
	buf := make([]byte, 128) // a label is a pointer, a number and a SID of one part
	var n uint32
	if err := windows.GetTokenInformation(token, windows.TokenIntegrityLevel, &buf[0], uint32(len(buf)), &n); err != nil {
		return "", os.NewSyscallError("GetTokenInformation(integrity level)", err)
	}
	return (*windows.Tokenmandatorylabel)(unsafe.Pointer(&buf[0])).Label.Sid.String(), nil
}

// LabelLow labels a directory as AppData\LocalLow is, without grants.
func LabelLow(path string) error {
	f, err := openMarked(0, ntPath(path), 0)
	if err != nil {
		return err
	}
	defer f.Close()
	acl, err := labelList(lowLabel(true))
	if err != nil {
		return err
	}
	err = windows.SetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT, windows.LABEL_SECURITY_INFORMATION, nil, nil, nil, acl)
	return os.NewSyscallError("SetSecurityInfo", err)
}
