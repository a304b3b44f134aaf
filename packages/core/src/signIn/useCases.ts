import { Layer } from "effect"
import { RefusedTokens } from "./RefusedTokens.ts"
import { Sessions } from "./Sessions.ts"
import { SignIn } from "./SignIn.ts"
import { SignInLinks } from "./SignInLinks.ts"

export type SignInServices = RefusedTokens | Sessions | SignIn | SignInLinks

/** Signing in, over `useCases`. */
export const signInUseCases = Layer.merge(SignInLinks.layer, RefusedTokens.layer).pipe(
  Layer.provideMerge(SignIn.layer),
  Layer.provideMerge(Sessions.layer)
)
