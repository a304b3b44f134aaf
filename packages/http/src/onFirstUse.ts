import { Effect, Scope } from "effect"

/**
 * What is loaded and built when it is first asked for, once, and lives as long as the scope. It is built on its own: who
 * happens to ask first leaves nothing of a request's or a world's in it.
 */
export const onFirstUse = <A>(
  load: () => Promise<Effect.Effect<A, never, Scope.Scope>>
): Effect.Effect<Effect.Effect<A>, never, Scope.Scope> =>
  Effect.map(Effect.service(Scope.Scope), (scope) => {
    let made: Promise<A> | undefined
    const make = async () => Effect.runPromise(Scope.provide(await load(), scope))
    return Effect.promise(() => (made ??= make()))
  })
