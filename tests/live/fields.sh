#!/bin/sh
# The field tables are the one source: ncclhang-case(5) has a section for each type, and in it each
# field and no other.
page=man/ncclhang-case.5
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
check() { # WHAT, and a status
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
}

# Both sides as "type field" lines.  A table is TYPE(c_name, "name", and its fields, macros of one
# letter: F(KIND, field), E(field, names) …
cat lib/model/types*.c | tr '\n\t' '  ' | sed 's/\bTYPE(/\n&/g; s/;/;\n/g' |
	sed -n 's/^TYPE([a-z_]*, *"\([a-z_]*\)",\(.*\);$/\1 \2/p' |
	while read -r type fields; do
		echo "$fields" | grep -oE '\b[FPR]\([A-Z]+, [a-z0-9_]+|\bE\([a-z0-9_]+' |
			sed "s/.*[ (]/$type /"
	done | sort >"$tmp/tables"
sed -n 's/^\.Ss The \([a-z_]*\) object$/section \1/p; /^\.Ss [^T]/s/.*/section/p
	s/^\.It Cm //p' "$page" |
	awk '$1 == "section" { type = $2; next } type { gsub(/,/, ""); for (i = 1; i <= NF; i++) print type, $i }' |
	sort >"$tmp/page"

# The verdict is a member of the case, but no row of a table; the tables are documented as rows.
{ grep -v '^tables ' "$tmp/tables"; echo header verdict; } | sort >"$tmp/expected"
[ "$(wc -l <"$tmp/expected")" -ge 100 ]
check "the tables were found ($(wc -l <"$tmp/expected") fields)" $?
while read -r type field; do
	grep -q -x "$type $field" "$tmp/page"
	check "$type.$field is documented" $?
done <"$tmp/expected"
while read -r type field; do
	grep -q -x "$type $field" "$tmp/expected"
	check "documented $type.$field exists" $?
done <"$tmp/page"
sed -n 's/^tables //p' "$tmp/tables" >"$tmp/names"
while read -r table; do
	grep -q -e "^\.Cm .*\b$table\b" "$page"
	check "the table $table is documented" $?
done <"$tmp/names"
echo "1..$n"
