import { Context, Effect, Scope } from "effect"
import { HttpRouter } from "effect/http"

/** Paths are exact: two spellings of one would be two ways past a check. */
const exactPaths = { ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, caseSensitive: true }

/**
 * Builds routes with the scope and nothing else. Handlers keep the context that they are built in, and prefer it to a
 * request's: it must hold nothing of a world's.
 */
export const builtAlone = <A, E>(routes: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.updateContext(routes, (context: Context.Context<Scope.Scope>) =>
    Context.add(Context.pick(Scope.Scope)(context), HttpRouter.RouterConfig, exactPaths)
  )
