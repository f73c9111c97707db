#!/bin/sh
# SPDX-License-Identifier: MIT
# archive.sh LD OBJCOPY AR PARTS.a OUTPUT.a: one object of all parts, in which hidden names are local.
set -eu
object=${5%.a}.o
"$1" -r --whole-archive "$4" -o "$object"
"$2" --localize-hidden "$object"
rm -f "$5"
"$3" rcs "$5" "$object"
rm -f "$object"
