#!/bin/sh
# A process that a signal stopped: on its own, and as the child that somebody waits for by its PID.
. tests/lib/live.sh

start child "$python" -c '
import os, signal, subprocess, sys
child = subprocess.Popen(["sleep", "1000"])
if sys.argv[1] == "stop":
	child.send_signal(signal.SIGSTOP)
	os.waitpid(child.pid, os.WUNTRACED)
print(f"pid={os.getpid()} child={child.pid}", flush=True)
import threading
threading.Thread(target=lambda: (sys.stdin.read(), child.kill(), os._exit(0)), daemon=True).start()
child.wait()
' stop
start working "$python" -c '
import os, subprocess, sys, threading
child = subprocess.Popen(["sleep", "1000"])
print(f"pid={os.getpid()} child={child.pid}", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), child.kill(), os._exit(0)), daemon=True).start()
child.wait()
'
sleep 0.3
look child "$(value child pid)"
look alone "$(value child child)"
look working "$(value working pid)"
looked

convicts() { # NAME
	exits "$1" 1 && tells "$1" "len(fs) == 1 and f.id == 'stopped-process' and
		f.confidence == 'confirmed' and c.pid == $(value child child)"
}
check "a stopped child is what its parent waits for" convicts child
check "the parent is a victim" tells child "any(v.pid == $(value child pid) for v in f.victims)"
check "by its PID" tells child "edges == ['waits for its child']"
check "on its own" convicts alone
check "a working child: nothing found" finds_nothing working
remedy=$(ask child "next(r.command for r in f.remedy if 'CONT' in (r.command or ''))")
sh -c "$remedy"
state() { sed 's/.*) //; s/ .*//' "/proc/$(value child child)/stat"; }
runs_on() { [ "$(state)" = S ]; }
check "the remedy lets it go on" soon runs_on
done_testing
