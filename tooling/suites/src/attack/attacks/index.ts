import type { Attack } from "../Attack.ts"
import { connections } from "./connections.ts"
import { inputs } from "./inputs.ts"
import { largest } from "./largest.ts"
import { load } from "./load.ts"
import { logs } from "./logs.ts"
import { machine } from "./machine.ts"
import { oddFields } from "./oddFields.ts"

/** Every attack. */
export const attacks: ReadonlyArray<Attack> = [
  ...inputs,
  ...load,
  ...connections,
  ...machine,
  ...logs,
  ...largest,
  ...oddFields
]
