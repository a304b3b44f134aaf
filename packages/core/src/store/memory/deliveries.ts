import {
  type Delivery,
  type Instant,
  type Receiver,
  receiverOfAutomation,
  receiverOfDestination
} from "@tapedeck/domain"
import {
  type AttemptResult,
  type Claim,
  type ClaimOptions,
  decideDelivery,
  isFinalState,
  nextAttemptAt,
  type QueueKey
} from "@tapedeck/domain/delivery"
import { type ListedDelivery, listedDelivery, tallyOf } from "@tapedeck/domain/internal/delivery"
import { addressedTo } from "@tapedeck/domain/internal/receivers"
import { Result } from "effect"
import { allocated, queueKeyOf } from "../../deliveries/queueKeys.ts"
import {
  type CancelOptions,
  type CancelProgress,
  type DeliveryFilter,
  type DeliveryPruning,
  type DeliverySearch,
  type Due,
  type FoundDeliveries,
  maxScanned,
  type Part,
  type PrunedDeliveries,
  partOf,
  type QueueCounts,
  type Slice,
  type Store,
  type WebhookReceiver
} from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import { countAttempt } from "./statistics.ts"
import { type AgendaPlace, comparePlaces, type Draft, type QueuedDelivery, type WorldState } from "./WorldState.ts"

/** Adds an entry to the agenda, after all entries of the same instant. */
export const schedule = (draft: Draft, due: Due): AgendaPlace => {
  const place = { at: due.at, order: draft.count("agenda") }
  draft.edit("agenda").set(place, due)
  return place
}

/** Removes a delivery's entry from the agenda: its place in the queue, or, while it is claimed, the end of its lease. */
const unschedule = (draft: Draft, { leasedUntil, place }: QueuedDelivery) => {
  if (place === null) return
  draft.edit("agenda").delete(leasedUntil === null ? place : { ...place, at: leasedUntil })
  if (leasedUntil !== null) draft.state.leases--
}

/** Leases a delivery. It keeps its place in the queue, and its order among leases that end at the same instant. */
const lease = (draft: Draft, row: QueuedDelivery, place: AgendaPlace, leasedUntil: Instant) => {
  unschedule(draft, row)
  const due: Due = { kind: "lease", at: leasedUntil, deliveryId: row.delivery.id }
  draft.edit("agenda").set({ ...place, at: leasedUntil }, due)
  draft.state.leases++
  put(draft, { ...row, place, leasedUntil })
}

const put = (draft: Draft, row: QueuedDelivery) => draft.edit("deliveries").set(row.sequence, row)

const rowOf = (state: WorldState, id: string): QueuedDelivery | undefined => {
  const sequence = state.deliveriesById.get(id)
  return sequence === undefined ? undefined : state.deliveries.get(sequence)
}

/** Writes what a delivery has become, and its next attempt on the agenda. */
const write = (draft: Draft, row: QueuedDelivery, delivery: Delivery) => {
  unschedule(draft, row)
  const at = nextAttemptAt(delivery.state)
  const place = at === null ? null : schedule(draft, { kind: "attempt", at, deliveryId: delivery.id })
  put(draft, { ...row, delivery, held: null, place, leasedUntil: null })
}

const findDelivery = (state: WorldState, id: string) => rowOf(state, id)?.delivery

const passes = (filter: DeliveryFilter, delivery: Delivery): boolean =>
  (filter.state === undefined || delivery.state._tag === filter.state) &&
  (filter.automationId === undefined || delivery.automationId === filter.automationId) &&
  (filter.destinationId === undefined || delivery.destinationId === filter.destinationId) &&
  (filter.recordingUuid === undefined || delivery.recordingUuid === filter.recordingUuid) &&
  (filter.auditEntryId === undefined || delivery.auditEntryId === filter.auditEntryId) &&
  (filter.accountId === undefined || delivery.accountId === filter.accountId)

const listDeliveries = (state: WorldState, filter: DeliveryFilter): ReadonlyArray<Delivery> => {
  const found: Array<Delivery> = []
  for (const { delivery } of state.deliveries.values()) if (passes(filter, delivery)) found.push(delivery)
  return found
}

const searchDeliveries = <A>(
  state: WorldState,
  search: DeliverySearch,
  { after, limit }: { readonly after: number | null; readonly limit: number },
  each: (delivery: ListedDelivery) => A
): FoundDeliveries<A> => {
  const { event, since, statusCode, until } = search
  const isFound = (delivery: Delivery): boolean =>
    passes(search, delivery) &&
    (event === undefined || delivery.event === event) &&
    (statusCode === undefined || delivery.attempts.some((attempt) => attempt.statusCode === statusCode)) &&
    (since === undefined || delivery.createdAt >= since) &&
    (until === undefined || delivery.createdAt < until)
  const items: Array<A> = []
  let count = 0
  let lookedAt = 0
  let first: number | null = null
  let last = 0
  let next: number | null = null
  for (let place = after ?? Infinity; ; ) {
    const row = state.deliveries.nextLowerPair(place)
    if (row === undefined) return { count, isExact: true, items, first, next }
    if (lookedAt === maxScanned) return { count, isExact: false, items, first, next: next ?? place }
    place = row[0]
    lookedAt += 1
    if (!isFound(row[1].delivery)) continue
    count += 1
    if (items.length === limit) {
      next ??= last
      continue
    }
    items.push(each(listedDelivery(row[1].delivery)))
    first ??= place
    last = place
  }
}

