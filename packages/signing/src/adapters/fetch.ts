import { isSigningError, type RawBodyHint, SigningError } from "../errors.ts"
import type { Secrets } from "../secrets.ts"
import {
  checkDeclaredLength,
  collector,
  type Delivery,
  makeReceiver,
  type Receiver,
  type Refusal,
  refuse,
  type Unanswered,
  type WebhookOptions
} from "./receiver.ts"

export type { Delivery, WebhookOptions } from "./receiver.ts"

/** The part of a fetch `Request` that the adapter uses. */
export interface FetchRequest {
  readonly headers: { get(name: string): string | null; forEach(each: (value: string, name: string) => void): void }
  readonly body?: unknown
  readonly bodyUsed: boolean
  arrayBuffer(): Promise<ArrayBuffer>
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
  releaseLock(): void
}

interface Stream {
  readonly locked: boolean
  getReader(): Reader
}

/**
 * Number of further bytes of a body that is too large which are read and discarded before the response. If a body is not read, some
 * servers close the connection and some let it hang, so that the sender never gets the 413.
 */
const discardBytes = 16 * 1_048_576

const discard = async (reader: Reader) => {
  for (let size = 0; size < discardBytes; ) {
    const { done, value } = await interruptible(reader.read())
    if (done) return
    size += (value as Uint8Array).length
  }
}

const readStream = async (reader: Reader, declaredLength: unknown, limitBytes: number): Promise<Uint8Array> => {
  const { add, bytes } = collector(limitBytes)
  try {
    checkDeclaredLength(declaredLength, limitBytes)
    for (;;) {
      const { done, value } = await interruptible(reader.read())
      if (done) return bytes()
      add(value as Uint8Array)
    }
  } catch (error) {
    if (isSigningError(error) && error.code === "body_too_large") await discard(reader)
    throw error
  } finally {
    // Not cancelled: some servers close the connection then.
    reader.releaseLock()
  }
}

const interruptible = <A>(promise: Promise<A>): Promise<A> =>
  promise.catch(() => {
    throw new SigningError("body_interrupted", { framework: "fetch" })
  })

/** Reads the bytes of a request's body, up to a limit. */
const readBody = async (request: FetchRequest, limitBytes: number): Promise<Uint8Array> => {
  const stream = request.body as Stream | null | undefined
  if (request.bodyUsed || stream?.locked === true) {
    throw new SigningError("body_parsed", { received: "used", ...hint })
  }
  // A few runtimes have no `Request.body`.
  return typeof stream?.getReader === "function"
    ? readStream(stream.getReader(), request.headers.get("content-length"), limitBytes)
    : new Uint8Array(await interruptible(request.arrayBuffer()))
}

const answer = ({ status, headers, body }: Refusal) => new Response(body, { status, headers })

const hint = {
  framework: "fetch",
  cure: "Call this before request.json() and request.text(), or give it a request.clone() that was made before them."
} as const satisfies RawBodyHint

/** Returns the secrets for a request. */
const secretIn = <Rest extends ReadonlyArray<unknown>>(secret: FetchWebhookOptions<Rest>["secret"], rest: Rest) =>
  (typeof secret === "function" ? secret(...rest) : secret) as Secrets

/** Options of a fetch receiver. `Rest` has the further parameters of the runtime: `env` and `ctx` on Cloudflare Workers, the context of a Next.js route. */
export interface FetchWebhookOptions<Rest extends ReadonlyArray<unknown>> extends Omit<WebhookOptions, "secret"> {
  /** The secrets, or a function that returns them from the further parameters of the runtime: `(env) => env.WEBHOOK_SECRET`. */
  readonly secret: Secrets | ((...rest: Rest) => Secrets | undefined)
}

/**
 * Returns a function from a fetch `Request` to a `Response`, for Hono (`(c) => hook(c.req.raw)`), Next.js route handlers, Remix and
 * React Router actions, Cloudflare Workers, Deno and Bun. Further parameters of the runtime (`env` and `ctx` on Workers) are passed to
 * the handler, too. `handler` is called for verified deliveries only. If it returns no response, the response is 204. Its exceptions are
 * rethrown.
 */
export const webhook = <R extends FetchRequest, Rest extends ReadonlyArray<unknown> = []>(
  options: FetchWebhookOptions<Rest>,
  handler: (delivery: Delivery, request: R, ...rest: Rest) => Response | Unanswered | Promise<Response | Unanswered>
): ((request: R, ...rest: Rest) => Promise<Response>) => {
  const { secret, ...policy } = options
  const fixed = typeof secret === "function" ? undefined : makeReceiver(hint, { ...policy, secret })
  // Keys are kept, so one for each request costs little.
  const receiverOf = (rest: Rest): Receiver =>
    fixed ?? makeReceiver(hint, { ...policy, secret: secretIn(secret, rest) })
  return async (request, ...rest) => {
    let receiver: Receiver
    try {
      receiver = receiverOf(rest)
    } catch (error) {
      return answer(refuse(error, policy.onRefused))
    }
    let delivery: Delivery
    try {
      delivery = await receiver.receive(await readBody(request, receiver.maxBodyBytes), request.headers)
    } catch (error) {
      return answer(receiver.refuse(error))
    }
    try {
      return (await handler(delivery, request, ...rest)) ?? new Response(null, { status: 204 })
    } catch (error) {
      return answer(receiver.refuseEvent(error))
    }
  }
}
