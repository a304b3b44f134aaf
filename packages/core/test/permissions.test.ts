import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { authorize, type Caller, type Operation, operations } from "../src/index.ts"
import { acme, ada, bob, callerOf } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

const closed = { ...acme, apiAccess: false }

/** By who an operation is for: what comes of it. */
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
  (Object.keys(operations) as ReadonlyArray<Operation>).map((operation) => ({
    who,
    operation,
    caller,
    outcome: by[operations[operation]]
  }))
)

describe("who may do what", () => {
  it("lets members read, and admins alone update and see users (General rule 6, R4)", () => {
    expect(operations).toMatchObject({
      "recordings.list": "member",
      "recordings.read": "member",
      "recordings.update": "admin",
      "recordings.download": "member",
      "transcripts.read": "member",
      "users.list": "admin",
      "users.search": "admin"
    })
  })

  it.each(rows)("$who, $operation: $outcome", async ({ caller, operation, outcome }) => {
    const world = await makeWorld()
    const passes = Effect.as(authorize(caller, operation), "passes")
    const got = await world.run(Effect.catch(passes, (refusal) => Effect.succeed(refusal._tag)))
    expect(got).toBe(outcome)
    // Each refusal is an audit entry, and nothing else is (A4).
    const denied = {
      accountId: caller.account.id,
      eventType: "access.denied",
      status: "failure",
      userId: caller.user.id,
      metadata: { targetType: "operation", targetId: operation, changes: {} }
    }
    expect(world.entries()).toMatchObject(outcome === "passes" ? [] : [denied])
  })
})
