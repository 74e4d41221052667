#!/bin/sh
# Debug files from a server: only when asked, only when configured, and never for longer than there
# is time.  The client is a stand-in that hands out what a server would.
. tests/lib/live.sh

command -v objcopy >/dev/null || { echo "no objcopy" && exit 77; }
mkdir "$tmp/bin" "$tmp/server"
cat >"$tmp/scene.c" <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) static void wait_inside(void) { for (;;) pause(); }
int main(void) { printf("pid=%d\n", getpid()); fflush(stdout); wait_inside(); return 0; }
END
${CC:-cc} -O1 -g -Wl,--build-id -o "$tmp/scene" "$tmp/scene.c" || exit 1
objcopy --only-keep-debug "$tmp/scene" "$tmp/server/scene.debug"
strip -s "$tmp/scene"
cat >"$tmp/bin/debuginfod-find" <<END
#!/bin/sh
echo "\$*" >>"$tmp/asked"
[ -n "\$SLOW" ] && exec sleep 100
[ "\$1" = debuginfo ] && echo "$tmp/server/scene.debug"
END
chmod +x "$tmp/bin/debuginfod-find"
start scene "$tmp/scene"
pid=$(value scene pid)
PATH=$tmp/bin:$PATH
export PATH
names() { "$nh" --interval 0 -a "$@" "$pid" | grep -q 'wait_inside+'; }

DEBUGINFOD_URLS=http://localhost:1
export DEBUGINFOD_URLS
check "not asked: nothing is fetched" not names
check "not asked: the client is not even run" [ ! -e "$tmp/asked" ]
check "asked: the function has its name" names --debuginfod
check "asked by build id" grep -qE '^debuginfo [0-9a-f]{40}$' "$tmp/asked"
SLOW=1
export SLOW
began=$(date +%s)
check "a slow server: no name" not names --debuginfod --timeout 3
check "a slow server: done in time" [ $(($(date +%s) - began)) -le 4 ]
unset DEBUGINFOD_URLS SLOW
rm "$tmp/asked"
check "not configured: nothing is fetched" not names --debuginfod
check "not configured: the client is not run" [ ! -e "$tmp/asked" ]
done_testing
