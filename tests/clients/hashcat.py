# SPDX-License-Identifier: MIT
"""hashcat: for some kinds of hash its self-test (a known hash must be found at the start) and the search for a word of three letters."""
import base64
import hashlib
import hmac
import os

from case import FAIL, PASS, ending, make_case

CLIENTS = ("hashcat",)
PROGRAM = "/usr/bin/hashcat"
WORD = b"wav"
SALT = b"42"


def of(name):
    return hashlib.new(name, WORD).hexdigest()


def pbkdf2():
    key = hashlib.pbkdf2_hmac("sha256", WORD, SALT, 20, 32)
    return "sha256:20:%s:%s" % (base64.b64encode(SALT).decode(), base64.b64encode(key).decode())


# hashcat's number of the kind, and the hash of WORD.
HASHES = {
    "MD5": (0, of("md5")),
    "SHA1": (100, of("sha1")),
    "SHA2-224": (1300, of("sha224")),
    "SHA2-256": (1400, of("sha256")),
    "SHA2-384": (10800, of("sha384")),
    "SHA2-512": (1700, of("sha512")),
    "SHA3-256": (17400, of("sha3_256")),
    "BLAKE2b-512": (600, "$BLAKE2$" + of("blake2b")),
    "md5($pass.$salt)": (10, hashlib.md5(WORD + SALT).hexdigest() + ":" + SALT.decode()),
    "HMAC-SHA1 (key = $pass)": (150, hmac.new(WORD, SALT, "sha1").hexdigest() + ":" + SALT.decode()),
    "PBKDF2-HMAC-SHA256": (10900, pbkdf2()),
}


def read_search(status, output):
    if "Self-test hash" in output and "fail" in output:
        return {"": FAIL}
    return {"": PASS if status == 0 and ":wav" in output else FAIL if status in (0, 1) else ending(status)}


def cases(_folder):
    if not os.path.exists(PROGRAM):
        return None
    found = []
    for name, (kind, text) in HASHES.items():
        # One wavefront at a time, of one word each, is enough for so few words; PoCL is a CPU, so all kinds of device are taken.
        command = [PROGRAM, "-m", str(kind), "-a", "3", "--potfile-disable", "--force", "-D", "1,2,3", "-u", "16", "-n", "4",
                   "--quiet", "--session", "clients-{platform}-%d" % kind, text, "w?l?l"]
        found.append(make_case("hashcat", name, command, read=read_search, timeout=1800))
    return found
