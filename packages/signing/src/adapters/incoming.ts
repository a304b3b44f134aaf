import type { Body } from "../body.ts"
import { type Framework, type RawBodyHint, SigningError } from "../errors.ts"
import {
  checkDeclaredLength,
  collector,
  type Delivery,
  makeReceiver,
  type Refusal,
  type Unanswered,
  type WebhookOptions
} from "./receiver.ts"

/** The part of Node's `IncomingMessage` that the adapters use. */
export interface NodeRequest {
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  readonly readableDidRead?: boolean
  readonly readableEnded?: boolean
  on(event: string, listener: (argument?: unknown) => void): unknown
  off(event: string, listener: (argument?: unknown) => void): unknown
  resume(): unknown
}

/** The part of Node's `ServerResponse` that the adapters use. */
export interface NodeResponse {
  readonly headersSent: boolean
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(text?: string): unknown
}

/** The calling adapter. */
export type NodeHint = RawBodyHint & { readonly framework: Framework }

const readStream = (request: NodeRequest, hint: NodeHint, limitBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const { add, bytes } = collector(limitBytes)
    const onData = (chunk: unknown) => {
      try {
        // Something called setEncoding: the bytes are gone.
        if (typeof chunk === "string") throw new SigningError("body_parsed", { received: "used", ...hint })
        add(chunk as Uint8Array)
      } catch (error) {
        stop(() => reject(error))
        // What is still to come is thrown away, so that the sender, which may read only then, gets to read the answer.
        request.resume()
      }
    }
    const onEnd = () => stop(() => resolve(bytes()))
    const onLost = () => stop(() => reject(new SigningError("body_interrupted", { framework: hint.framework })))
    const listeners = { data: onData, end: onEnd, error: onLost, close: onLost }
    const stop = (settle: () => void) => {
      for (const [event, listener] of Object.entries(listeners)) request.off(event, listener)
      settle()
    }
    for (const [event, listener] of Object.entries(listeners)) request.on(event, listener)
  })

/** Fields in which platforms and body parsers leave a body that they have read. */
export interface Leftovers {
  readonly body?: unknown
  readonly rawBody?: unknown
}

/**
 * Returns the bytes of a request's body, up to a limit: from the request, or from the code that has read it (a raw body parser sets
 * `body`, Google Cloud Functions set `rawBody`).
 */
export const readIncoming = async (
  request: NodeRequest,
  leftovers: Leftovers,
  hint: NodeHint,
  limitBytes: number
): Promise<Body> => {
  if (ArrayBuffer.isView(leftovers.rawBody)) return leftovers.rawBody as Uint8Array
  if (request.readableDidRead !== true) {
    // An empty body that was read gives no data.
    if (request.readableEnded === true) return new Uint8Array(0)
    checkDeclaredLength(request.headers["content-length"], limitBytes)
    return readStream(request, hint, limitBytes)
  }
  if (leftovers.body === undefined) throw new SigningError("body_parsed", { received: "used", ...hint })
  return leftovers.body as Body
}

const write = (response: NodeResponse, { status, headers, body }: Refusal) => {
  if (response.headersSent) return
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(body)
}

/** A handler of verified deliveries. It sends its own response before it ends, or none. */
export type NodeHandler<Request, Response> = (
  delivery: Delivery,
  request: Request,
  response: Response
) => Unanswered | Promise<Unanswered>

/** Verifies a request, calls the handler, and sends a response if the handler sent none. Rejects with the handler's exception. */
export const incomingWebhook = <Request extends NodeRequest, Response extends NodeResponse>(
  hint: NodeHint,
  options: WebhookOptions,
  handler: NodeHandler<Request, Response>
): ((request: Request, response: Response) => Promise<void>) => {
  const receiver = makeReceiver(hint, options)
  return async (request, response) => {
    let delivery: Delivery
    try {
      const body = await readIncoming(request, request as Leftovers, hint, receiver.maxBodyBytes)
      delivery = await receiver.receive(body, request.headers)
    } catch (error) {
      return write(response, receiver.refuse(error))
    }
    try {
      await handler(delivery, request, response)
    } catch (error) {
      return write(response, receiver.refuseEvent(error))
    }
    if (response.headersSent) return
    response.statusCode = 204
    response.end()
  }
}
