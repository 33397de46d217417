#!/bin/sh
set -e
# deb says "remove", rpm says 0; both say something else on an upgrade.
if [ -d /run/systemd/system ] && { [ "$1" = remove ] || [ "$1" = 0 ]; }; then
  systemctl disable --now svcd.service
fi
