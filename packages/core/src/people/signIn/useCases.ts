import { Layer } from "effect"
import type { RefusedTokens } from "./RefusedTokens.ts"
import type { Sessions } from "./Sessions.ts"
import { SignIn } from "./SignIn.ts"
import { SignInLinks } from "./SignInLinks.ts"

export type SignInServices = RefusedTokens | Sessions | SignIn | SignInLinks

/** Signing in, over `useCases`. */
export const signInUseCases = SignInLinks.layer.pipe(Layer.provideMerge(SignIn.layer))
