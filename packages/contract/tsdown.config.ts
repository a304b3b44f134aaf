import { mkdir, writeFile } from "node:fs/promises"
import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

const apis = ["capture", "settings", "v1", "v2"] as const

/** Writes the OpenAPI documents beside the modules, with the defaults of a service. */
const writeDocuments = async () => {
  const { openApiCapture, openApiSettings, openApiV1, openApiV2 } = await import("./src/index.ts")
  const documents = { capture: openApiCapture, settings: openApiSettings, v1: openApiV1, v2: openApiV2 }
  await mkdir("dist/openapi", { recursive: true })
  for (const api of apis) {
    await writeFile(`dist/openapi/${api}.json`, JSON.stringify(documents[api]({ vendor: "Tapedeck" })))
  }
}

export default defineConfig({
  ...shared,
  entry: { index: "src/index.ts", ...Object.fromEntries(apis.map((api) => [`${api}/index`, `src/${api}/index.ts`])) },
  hooks: { "build:done": writeDocuments }
})
