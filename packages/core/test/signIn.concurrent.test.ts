import {
  AccessTokenInput,
  AccountChange,
  ForgottenPassword,
  PasswordChange,
  ProfileChange,
  RecordingChange,
  UserChange,
  UserInput
} from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  AccountSettings,
  AutomationSettings,
  RecordingContent,
  Sessions,
  SignIn,
  SignInLinks,
  storeOf,
  TokenSettings,
  UserSettings
} from "../src/index.ts"
import { beforeNextTransaction } from "./beforeNextTransaction.ts"
import { ada, bob, callerOf, cyd, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import type { Change } from "./settingsChanges.ts"
import { makeSignInWorld, password } from "./signInWorld.ts"

type World = Awaited<ReturnType<typeof makeSignInWorld>>

const reset = "a password set by the link"
const chosen = "a password chosen in the session"

const signedIn = async (world: World, email: string) => {
  const { text } = await world.run(world.signIn(email))
  return world.run(Effect.flatMap(Sessions, ({ authenticate }) => authenticate(text)))
}

const deactivation = (world: World) => () =>
  world.run(Effect.flatMap(UserSettings, ({ deactivate }) => deactivate(callerOf(ada), String(bob.id))))

const changePassword = (caller: Awaited<ReturnType<typeof signedIn>>, to = chosen) =>
  Effect.flatMap(SignIn, (signIn) =>
    signIn.changePassword(caller, inputOf(PasswordChange, { current_password: password, password: to }))
  )

describe("a sign-in with a password", () => {
  it("opens no session if a link replaces the password while it is verified", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(bob.email)
    beforeNextTransaction(world.store, () => world.setPassword(bob.email, reset))
    expect(await world.refusal(world.signIn(bob.email))).toMatchObject({ _tag: "SignInRefused" })
    await world.run(world.signIn(bob.email, reset))
  })

  it("opens no session for a user who is deactivated meanwhile", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(bob.email)
    beforeNextTransaction(world.store, deactivation(world))
    expect(await world.refusal(world.signIn(bob.email))).toMatchObject({ _tag: "SignInRefused" })
    expect(world.told().at(-1)).toEqual(["user.login_failed", "failure", bob.id, "deactivated"])
  })
})

describe("a link for a password", () => {
  it("is mailed outside of transactions, in which a test may not send either", async () => {
    const world = await makeSignInWorld({ mail: "works" })
    const inside = Effect.gen(function* () {
      const links = yield* SignInLinks
      const { transaction } = yield* storeOf("transaction")
      const link = { url: "https://tapedeck.test/link", expiresAt: bob.createdAt }
      return yield* Effect.exit(transaction(links.mail(bob, "password", link)))
    })
    expect(String(await world.run(inside))).toContain("nothing is sent inside a transaction")
    await world.run(Effect.flatMap(SignInLinks, ({ forPassword }) => forPassword(callerOf(ada), String(bob.id))))
    expect(world.mails).toHaveLength(1)
  })

  it("is not made for a user who is deactivated meanwhile", async () => {
    const world = await makeSignInWorld({ mail: "works" })
    beforeNextTransaction(world.store, deactivation(world))
    const link = Effect.flatMap(SignInLinks, ({ forPassword }) => forPassword(callerOf(ada), String(bob.id)))
    expect(await world.refusal(link)).toMatchObject({ _tag: "StateConflict" })
    expect(world.mails).toEqual([])
  })

  it("is not mailed to a user who is deactivated after they asked for it", async () => {
    const world = await makeSignInWorld({ mail: "works" })
    await world.setPassword(bob.email)
    const [entries, done] = [world.entries().length, Promise.withResolvers<void>()]
    beforeNextTransaction(world.store, deactivation(world))
    const { transaction: waiting } = world.store
    Object.assign(world.store, {
      transaction: <A, E, R>(body: Effect.Effect<A, E, R>) =>
        Effect.ensuring(
          waiting(body),
          Effect.sync(() => done.resolve())
        )
    })
    await world.run(
      Effect.flatMap(SignInLinks, ({ forgotten }) => forgotten(inputOf(ForgottenPassword, { email: bob.email })))
    )
    await done.promise
    expect(world.told(entries).map(([event]) => event)).not.toContain("user.password_link_created")
    expect(world.mails).toEqual([])
  })
})

