import type { NetworkEvent } from "@tapedeck/domain/capture"
import { shellWord } from "../../ui/visible.ts"

/** Valid name of a header (RFC 9110, 5.6.2). curl would read a file for a name with `@`; a name with `:` is HTTP/2's own. */
const token = /^[\w!#$%&'*+.^`|~-]+$/

/** Headers that curl sets itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...["content-length", "host", "connection", "accept-encoding", "transfer-encoding"]
])

/** Maximum length of an argument, in bytes: Linux allows 128 KiB. */
const maxArgumentBytes = 100_000

const inOneLine = (text: string): string => text.replace(/[\r\n]+/g, " ")

/** Escapes the characters of a URL that browsers escape and curl refuses. */
const escapedUrl = (url: string): string =>
  url.toWellFormed().replace(/[\s\p{C}\p{Zl}\p{Zp}]/gu, (one) => encodeURIComponent(one))

/** curl omits a header without a value, unless it ends with a semicolon. */
const headerLine = (name: string, value: string): string =>
  /^[ \t\v\f]*$/.test(value) ? `${name};` : `${name}: ${value}`

/** The request as a command for bash or zsh. Redacted values stay redacted. The command opens no file, whatever the URL. */
export const curlOf = ({ method, request_body: body, request_headers: headers, url }: NetworkEvent): string => {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    token.test(name) && !ownHeaders.has(name.toLowerCase())
      ? [`-H ${shellWord(headerLine(name, inOneLine(value)))}`]
      : []
  )
  const isPiped = body !== undefined && new TextEncoder().encode(body).length > maxArgumentBytes
  return [
    ...(isPiped ? [`printf %s ${shellWord(body)} |`] : []),
    [
      "curl --globoff --proto '=http,https'",
      // After `--request HEAD`, curl waits for a body.
      method === "HEAD" && body === undefined ? "--head" : `--request ${shellWord(inOneLine(method))}`,
      `--url ${shellWord(escapedUrl(url))}`
    ].join(" "),
    ...lines,
    ...(body === undefined ? [] : [isPiped ? "--data-binary @-" : `--data-raw ${shellWord(body)}`])
  ].join(" \\\n  ")
}
