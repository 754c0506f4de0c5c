#!/bin/sh
# Prints entries for Helix' languages.toml: each language with the servers that it has now, and multi-edit behind them.
#   sh languages.sh rust python typescript >>~/.config/helix/languages.toml
set -eu

[ $# -gt 0 ] || { echo "usage: sh languages.sh LANGUAGE..." >&2; exit 2; }

for language in "$@"; do
  # Helix colours what it prints; under "Configured language servers:" each has a mark, its name and a colon, or "None".
  servers=$(
    hx --health "$language" | sed "s/$(printf '\033')\[[0-9;]*m//g" | awk '
      /^Configured language servers?:/ { inside = 1; next }
      /^[^ ]/ { inside = 0 }
      inside && $2 ~ /:$/ && $2 != "multi-edit:" { sub(/:$/, "", $2); printf "\"%s\", ", $2 }'
  )
  printf '[[language]]\nname = "%s"\nlanguage-servers = [%s"multi-edit"]\n\n' "$language" "$servers"
done