const pageOfDeliveries = <A>(
  state: WorldState,
  filter: DeliveryFilter,
  slice: Slice,
  each: (delivery: ListedDelivery) => A
): Part<A> => {
  const { count, items } = partOf(listDeliveries(state, filter).toReversed(), slice)
  return { count, items: items.map((delivery) => each(listedDelivery(delivery))) }
}

const insertDelivery = (draft: Draft, delivery: Delivery) => {
  const sequence = draft.count("delivery_sequence")
  draft.edit("deliveriesById").set(delivery.id, sequence)
  write(draft, { sequence, delivery, fence: 0, held: null, place: null, leasedUntil: null }, delivery)
}

const isOf = (delivery: Delivery, receiver: WebhookReceiver): boolean =>
  "automationId" in receiver
    ? delivery.automationId === receiver.automationId
    : delivery.destinationId === receiver.destinationId

const cancelDeliveries = (
  draft: Draft,
  receiver: WebhookReceiver,
  { at, limit, progress }: CancelOptions
): CancelProgress | null => {
  const { after, upTo } = progress ?? { after: 0, upTo: draft.state.deliveries.maxKey() ?? 0 }
  const stretch: Array<QueuedDelivery> = []
  for (const [sequence, row] of draft.state.deliveries.entries(after + 1)) {
    if (sequence > upTo || stretch.length === limit) break
    stretch.push(row)
  }
  for (const { delivery } of stretch) {
    if (!isOf(delivery, receiver)) continue
    const next = decideDelivery(delivery.state, { _tag: "CancelRequested", at }, delivery.schedule)
    if (Result.isSuccess(next)) updateDelivery(draft, { ...delivery, state: next.success })
  }
  return stretch.length < limit ? null : { upTo, after: stretch.at(-1)!.sequence }
}

const pruneDeliveries = (draft: Draft, { after, limit, createdBefore }: DeliveryPruning): PrunedDeliveries => {
  const stretch: Array<QueuedDelivery> = []
  for (const [, row] of draft.state.deliveries.entries((after ?? 0) + 1)) {
    if (row.delivery.createdAt >= createdBefore || stretch.length === limit) break
    stretch.push(row)
  }
  const ended = stretch.filter(({ delivery }) => isFinalState(delivery.state))
  for (const { delivery, sequence } of ended) {
    draft.edit("deliveries").delete(sequence)
    draft.edit("deliveriesById").delete(delivery.id)
  }
  return { removed: ended.length, after: stretch.length < limit ? null : stretch.at(-1)!.sequence }
}

const updateDelivery = (draft: Draft, delivery: Delivery) => {
  const row = rowOf(draft.state, delivery.id)
  if (row === undefined) return
  // An attempt in flight keeps its position: its lease, or the end of its held result.
  if (delivery.state._tag === "Attempting") put(draft, { ...row, delivery })
  else write(draft, row, delivery)
}

const claimDeliveries = (
  draft: Draft,
  now: Instant,
  { allocate, leaseMs, limit }: ClaimOptions
): ReadonlyArray<Claim> => {
  const leaseEnd = (now + leaseMs) as Instant
  const all = dueRows(draft.state, now, allocate === undefined ? limit : Infinity)
  const due = allocate === undefined ? all : allocated(all, allocate)
  return due.slice(0, limit).map(({ place, row }) => {
    const one = claim(draft.state, row, now)
    lease(draft, { ...row, delivery: one.delivery, fence: one.fence }, place, leaseEnd)
    return one
  })
}

interface DueRow {
  readonly row: QueuedDelivery
  readonly place: AgendaPlace
  readonly key: QueueKey
}

/** Returns the due rows in the order of the queue: at least the first `limit`. */
const dueRows = (state: WorldState, now: Instant, limit: number): ReadonlyArray<DueRow> => {
  const rows: Array<DueRow> = []
  let isInOrder = true
  for (const due of state.agenda.values()) {
    // A lost delivery is on the agenda later than its place in the queue.
    if (due.at > now || (rows.length === limit && state.leases === 0)) break
    if (due.kind === "job") continue
    if (due.kind === "lease") isInOrder = false
    const row = rowOf(state, due.deliveryId)
    if (row?.place != null) rows.push({ row, place: row.place, key: keyIn(row) })
  }
  return isInOrder ? rows : rows.sort((a, b) => comparePlaces(a.place, b.place))
}

