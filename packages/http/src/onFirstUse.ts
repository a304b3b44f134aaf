import { Context, Effect, Scheduler, Scope } from "effect"

/**
 * What is loaded and built when it is first asked for, once, and lives as long as the scope. It is built on its own: who
 * happens to ask first leaves nothing of a request's or a world's in it.
 */
export const onFirstUse = <A>(
  load: () => Promise<Effect.Effect<A, never, Scope.Scope>>
): Effect.Effect<Effect.Effect<A>, never, Scope.Scope> =>
  Effect.map(Effect.context<Scope.Scope>(), (context) => {
    const scope = Context.get(context, Scope.Scope)
    const run = Effect.runPromiseWith(Context.make(Scheduler.Scheduler, Context.get(context, Scheduler.Scheduler)))
    let made: Promise<A> | undefined
    const make = async () => run(Scope.provide(await load(), scope))
    return Effect.promise(() => (made ??= make()))
  })
