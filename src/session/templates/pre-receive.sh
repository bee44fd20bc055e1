#!/bin/sh
# Written by `cordon setup pre-receive`. Git runs it on the server for each push, with a line `OLD NEW REF` for each ref on
# standard input. A push is taken only if Cordon accepts every branch of it.
if ! command -v cordon >/dev/null 2>&1; then
    echo "cordon is not installed on this server, so no push can be judged, and none is taken." >&2
    exit 1
fi
exec cordon gate --pre-receive
