import { Layer } from "effect"
export const publicPaths: ReadonlyArray<string> = []
export const publicPages = Layer.empty
