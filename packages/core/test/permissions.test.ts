import { UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { authorize, type Caller } from "../src/index.ts"
import { acme, ada, bob, callerOf, instantAfter } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

const closed = { ...acme, apiAccess: false }

/** The outcome of an operation by each role. */
interface Row extends Readonly<Record<"member" | "admin" | "session" | "admin_session", string>> {
  readonly caller: Caller
}

const refused = (outcome: string) => ({
  member: outcome,
  admin: outcome,
  session: outcome,
  admin_session: outcome
})

const callers: Readonly<Record<string, Row>> = {
  "an admin's token": {
    caller: callerOf(ada),
    member: "passes",
    admin: "passes",
    session: "SessionRequired",
    admin_session: "SessionRequired"
  },
  "a member's token": {
    caller: callerOf(bob),
    member: "passes",
    admin: "Forbidden",
    session: "SessionRequired",
    admin_session: "SessionRequired"
  },
  "an admin's session": {
    caller: callerOf(ada, { kind: "session" }),
    member: "passes",
    admin: "passes",
    session: "passes",
    admin_session: "passes"
  },
  "a member's session": {
    caller: callerOf(bob, { kind: "session" }),
    member: "passes",
    admin: "Forbidden",
    session: "passes",
    admin_session: "Forbidden"
  },
  "an admin's token where API access is off": {
    caller: callerOf(ada, { account: closed }),
    ...refused("ApiAccessDisabled")
  },
  "a member's token where API access is off": {
    caller: callerOf(bob, { account: closed }),
    ...refused("ApiAccessDisabled")
  },
  "an admin's session where API access is off (S1)": {
    caller: callerOf(ada, { account: closed, kind: "session" }),
    member: "passes",
    admin: "passes",
    session: "passes",
    admin_session: "passes"
  },
  "a member's session where API access is off (S1)": {
    caller: callerOf(bob, { account: closed, kind: "session" }),
    member: "passes",
    admin: "Forbidden",
    session: "passes",
    admin_session: "Forbidden"
  }
}

const rows = Object.entries(callers).flatMap(([who, { caller, ...by }]) =>
  (Object.keys(by) as ReadonlyArray<keyof typeof by>).map((permission) => ({
    ...{ who, permission, caller },
    outcome: by[permission]
  }))
)

describe("permissions", () => {
  it.each(rows)(
    "a call by $who that takes $permission ends with: $outcome",
    async ({ caller, outcome, permission }) => {
      const world = await makeWorld()
      const passes = Effect.as(authorize(caller, { id: "things.do", permission }), "passes")
      const got = await world.run(Effect.catch(passes, (refusal) => Effect.succeed(refusal._tag)))
      expect(got).toBe(outcome)
      // Each refusal is an audit entry, and nothing else is (A4).
      const denied = {
        accountId: caller.account.id,
        eventType: "access.denied",
        status: "failure",
        userId: caller.user.id,
        metadata: { targetType: "operation", targetId: "things.do", changes: {} }
      }
      expect(world.entries()).toMatchObject(outcome === "passes" ? [] : [denied])
    }
  )
})

describe("denials in the audit log (A8)", () => {
  const hour = 3_600_000
  const deny = (caller: typeof bobCaller, id: string) => Effect.ignore(authorize(caller, { id, permission: "admin" }))
  const bobCaller = callerOf(bob)

  it("are one entry an hour for a caller and an operation; the next entry has the number of denials left out", async () => {
    const world = await makeWorld()
    const denials = () => world.entries().map(({ at, metadata }) => [at, metadata.targetId, metadata.suppressed])
    for (const ms of [0, 1, hour - 1]) {
      await world.setTime(instantAfter(ms))
      await world.run(deny(bobCaller, "users.list"))
    }
    expect(denials()).toEqual([[instantAfter(0), "users.list", undefined]])
    await world.setTime(instantAfter(hour))
    await world.run(deny(bobCaller, "users.list"))
    await world.run(deny(bobCaller, "users.list"))
    await world.setTime(instantAfter(2 * hour))
    await world.run(deny(bobCaller, "users.list"))
    await world.setTime(instantAfter(3 * hour))
    await world.run(deny(bobCaller, "users.list"))
    expect(denials().slice(1)).toEqual([
      [instantAfter(hour), "users.list", 2],
      [instantAfter(2 * hour), "users.list", 1],
      [instantAfter(3 * hour), "users.list", undefined]
    ])
  })

  it("are counted separately by operation and by caller", async () => {
    const world = await makeWorld()
    const other = { ...bobCaller, user: { ...bob, id: UserId.make(99) } }
    await world.run(deny(bobCaller, "users.list"))
    await world.run(deny(bobCaller, "users.search"))
    await world.run(deny(other, "users.list"))
    expect(world.entries().map(({ metadata, userId }) => [userId, metadata.targetId])).toEqual([
      [bob.id, "users.list"],
      [bob.id, "users.search"],
      [99, "users.list"]
    ])
  })

  it("are recorded although the last entry is in the future, after the clock was set back", async () => {
    const world = await makeWorld()
    await world.setTime(instantAfter(10 * hour))
    await world.run(deny(bobCaller, "users.list"))
    await world.setTime(instantAfter(0))
    await world.run(deny(bobCaller, "users.list"))
    expect(world.entries().map(({ at }) => at)).toEqual([instantAfter(10 * hour), instantAfter(0)])
  })

  it("keep one row for each caller and operation, whatever the number of denials", async () => {
    const world = await makeWorld()
    await world.run(Effect.forEach(Array(500).fill(0), () => deny(bobCaller, "users.list")))
    expect(world.entries()).toHaveLength(1)
    expect(world.memory.state().tryWindows.valuesArray()).toMatchObject([{ tries: 500 }])
  })
})
