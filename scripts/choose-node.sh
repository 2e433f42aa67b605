#!/bin/sh
# npm ci installs Node on Linux x64. If it can't start, because a library is missing, the project's scripts use the Node
# that runs npm, if that is new enough.
set -eu

if "$npm_node_execpath" -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 24 || (major == 24 && minor >= 2) ? 0 : 1)'; then
  ln -sf "$npm_node_execpath" node_modules/.bin/node
  echo "The installed Node can't start, so $npm_node_execpath is used instead." >&2
else
  echo "error: The installed Node can't start, because a library is missing. Run: apt-get install libatomic1" >&2
  exit 1
fi
