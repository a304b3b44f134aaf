import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text as it may stand in HTML or XML, attributes included. */
export const escapeHtml = (text: string): string =>
  text
    // Neither may hold these at all, escaped or not.
    .replace(/[^\P{Cc}\t\n\r]/gu, "")
    .replace(/[&<>"']/g, (char) => entities[char] ?? char)

/** A name or an address inside a sentence, in its own direction of writing: it does not reorder the words around it. */
export const isolated = (text: string): string => `<bdi dir="auto">${escapeHtml(text)}</bdi>`

/** The hashes of what a page has inline, and so is allowed; nothing else runs or shows. */
export interface InlineParts {
  readonly styleHash: string
  readonly scriptHash: string
}

/** Returns the content security policy of pages that load nothing from another site. */
const policy = (style: string, script: string, { forms = "'none'", frames = "'none'" } = {}): string =>
  [
    `default-src 'none'; img-src 'self'; media-src 'self'; style-src ${style}; script-src ${script}`,
    `base-uri 'none'; form-action ${forms}; frame-ancestors ${frames}`
  ].join("; ")

const withoutScripts = policy("'unsafe-inline'", "'none'")

/** The policy of pages with these parts, and no others. Only pages of `origins` may frame them. */
export const policyOf = ({ scriptHash, styleHash }: InlineParts, origins: ReadonlyArray<string> = []): string =>
  policy(`'${styleHash}'`, `'${scriptHash}'`, origins.length === 0 ? {} : { frames: origins.join(" ") })

/** The policy of a page without scripts, and with a form. */
export const formPolicyOf = (styleHash: string): string => policy(`'${styleHash}'`, "'none'", { forms: "'self'" })

/** A page without scripts, unless the policy allows one. */
export const htmlResponse = (
  html: string | Uint8Array | Stream.Stream<string>,
  status = 200,
  policy: string = withoutScripts
): HttpServerResponse.HttpServerResponse => {
  const options = {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer"
    }
  }
  if (typeof html === "string") return HttpServerResponse.text(html, options)
  return html instanceof Uint8Array
    ? HttpServerResponse.uint8Array(html, options)
    : HttpServerResponse.stream(Stream.encodeText(html), options)
}
