#!/usr/bin/env bash
# Random bytes, keys, certificates with dates, signatures.
# needs: openssl
set -e
d=$(mktemp -d)
cd "$d"
openssl rand -hex 16
test "$(openssl rand -hex 16)" != "$(openssl rand -hex 16)"
openssl rand -base64 30 -out r && cat r
openssl ecparam -name prime256v1 -genkey -noout -out key
openssl genrsa -out rsa 1024 2>/dev/null
openssl req -new -x509 -key key -subj /CN=host -days 30 -out cert
openssl x509 -in cert -noout -dates -serial -fingerprint
echo text >t
openssl dgst -sha256 -sign rsa -out sig t
openssl rsa -in rsa -pubout -out pub 2>/dev/null
openssl dgst -sha256 -verify pub -signature sig t
openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -in t -out e && openssl enc -d -aes-256-cbc -pbkdf2 -pass pass:x -in e | cmp - t
sha256sum e sig
rm -rf "$d"
