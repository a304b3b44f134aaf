import type { AttemptOutcome, HeaderList } from "@tapedeck/domain"
import { Clock, Effect, Layer } from "effect"
import { type Dispatcher as UndiciDispatcher, request as undiciRequest } from "undici"
import { acquireAgent, type NetworkAgent } from "./receiverAgent.ts"
import { type Answer, Sender, timedOut, type WebhookRequest } from "./Sender.ts"

/** As much of a response's body as is read and kept (W4). */
const keptBodyBytes = 64 * 1024

/** The clock on the wall: sockets know no other, whatever clock the calling fiber has. */
const wallClock = Clock.Clock.defaultValue()

/**
 * Sends over the network with undici, under one deadline of wall time from DNS to the last byte that is read; does not
 * follow redirects (W5).
 */
export const sendOverNetwork = (
  agent: NetworkAgent,
  request: WebhookRequest,
  deadlineMs: number
): Effect.Effect<Answer> =>
  Effect.tryPromise({
    try: (signal) => exchange(agent, request, signal),
    catch: (error) => unanswered(error)
  }).pipe(
    Effect.catch((answer) => Effect.succeed(answer)),
    Effect.timeoutOrElse({ duration: deadlineMs, orElse: () => Effect.succeed(timedOut(deadlineMs)) }),
    Effect.provideService(Clock.Clock, wallClock)
  )

/** The sender of production. */
export const layerUndici = Layer.effect(
  Sender,
  Effect.gen(function* () {
    const agent = yield* acquireAgent
    return Sender.of({ send: (request, { timeoutMs }) => sendOverNetwork(agent, request, timeoutMs) })
  })
)

const exchange = async (agent: NetworkAgent, request: WebhookRequest, signal: AbortSignal): Promise<Answer> => {
  const { body, headers, statusCode } = await undiciRequest(request.url, {
    dispatcher: agent,
    method: request.method as UndiciDispatcher.HttpMethod,
    headers: request.headers.flat(),
    body: request.body,
    signal
  })
  const kept = await readCapped(body, keptBodyBytes)
  return {
    outcome: statusCode >= 200 && statusCode < 300 ? "success" : "failure",
    statusCode,
    response: { headers: headerList(headers), body: kept.bytes.toString("utf8"), truncated: kept.truncated },
    error: null
  }
}

/** Reads up to `limit` bytes and hangs up on the rest. */
const readCapped = async (body: AsyncIterable<Buffer> & { destroy(): void }, limit: number) => {
  const pieces: Array<Buffer> = []
  let size = 0
  for await (const piece of body) {
    pieces.push(piece.subarray(0, limit - size))
    size += piece.length
    if (size > limit) break
  }
  return { bytes: Buffer.concat(pieces), truncated: size > limit }
}

const headerList = (headers: Record<string, string | ReadonlyArray<string> | undefined>): HeaderList =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined
      ? []
      : typeof value === "string"
        ? [[name, value] as const]
        : value.map((one) => [name, one] as const)
  )

/** Node's and undici's error codes, by the stage at which the attempt failed. */
const stages: ReadonlyArray<readonly [AttemptOutcome, RegExp, string]> = [
  ["dns", /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EBADNAME)/, "the host name was not resolved"],
  ["refused", /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)/, "the connection was refused"],
  ["timeout", /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)/, "there was no connection in time"],
  [
    "tls",
    /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/,
    "the TLS handshake failed"
  ],
  ["reset", /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/, "the response was not HTTP that can be read"],
  ["reset", /./, "the connection was closed before the response was complete"]
]

const unanswered = (error: unknown): Answer => {
  const code = codeOf(error)
  const [outcome, , text] = stages.find(([, pattern]) => pattern.test(code)) ?? stages[stages.length - 1]!
  return { outcome, statusCode: null, response: null, error: `${text} (${code})` }
}

/** The error's code, its cause's, or at least its name; never its message, which may quote the request. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown"
  const { cause, code, name } = error as Error & { readonly code?: unknown }
  if (typeof code === "string") return code
  return cause instanceof Error ? codeOf(cause) : name
}
