#!/bin/sh
# Install the named Debian packages, but only those that are missing: as root, or through sudo.
missing=
for p in "$@"; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null; then
	echo "This is no Debian or Ubuntu. Install the equivalents of:$missing" >&2
	exit 1
fi
if [ "$(id -u)" = 0 ]; then
	as=
elif command -v sudo >/dev/null; then
	as=sudo
else
	echo "Neither root nor sudo. Ask an administrator for: apt-get install$missing" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$as apt-get install -y --no-install-recommends $missing ||
	{ $as apt-get update && $as apt-get install -y --no-install-recommends $missing; }
