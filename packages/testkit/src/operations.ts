import type { FileContent, Numbered, RecordingFilter, Slice } from "@tapedeck/core"
import {
  type AccessToken,
  type Account,
  AccountId,
  AutomationId,
  FolderId,
  type Platform,
  type Recording,
  type User,
  UserId
} from "@tapedeck/domain"
import type { TranscriptJob } from "@tapedeck/domain/internal/jobs"
import fc from "fast-check"
import { anAccount, aRecording, aToken, at, aUser, instantAfter } from "./samples.ts"

/** A call of the port as data, so that a history of calls can be shrunk and printed. */
export type Operation =
  | { readonly do: "save account"; readonly account: Account }
  | { readonly do: "save user"; readonly user: User }
  | { readonly do: "save token"; readonly token: AccessToken }
  | { readonly do: "who holds"; readonly hash: string }
  | { readonly do: "list users"; readonly accountId: AccountId; readonly slice: Slice }
  | { readonly do: "save recording"; readonly recording: Recording }
  | { readonly do: "remove recording"; readonly recording: Recording }
  | { readonly do: "leave folder"; readonly accountId: AccountId; readonly folderId: FolderId; readonly limit: number }
  | { readonly do: "list recordings"; readonly filter: RecordingFilter; readonly slice: Slice }
  | { readonly do: "list tokens"; readonly userId: UserId; readonly slice: Slice }
  | { readonly do: "make delivery"; readonly inMs: number; readonly automationId: AutomationId }
  | { readonly do: "claim"; readonly limit: number; readonly leaseMs: number }
  /** `nth` counts the claims so far from the last one. */
  | { readonly do: "settle"; readonly nth: number; readonly event: "AttemptSucceeded" | "AttemptFailed" }
  /** `last` is the number of the latest claims to renew. */
  | { readonly do: "renew"; readonly last: number; readonly leaseMs: number }
  | { readonly do: "hold"; readonly nth: number; readonly inMs: number }
  | { readonly do: "call off"; readonly nth: number }
  | {
      readonly do: "add step"
      readonly inMs: number
      readonly recording: number
      readonly status: TranscriptJob["status"]
    }
  | { readonly do: "take steps"; readonly limit: number }
  | { readonly do: "count"; readonly kind: Numbered }
  | { readonly do: "save file"; readonly id: string; readonly content: FileContent }
  | { readonly do: "count request"; readonly token: string; readonly perMs: number }

/** A step of a history: a call, calls in a transaction that succeeds or fails, or a pause. */
export type Happening =
  | Operation
  | { readonly do: "atomically"; readonly operations: ReadonlyArray<Operation>; readonly endsWell: boolean }
  | { readonly do: "let pass"; readonly ms: number }

const from = <const Item>(...items: ReadonlyArray<Item>): fc.Arbitrary<Item> => fc.constantFrom<Item>(...items)

/** Account ids of a small range, so that operations affect the same records. */
const accountId = from(1, 2).map((id) => AccountId.make(id))
const userId = from(11, 12, 13).map((id) => UserId.make(id))
const createdAt = fc.integer({ min: 0, max: 3 }).map(instantAfter)
const tokenName = from("t1", "t2", "t3")
const folderId = from("f1", "f2").map((id) => FolderId.make(id))
const ticketId = from("7", "8", "7 ")
const slice = fc.record({ offset: fc.nat(4), limit: fc.integer({ min: 1, max: 4 }) })

const user = fc
  .record({
    id: userId,
    accountId,
    createdAt,
    role: from("admin", "member"),
    active: fc.boolean(),
    moved: fc.boolean()
  })
  .map(({ id, moved, ...known }) => aUser(id, { ...known, email: `${moved ? "Moved." : ""}User-${id}@acme.test` }))

