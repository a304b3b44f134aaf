import {
  type DeliveryFilter,
  type Due,
  type FileContent,
  type LeftRecordings,
  type RateWindow,
  type RecordingFilter,
  type Slice,
  windowSkewMs
} from "@tapedeck/core"
import {
  type AccessToken,
  type Account,
  type AccountId,
  type Delivery,
  type DeliveryId,
  type FolderId,
  Instant,
  matchesTicket,
  type Recording,
  type User,
  type UserId
} from "@tapedeck/domain"
import { type AttemptResult, type Claim, decideDelivery, nextAttemptAt } from "@tapedeck/domain/delivery"
import type { TranscriptJob } from "@tapedeck/domain/internal/jobs"
import { Result } from "effect"

type Kind = Due["kind"]

/** Place in the schedule. `order` breaks ties, first in, first out. */
interface Place {
  readonly kind: Kind
  readonly at: Instant
  readonly order: number
}

interface Row {
  delivery: Delivery
  /** Number of claims. Only the latest claim may settle. */
  claims: number
  held: AttemptResult | null
  /** Place in the queue; null if it is not queued. */
  place: Place | null
  leasedUntil: Instant | null
}

/** A claim of the model. */
export interface ModelClaim extends Omit<Claim, "fence" | "receiver"> {
  readonly serial: number
}

/**
 * The simplest possible store: lists that are sorted and searched as a whole on each read. It is slow, and short enough to be verified
 * by reading.
 */
export class Model {
  now: Instant
  private accounts: Array<Account> = []
  private users: Array<User> = []
  private tokens: Array<AccessToken> = []
  private recordings: Array<Recording> = []
  private rows: Array<Row> = []
  private steps: Array<Place & { readonly step: TranscriptJob }> = []
  private files = new Map<string, FileContent>()
  private windows = new Map<string, RateWindow>()
  private highest = new Map<string, number>()
  private scheduled = 0

  constructor(now: Instant) {
    this.now = now
  }

  /** Returns a function that undoes later changes, except for the time. */
  remember(): () => void {
    const copy = structuredClone({ ...this })
    return () => Object.assign(this, copy, { now: this.now })
  }

  private place(kind: Kind, at: Instant): Place {
    return { kind, at, order: this.scheduled++ }
  }

  private nextAttempt(delivery: Delivery): Place | null {
    const at = nextAttemptAt(delivery.state)
    return at === null ? null : this.place("attempt", at)
  }

  taken(kind: string, number: number) {
    this.highest.set(kind, Math.max(number, this.highest.get(kind) ?? 0))
  }

  nextNumber(kind: string): number {
    const next = (this.highest.get(kind) ?? 0) + 1
    this.highest.set(kind, next)
    return next
  }

  saveAccount(account: Account) {
    this.accounts = replaced(this.accounts, account)
    this.taken("account", account.id)
  }

  saveUser(user: User) {
    this.users = replaced(this.users, user)
    this.taken("user", user.id)
  }

  userByEmail(email: string): User | undefined {
    return this.users.find((one) => one.email.toLowerCase() === email.toLowerCase())
  }

