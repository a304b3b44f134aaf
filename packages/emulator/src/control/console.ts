import { consoleAsset, consoleIcon, consolePage } from "@tapedeck/http/node"
import { controlEndpoint } from "./controlEndpoints.ts"

const path = "/_emulator/ui"

/** The console of a world. Its script selects the screen of a path below it. A browser loads the files once for all worlds. */
const page = controlEndpoint("GET", path, {
  isNoted: false,
  answer: ({ emulator, world }) => consolePage(`${emulator.baseUrl(world, "")}${path}/`, `${path}/`)
})

/** The files of the console, and its pages. */
export const consoleEndpoints = [
  page,
  { ...page, path: `${path}/*` as const },
  controlEndpoint("GET", `${path}/favicon.svg`, { isNoted: false, answer: () => consoleIcon }),
  controlEndpoint("GET", `${path}/assets/:name`, {
    isNoted: false,
    answer: ({ params, request }) => consoleAsset(params.name ?? "", request)
  })
]
