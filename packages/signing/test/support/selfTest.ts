import { bundle } from "./bundle.ts"
import { vectors } from "./vectors.ts"

/**
 * A program for any runtime, as one bundle: answers every shared vector with `verify`, signs each scheme and verifies it, and
 * receives a request with the fetch adapter. Its global `selfTest()` gives what it found, as JSON.
 */
export const selfTest = (condition: string, format: "esm" | "iife" = "iife"): Promise<string> =>
  bundle(
    `
import { sign, verify, verifyResult, verifyResultSync } from "@tapedeck/signing"
import { webhook } from "@tapedeck/signing/fetch"

const vectors = ${JSON.stringify(vectors)}
const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))

const answers = async () => {
  const told = []
  for (const [name, file, { secrets: secret, headers, body_base64, now }] of vectors) {
    const result = await verifyResult({
      scheme: file.scheme,
      body: bytes(body_base64),
      headers: Object.fromEntries(headers),
      secret,
      now: now * 1000
    })
    told.push([name, result.ok ? { valid: true, secret_index: result.value.secretIndex } : { valid: false, code: result.error.code }])
  }
  return told
}

const signed = async () => {
  const found = []
  for (const scheme of ["standard", "folder", "audit"]) {
    const options = { scheme, id: "msg_1", timestamp: 1, body: "ü", secret: ["s3cret"], encoding: "base64" }
    const headers = await sign({ ...options, secret: scheme === "standard" ? options.secret : "s3cret" })
    found.push((await verify({ body: "ü", headers, secret: "s3cret", now: 1000 })).scheme)
  }
  return found
}

const atOnce = async () => {
  const headers = await sign({ scheme: "folder", body: "ü", secret: "s3cret" })
  const result = verifyResultSync({ body: "ü", headers, secret: "s3cret" })
  return result.ok ? result.value.scheme : result.error.code
}

const received = async () => {
  const hook = webhook({ secret: "s3cret", maxBodyBytes: 10 }, (delivery) => new Response(delivery.json().a))
  const headers = await sign({ scheme: "folder", body: '{"a":"b"}', secret: "s3cret" })
  const answers = []
  for (const body of ['{"a":"b"}', '{"a":"c"}', '{"a":"bcdefghi"}']) {
    const response = await hook(new Request("http://localhost/hook", { method: "POST", headers, body }))
    answers.push([response.status, response.status === 200 ? await response.text() : (await response.json()).code])
  }
  return answers
}

globalThis.selfTest = async () => JSON.stringify({ answers: await answers(), signed: await signed(), atOnce: await atOnce(), received: await received() })
`,
    { condition, format }
  )

/** What `selfTest()` gives where all is well: what answers at once needs `node:crypto`. */
export const selfTestPassed = (condition: string) => ({
  answers: vectors.map(([name, , { expected }]) => [name, expected]),
  signed: ["standard", "folder", "audit"],
  atOnce: condition === "node" ? "folder" : "sync_unavailable",
  received: [
    [200, "b"],
    [401, "signature_mismatch"],
    [413, "body_too_large"]
  ]
})
