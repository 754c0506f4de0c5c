#!/bin/sh
# Applies a call or a patch from standard input in the editor that has the files open, and says what to do next.
# Passes its arguments on: apply.sh --mode=editor < change.patch

multi-edit apply "$@" -
code=$?
case $code in
0) echo "Done." >&2 ;;
1) echo "Nothing was changed: correct the edits named above." >&2 ;;
2) echo "Nothing was sent: the call can't be read." >&2 ;;
3) echo "Nothing was changed: run multi-edit doctor." >&2 ;;
4) echo "Nothing was changed: ask the user." >&2 ;;
5) echo "The text has changed: read it and send the call again." >&2 ;;
*) echo "The outcome is unknown: read the files." >&2 ;;
esac
exit $code
