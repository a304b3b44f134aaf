import base64, importlib.util, sys

# The examples are published, and their folder holds nothing else.
sys.dont_write_bytecode = True

spec = importlib.util.spec_from_file_location("verify", sys.argv[1])
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)

for line in sys.stdin:
    scheme, vendor, now, secrets, body, headers = line.rstrip("\n").split("\t")
    text = lambda encoded: base64.b64decode(encoded).decode()
    keys = [text(each[1:]) for each in secrets.split(",") if each]
    pairs = {name: text(value) for name, value in (each.split(":") for each in headers.split(",") if each)}
    data = base64.b64decode(body)
    if scheme == "folder":
        index = verify.verify_folder(data, pairs, keys, vendor)
    elif scheme == "audit":
        index = verify.verify_audit(data, pairs, keys)
    else:
        index = verify.verify_standard(data, pairs, keys, int(now))
    print(-1 if index is None else index)
