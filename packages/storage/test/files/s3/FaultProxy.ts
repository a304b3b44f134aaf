import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request that reached the proxy, and its outcome. */
export interface Seen {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly target: string
  readonly range: string | undefined
  /** Whether the caller went away before the answer's end. */
  readonly gone: boolean
}

/**
 * What happens to a request: it is passed on, answered by the proxy, cut off before or after the backend has done it, kept
 * until the test lets it go, or its answer is cut off after so many bytes.
 */
export type Fate =
  | "pass"
  | "cut"
  | "lose"
  | { readonly status: number; readonly code: string }
  | { readonly until: Promise<unknown> }
  | { readonly cutAfter: number }

/** Passes requests on to a backend, as they are: their signatures stay good. A test says which of them fail, and how. */
export interface FaultProxy {
  readonly url: string
  readonly seen: Array<Seen>
  fateOf: (request: { readonly method: string; readonly target: string }) => Fate
  readonly close: () => void
}

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean

/** `answer` may answer what the backend has no answer for. */
export const startFaultProxy = async (backend: string, answer: Answer = () => false): Promise<FaultProxy> => {
  const server = createServer((incoming, outgoing) => {
    const seen = {
      method: incoming.method ?? "",
      target: incoming.url ?? "",
      range: incoming.headers.range,
      gone: false
    }
    proxy.seen.push(seen)
    outgoing.on("close", () => {
      seen.gone = !outgoing.writableFinished
    })
    void follow(proxy.fateOf(seen))

    async function follow(fate: Fate): Promise<void> {
      if (fate === "cut") return void incoming.socket.destroy()
      if (typeof fate === "object" && "until" in fate) await fate.until
      if (typeof fate === "object" && "status" in fate) return refuse(incoming, outgoing, fate)
      if (answer(incoming, outgoing)) return
      passOn(incoming, outgoing, fate)
    }
  })
  const passOn = (incoming: IncomingMessage, outgoing: ServerResponse, fate: Fate) => {
    const { headers, method, rawHeaders, url } = incoming
    const onward = request(new URL(url ?? "/", backend), {
      method,
      headers: headers.host === undefined ? {} : rawHeaders
    })
    onward.on("error", () => outgoing.destroy())
    outgoing.on("close", () => onward.destroy())
    onward.on("response", (answered) => {
      if (fate === "lose") {
        answered.resume().on("end", () => incoming.socket.destroy())
        return
      }
      outgoing.writeHead(answered.statusCode ?? 500, answered.rawHeaders)
      // Swift sends a body after a HEAD that finds nothing: what follows is no answer any more.
      if (method === "HEAD") return void outgoing.end(() => onward.destroy())
      if (typeof fate === "object" && "cutAfter" in fate) cutAfter(answered, outgoing, fate.cutAfter)
      else answered.pipe(outgoing)
    })
    incoming.pipe(onward)
  }
  const proxy: FaultProxy = {
    url: "",
    seen: [],
    fateOf: () => "pass",
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

const refuse = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { code, status }: { readonly status: number; readonly code: string }
): void => {
  incoming.resume()
  outgoing.writeHead(status, { "content-type": "application/xml" })
  outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>said the proxy</Message></Error>`)
}

const cutAfter = (answered: IncomingMessage, outgoing: ServerResponse, bytes: number): void => {
  let left = bytes
  answered.on("data", (piece: Buffer) => {
    const part = piece.subarray(0, left)
    left -= part.length
    outgoing.write(part, () => left === 0 && outgoing.destroy())
    if (left === 0) answered.destroy()
  })
}
