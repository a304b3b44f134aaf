import * as nodeCrypto from "node:crypto"
import * as nodeHttp from "node:http"
import * as nodeNet from "node:net"
import * as nodeZlib from "node:zlib"
import { expect, test } from "vitest"
import { Buffer as PageBuffer } from "../browser/standIns/buffer.ts"
import * as crypto from "../browser/standIns/crypto.ts"
import { STATUS_CODES } from "../browser/standIns/http.ts"
import * as net from "../browser/standIns/net.ts"
import { Request as PageRequest, streamOf } from "../browser/standIns/request.ts"
import * as zlib from "../browser/standIns/zlib.ts"

const hex = (bytes: Uint8Array | ArrayBuffer) => Buffer.from(bytes as Uint8Array).toString("hex")

const encodings = ["utf8", "base64", "base64url", "hex", "latin1"] as const

test("a page's Buffer reads and writes texts as Node's does", () => {
  for (const text of [
    "",
    "a",
    "ab==",
    "Ü€😀",
    "\uFEFFa",
    "\uD800",
    "_-_-",
    "+/+/=",
    "YWJj\nZA",
    "YWJjZ",
    "c0ffee",
    "c0f"
  ]) {
    for (const encoding of encodings) {
      const [own, nodes] = [PageBuffer.from(text, encoding), Buffer.from(text, encoding)]
      expect(hex(own), `${encoding} ${JSON.stringify(text)}`).toBe(hex(nodes))
      for (const written of encodings) expect(own.toString(written)).toBe(nodes.toString(written))
    }
    expect(PageBuffer.byteLength(text)).toBe(Buffer.byteLength(text))
  }
  const [own, nodes] = [PageBuffer.from("abc"), Buffer.from("abc")]
  expect(own.toString("utf8", 1, 2)).toBe(nodes.toString("utf8", 1, 2))
  expect(PageBuffer.concat([own, nodes]).equals(Buffer.concat([nodes, nodes]))).toBe(true)
  for (const other of ["", "ab", "abc", "abd", "b"]) {
    expect(PageBuffer.compare(own, PageBuffer.from(other))).toBe(Buffer.compare(nodes, Buffer.from(other)))
  }
})

test("hashes, derived keys and seals of a page are those of Node", async () => {
  const text = "Ü€😀".repeat(50)
  for (const algorithm of ["md5", "sha1", "sha256"] as const) {
    expect(crypto.createHash(algorithm).update("a").update(text).digest("hex")).toBe(
      nodeCrypto.createHash(algorithm).update("a").update(text).digest("hex")
    )
  }
  const sign = (from: typeof nodeCrypto) =>
    from.createHmac("sha256", from.createSecretKey("key", "utf8")).update(text).digest("base64url")
  expect(sign(crypto as unknown as typeof nodeCrypto)).toBe(sign(nodeCrypto))
  const key = Buffer.alloc(32, 7)
  expect(hex(crypto.hkdfSync("sha256", key, "", "info", 32))).toBe(
    hex(nodeCrypto.hkdfSync("sha256", key, "", "info", 32))
  )
  const seal = (from: typeof nodeCrypto) => {
    const cipher = from.createCipheriv("aes-256-gcm", from.createSecretKey(key), Buffer.alloc(12, 1))
    return [cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()].map(hex).join("")
  }
  const sealed = seal(nodeCrypto)
  expect(seal(crypto as unknown as typeof nodeCrypto)).toBe(sealed)
  const open = (tag: Uint8Array) => {
    const decipher = crypto.createDecipheriv("aes-256-gcm", crypto.createSecretKey(key), Buffer.alloc(12, 1))
    decipher.setAuthTag(tag)
    const bytes = Buffer.from(sealed, "hex")
    return PageBuffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString("utf8")
  }
  expect(open(Buffer.from(sealed, "hex").subarray(-16))).toBe(text)
  expect(() => open(Buffer.alloc(16))).toThrow()
  const cost = { N: 16, r: 8, p: 1, maxmem: 1024 * 1024 }
  const derived = await new Promise((resolve) =>
    crypto.scrypt("password", key, 32, cost, (_, hash) => resolve(hex(hash)))
  )
  expect(derived).toBe(hex(nodeCrypto.scryptSync("password", key, 32, cost)))
})

