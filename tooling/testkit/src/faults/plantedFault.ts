import { fileURLToPath } from "node:url"
import type { Fault } from "./faults.ts"

/** The variable that names the fault of a run, as JSON. */
export const variable = "TAPEDECK_PLANTED_FAULT"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** Vite's plugin that plants the fault in the source as it is loaded. No file is changed. */
export const plantedFault = ({ file, from, to }: Fault) => ({
  // Vitest keeps transformed modules on disk by the names of plugins.
  name: `planted-fault ${JSON.stringify([file, from, to])}`,
  enforce: "pre" as const,
  transform: (code: string, id: string) => {
    if (id !== `${root}${file}`) return undefined
    if (!code.includes(from)) throw new Error(`${file} has no such text: ${from}`)
    return code.replace(from, to)
  }
})
