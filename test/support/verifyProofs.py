"""Verifies an export with proofs from the description in docs/auditors.md alone.

Input: JSON with the text of the export and, if wanted, the text of an older checkpoint. Output: a line for each problem.
SHA-256 comes from the standard library, Ed25519 is computed from RFC 8032, section 6.
"""

import base64
import hashlib
import json
import sys


def sha256(data):
    return hashlib.sha256(data).digest()


# Ed25519, RFC 8032, section 6.
p = 2**255 - 19
q = 2**252 + 27742317777372353535851937790883648493
d = -121665 * pow(121666, p - 2, p) % p
root_of_minus_one = pow(2, (p - 1) // 4, p)


def add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % p
    f = (a[1] + a[0]) * (b[1] + b[0]) % p
    g, h = 2 * a[3] * b[3] * d % p, 2 * a[2] * b[2] % p
    i, j, k, m = f - e, h - g, h + g, f + e
    return (i * j % p, k * m % p, j * k % p, i * m % p)


def multiply(s, point):
    result = (0, 1, 1, 0)
    while s > 0:
        if s & 1:
            result = add(result, point)
        point = add(point, point)
        s >>= 1
    return result


def recover_x(y, sign):
    x2 = (y * y - 1) * pow(d * y * y + 1, p - 2, p) % p
    x = pow(x2, (p + 3) // 8, p)
    if (x * x - x2) % p != 0:
        x = x * root_of_minus_one % p
    if (x * x - x2) % p != 0:
        raise ValueError("not a point")
    return p - x if x & 1 != sign else x


def decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    x = recover_x(y, sign)
    return (x, y, 1, x * y % p)


base_y = 4 * pow(5, p - 2, p) % p
base_x = recover_x(base_y, 0)
base = (base_x, base_y, 1, base_x * base_y % p)


def is_signed(key, message, signature):
    r, s = decompress(signature[:32]), int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % q
    left, right = multiply(s, base), add(r, multiply(h, decompress(key)))
    return (left[0] * right[2] - right[0] * left[2]) % p == 0 and (
        left[1] * right[2] - right[1] * left[2]
    ) % p == 0


def signed_text(note, name, key):
    """The text of a signed note, or None."""
    text, signatures = note[: note.rindex("\n\n") + 1], note[note.rindex("\n\n") + 2 :]
    wanted = sha256(name.encode() + b"\n\x01" + key)[:4]
    for line in signatures.splitlines():
        dash, signer, coded = line.split(" ")
        raw = base64.b64decode(coded)
        if signer == name and raw[:4] == wanted and is_signed(key, text.encode(), raw[4:]):
            return text
    return None


def leaf_hash(stream, line):
    data = b"runledger-event/1\n"
    values = [stream, line["revision"], line["type"], line["content_type"], line["id"]]
    fields = [value.encode() for value in values]
    for name in ("data", "metadata"):
        coded = line.get(name + "_base64")
        fields.append(line[name].encode() if coded is None else base64.b64decode(coded))
    for field in fields:
        data += len(field).to_bytes(4, "big") + field
    return sha256(b"\x00" + data)


def node(left, right):
    return sha256(b"\x01" + left + right)


def included_root(hash, index, size, proof):
    """RFC 9162, 2.1.3.2."""
    at, last = index, size - 1
    for step in proof:
        if last == 0:
            return None
        if at & 1 or at == last:
            hash = node(step, hash)
            while at & 1 == 0 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            hash = node(hash, step)
        at, last = at >> 1, last >> 1
    return hash if last == 0 else None


def is_consistent(first, first_root, second, second_root, proof):
    """RFC 9162, 2.1.4.2, for 0 < first < second."""
    if first & (first - 1) == 0:
        proof = [first_root] + proof
    at, last = first - 1, second - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    one = other = proof[0]
    for step in proof[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            one, other = node(step, one), node(step, other)
            while at & 1 == 0 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            other = node(other, step)
        at, last = at >> 1, last >> 1
    return last == 0 and one == first_root and other == second_root


def tree_of(text):
    origin, size, root = text.split("\n")[:3]
    return int(size), base64.b64decode(root)


def problems(export, older):
    lines = export.splitlines()
    header = json.loads(lines[0])
    name, _, coded = header["key"].split("+", 2)
    key = base64.b64decode(coded)[1:]
    text = signed_text(header["checkpoint"], name, key)
    if text is None:
        yield "checkpoint"
        return
    size, root = tree_of(text)
    end = signed_text(json.loads(lines[-1])["end"], name, key)
    covered = "".join(line + "\n" for line in lines[:-1]).encode()
    fields = [] if end is None else end.split("\n")
    expected = ["runledger-export/1", header["stream"], str(len(lines) - 2)]
    if fields[:3] != expected or fields[4] != hashlib.sha256(covered).hexdigest():
        yield "end"
    for revision, text_of_line in enumerate(lines[1:-1]):
        line = json.loads(text_of_line)
        proof = [base64.b64decode(step) for step in line["proof"]]
        hash = leaf_hash(header["stream"], line)
        if line["revision"] != str(revision) or line["index"] is None:
            yield f"event {revision}"
        elif included_root(hash, line["index"], size, proof) != root:
            yield f"event {revision}"
    if older is not None:
        first, first_root = tree_of(signed_text(older, name, key))
        consistency = header["consistency"]
        proof = [base64.b64decode(step) for step in consistency["hashes"]]
        if consistency["from"] != first or not is_consistent(first, first_root, size, root, proof):
            yield "consistency"


given = json.load(sys.stdin)
for problem in problems(given["export"], given.get("older")):
    print(problem)
