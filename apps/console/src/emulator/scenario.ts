import type { Json, Settings } from "@tapedeck/client"
import type { SentRequest, World } from "../api/control.ts"

/** A move of the clock, or the cancellation of the delivery. */
export type Step = { readonly by: number } | { readonly until: "idle" } | "cancel"

/** The delivery as a test expects it at its end. */
export interface Expected {
  readonly state: string
  readonly retry?: number
  /** Milliseconds since the first attempt, and the status or the stage that failed. */
  readonly attempts: ReadonlyArray<readonly [number, number | string]>
  /** The last attempt's request, with its custom headers; absent without an attempt. */
  readonly request?: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: Json
  }
}

/** A delivery as a world that repeats it. */
export interface Scenario {
  /** The body of the call that creates the world. */
  readonly start: {
    readonly now: string
    readonly seed: number
    readonly config: Readonly<Record<string, unknown>>
    readonly fixtures: {
      /** User who cancels the delivery. There is no other use of a user. */
      readonly users?: ReadonlyArray<{ readonly email: string; readonly name: string; readonly role: "admin" }>
      readonly [entries: string]: unknown
    }
  }
  readonly folder: string
  readonly recording: string
  readonly steps: ReadonlyArray<Step>
  readonly expected: Expected
}

/** A delivery with its automation and its recording; null if they are deleted. */
export interface DeliverySource {
  readonly delivery: Settings.Delivery
  /** The last attempt's request with its header values, which the settings API masks; null without an attempt. */
  readonly request: SentRequest | null
  readonly automation: Settings.Automation | null
  readonly recording: Settings.Recording | null
  readonly errors: Settings.RecordingErrors | null
  readonly folderName: string | null
  readonly account: { readonly id: number; readonly name: string }
  readonly world: World
}

export const admin = { email: "ada@acme.test", name: "Ada", role: "admin" } as const

const isAnswered = (outcome: string): boolean => outcome === "success" || outcome === "failure"

/** The sink's answers, attempt by attempt. An attempt in flight has no answer yet, so its answer is late. */
const answersOf = ({ attempts, state }: Settings.Delivery): ReadonlyArray<unknown> => {
  const answers = attempts.map(({ duration_ms: after, outcome, status_code: status }) => {
    if (!isAnswered(outcome)) return outcome
    return after === 0 ? status : { status, after }
  })
  if (state === "attempting") return [...answers, "timeout"]
  return answers.length === 0 ? [200] : answers
}

const stepsOf = ({
  delivery: { attempts, created_at: created, state },
  world
}: DeliverySource): ReadonlyArray<Step> => {
  const last = attempts.at(-1)
  const ended = last === undefined ? [] : [{ by: last.elapsed_ms + last.duration_ms }]
  const idle = { until: "idle" } as const
  switch (state) {
    case "scheduled":
      return []
    case "attempting":
      return [{ by: Date.parse(world.now) - Date.parse(attempts[0]?.timestamp ?? created) }]
    case "waiting":
      return ended
    case "cancelled":
      // An attempt in flight ends, and nothing follows, also after the last retry.
      return [...(last !== undefined && last.duration_ms > 0 ? [{ by: last.elapsed_ms }] : ended), "cancel", idle]
    default:
      return [idle]
  }
}

/** The headers of a request that are the automation's. */
const customHeaders = ({ headers }: SentRequest, { config, version }: World): Readonly<Record<string, string>> => {
  const vendor = String(config.vendor)
  const own: Readonly<Record<string, string>> = {
    accept: "*/*",
    "content-type": "application/json",
    "user-agent": `${vendor}/${version}`
  }
  const signatures = [`x-${vendor.toLowerCase()}-signature`, "webhook-id", "webhook-timestamp", "webhook-signature"]
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => own[name] !== value && !signatures.includes(name))
  )
}

/** The parts of a recording that a payload can have, without defaults. */
const recordingEntry = ({ delivery, errors, recording }: DeliverySource, isLiteral: boolean): object => {
  const parts = {
    uuid: delivery.recording_uuid,
    title: recording?.title,
    ...(!isLiteral &&
      recording !== null && {
        customer: recording.customer.email === null ? null : { email: recording.customer.email },
        duration: recording.metadata.duration,
        browser: recording.browser,
        os: recording.os,
        created_at: recording.metadata.created_at,
        sharing: recording.sharing === "public" ? null : recording.sharing,
        console_errors: errors?.console_errors,
        network_errors: errors?.network_errors
      })
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null && value !== undefined))
}

/** Two braces in a payload are a placeholder; with an escape they are text. */
const literalPayload = (body: string): string => body.replaceAll("{{", "{\\u007b")

interface ScenarioOptions {
  /** The payload's template is the body itself: for a recording or an automation that has changed since. */
  readonly isLiteral?: boolean
  /** True if the test does not check the body. */
  readonly isWithoutBody?: boolean
}

/** The world and the steps that repeat the delivery. */
export const scenarioOf = (source: DeliverySource, options: ScenarioOptions = {}): Scenario => {
  const { account, automation, delivery, request, world } = source
  const folder = automation?.folder_id ?? "folder"
  const method = request?.method ?? automation?.method ?? "POST"
  const steps = stepsOf(source)
  // Nothing was sent, so only the names are known.
  const unsent = Object.fromEntries(Object.keys(automation?.headers ?? {}).map((name) => [name, "masked"]))
  const headers = request === null ? unsent : customHeaders(request, world)
  const isBlocked = delivery.attempts.length > 0 && delivery.attempts.every(({ outcome }) => outcome === "blocked")
  const payload = options.isLiteral === true ? literalPayload(delivery.body) : (automation?.payload ?? null)
  const { public_url, standard_webhooks, vendor } = world.config
  return {
    start: {
      now: delivery.created_at,
      seed: world.seed,
      config: { public_url, standard_webhooks, vendor },
      fixtures: {
        account,
        ...(steps.includes("cancel") && { users: [admin] }),
        recordings: [recordingEntry(source, options.isLiteral === true)],
        folders: [{ id: folder, name: source.folderName ?? folder }],
        ...(!isBlocked && { sinks: [{ id: "receiver", respond: answersOf(delivery) }] }),
        automations: [
          // The guard refuses the receiver's address again.
          { id: "automation", folder, url: isBlocked ? request?.url : "sink:receiver", method, headers, payload }
        ]
      }
    },
    folder,
    recording: delivery.recording_uuid ?? "",
    steps,
    expected: {
      state: delivery.state,
      ...(delivery.retry !== undefined && { retry: delivery.retry }),
      attempts: delivery.attempts.map(({ elapsed_ms: elapsed, outcome, status_code: status }) => [
        elapsed,
        isAnswered(outcome) && status !== null ? status : outcome
      ]),
      ...(request !== null && {
        request: {
          method,
          headers,
          ...(options.isWithoutBody !== true && { body: JSON.parse(delivery.body) as Json })
        }
      })
    }
  }
}
