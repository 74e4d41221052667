#!/bin/sh
# Files whose existence is a lock: one that a killed build left behind, and those of builds that run.
. tests/lib/live.sh

program=$PWD/tests/live/lock_files.py
unset XDG_CACHE_HOME TORCH_EXTENSIONS_DIR
export PYTHONDONTWRITEBYTECODE=1
# leaves NAME DIRECTORY: a lock file from before the job, under the home of that name
leaves() {
	mkdir -p "$tmp/$1/$2" && touch -d '1 hour ago' "$tmp/$1/$2/lock"
}
torch=.cache/torch_extensions/py311_cu121
# waits NAME FILE VARIABLE...
waits() {
	name=$1 file=$tmp/$2
	shift 2
	start "$name" env "$@" "$python" "$program" wait "$file"
}
# builds NAME FILE: a process that has the file open, and did not touch its age
builds() { start "build-$1" "$python" "$program" build "$tmp/$2"; }

leaves stale $torch/ext
waits stale stale/$torch/ext/lock HOME="$tmp/stale"
waits stale2 stale/$torch/ext/lock HOME="$tmp/stale"
leaves set ext
waits set set/ext/lock HOME="$tmp/stale" TORCH_EXTENSIONS_DIR="$tmp/set"
leaves beside build
cp tests/live/lock_files.py tests/live/file_baton.py "$tmp/beside"
ours=$program program=$tmp/beside/lock_files.py
waits beside beside/build/lock HOME="$tmp/nowhere"
program=$ours
leaves many $torch/one && leaves many $torch/two
waits many many/$torch/two/lock HOME="$tmp/many"

leaves held $torch/ext
builds held held/$torch/ext/lock
ln -s held "$tmp/linked"
waits held held/$torch/ext/lock HOME="$tmp/linked"
leaves both $torch/one && leaves both $torch/two
builds both both/$torch/two/lock
waits both both/$torch/one/lock HOME="$tmp/both"
leaves young $torch/ext
touch "$tmp/young/$torch/ext/lock"
waits young young/$torch/ext/lock HOME="$tmp/young"
leaves elsewhere ext
waits elsewhere elsewhere/ext/lock HOME="$tmp/nowhere"

look stale "$(value stale pid)" "$(value stale2 pid)"
for mode in set beside many held both young elsewhere; do
	look $mode "$(value $mode pid)"
done
looked

convicts() { # NAME FILE
	exits "$1" 1 && tells "$1" "len(fs) == 1 and f.id == 'stale-lock-file' and
		f.confidence == 'likely' and '$tmp/$1/$2 ' in f.title and
		f.victims[0].pid == $(value "$1" pid)"
}
check "stale: left before the job began" convicts stale $torch/ext/lock
check "stale: both who wait are its victims" tells stale \
	"sorted(v.pid for v in f.victims) == sorted([$(value stale pid), $(value stale2 pid)])"
check "set: where TORCH_EXTENSIONS_DIR says" convicts set ext/lock
check "beside: next to the source of the caller" convicts beside build/lock
check "many: one of two" tells many "f.id == 'stale-lock-file' and
	any('which of the 2 lock files' in u for u in f.unknown)"
for mode in held both young elsewhere; do
	check "$mode: nothing found" finds_nothing $mode
done
check "held: by whom is read, through a link" \
	tells held "[r.open_in for r in rows('lock_files')] == [[$(value build-held pid)]]"
done_testing
