import { AppOptions, type Endpoint } from "@tapedeck/http"
import { consoleAsset, consoleIcon, consolePage, consoleSections } from "@tapedeck/http/node"
import { Effect } from "effect"

type Answer = Extract<Endpoint, { readonly operation: null }>["answer"]

const get = (path: Endpoint["path"], answer: Answer): Endpoint => ({
  methods: ["GET"],
  path,
  operation: null,
  answer
})

const page = () => Effect.flatMap(AppOptions, ({ basePath }) => consolePage(`${basePath}/`))

/** The console: its pages at `/` and below the names of its sections, and its files. */
export const consoleEndpoints: ReadonlyArray<Endpoint> = [
  get("/", page),
  ...consoleSections.flatMap((section) => [get(`/${section}`, page), get(`/${section}/*`, page)]),
  get("/favicon.svg", () => consoleIcon),
  get("/assets/:name", ({ params, request }) => consoleAsset(params.name ?? "", request))
]