/** A result that is held is no first attempt any more. */
const keyIn = ({ delivery, held }: QueuedDelivery): QueueKey => {
  const key = queueKeyOf(delivery)
  return held === null ? key : { ...key, isFirstAttempt: false }
}

const claim = (state: WorldState, row: QueuedDelivery, now: Instant): Claim => {
  const fence = row.fence + 1
  // A held result stays known even if the worker that was to record it is lost.
  if (row.held !== null) return { delivery: row.delivery, fence, reason: "answered", result: row.held, receiver: null }
  if (row.leasedUntil !== null) return { delivery: row.delivery, fence, reason: "lost", result: null, receiver: null }
  const started = decideDelivery(row.delivery.state, { _tag: "AttemptStarted", at: now }, row.delivery.schedule)
  // Only Scheduled and Waiting deliveries have an attempt on the agenda, and both may start one.
  const delivery = { ...row.delivery, state: Result.getOrThrow(started) }
  return { delivery, fence, reason: "due", result: null, receiver: receiverOf(state, delivery) }
}

const receiverOf = (state: WorldState, delivery: Delivery): Receiver | null => {
  const { automationId, destinationId } = delivery
  const automation = automationId === null ? undefined : state.automations.get(automationId)
  if (automation !== undefined) return addressedTo(receiverOfAutomation(automation), delivery)
  const destination = destinationId === null ? undefined : state.destinations.get(destinationId)
  return destination === undefined ? null : receiverOfDestination(destination)
}

/** The row, if the claim still holds it. */
const held = (draft: Draft, claim: Claim): QueuedDelivery | undefined => {
  const row = rowOf(draft.state, claim.delivery.id)
  return row !== undefined && row.fence === claim.fence && row.delivery.state._tag === "Attempting" ? row : undefined
}

const renewed = (draft: Draft, claim: Claim, leaseEnd: Instant): boolean => {
  const row = held(draft, claim)
  if (row?.place == null || row.leasedUntil === null) return false
  lease(draft, row, row.place, leaseEnd)
  return true
}

const renewLeases = (
  draft: Draft,
  claims: ReadonlyArray<Claim>,
  now: Instant,
  leaseMs: number
): ReadonlyArray<boolean> => claims.map((claim) => renewed(draft, claim, (now + leaseMs) as Instant))

const holdResult = (draft: Draft, claim: Claim, result: AttemptResult, endsAt: Instant) => {
  const row = held(draft, claim)
  if (row === undefined) return
  unschedule(draft, row)
  const place = schedule(draft, { kind: "attempt_end", at: endsAt, deliveryId: row.delivery.id })
  put(draft, { ...row, held: result, place, leasedUntil: null })
}

const settleDelivery = (
  draft: Draft,
  claim: Claim,
  after: (delivery: Delivery, at: Instant) => Delivery,
  now: Instant
): Delivery | null => {
  const row = held(draft, claim)
  if (row === undefined) return null
  const delivery = after(row.delivery, now)
  write(draft, row, delivery)
  const tally = tallyOf(delivery, row.delivery.attempts.length)
  if (tally !== undefined) countAttempt(draft, tally)
  return delivery
}

const queueOf = (state: WorldState): QueueCounts => {
  const counts = { scheduled: 0, waiting: 0, attempting: 0 }
  let nextAt: Instant | null = null
  for (const due of state.agenda.values()) {
    if (due.kind === "job") continue
    if (due.kind === "lease") {
      counts.attempting += 1
      continue
    }
    nextAt ??= due.at
    counts[rowOf(state, due.deliveryId)?.delivery.state._tag === "Scheduled" ? "scheduled" : "waiting"] += 1
  }
  return { ...counts, nextAt }
}

/** Deliveries in memory. */
export const deliveryRepository = ({ read, write, writeAt }: MemoryState): Pick<Store, "deliveries"> => ({
  deliveries: {
    byId: (id) => read((state) => findDelivery(state, id)),
    list: (filter) => read((state) => listDeliveries(state, filter)),
    page: (filter, slice, each) => read((state) => pageOfDeliveries(state, filter, slice, each)),
    search: (search, after, limit, each) => read((state) => searchDeliveries(state, search, { after, limit }, each)),
    insert: (delivery) => write((draft) => insertDelivery(draft, delivery)),
    claim: (options) => writeAt((draft, now) => claimDeliveries(draft, now, options)),
    renew: (claims, leaseMs) => writeAt((draft, now) => renewLeases(draft, claims, now, leaseMs), false),
    hold: (claim, result, endsAt) => write((draft) => holdResult(draft, claim, result, endsAt)),
    settle: (claim, after) => writeAt((draft, now) => settleDelivery(draft, claim, after, now)),
    update: (delivery) => write((draft) => updateDelivery(draft, delivery)),
    cancelOf: (receiver, options) => write((draft) => cancelDeliveries(draft, receiver, options)),
    prune: (options) => write((draft) => pruneDeliveries(draft, options)),
    queue: read(queueOf)
  }
})
