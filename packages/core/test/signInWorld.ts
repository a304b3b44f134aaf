import { Credentials, type JsonObject, LinkInput } from "@tapedeck/domain/input"
import { Context, Effect, Layer, Scope } from "effect"
import {
  defaultServiceConfig,
  type Mail,
  Mailer,
  MailFailed,
  RequestOrigin,
  type SettingsServices,
  SignIn,
  SignInLinks,
  type SignInPolicy,
  settingsUseCases,
  TestSender
} from "../src/index.ts"
import { inputOf } from "./inputOf.ts"
import { overNetwork } from "./network.ts"
import { makeWorld, type UseCases } from "./useCaseWorld.ts"

export const password = "correct horse battery staple"

/** As cheap as it gets: a test hashes many times. */
const cheap = { ln: 4, r: 1, p: 1 }

/** Signing in, over a world with Acme's and Other's users; none has a password yet. */
export const makeSignInWorld = async (
  options: { readonly policy?: Partial<SignInPolicy>; readonly mail?: "works" | "fails" } = {}
) => {
  const world = await makeWorld({
    signIn: { ...defaultServiceConfig.signIn, passwordCost: cheap, linkPath: "/sign-in/link", ...options.policy }
  })
  const mails: Array<Mail> = []
  const send = (mail: Mail) =>
    overNetwork(
      options.mail === "fails"
        ? Effect.fail(new MailFailed({ cause: new Error("no such host") }))
        : Effect.sync(() => void mails.push(mail))
    )
  const context = await world.run(
    Effect.gen(function* () {
      const services = (yield* Effect.context<UseCases>()).pipe(
        Context.add(TestSender, TestSender.of({ send: () => Effect.die("no test webhook is expected here") })),
        Context.add(Mailer, { send: options.mail === undefined ? null : send })
      )
      const layer = Layer.provideMerge(settingsUseCases, Layer.succeedContext(services))
      return yield* Layer.buildWithScope(layer, yield* Scope.make())
    })
  )

  let origin = { ipAddress: "192.0.2.7" as string | null, userAgent: "Firefox" }
  const run = <A, E>(effect: Effect.Effect<A, E, UseCases | SettingsServices>): Promise<A> =>
    world.run(effect.pipe(Effect.provideService(RequestOrigin, origin), Effect.provideContext(context)))
  const refusal = <A, E>(effect: Effect.Effect<A, E, UseCases | SettingsServices>): Promise<E> =>
    run(Effect.flip(effect)) as Promise<E>

  const signIn = (email: string, given: string = password, previous?: string, known?: string) =>
    Effect.flatMap(SignIn, ({ withPassword }) =>
      withPassword(inputOf(Credentials, { email, password: given }), previous, known)
    )

  const use = (input: JsonObject) =>
    Effect.flatMap(SignInLinks, (links) => links.use(inputOf(LinkInput, input), undefined))

  return {
    ...world,
    mails,
    run,
    refusal,
    signIn,
    use,
    /** From where requests come from now on. */
    comeFrom: (ipAddress: string | null) => {
      origin = { ...origin, ipAddress }
    },
    /** Sets a user's password, as their link does. */
    setPassword: (email: string, given = password) =>
      run(
        Effect.gen(function* () {
          const [links, { store }] = [yield* SignInLinks, world]
          const user = yield* store.users.byEmail(email)
          const link = yield* store.transaction(links.issue(user!, "invitation"))
          return yield* links.use(inputOf(LinkInput, { token: tokenIn(link!.url), password: given }), undefined)
        })
      ),
    /** What the last entries tell: event, status, who, reason. */
    told: (from = 0) =>
      world
        .entries()
        .slice(from)
        .map(({ eventType, metadata, status, userId }) => {
          const reason = metadata.changes.reason?.to ?? metadata.changes.method?.to
          return [eventType, status, userId, ...(reason === undefined ? [] : [reason])]
        })
  }
}

export const tokenIn = (url: string): string => new URL(url).searchParams.get("token") ?? ""
