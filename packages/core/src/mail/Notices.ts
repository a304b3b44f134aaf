import { type Delivery, type Instant, type Recording, type User, UserId } from "@tapedeck/domain"
import { jobIds, type MailJob, type MailSwitch, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { now } from "../now.ts"
import { countTries, countTry, type TryCount } from "../people/signIn/tries.ts"
import { mayReadAs } from "../recordings/visibility.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeOf } from "../store/Store.ts"
import { windowSkewMs } from "../store/signIn.ts"
import { isSwitchedOn } from "./switches.ts"

/** Maximum number of admins that one event is mailed to, the ones added first. */
const maxAdmins = 100

const hourMs = 3_600_000

/** Maximum number of mails about recordings to one user in an hour. Further ones are not sent. */
const recordingMails = { tries: 30, perMs: hourMs }

/** Maximum number of these mails about recordings that customers made on sites. */
const siteMails = { tries: 20, perMs: hourMs }

/** Maximum number of mails about failures, for each receiver. */
const failureMails = { tries: 1, perMs: hourMs }

const failureKey = ({ automationId, destinationId }: Delivery) => `mail failed ${automationId ?? destinationId ?? ""}`

/**
 * The first view waits some seconds: views on several nodes within a second are one mail, because they have the same id in the
 * outbox.
 */
const firstViewDelayMs = 5_000

/** Adds mails about events to the outbox. Each call belongs inside the transaction of its event. */
export const makeNotices = Effect.gen(function* () {
  const store = yield* storeOf("automations", "destinations", "folders", "jobs", "tryWindows", "users")
  const { consoleUrl } = yield* ServiceConfig

  const add = Effect.fnUntraced(function* (
    user: User,
    about: { readonly switch: MailSwitch } & Pick<MailJob, "subject"> &
      Partial<Pick<MailJob, "recordingUuid" | "deliveryId" | "reason">>,
    delayMs = 0
  ) {
    const at = yield* now
    yield* store.jobs.enqueueOnce({
      kind: "mail",
      id: jobIds.mail(`${about.switch} ${user.id} ${about.deliveryId ?? about.recordingUuid ?? ""}`),
      queueKey: queueKeyOf("mail", user.accountId),
      accountId: user.accountId,
      userId: user.id,
      recordingUuid: null,
      deliveryId: null,
      reason: null,
      ...about,
      failedTries: 0,
      createdAt: at,
      dueAt: (at + delayMs) as Instant
    })
  })

  const addOfRecording = Effect.fnUntraced(function* (
    user: User,
    mailSwitch: MailSwitch,
    recording: Recording,
    delayMs?: number
  ) {
    const fromSites: ReadonlyArray<TryCount> =
      recording.ownerId === null ? [[`mail of sites ${user.id}`, siteMails]] : []
    const counted = yield* countTries(store, [...fromSites, [`mail ${user.id}`, recordingMails]])
    if (!counted.isLetThrough) return
    yield* add(user, { switch: mailSwitch, subject: recording.title, recordingUuid: recording.uuid }, delayMs)
  })

  const ownerOf = ({ ownerId }: Recording) =>
    ownerId === null ? Effect.undefined : store.users.byId(UserId.make(ownerId))

  const created = Effect.fnUntraced(function* (recording: Recording) {
    const owner = yield* ownerOf(recording)
    const readers = new Map(
      (yield* store.users.activeAdmins(recording.accountId, maxAdmins)).map((one) => [one.id, one])
    )
    if (owner?.active === true) readers.set(owner.id, owner)
    for (const user of readers.values()) {
      if (!mayReadAs(user, recording)) continue
      const isOwn = user.id === recording.ownerId && isSwitchedOn(user, "own_recordings")
      if (isOwn) yield* addOfRecording(user, "own_recordings", recording)
      else if (isSwitchedOn(user, "all_recordings")) yield* addOfRecording(user, "all_recordings", recording)
    }
  })

  const viewed = Effect.fnUntraced(function* (recording: Recording) {
    const owner = yield* ownerOf(recording)
    if (owner === undefined || !owner.active || !isSwitchedOn(owner, "first_view")) return
    yield* addOfRecording(owner, "first_view", recording, firstViewDelayMs)
  })

  const failed = Effect.fnUntraced(function* (delivery: Delivery) {
    if (delivery.test || delivery.state._tag !== "PermanentlyFailed") return
    const admins = yield* store.users.activeAdmins(delivery.accountId, maxAdmins)
    const wanting = admins.filter((user) => isSwitchedOn(user, "failed_deliveries"))
    if (wanting.length === 0 || !(yield* countTry(store, failureKey(delivery), failureMails)).isLetThrough) return
    const about = {
      switch: "failed_deliveries",
      subject: yield* receiverName(delivery),
      deliveryId: delivery.id,
      recordingUuid: delivery.recordingUuid,
      reason: reasonOf(delivery)
    } as const
    for (const user of wanting) yield* add(user, about)
  })

  /** Returns the name of a receiver. Of a URL, only the host is used, because path and query may contain secrets. */
  const receiverName = Effect.fnUntraced(function* ({ automationId, destinationId }: Delivery) {
    if (destinationId !== null) return (yield* store.destinations.byId(destinationId))?.name ?? null
    const automation = automationId === null ? undefined : yield* store.automations.byId(automationId)
    if (automation === undefined) return null
    const { folderId, url } = automation
    const folder = yield* store.folders.byId(folderId)
    return `${URL.canParse(url) ? new URL(url).host : "a webhook"} (folder ${folder?.name ?? folderId})`
  })

  return {
    /** Mails the owner and the admins with that switch about a new recording. */
    recordingCreated: (recording: Recording) => (consoleUrl === null ? Effect.void : created(recording)),
    /** Mails the owner about the recording's first view. */
    firstView: (recording: Recording) => (consoleUrl === null ? Effect.void : viewed(recording)),
    /** Mails about a permanently failed delivery; ignores any other. */
    deliveryFailed: (delivery: Delivery) => (consoleUrl === null ? Effect.void : failed(delivery)),
    /**
     * Returns whether a failure of this receiver would be mailed now; false within an hour of the last mail. Not inside a transaction.
     */
    isFailureDue: (delivery: Delivery) =>
      consoleUrl === null || delivery.test
        ? Effect.succeed(false)
        : Effect.zipWith(
            store.tryWindows.byKey(failureKey(delivery)),
            now,
            (open, at) => open === undefined || at >= open.endsAt || open.endsAt > at + hourMs + windowSkewMs(hourMs)
          ),
    isOn: consoleUrl !== null
  }
})

/** At most 500 characters, on one line. */
const reasonOf = ({ attempts, error }: Delivery): string => {
  const last = attempts.at(-1)
  if (last === undefined) return error ?? "the payload is too large"
  const failure = last.statusCode === null ? (last.error ?? last.outcome) : `HTTP status ${last.statusCode}`
  return failure.replace(/\s+/gu, " ").slice(0, 500)
}
