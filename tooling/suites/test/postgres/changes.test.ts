import { Ids, recordingChange, type Store, sealAuditEntries, storeContext, Vault } from "@tapedeck/core"
import { AccountId, RecordingId, type UserId } from "@tapedeck/domain"
import { aFolder, anAccount, anAuditEntry, aRecording, aUser } from "@tapedeck/testkit/samples"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { afterAll, expect, test } from "vitest"
import { stopPostgres } from "../conformance/postgres.ts"
import { type Cluster, faultsOf, twoNodes } from "./nodes.ts"

afterAll(stopPostgres)

const onCluster = <E>(sentence: string, body: (cluster: Cluster) => Effect.Effect<unknown, E, Ids | Vault>) =>
  test(sentence, () =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(twoNodes, body)).pipe(
        Effect.provide([Vault.layer(Redacted.make(new Uint8Array(32).fill(7))), Ids.layerRandom])
      )
    )
  )

/** Does something on both nodes at the same time, so often on each. */
const onBoth = <A, E, R>(
  { nodes }: Cluster,
  times: number,
  what: (store: Store, turn: number) => Effect.Effect<A, E, R>
) =>
  Effect.all(
    nodes.flatMap((store, node) => Array.from({ length: times }, (_, turn) => what(store, turn * 2 + node))),
    { concurrency: "unbounded" }
  )

onCluster("two nodes never return the same number", (cluster) =>
  Effect.gen(function* () {
    const given = yield* onBoth(cluster, 40, (store) => store.transaction(store.nextNumber("recording")))
    expect(new Set(given).size).toBe(80)
  })
)

onCluster("two nodes that read, change and write the same record lose no change", (cluster) =>
  Effect.gen(function* () {
    const [one] = cluster.nodes
    yield* one.recordings.save(aRecording(1, { title: "" }))
    yield* onBoth(cluster, 15, (store) =>
      store.transaction(
        Effect.gen(function* () {
          const found = (yield* store.recordings.byId(RecordingId.make(1)))!
          yield* store.recordings.save({ ...found, title: `${found.title}x` })
        })
      )
    )
    expect((yield* one.recordings.byId(RecordingId.make(1)))?.title).toBe("x".repeat(30))
  })
)

onCluster("concurrent decisions of two nodes have a result of one after the other", (cluster) =>
  Effect.gen(function* () {
    const [one] = cluster.nodes
    const account = AccountId.make(1)
    yield* one.accounts.save(anAccount(1))
    const admins = [11, 12].map((id) => aUser(id, { accountId: account, role: "admin", active: true }))
    yield* Effect.forEach(admins, one.users.save)
    /** The account's last admin stays (N7): each looks at both, and writes one. */
    const deactivate = (store: Store, id: UserId) =>
      store.transaction(
        Effect.gen(function* () {
          if ((yield* store.users.countActiveAdmins(account)) === 1) return
          yield* store.users.save({ ...(yield* store.users.byId(id))!, active: false })
        })
      )
    yield* onBoth(cluster, 3, (store, turn) => deactivate(store, admins[turn % 2]!.id))
    expect(yield* one.users.countActiveAdmins(account)).toBe(1)
  })
)

onCluster("of two users who take the same e-mail address one is refused", (cluster) =>
  Effect.gen(function* () {
    const [one] = cluster.nodes
    yield* one.accounts.save(anAccount(1))
    const { email } = aUser(1)
    const taken = yield* onBoth(cluster, 4, (store, turn) =>
      store.transaction(
        Effect.gen(function* () {
          if ((yield* store.users.byEmail(email)) !== undefined) return true
          yield* store.users.save(aUser(100 + turn, { email }))
          return false
        })
      )
    )
    expect(taken.filter((isTaken) => !isTaken)).toHaveLength(1)
  })
)

