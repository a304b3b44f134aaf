import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { interleave, median, ratioOfMedians, timed } from "../measure.ts"
import { freePort, inTemporaryFolder, packPackages, startNodeWith } from "../processes.ts"
import type { Measurements } from "../report.ts"

const uuid = "00000000-0000-4000-8000-000000000000"
const token = "tdk_benchbenchbenchbenchbench"
const records = 10_000
const gets = 500

/**
 * The client as it is packed, one request at a time: reads of one recording, and of all records of a list of 100 pages, beside
 * plain `fetch` with `JSON.parse` and beside openapi-fetch; and how long a program takes that imports and constructs it.
 */
export const run = (): Promise<Measurements> =>
  inTemporaryFolder(async (folder) => {
    packPackages(folder, ["signing", "client"])
    const port = await freePort()
    const server = await startNodeWith({ NODE_OPTIONS: "--conditions=source" }, [
      join(import.meta.dirname, "../client/server.ts"),
      String(port)
    ])
    try {
      const contenders = await contendersOf(folder, `http://127.0.0.1:${port}`)
      const rates = (work: "get" | "iterate", count: number, times: number) => {
        const rate = (side: Side) => async () => {
          const elapsedMs = await timed(async () => {
            for (let call = 0; call < times; call++) await contenders[side][work]()
          })
          return ((count * times) / elapsedMs) * 1000
        }
        const bySide = { tapedeck: rate("tapedeck"), fetch: rate("fetch"), openapi_fetch: rate("openapi_fetch") }
        return interleave(bySide, { rounds: 41, warmUpRounds: 10 })
      }
      const got = await rates("get", 1, gets)
      const iterated = await rates("iterate", records, 1)
      const starts = await startsOf(folder)
      const results: Record<string, { value: number; unit: string }> = {}
      for (const side of sides) {
        results[`get_${side}`] = { value: median(got[side]), unit: "requests/s" }
        results[`iterate_${side}`] = { value: median(iterated[side]), unit: "records/s" }
      }
      return {
        results: {
          ...results,
          start_ms: { value: median(starts.client), unit: "ms" },
          node_start_ms: { value: median(starts.node), unit: "ms" },
          start_extra_ms: { value: median(starts.client) - median(starts.node), unit: "ms" }
        },
        ratios: {
          get_vs_fetch: ratioOfMedians(got.tapedeck, got.fetch),
          get_vs_openapi_fetch: ratioOfMedians(got.tapedeck, got.openapi_fetch),
          iterate_vs_fetch: ratioOfMedians(iterated.tapedeck, iterated.fetch),
          iterate_vs_openapi_fetch: ratioOfMedians(iterated.tapedeck, iterated.openapi_fetch)
        },
        notes: [
          "one request at a time over loopback, by Node's own fetch in all three; the server answers from memory",
          "start_extra_ms: a program that imports and constructs the packed client, over `node -e 0`; it is to be 15 at most"
        ]
      }
    } finally {
      await server.stop()
    }
  })

const sides = ["tapedeck", "fetch", "openapi_fetch"] as const
type Side = (typeof sides)[number]

interface Contender {
  /** Reads one recording. */
  readonly get: () => Promise<unknown>
  /** Reads all records, and throws where they are not all there. */
  readonly iterate: () => Promise<void>
}

interface Page {
  readonly pagination: { readonly next_page?: number }
  readonly records: ReadonlyArray<{ readonly uuid: string }>
}

interface OpenApiFetch {
  readonly GET: (path: string, init: object) => Promise<{ readonly data?: unknown; readonly error?: unknown }>
}

const contendersOf = async (folder: string, baseUrl: string): Promise<Readonly<Record<Side, Contender>>> => {
  const entry = join(folder, "node_modules/@tapedeck/client/dist/index.js")
  const { Tapedeck } = (await import(pathToFileURL(entry).href)) as typeof import("@tapedeck/client")
  const tapedeck = new Tapedeck({ baseUrl, token })

  const headers = { authorization: `Bearer ${token}` }
  const plain = async (path: string): Promise<unknown> => {
    const response = await fetch(baseUrl + path, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return JSON.parse(text)
  }

  const require = installOnDemand(join(import.meta.dirname, "../../ondemand"))
  const { default: createClient } = require("openapi-fetch") as {
    readonly default: (options: object) => OpenApiFetch
  }
  const client = createClient({ baseUrl, headers })
  const openApi = async (path: string, params: object): Promise<unknown> => {
    const { data, error } = await client.GET(path, { params })
    if (error !== undefined) throw new Error(JSON.stringify(error))
    return data
  }

  const counted = (seen: number) => {
    if (seen !== records) throw new Error(`${seen} records of ${records}`)
  }
  const eachPage = async (load: (page: number) => Promise<unknown>) => {
    let seen = 0
    for (let page: number | undefined = 1; page !== undefined; ) {
      const body = (await load(page)) as Page
      for (const recording of body.records) if (recording.uuid !== "") seen++
      page = body.pagination.next_page
    }
    counted(seen)
  }
  return {
    tapedeck: {
      get: () => tapedeck.recordings.get(uuid),
      iterate: async () => {
        let seen = 0
        for await (const recording of tapedeck.recordings.list()) if (recording.uuid !== "") seen++
        counted(seen)
      }
    },
    fetch: {
      get: () => plain(`/api/v2/recordings/${uuid}`),
      iterate: () => eachPage((page) => plain(`/api/v2/recordings?page=${page}`))
    },
    openapi_fetch: {
      get: () => openApi("/api/v2/recordings/{uuid}", { path: { uuid } }),
      iterate: () => eachPage((page) => openApi("/api/v2/recordings", { query: { page } }))
    }
  }
}

/** From spawn to exit. */
const startsOf = (folder: string) => {
  const program = join(folder, "start.mjs")
  const made = `new Tapedeck({ baseUrl: "https://rec.test", token: "t" })`
  writeFileSync(program, `import { Tapedeck } from "@tapedeck/client"\n${made}\n`)
  const start = (parameters: ReadonlyArray<string>) => () =>
    timed(() => {
      const { status, stderr } = spawnSync(process.execPath, parameters, { cwd: folder })
      if (status !== 0) throw new Error(String(stderr))
    })
  return interleave({ client: start([program]), node: start(["-e", "0"]) }, { rounds: 31, warmUpRounds: 3 })
}