test("addresses are recognised in a page as in Node", () => {
  const texts = [
    "127.0.0.1",
    "127.0.0.256",
    "127.0.0.01",
    "1.2.3",
    "",
    "localhost",
    "::",
    "::1",
    "1::2:3",
    "::ffff:1.2.3.4"
  ]
  for (const text of [...texts, "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", ":::", "::g", "[::1]", "0x7f.1"]) {
    expect(net.isIP(text), text).toBe(nodeNet.isIP(text))
  }
  const fill = (list: Pick<nodeNet.BlockList, "addAddress" | "addSubnet" | "check">) => {
    list.addSubnet("10.1.0.0", 17, "ipv4")
    list.addAddress("192.168.0.1", "ipv4")
    list.addSubnet("fd00::", 8, "ipv6")
    list.addSubnet("0.0.0.0", 32, "ipv4")
    return ["10.1.127.255", "10.1.128.0", "192.168.0.1", "192.168.0.2", "0.0.0.1", "fd12::1", "fe80::1"].map(
      (address) => list.check(address, address.includes(":") ? "ipv6" : "ipv4")
    )
  }
  expect(fill(new net.BlockList() as never)).toEqual(fill(new nodeNet.BlockList()))
})

test("reason phrases of errors are those of Node", () => {
  const errors = Object.entries(nodeHttp.STATUS_CODES).filter(([status]) => Number(status) >= 400)
  expect(STATUS_CODES).toEqual(Object.fromEntries(errors))
})

test("a text that a page compresses can be read in Node, and the reverse", async () => {
  const text = "Ü€😀".repeat(5_000)
  expect(nodeZlib.gunzipSync(zlib.gzipSync(text)).toString()).toBe(text)
  const zipped = nodeZlib.gzipSync(text)
  const sizeBytes = Buffer.byteLength(text)
  expect(zlib.gunzipSync(zipped, { maxOutputLength: sizeBytes }).toString()).toBe(text)
  expect(() => zlib.gunzipSync(zipped, { maxOutputLength: sizeBytes - 1 })).toThrow(RangeError)
  const unzip = zlib.createGunzip().setEncoding("utf8")
  unzip.end(zipped)
  let unpacked = ""
  for await (const chunk of unzip) unpacked += chunk
  expect(unpacked).toBe(text)
})

test("compressed bytes that name another size than their text has are refused in a page as in Node", () => {
  const zipped = nodeZlib.gzipSync("a".repeat(1_000))
  for (const size of [0, 10, 999, 1_001]) {
    zipped.writeUInt32LE(size, zipped.length - 4)
    for (const { gunzipSync } of [zlib, nodeZlib])
      expect(() => gunzipSync(zipped, { maxOutputLength: 2_000 })).toThrow("incorrect length check")
    expect(() => zlib.createGunzip().end(zipped)).toThrow("incorrect length check")
  }
})

test("a request in a page has the headers that browsers drop, and its body as a stream", async () => {
  const headers = { host: "localhost", "content-length": "2", "X-Own": "a" }
  const request = new PageRequest("http://localhost/", { method: "POST", body: "{}", headers })
  request.headers.set("cookie", "a=b")
  const copy = new PageRequest(request)
  expect(Object.fromEntries(copy.headers)).toEqual({
    ...{ host: "localhost", "content-length": "2", "x-own": "a", cookie: "a=b" },
    "content-type": "text/plain;charset=UTF-8"
  })
  expect(new Request("http://localhost/")).toBeInstanceOf(PageRequest)
  expect(await new Response(streamOf(copy)).text()).toBe("{}")
})
