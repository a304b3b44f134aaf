import { firingOf, folderEventReader, Ids, now, renderDelivery, storeOf, variablesOfFiring } from "@tapedeck/core"
import {
  type Attempt,
  AutomationId,
  type Delivery,
  DeliveryId,
  FOLDER_EVENT,
  type Instant,
  RecordingUuid,
  receiverOfAutomation
} from "@tapedeck/domain"
import { decideDelivery } from "@tapedeck/domain/delivery"
import { Effect, Result } from "effect"

const minuteMs = 60_000
const leaseMs = minuteMs
const hourMs = 60 * minuteMs

/** Answer of a receiver to one attempt; null for a name that DNS does not know. */
type Answer = { readonly status: number; readonly body: string; readonly durationMs: number } | null

interface Story {
  readonly recording: string
  /** Time between the recording's entry into the folder and the start of the server, in milliseconds. */
  readonly agoMs: number
  readonly answers: ReadonlyArray<Answer>
}

const accepted: Answer = { status: 200, body: '{"ok":true}', durationMs: 184 }
const unavailable: Answer = { status: 503, body: "Service Unavailable", durationMs: 95 }

/** Deliveries of an automation before the start of the demo: one that a retry delivered, one that failed permanently, and one that is being retried. */
const stories: ReadonlyArray<Story> = [
  { recording: "00000000-0000-4000-8000-000000000002", agoMs: 74 * hourMs, answers: [accepted] },
  { recording: "00000000-0000-4000-8000-000000000006", agoMs: 50 * hourMs, answers: Array(6).fill(unavailable) },
  {
    recording: "00000000-0000-4000-8000-000000000011",
    agoMs: 26 * hourMs,
    answers: [unavailable, unavailable, accepted]
  },
  { recording: "00000000-0000-4000-8000-000000000007", agoMs: 50 * minuteMs, answers: [null, null, null, null] }
]

/** Writes the deliveries of an automation's past, so that its log shows a delivery in each state. */
export const writeDemoDeliveries = Effect.fnUntraced(function* (automationId: string) {
  const startedAt = yield* now
  for (const story of stories) yield* write(AutomationId.make(automationId), story, startedAt)
})

const write = Effect.fnUntraced(function* (automationId: AutomationId, story: Story, startedAt: Instant) {
  const store = yield* storeOf("accounts", "automations", "deliveries", "folders", "recordings")
  const readEvent = yield* folderEventReader
  const automation = yield* store.automations.byId(automationId)
  const recording = yield* store.recordings.byUuid(RecordingUuid.make(story.recording))
  const folder = automation === undefined ? undefined : yield* store.folders.byId(automation.folderId)
  const account = automation === undefined ? undefined : yield* store.accounts.byId(automation.accountId)
  if (!(automation && recording && folder && account)) return
  const at = (startedAt - story.agoMs) as Instant
  const firing = firingOf(automation, recording)
  const { body } = renderDelivery(
    firing,
    yield* readEvent({ recording, folder, account, at }, variablesOfFiring(firing))
  )
  const scheduled: Delivery = {
    id: DeliveryId.make(yield* Ids.uuid("delivery")),
    accountId: account.id,
    automationId,
    destinationId: null,
    recordingUuid: recording.uuid,
    auditEntryId: null,
    test: false,
    redeliveryOf: null,
    event: FOLDER_EVENT,
    body: body ?? "",
    createdAt: at,
    schedule: receiverOfAutomation(automation).schedule,
    state: { _tag: "Scheduled", dueAt: at },
    attempts: []
  }
  yield* store.deliveries.insert(scheduled)
  // Claims and settles as a worker does, so that the attempts are counted.
  for (const after of attempted(scheduled, story.answers, automation)) {
    const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs })
    if (claim?.delivery.id !== scheduled.id)
      return yield* Effect.die(new Error("the demo's store has other deliveries"))
    yield* store.deliveries.settle(claim, () => after)
  }
})

/** The delivery after each of its attempts on the schedule's instants. */
const attempted = (
  scheduled: Delivery,
  answers: ReadonlyArray<Answer>,
  { method, url }: Pick<Attempt["request"] & {}, "method" | "url">
): ReadonlyArray<Delivery> => {
  const deliveries: Array<Delivery> = []
  const firstAt = scheduled.createdAt
  let { state } = scheduled
  let at: Instant = firstAt
  const attempts: Array<Attempt> = []
  for (const [index, answer] of answers.entries()) {
    const endedAt = (at + (answer?.durationMs ?? 12)) as Instant
    const request = { method, url, headers: [["content-type", "application/json"] as const] }
    attempts.push({ attempt: index + 1, at, elapsedMs: at - firstAt, endedAt, ...ended(answer), request })
    const events = [
      { _tag: "AttemptStarted", at } as const,
      { _tag: answer === accepted ? "AttemptSucceeded" : "AttemptFailed", at: endedAt } as const
    ]
    for (const event of events) state = Result.getOrThrow(decideDelivery(state, event, scheduled.schedule))
    deliveries.push({ ...scheduled, state, attempts: [...attempts] })
    at = (at + (scheduled.schedule[index] ?? 0)) as Instant
  }
  return deliveries
}

const ended = (answer: Answer): Pick<Attempt, "outcome" | "statusCode" | "response" | "error"> => {
  if (answer === null) {
    return { outcome: "dns", statusCode: null, response: null, error: "the host name was not resolved (ENOTFOUND)" }
  }
  const { body, status } = answer
  const response = { headers: [["content-type", "text/plain"] as const], body, truncated: false }
  return { outcome: status === 200 ? "success" : "failure", statusCode: status, response, error: null }
}
