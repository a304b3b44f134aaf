import { type Failures, SigningError } from "./errors.ts"

/** Default payload of an automation: a recording was added to its folder. */
export interface RecordingAddedToFolder {
  readonly event: "recording.added_to_folder"
  /** Time in ISO 8601. */
  readonly timestamp: string
  readonly recording: {
    readonly id: string
    readonly title: string
    readonly url: string
    readonly video_url: string
    readonly thumbnail_url: string
    readonly customer_email: string
    /** Duration of the recording, in seconds; null while it is unknown. */
    readonly duration: number | null
    readonly browser: string
    readonly os: string
    readonly console_errors: ReadonlyArray<unknown>
    readonly network_errors: ReadonlyArray<unknown>
    /** Time in ISO 8601. */
    readonly created_at: string
  }
  readonly folder: { readonly id: string; readonly name: string }
  readonly account: { readonly id: string; readonly name: string }
}

/** Payload of an audit destination: an entry of the audit log. Its `event` can be `recording.added_to_folder`, too. */
export interface AuditLogEvent {
  readonly event: string
  readonly event_category: string
  readonly severity: string
  /** Time in ISO 8601. */
  readonly timestamp: string
  readonly audit_log: {
    readonly id: number
    readonly event_type: string
    readonly status: string
    readonly ip_address: string
    readonly user_agent: string
    readonly metadata: { readonly [key: string]: unknown }
  }
  /** User who acted; null for the system. */
  readonly user: { readonly id: number; readonly name: string; readonly email: string } | null
  readonly account: { readonly id: number; readonly name: string }
}

export type WebhookEvent = RecordingAddedToFolder | AuditLogEvent

type Mismatch = Failures["event_unexpected"]

interface Kind {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}

type Shape = Kind | { readonly [key: string]: Shape }

/** A shape with every field of a type. */
type ShapeOf<A> = A extends string | number | null | ReadonlyArray<unknown>
  ? Kind
  : { readonly [Key in keyof A]: ShapeOf<A[Key]> }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const string: Kind = { expected: "a string", holds: (value) => typeof value === "string" }
const integer: Kind = { expected: "an integer", holds: Number.isSafeInteger }
const array: Kind = { expected: "an array", holds: Array.isArray }
const object: Kind = { expected: "an object", holds: isObject }
const duration: Kind = {
  expected: "an integer or null",
  holds: (value) => value === null || Number.isSafeInteger(value)
}
const added: Kind = {
  expected: "recording.added_to_folder, or an audit log event",
  holds: (value) => value === "recording.added_to_folder"
}

const recordingAddedToFolder: ShapeOf<RecordingAddedToFolder> = {
  event: added,
  timestamp: string,
  recording: {
    id: string,
    title: string,
    url: string,
    video_url: string,
    thumbnail_url: string,
    customer_email: string,
    duration,
    browser: string,
    os: string,
    console_errors: array,
    network_errors: array,
    created_at: string
  },
  folder: { id: string, name: string },
  account: { id: string, name: string }
}

const auditUser: Shape = { id: integer, name: string, email: string }

const auditLogEvent: Shape = {
  event: string,
  event_category: string,
  severity: string,
  timestamp: string,
  audit_log: {
    id: integer,
    event_type: string,
    status: string,
    ip_address: string,
    user_agent: string,
    metadata: object
  },
  account: { id: integer, name: string }
}

const isKind = (shape: Shape): shape is Kind => typeof shape.holds === "function"

/** Returns the first path at which a value does not have the shape. Fields that the shape does not name are ignored. */
const mismatch = (value: unknown, shape: Shape, path: string): Mismatch | undefined => {
  if (isKind(shape)) return shape.holds(value) ? undefined : { path, expected: shape.expected }
  if (!isObject(value)) return { path: path === "" ? "the body" : path, expected: object.expected }
  for (const [key, inner] of Object.entries(shape)) {
    const found = mismatch(
      Object.hasOwn(value, key) ? value[key] : undefined,
      inner,
      path === "" ? key : `${path}.${key}`
    )
    if (found !== undefined) return found
  }
  return undefined
}

const auditMismatch = (value: unknown): Mismatch | undefined =>
  mismatch(value, auditLogEvent, "") ??
  (isObject(value) && value.user !== null ? mismatch(value.user, auditUser, "user") : undefined)

/** Returns whether an event is the default payload of an automation. An audit log entry about the same event is not. */
export const isRecordingAddedToFolder = (event: unknown): event is RecordingAddedToFolder =>
  isObject(event) && !Object.hasOwn(event, "audit_log") && mismatch(event, recordingAddedToFolder, "") === undefined

/** Returns whether an event is an audit log entry. */
export const isAuditLogEvent = (event: unknown): event is AuditLogEvent => auditMismatch(event) === undefined

/** Returns the JSON value of a verified body. Throws `event_not_json` if it is not JSON. */
export const parseJson = (body: Uint8Array): unknown => {
  try {
    // A byte order mark is no JSON, and bytes that are no UTF-8 are no text.
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    throw new SigningError("event_not_json", { bodyBytes: body.length })
  }
}

/** Returns the event of a verified body, with all its fields, including unknown ones. */
export const parseEvent = (body: Uint8Array): WebhookEvent => {
  const event = parseJson(body)
  const isAudit = isObject(event) && Object.hasOwn(event, "audit_log")
  const found = isAudit ? auditMismatch(event) : mismatch(event, recordingAddedToFolder, "")
  if (found !== undefined) throw new SigningError("event_unexpected", found)
  return event as WebhookEvent
}
