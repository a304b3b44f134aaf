import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += piece
  return text
}

export interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{
    readonly key: string
    readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number }
  }>
}

export const attributesOf = ({ attributes }: Pick<Span, "attributes">) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue])
  )

/** Takes traces, metrics and logs as a collector does. `found` waits for a span. */
export const collector = async () => {
  const bodies: Array<{ readonly path: string; readonly text: string }> = []
  const headers: Array<IncomingMessage["headers"]> = []
  const waiting: Array<() => void> = []
  const server = createServer(async (request, response) => {
    headers.push(request.headers)
    bodies.push({ path: request.url ?? "", text: await textOf(request) })
    response.end("{}")
    for (const look of waiting) look()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const of = <Body>(signal: string) =>
    bodies.flatMap(({ path, text }) => (path === `/v1/${signal}` ? [JSON.parse(text) as Body] : []))
  const spans = () =>
    of<{ resourceSpans: [{ scopeSpans: [{ spans: Array<Span> }] }] }>("traces").flatMap(
      ({ resourceSpans }) => resourceSpans[0].scopeSpans[0].spans
    )
  const found = (name: string) =>
    new Promise<Span>((resolve) => {
      const look = () => {
        const span = spans().find((one) => one.name === name)
        if (span !== undefined) resolve(span)
      }
      waiting.push(look)
      look()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, headers, found, of, spans }
}
