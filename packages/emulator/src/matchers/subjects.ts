import type { Body, HeadersLike } from "@tapedeck/signing"

/** A delivery as the control plane shows it, reduced to the fields that are used. It may come from HTTP. */
export interface DeliverySubject {
  readonly id: string
  readonly kind: "automation" | "audit"
  readonly state: string
  readonly retry?: number
  readonly automation?: string
  readonly destination?: string
  readonly recording?: string
  readonly next_attempt_at: string | null
  readonly attempts: ReadonlyArray<{
    readonly attempt: number
    readonly at: string
    readonly elapsed_ms: number
    readonly outcome: string
    readonly status_code: number | null
    readonly error: string | null
    readonly request: { readonly headers: HeadersLike; readonly body: string }
  }>
}

/** A sink with its requests. */
export interface SinkSubject {
  readonly id: string
  readonly requests: ReadonlyArray<{
    readonly at: string
    readonly headers: Readonly<Record<string, string>>
    readonly body_base64: string
    readonly outcome: unknown
  }>
}

/** A request of a receiver: the body as the bytes or text that arrived. */
export interface RequestSubject {
  readonly headers: HeadersLike
  readonly body: Body
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isDelivery = (value: unknown): value is DeliverySubject =>
  isObject(value) && typeof value.state === "string" && Array.isArray(value.attempts)

const isSink = (value: unknown): value is SinkSubject =>
  isObject(value) && typeof value.id === "string" && Array.isArray(value.requests)

const isRequest = (value: unknown): value is RequestSubject =>
  isObject(value) && isObject(value.headers) && "body" in value

const describe = (value: unknown): string => {
  if (value === null || typeof value !== "object") return String(value)
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list with ${describe(value[0])} in it`
  if (typeof (value as { then?: unknown }).then === "function") return "a promise: await it"
  return `an object with the keys ${Object.keys(value).slice(0, 8).join(", ")}`
}

const refuse = (matcher: string, wanted: string, received: unknown): never => {
  throw new TypeError(`${matcher} is for ${wanted}; this is ${describe(received)}`)
}

const asList = (received: unknown): ReadonlyArray<unknown> => (Array.isArray(received) ? received : [received])

const areAll = <A>(values: ReadonlyArray<unknown>, is: (value: unknown) => value is A): values is ReadonlyArray<A> =>
  values.length > 0 && values.every(is)

/** The delivery, or the deliveries, of a matcher. */
export const deliveriesIn = (matcher: string, received: unknown): ReadonlyArray<DeliverySubject> => {
  const list = asList(received)
  return areAll(list, isDelivery)
    ? list
    : refuse(matcher, "a delivery, or a list of them, as world.deliveries() gives them", received)
}

/** An attempt, or a request to a sink. */
export interface LoggedAttempt {
  readonly attempt: number
  readonly at: string
  readonly elapsedMs: number
  readonly outcome: string
  readonly statusCode: number | null
  readonly error: string | null
}

/** The attempts of one delivery. */
export interface AttemptLog {
  readonly title: string
  readonly attempts: ReadonlyArray<LoggedAttempt>
}

/** The attempts of each delivery, or of each delivery to a sink. */
export const logsIn = (matcher: string, received: unknown): ReadonlyArray<AttemptLog> => {
  const list = asList(received)
  if (areAll(list, isDelivery)) return list.map(deliveryLog)
  if (areAll(list, isSink)) return list.flatMap(sinkLogs)
  return refuse(
    matcher,
    "deliveries, as world.deliveries() gives them, or a sink, as world.sinks.get(id) does",
    received
  )
}

export const deliveryLog = (delivery: DeliverySubject): AttemptLog => ({
  title: `Delivery ${delivery.id}${about(delivery)}: ${stateText(delivery)}`,
  attempts: delivery.attempts.map(({ at, attempt, elapsed_ms, error, outcome, status_code }) => ({
    attempt,
    at,
    elapsedMs: elapsed_ms,
    outcome,
    statusCode: status_code,
    error
  }))
})

const about = ({ automation, destination, recording }: DeliverySubject): string => {
  const parts = Object.entries({ automation, destination, recording }).flatMap(([name, id]) =>
    id === undefined ? [] : [`${name} ${id}`]
  )
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`
}

/** The state as a text for the message. */
const stateText = ({ next_attempt_at, retry, state }: DeliverySubject): string => {
  if (state === "scheduled") return "scheduled: its first attempt is pending, and fires when the clock is moved"
  if (state === "waiting") return `waiting: retry ${retry} is due at ${next_attempt_at}`
  if (state === "attempting") return "attempting: an attempt is in flight"
  return state
}

/** A sink sees requests; those of one delivery share a `webhook-id`. */
const sinkLogs = ({ id, requests }: SinkSubject): ReadonlyArray<AttemptLog> => {
  const byDelivery = new Map<string | undefined, Array<SinkSubject["requests"][number]>>()
  for (const request of requests) {
    const delivery = request.headers["webhook-id"]
    byDelivery.set(delivery, [...(byDelivery.get(delivery) ?? []), request])
  }
  if (byDelivery.size === 0) return [{ title: `Sink ${id}`, attempts: [] }]
  return [...byDelivery].map(([delivery, group]) => ({
    title: `Sink ${id}${delivery === undefined ? "" : `, delivery ${delivery}`}`,
    attempts: group.map(({ at, outcome }, index) => ({
      attempt: index + 1,
      at,
      elapsedMs: Date.parse(at) - Date.parse(group[0]!.at),
      outcome: typeof outcome === "number" ? String(outcome) : outcomeText(outcome),
      statusCode: null,
      error: null
    }))
  }))
}

const outcomeText = (outcome: unknown): string => (typeof outcome === "string" ? outcome : JSON.stringify(outcome))

/** A request whose signatures are verified. */
export interface SignedRequest {
  readonly title: string
  readonly headers: HeadersLike
  readonly body: Body
  /** Time at which the request was sent, in Unix milliseconds; undefined if unknown. */
  readonly sentAtMs: number | undefined
  /** The expected signature; undefined if unknown. */
  readonly scheme: "folder" | "audit" | undefined
}

/** The requests of a matcher, and their attempts if known. */
export const requestsIn = (
  matcher: string,
  received: unknown
): { readonly requests: ReadonlyArray<SignedRequest>; readonly logs: ReadonlyArray<AttemptLog> } => {
  const list = asList(received)
  if (areAll(list, isDelivery)) return { requests: list.flatMap(attemptedRequests), logs: list.map(deliveryLog) }
  if (areAll(list, isSink)) return { requests: list.flatMap(sinkRequests), logs: list.flatMap(sinkLogs) }
  if (areAll(list, isRequest)) return { requests: list.map(receivedRequest), logs: [] }
  if (list.length === 0) return { requests: [], logs: [] }
  return refuse(matcher, "deliveries, a sink, or requests { headers, body } as a receiver got them", received)
}

const receivedRequest = ({ body, headers }: RequestSubject, index: number): SignedRequest => ({
  title: `request ${index + 1}`,
  headers,
  body,
  sentAtMs: undefined,
  scheme: undefined
})

const attemptedRequests = ({ attempts, kind }: DeliverySubject): ReadonlyArray<SignedRequest> =>
  attempts.map(({ at, attempt, request }) => ({
    title: `attempt ${attempt}`,
    ...request,
    sentAtMs: Date.parse(at),
    scheme: kind === "audit" ? "audit" : "folder"
  }))

const sinkRequests = ({ requests }: SinkSubject): ReadonlyArray<SignedRequest> =>
  requests.map(({ at, body_base64, headers }, index) => ({
    title: `request ${index + 1}`,
    headers,
    body: Buffer.from(body_base64, "base64"),
    sentAtMs: Date.parse(at),
    scheme: undefined
  }))