onCluster("recordings that both nodes create, move between folders and remove are counted correctly", (cluster) =>
  Effect.gen(function* () {
    const [one] = cluster.nodes
    yield* one.accounts.save(anAccount(1))
    const folders = ["a", "b"].map((id) => aFolder(id))
    yield* Effect.forEach(folders, one.folders.save)
    yield* onBoth(cluster, 12, (store, turn) => {
      const recording = aRecording(turn + 1, { folderId: folders[turn % 2]!.id })
      return Effect.gen(function* () {
        yield* store.recordings.save(recording)
        yield* store.recordings.save({ ...recording, folderId: folders[(turn + 1) % 2]!.id })
        if (turn % 3 === 0) yield* store.recordings.remove(recording.uuid)
      })
    })
    yield* Effect.all(
      [
        cluster.nodes[0].recordings.leaveFolder(folders[0]!, { after: null, limit: 100 }),
        cluster.nodes[1].recordings.save(aRecording(99, { folderId: folders[0]!.id }))
      ],
      { concurrency: 2 }
    )
    expect((yield* one.recordings.page({ accountId: AccountId.make(1) }, { offset: 0, limit: 100 })).count).toBe(17)
    expect((yield* faultsOf(cluster)).filter((fault) => fault.startsWith("list"))).toEqual([])
  })
)

onCluster("a recording that enters a folder while it is removed has left it when all have left it", (cluster) =>
  Effect.gen(function* () {
    const [one, two] = cluster.nodes
    yield* one.accounts.save(anAccount(1))
    const folder = aFolder("a")
    yield* one.folders.save(folder)
    const isFound = yield* Deferred.make<void>()
    const isRemoved = yield* Deferred.make<void>()
    const entering = yield* two
      .transaction(
        Effect.gen(function* () {
          const found = yield* two.folders.byId(folder.id)
          yield* Deferred.succeed(isFound, undefined)
          yield* Deferred.await(isRemoved)
          if (found !== undefined) yield* two.recordings.save(aRecording(1, { folderId: folder.id }))
        })
      )
      .pipe(Effect.forkChild({ startImmediately: true }))
    yield* Deferred.await(isFound)
    yield* one.folders.remove(folder.id)
    expect(yield* one.recordings.leaveFolder(folder, { after: null, limit: 10 })).toEqual({ left: 0, after: null })
    yield* Deferred.succeed(isRemoved, undefined)
    yield* Fiber.join(entering)
    const inside = { accountId: folder.accountId, folderId: folder.id }
    expect((yield* one.recordings.page(inside, { offset: 0, limit: 1 })).count).toBe(0)
  })
)

onCluster("audit entries are linked once each, in their order, while others are appended", (cluster) =>
  Effect.gen(function* () {
    const [one] = cluster.nodes
    yield* one.accounts.save(anAccount(1))
    const append = (store: Store) =>
      store.transaction(
        Effect.gen(function* () {
          const id = yield* store.nextNumber("audit_entry")
          yield* store.auditEntries.append(anAuditEntry(id))
        })
      )
    yield* onBoth(cluster, 30, (store, turn) =>
      turn % 6 < 2 ? Effect.provide(sealAuditEntries, storeContext(store)) : append(store)
    )
    yield* Effect.forEach(cluster.nodes, (store) => Effect.provide(sealAuditEntries, storeContext(store)))
    const { auditSeals, auditEntries } = one
    const links = yield* auditSeals.after(AccountId.make(1), 0, 100)
    const ids = links.map(({ seal }) => seal.entryId)
    expect(ids).toHaveLength(40)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(yield* auditSeals.unlinked(AccountId.make(1), 0, 10)).toEqual([])
    expect((yield* auditEntries.page({ accountId: AccountId.make(1) }, { offset: 0, limit: 1 })).count).toBe(40)
  })
)

onCluster("a node notifies its readers of the other node's changes", ({ nodes: [one, other] }) =>
  Effect.gen(function* () {
    const recording = aRecording(1)
    const reader = other.changes.open(undefined, () => true)
    const heard = Effect.callback<void>((resume) => reader.onNews(() => resume(Effect.void)))
    while (!reader.waiting.some(({ change }) => change?.kind === "recording")) {
      yield* one.transaction(one.changes.publishOnCommit(recordingChange(recording)))
      reader.take()
      yield* heard
    }
    expect(reader.waiting).toMatchObject([
      { change: { kind: "recording", accountId: 1, data: { uuid: recording.uuid } } }
    ])
    other.changes.close(reader)
  })
)
