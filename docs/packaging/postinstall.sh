#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # An upgrade restarts what runs; a first install starts nothing by itself.
  systemctl try-restart svcd.service
fi
