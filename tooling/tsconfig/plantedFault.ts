import { fileURLToPath } from "node:url"

/** A text in a file, whose path is from the root, and what it is replaced by. */
export interface PlantedFault {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** The variable that names the fault of a run, as JSON. */
export const faultVariable = "TAPEDECK_PLANTED_FAULT"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Vite's plugins that plant the fault of this run, if it has one, in the source as it is loaded. No file is changed. */
export const faultPlugins = () => {
  const text = process.env[faultVariable]
  if (text === undefined) return []
  const { file, from, to } = JSON.parse(text) as PlantedFault
  return [
    {
      // Vitest keeps transformed modules on disk by the names of plugins.
      name: `planted-fault ${JSON.stringify([file, from, to])}`,
      enforce: "pre" as const,
      transform: (code: string, id: string) => {
        if (id !== `${root}${file}`) return undefined
        if (!code.includes(from)) throw new Error(`${file} has no such text: ${from}`)
        return code.replace(from, to)
      }
    }
  ]
}