  pageOfUsers(accountId: AccountId, slice: Slice) {
    const users = this.users.filter((one) => one.accountId === accountId)
    return part(
      users.toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id),
      slice
    )
  }

  activeAdmins(accountId: AccountId): number {
    return this.users.filter((one) => one.accountId === accountId && one.active && one.role === "admin").length
  }

  pageOfTokens(userId: UserId, slice: Slice) {
    const tokens = this.tokens.filter((one) => one.userId === userId && one.kind === "access" && !one.revokedAt)
    return part(
      tokens.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)),
      slice
    )
  }

  saveToken(token: AccessToken) {
    this.tokens = replaced(this.tokens, token)
  }

  holder(hash: string) {
    const token = this.tokens.find((one) => one.hash === hash)
    const user = this.users.find((one) => one.id === token?.userId)
    const account = this.accounts.find((one) => one.id === user?.accountId)
    return token && user && account && { token, user, account }
  }

  saveRecording(recording: Recording) {
    this.recordings = replaced(this.recordings, recording)
    this.taken("recording", recording.id)
  }

  removeRecording({ id }: Recording) {
    this.recordings = this.recordings.filter((one) => one.id !== id)
  }

  recordingByUuid(uuid: string): Recording | undefined {
    return this.recordings.find((one) => one.uuid === uuid)
  }

  pageOfRecordings({ accountId, folderId, ownerId, ticket }: RecordingFilter, slice: Slice) {
    const found = this.recordings.filter(
      (one) =>
        one.accountId === accountId &&
        (ownerId === undefined || one.ownerId === ownerId) &&
        (folderId === undefined || one.folderId === folderId) &&
        (ticket === undefined || matchesTicket(one.helpdesk, ticket.ticketId)) &&
        (ticket?.platform === undefined || one.helpdesk.platform === ticket.platform)
    )
    return part(
      found.toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id),
      slice
    )
  }

  leaveFolder(accountId: AccountId, folderId: FolderId, limit: number): LeftRecordings {
    const leaving = this.recordings
      .filter((one) => one.accountId === accountId && one.folderId === folderId)
      .sort((a, b) => a.createdAt - b.createdAt || a.id - b.id)
      .slice(0, limit)
    this.recordings = this.recordings.map((one) => (leaving.includes(one) ? { ...one, folderId: null } : one))
    const last = leaving.length === limit ? leaving.at(-1)! : undefined
    return { left: leaving.length, after: last === undefined ? null : { key: last.createdAt, id: last.id } }
  }

  insert(delivery: Delivery) {
    this.rows.push({ delivery, claims: 0, held: null, place: this.nextAttempt(delivery), leasedUntil: null })
  }

  delivery(id: DeliveryId): Delivery | undefined {
    return this.row(id)?.delivery
  }

  private row(id: DeliveryId): Row | undefined {
    return this.rows.find((one) => one.delivery.id === id)
  }

  list(filter: DeliveryFilter): ReadonlyArray<Delivery> {
    return this.rows
      .map(({ delivery }) => delivery)
      .filter(
        (one) =>
          (filter.state === undefined || one.state._tag === filter.state) &&
          (filter.automationId === undefined || one.automationId === filter.automationId) &&
          (filter.recordingUuid === undefined || one.recordingUuid === filter.recordingUuid)
      )
  }

  claim(limit: number, leaseMs: number): ReadonlyArray<ModelClaim> {
    const due = this.rows.filter(
      ({ leasedUntil, place }) => place !== null && place.at <= this.now && (leasedUntil ?? 0) <= this.now
    )
    return due
      .toSorted((a, b) => inTurn(a.place!, b.place!))
      .slice(0, limit)
      .map((row) => {
        const reason = row.held !== null ? "answered" : row.delivery.state._tag === "Attempting" ? "lost" : "due"
        if (reason === "due") row.delivery = moved(row.delivery, "AttemptStarted", this.now)
        row.claims++
        row.leasedUntil = Instant.make(this.now + leaseMs)
        return { delivery: row.delivery, reason, result: row.held, serial: row.claims }
      })
  }

  private claimedRow({ delivery, serial }: ModelClaim): Row | undefined {
    const row = this.row(delivery.id)
    return row?.claims === serial && row.delivery.state._tag === "Attempting" ? row : undefined
  }

  renew(claims: ReadonlyArray<ModelClaim>, leaseMs: number): ReadonlyArray<boolean> {
    return claims.map((claim) => {
      const row = this.claimedRow(claim)
      if (row === undefined || row.leasedUntil === null) return false
      row.leasedUntil = Instant.make(this.now + leaseMs)
      return true
    })
  }

  hold(claim: ModelClaim, result: AttemptResult, endsAt: Instant) {
    const row = this.claimedRow(claim)
    if (row !== undefined)
      Object.assign(row, { held: result, place: this.place("attempt_end", endsAt), leasedUntil: null })
  }

  settle(claim: ModelClaim, delivery: Delivery): boolean {
    const row = this.claimedRow(claim)
    if (row !== undefined) this.write(row, delivery)
    return row !== undefined
  }

  update(delivery: Delivery) {
    const row = this.row(delivery.id)!
    if (delivery.state._tag === "Attempting") row.delivery = delivery
    else this.write(row, delivery)
  }

  private write(row: Row, delivery: Delivery) {
    Object.assign(row, { delivery, held: null, place: this.nextAttempt(delivery), leasedUntil: null })
  }

  /** Ends all claims, like a restart of the store. */
  endLeases() {
    for (const row of this.rows) {
      if (row.leasedUntil !== null && row.leasedUntil > this.now) row.leasedUntil = this.now
    }
  }

  addStep(step: TranscriptJob) {
    this.steps = this.steps.filter((one) => one.step.id !== step.id)
    this.steps.push({ ...this.place("job", step.dueAt), step })
  }

  takeSteps(limit: number): ReadonlyArray<TranscriptJob> {
    const due = this.steps
      .filter(({ at }) => at <= this.now)
      .toSorted(inTurn)
      .slice(0, limit)
    this.steps = this.steps.filter((one) => !due.includes(one))
    return due.map(({ step }) => step)
  }

  agenda(): ReadonlyArray<Due> {
    const steps = this.steps.map(({ at, order, step }) => ({
      at,
      order,
      due: { kind: "job", at, jobId: step.id } as Due
    }))
    const attempts = this.rows.flatMap(({ delivery, leasedUntil, place }) => {
      if (place === null) return []
      const [kind, at] = leasedUntil === null ? [place.kind, place.at] : (["lease", leasedUntil] as const)
      return [{ at, order: place.order, due: { kind, at, deliveryId: delivery.id } as Due }]
    })
    return [...steps, ...attempts].toSorted(inTurn).map(({ due }) => due)
  }

  saveFile(id: string, content: FileContent) {
    this.files.set(id, content)
  }

  sizeOf(id: string): number | undefined {
    const content = this.files.get(id)
    return content?.kind === "bytes" ? content.bytes.length : content?.sizeBytes
  }

  countRequest(token: string, perMs: number): RateWindow {
    const open = this.windows.get(token)
    const isOpen =
      open !== undefined && open.startedAt <= this.now + windowSkewMs(perMs) && this.now < open.startedAt + perMs
    const window = isOpen ? { ...open, requests: open.requests + 1 } : { startedAt: this.now, requests: 1 }
    this.windows.set(token, window)
    return window
  }

  window(token: string): RateWindow | undefined {
    return this.windows.get(token)
  }
}

/** Returns the delivery after the event, by the rules of the domain. */
export const moved = (
  delivery: Delivery,
  _tag: "AttemptStarted" | "AttemptSucceeded" | "AttemptFailed" | "CancelRequested",
  at: Instant
): Delivery => ({
  ...delivery,
  state: Result.getOrElse(decideDelivery(delivery.state, { _tag, at }, delivery.schedule), () => delivery.state)
})

const inTurn = (a: Omit<Place, "kind">, b: Omit<Place, "kind">) => a.at - b.at || a.order - b.order

/** Replaces an item at its position, or appends it. */
const replaced = <Item extends { readonly id: unknown }>(items: ReadonlyArray<Item>, item: Item): Array<Item> =>
  items.some(({ id }) => id === item.id) ? items.map((one) => (one.id === item.id ? item : one)) : [...items, item]

const part = <Item>(items: ReadonlyArray<Item>, { limit, offset }: Slice) => ({
  count: items.length,
  items: items.slice(offset, offset + limit)
})