const recording = fc
  .record({
    id: fc.integer({ min: 1, max: 6 }),
    accountId,
    createdAt,
    ownerId: fc.option(userId),
    folderId: fc.option(folderId),
    platform: from<Platform>("zendesk", "jira", "app"),
    ticketId: fc.option(ticketId),
    activeTicketId: fc.option(ticketId),
    issueId: fc.option(ticketId)
  })
  .map(({ activeTicketId, id, issueId, platform, ticketId, ...known }) =>
    aRecording(id, { ...known, helpdesk: at(platform, { ticketId, activeTicketId, issueId }) })
  )

const byFolder: fc.Arbitrary<RecordingFilter> = fc.record(
  { accountId, ownerId: userId, folderId },
  { requiredKeys: ["accountId", "folderId"] }
)

const byTicket: fc.Arbitrary<RecordingFilter> = fc.record(
  {
    accountId,
    ownerId: userId,
    ticket: fc.record({ ticketId, platform: from<Platform>("zendesk", "jira") }, { requiredKeys: ["ticketId"] })
  },
  { requiredKeys: ["accountId"] }
)

const filter = fc.oneof(byFolder, byTicket)

const content: fc.Arbitrary<FileContent> = fc.oneof(
  fc.uint8Array({ maxLength: 5 }).map((bytes) => ({ kind: "bytes" as const, bytes })),
  fc.nat(5).map((sizeBytes) => ({ kind: "made_up" as const, sizeBytes }))
)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ do: fc.constant("save account" as const), account: from(1, 2).map((id) => anAccount(id)) }),
  fc.record({ do: fc.constant("save user" as const), user }),
  fc.record({
    do: fc.constant("save token" as const),
    token: fc
      .tuple(tokenName, userId, createdAt, fc.option(createdAt), from("access", "session"))
      .map(([id, of, createdAt, revokedAt, kind]) => aToken(id, of, { createdAt, revokedAt, kind }))
  }),
  fc.record({ do: fc.constant("who holds" as const), hash: tokenName.map((id) => aToken(id, 11).hash) }),
  fc.record({ do: fc.constant("list users" as const), accountId, slice }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("save recording" as const), recording }) },
  fc.record({ do: fc.constant("remove recording" as const), recording }),
  fc.record({ do: fc.constant("leave folder" as const), accountId, folderId, limit: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("list tokens" as const), userId, slice }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant("list recordings" as const), filter, slice }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("make delivery" as const),
      inMs: fc.integer({ min: -5, max: 30 }),
      automationId: from("a1", "a2").map((id) => AutomationId.make(id))
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      limit: fc.integer({ min: 1, max: 3 }),
      leaseMs: from(10, 40)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      nth: fc.nat(3),
      event: from("AttemptSucceeded", "AttemptFailed", "AttemptFailed")
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("renew" as const),
      last: fc.integer({ min: 1, max: 4 }),
      leaseMs: from(10, 40)
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("hold" as const), nth: fc.nat(2), inMs: fc.nat(30) }) },
  fc.record({ do: fc.constant("call off" as const), nth: fc.nat(3) }),
  fc.record({
    do: fc.constant("add step" as const),
    inMs: fc.nat(30),
    recording: from(1, 2),
    status: from("ready", "processing")
  }),
  fc.record({ do: fc.constant("take steps" as const), limit: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ do: fc.constant("count" as const), kind: from("account", "user", "recording", "audit_entry") }),
  fc.record({ do: fc.constant("save file" as const), id: from("f1", "f2"), content }),
  fc.record({
    do: fc.constant("count request" as const),
    token: tokenName,
    perMs: fc.constantFrom(1, 60_000, 3_600_000)
  })
)

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: operation },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("atomically" as const),
      operations: fc.array(operation, { maxLength: 6 }),
      endsWell: fc.boolean()
    })
  },
  // Retries are due after a minute and more.
  { weight: 2, arbitrary: fc.record({ do: fc.constant("let pass" as const), ms: from(1, 5, 10, 30, 60_000, 300_000) }) }
)

export const history: fc.Arbitrary<ReadonlyArray<Happening>> = fc.array(happening, { maxLength: 40, size: "max" })
