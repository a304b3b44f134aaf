import type { Caller } from "@tapedeck/core"
import { Context } from "effect"

/** Who sent the present request. The front has authenticated it before anything below `/api` runs (R1). */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("@tapedeck/http/CurrentCaller") {}
