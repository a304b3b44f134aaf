import { type BodyFault, type RawBodyHint, SigningError } from "./errors.ts"

/** The body as it was sent: bytes, or text, which stands for its UTF-8 bytes. */
export type Body = Uint8Array | ArrayBuffer | string

const anyFramework: RawBodyHint = {
  framework: undefined,
  cure:
    'Get the raw bytes: in Express, express.raw({ type: "*/*" }) on this route; in Fastify, a content type parser with ' +
    '{ parseAs: "buffer" }; in Koa, no body parser on this path; in Next.js pages, api: { bodyParser: false }; with a ' +
    "fetch Request, await request.arrayBuffer(). The adapters (@tapedeck/signing/express and others) do this for you."
}

const utf8 = new TextEncoder()

/** Returns the index of the first lone surrogate; -1 if there is none. */
export const loneSurrogate = (text: string): number =>
  // ES2024 has a faster way; Node 18 has not.
  text.isWellFormed?.() === true ? -1 : text.search(/[\uD800-\uDFFF]/u)

const has = (value: object, method: string) => typeof (value as Record<string, unknown>)[method] === "function"

const faultOf = (value: unknown): BodyFault => {
  if (typeof value === "number" || typeof value === "boolean") return typeof value as "number" | "boolean"
  if (Array.isArray(value)) return "array"
  if (typeof value !== "object" || value === null) return "object"
  if (has(value, "arrayBuffer")) return "request"
  if (has(value, "pipe") || has(value, "getReader")) return "stream"
  return (value as { type?: unknown }).type === "Buffer" && "data" in value ? "serialized_buffer" : "object"
}

/**
 * Returns the bytes that the signature covers. Different bodies never give the same bytes: text with lone surrogates, for which an encoder
 * would write U+FFFD, is refused. `instanceof` alone would refuse the bytes of other realms (Jest, `node:vm`, edge sandboxes).
 */
export const toBytes = (body: Body, hint: RawBodyHint = anyFramework): Uint8Array => {
  if (typeof body === "string") {
    const at = loneSurrogate(body)
    if (at >= 0) throw new SigningError("body_not_well_formed", { at })
    return utf8.encode(body)
  }
  if (body instanceof Uint8Array) return body
  // Another realm's Uint8Array, and views of other types: they stand for their bytes too.
  if (ArrayBuffer.isView(body)) {
    const view: ArrayBufferView = body
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  }
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body)
  if (body === undefined || body === null) throw new SigningError("body_missing", hint)
  throw new SigningError("body_parsed", { received: faultOf(body), ...hint })
}
