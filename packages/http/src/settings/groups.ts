import { Layer } from "effect"
import { folders } from "./folders.ts"

/** The handlers of the settings API. */
export const groups = Layer.mergeAll(folders)
