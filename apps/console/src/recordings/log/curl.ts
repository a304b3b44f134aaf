import type { NetworkEvent } from "@tapedeck/domain/capture"

/** A word of a POSIX shell, in which nothing has a meaning. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** RFC 9110, 5.6.2. A name with `@` would have curl read a file; one with `:` is HTTP/2's own. */
const token = /^[\w!#$%&'*+.^`|~-]+$/

/** curl sets these itself. */
const ownHeaders: ReadonlySet<string> = new Set(["content-length", "host", "connection", "accept-encoding"])

/** The request as a command for a POSIX shell. What was redacted stays so. */
export const curlOf = ({ method, request_body: body, request_headers: headers, url }: NetworkEvent): string => {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    token.test(name) && !ownHeaders.has(name.toLowerCase())
      ? [`-H ${quoted(`${name}: ${value.replace(/[\r\n]+/g, " ")}`)}`]
      : []
  )
  return [
    `curl --globoff --request ${quoted(method)} --url ${quoted(url)}`,
    ...lines,
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`])
  ].join(" \\\n  ")
}