describe("a change of the password", () => {
  it("does not replace one that a link set while it was verified", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(bob.email)
    const caller = await signedIn(world, bob.email)
    beforeNextTransaction(world.store, () => world.setPassword(bob.email, reset))
    expect(await world.refusal(changePassword(caller))).toMatchObject({ _tag: "Unauthenticated" })
    await world.run(world.signIn(bob.email, reset))
    await world.refusal(world.signIn(bob.email, chosen))
  })

  it("does not replace that of another change in the same session", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(bob.email)
    const caller = await signedIn(world, bob.email)
    beforeNextTransaction(world.store, () => world.run(changePassword(caller, reset)))
    expect(await world.refusal(changePassword(caller))).toMatchObject({
      problems: [{ path: "current_password", message: "is not your password" }]
    })
    await world.run(world.signIn(bob.email, reset))
  })

  it("is refused to a user who is deactivated meanwhile", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(bob.email)
    const caller = await signedIn(world, bob.email)
    const users = (body: (service: UserSettings["Service"]) => Change) => world.run(Effect.flatMap(UserSettings, body))
    beforeNextTransaction(world.store, () => users(({ deactivate }) => deactivate(callerOf(ada), String(bob.id))))
    expect(await world.refusal(changePassword(caller))).toMatchObject({ _tag: "Unauthenticated" })
    await users(({ reactivate }) => reactivate(callerOf(ada), String(bob.id)))
    await world.run(world.signIn(bob.email))
  })
})

describe("a request of a caller who loses their authority meanwhile", () => {
  const demoted = (world: World) => () =>
    world.run(
      Effect.flatMap(UserSettings, ({ update }) =>
        Effect.andThen(
          update(callerOf(ada), String(cyd.id), inputOf(UserChange, { role: "admin" })),
          update(
            { ...callerOf(cyd), user: { ...cyd, role: "admin" } },
            String(ada.id),
            inputOf(UserChange, { role: "member" })
          )
        )
      )
    )
  const admin = callerOf(ada, { kind: "session" })
  const requests: ReadonlyArray<readonly [string, Change]> = [
    [
      "an invitation",
      Effect.flatMap(UserSettings, ({ invite }) =>
        invite(admin, inputOf(UserInput, { email: "eve@acme.test", name: "Eve" }))
      )
    ],
    [
      "a change of a user",
      Effect.flatMap(UserSettings, ({ update }) =>
        update(admin, String(bob.id), inputOf(UserChange, { role: "admin" }))
      )
    ],
    ["a deactivation", Effect.flatMap(UserSettings, ({ deactivate }) => deactivate(admin, String(bob.id)))],
    ["a link for a password", Effect.flatMap(SignInLinks, ({ forPassword }) => forPassword(admin, String(bob.id)))],
    [
      "a change of the account",
      Effect.flatMap(AccountSettings, ({ update }) => update(admin, inputOf(AccountChange, { name: "Evil" })))
    ],
    ["a test of a webhook", Effect.flatMap(AutomationSettings, ({ test }) => test(admin, "crm"))],
    [
      "v2's change of a recording",
      Effect.flatMap(RecordingContent, ({ update }) =>
        update(admin, uuidOf(1), inputOf(RecordingChange, { title: "T" }))
      )
    ],
    [
      "a new token",
      Effect.flatMap(TokenSettings, ({ create }) => create(admin, inputOf(AccessTokenInput, { name: "Backdoor" })))
    ]
  ]

  it.each(requests)("%s changes nothing", async (_, request) => {
    const world = await makeSignInWorld()
    let after: unknown
    beforeNextTransaction(world.store, async () => {
      await demoted(world)()
      after = world.memory.state()
    })
    expect(await world.refusal(request)).toMatchObject({ _tag: "Unauthenticated" })
    expect(world.memory.state()).toBe(after)
  })

  it("makes no token in a session that has ended, or with a token that is revoked or has no access any more", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(bob.email)
    const caller = await signedIn(world, bob.email)
    const create = Effect.flatMap(TokenSettings, (tokens) =>
      tokens.create(caller, inputOf(AccessTokenInput, { name: "Backdoor" }))
    )
    beforeNextTransaction(world.store, () => world.setPassword(bob.email, reset))
    expect(await world.refusal(create)).toMatchObject({ _tag: "Unauthenticated" })
    const token = callerOf(bob)
    const rename = Effect.flatMap(UserSettings, ({ updateOwn }) =>
      updateOwn(token, inputOf(ProfileChange, { name: "Robert" }))
    )
    const setAccess = (api_access: boolean) => () =>
      world.run(
        Effect.flatMap(AccountSettings, ({ update }) =>
          update(callerOf(ada, { kind: "session" }), inputOf(AccountChange, { api_access }))
        )
      )
    beforeNextTransaction(world.store, setAccess(false))
    expect(await world.refusal(rename)).toMatchObject({ _tag: "Unauthenticated" })
    await setAccess(true)()
    beforeNextTransaction(world.store, () => world.run(Effect.flatMap(Sessions, ({ signOut }) => signOut(token))))
    expect(await world.refusal(rename)).toMatchObject({ _tag: "Unauthenticated" })
  })
})
