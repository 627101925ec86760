package replay
import ("os";"path/filepath";"fmt";"strings")
func init(){ debugLeft = func(left []string, root string){
 for _,l := range left { filepath.Walk(filepath.Join(root,l), func(p string, i os.FileInfo, e error) error { fmt.Println("LEFT", p, e); return nil }) 
  fds,_ := filepath.Glob("/proc/[0-9]*/fd/*"); for _,f := range fds { t,_ := os.Readlink(f); if strings.Contains(t, filepath.Base(l)) { c,_ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(f)),"cmdline")); fmt.Println("HELD", f, t, string(c)) } } }
}}
