package wintoken

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"
)

// MakeToken is our own token less what the plan takes away. It is a restricted
// version of ours, so that no privilege is needed to start programs with it.
func MakeToken(plan tokenPlan) (windows.Token, error) {
	var own windows.Token
	const access = windows.TOKEN_DUPLICATE | windows.TOKEN_QUERY | windows.TOKEN_ASSIGN_PRIMARY | windows.TOKEN_ADJUST_DEFAULT
	if err := windows.OpenProcessToken(windows.CurrentProcess(), access, &own); err != nil {
		return 0, os.NewSyscallError("OpenProcessToken", err)
	}
	defer own.Close()
	deny, err := sidList(plan.denyOnly, own)
	if err != nil {
		return 0, err
	}
	restrict, err := sidList(plan.restricting, own)
	if err != nil {
		return 0, err
	}
	var t windows.Token
	r, _, errno := procCreateRestrictedToken.Call(uintptr(own), uintptr(plan.flags),
		uintptr(len(deny)), first(deny), 0, 0, uintptr(len(restrict)), first(restrict), uintptr(unsafe.Pointer(&t)))
	runtime.KeepAlive(deny)
	runtime.KeepAlive(restrict)
	if r == 0 {
		return 0, os.NewSyscallError("CreateRestrictedToken", errno)
	}
	if err := confineToken(t, plan); err != nil {
		return 0, errors.Join(err, t.Close())
	}
	return t, nil
}

// confineToken lowers the token's level and says who may open what its processes
// make. Without the second, a command could not open its own events and pipes:
// their rules would name none of the SIDs that writing needs.
func confineToken(t windows.Token, plan tokenPlan) error {
	level, err := windows.StringToSid(plan.integrity)
	if err != nil {
		return fmt.Errorf("%s: %w", plan.integrity, err)
	}
	label := windows.Tokenmandatorylabel{Label: windows.SIDAndAttributes{Sid: level, Attributes: windows.SE_GROUP_INTEGRITY}}
	if err := windows.SetTokenInformation(t, windows.TokenIntegrityLevel, (*byte)(unsafe.Pointer(&label)), label.Size()); err != nil {
		return os.NewSyscallError("SetTokenInformation(integrity level)", err)
	}
	sd, err := windows.SecurityDescriptorFromString(plan.created)
	if err != nil {
		return fmt.Errorf("%s: %w", plan.created, err)
	}
	acl, _, err := sd.DACL()
	if err != nil {
		return err
	}
	created := struct{ acl *windows.ACL }{acl}
	err = windows.SetTokenInformation(t, windows.TokenDefaultDacl, (*byte)(unsafe.Pointer(&created)), uint32(unsafe.Sizeof(created)))
	return os.NewSyscallError("SetTokenInformation(default access)", err)
}

// sidList reads SIDs; sidLogon is the one of this logon session, left out where
// there is none, as for a service.
func sidList(texts []string, own windows.Token) ([]windows.SIDAndAttributes, error) {
	var list []windows.SIDAndAttributes
	for _, text := range texts {
		var sid *windows.SID
		var err error
		if text == sidLogon {
			sid, err = logonSID(own)
		} else {
			sid, err = windows.StringToSid(text)
		}
		if err != nil {
			return nil, fmt.Errorf("SID %q: %w", text, err)
		}
		if sid != nil {
			list = append(list, windows.SIDAndAttributes{Sid: sid})
		}
	}
	return list, nil
}

func logonSID(own windows.Token) (*windows.SID, error) {
	groups, err := own.GetTokenGroups()
	if err != nil {
		return nil, os.NewSyscallError("GetTokenInformation(groups)", err)
	}
	for _, g := range groups.AllGroups() {
		if g.Attributes&windows.SE_GROUP_LOGON_ID == windows.SE_GROUP_LOGON_ID {
			return g.Sid.Copy()
		}
	}
	return nil, nil
}

func first(list []windows.SIDAndAttributes) uintptr {
	if len(list) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(&list[0]))
}

// UserSID is whom we run as.
func UserSID() (string, error) {
	u, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", os.NewSyscallError("GetTokenInformation(user)", err)
	}
	return u.User.Sid.String(), nil
}

var procCreateRestrictedToken = windows.NewLazySystemDLL("advapi32.dll").NewProc("CreateRestrictedToken")
