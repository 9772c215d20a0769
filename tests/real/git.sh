#!/usr/bin/env bash
# Commits, branches, a merge, gc, fsck, clone.
# needs: git
set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
d=$(mktemp -d); cd $d; git init -q -b main .
for i in 1 2 3; do seq $((i * 100)) >f$i; git add .; git commit -q -m "commit $i"; sleep 1; done
git checkout -q -b side HEAD~1; echo more >>f1; git commit -q -am side; git checkout -q main; git merge -q -m merge side
git log --oneline --graph; git gc -q; git fsck --full; git clone -q . copy; test "$(git -C copy rev-list --count HEAD)" = 5
git status --porcelain; git diff HEAD~1 --stat
