import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { recordingBody, token, uuidOf, worldDocument } from "../fixtures.ts"

/** A server with one record that is read by its id, and how it is started on a port. */
export interface ReadServer {
  readonly parameters: (port: number) => ReadonlyArray<string>
  readonly reads: ReadonlyArray<{ readonly path: string; readonly token: string }>
}

const ondemand = join(import.meta.dirname, "../../../ondemand")

/** The file that a package's command runs; the package is one of the folder `ondemand`. */
const commandOf = (name: string, command: string): string => {
  const manifest = join(ondemand, "node_modules", name, "package.json")
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly bin: Readonly<Record<string, string>> }
  return join(dirname(manifest), bin[command]!)
}

const hundred = Array.from({ length: 100 }, (_, index) => uuidOf(index))

/** The packed emulator with a hundred recordings, of which one is read. */
export const tapedeck = (emulator: string, folder: string): ReadServer => {
  const fixtures = join(folder, "hundred.json")
  writeFileSync(fixtures, JSON.stringify(worldDocument(100)))
  return {
    parameters: (port) => [
      join(emulator, "dist/main.js"),
      ...["--port", String(port), "--quiet", "--fixtures", fixtures]
    ],
    reads: hundred.map((uuid) => ({ path: `/api/v2/recordings/${uuid}`, token }))
  }
}

/**
 * emulate's Stripe with a hundred customers, of which one is read. It allows each token 5,000 requests an hour: the reads
 * take turns with many tokens.
 */
export const emulate = (folder: string): ReadServer => {
  const seed = join(folder, "emulate.json")
  const customers = hundred.map((_, index) => ({
    id: `cus_bench${index}`,
    email: `c${index}@acme.test`,
    name: `Customer ${index}`
  }))
  writeFileSync(seed, JSON.stringify({ stripe: { customers } }))
  return {
    parameters: (port) => [
      commandOf("emulate", "emulate"),
      ...["--service", "stripe", "--port", String(port), "--seed", seed]
    ],
    reads: customers.map(({ id }, index) => ({ path: `/v1/customers/${id}`, token: `sk_test_${index}` }))
  }
}

/** Mockoon with the emulator's answer as a template, logging to nowhere. */
export const mockoon = (folder: string): ReadServer => {
  const data = join(folder, "mockoon.json")
  writeFileSync(data, JSON.stringify(mockoonDocument))
  return {
    parameters: (port) => [
      commandOf("@mockoon/cli", "mockoon-cli"),
      ...["start", "--data", data, "--port", String(port), "--hostname", "127.0.0.1"],
      ...["--disable-log-to-file", "--disable-admin-api"]
    ],
    reads: hundred.map((uuid) => ({ path: `/api/v2/recordings/${uuid}`, token }))
  }
}

const answer = {
  uuid: uuidOf(2_001),
  body: JSON.stringify(recordingBody("{{urlParam 'uuid'}}")),
  latency: 0,
  statusCode: 200,
  label: "",
  headers: [{ key: "Content-Type", value: "application/json" }],
  bodyType: "INLINE",
  filePath: "",
  databucketID: "",
  sendFileAsBody: false,
  rules: [],
  rulesOperator: "OR",
  disableTemplating: false,
  fallbackTo404: false,
  default: true,
  crudKey: "id",
  callbacks: []
}

const mockoonDocument = {
  uuid: uuidOf(2_002),
  lastMigration: 33,
  name: "Recordings",
  endpointPrefix: "",
  latency: 0,
  port: 3000,
  hostname: "127.0.0.1",
  folders: [],
  routes: [
    {
      uuid: uuidOf(2_003),
      type: "http",
      documentation: "",
      method: "get",
      endpoint: "api/v2/recordings/:uuid",
      responses: [answer],
      responseMode: null,
      streamingMode: null,
      streamingInterval: 0
    }
  ],
  rootChildren: [{ type: "route", uuid: uuidOf(2_003) }],
  proxyMode: false,
  proxyHost: "",
  proxyRemovePrefix: false,
  tlsOptions: { enabled: false, type: "CERT", pfxPath: "", certPath: "", keyPath: "", caPath: "", passphrase: "" },
  cors: false,
  headers: [],
  proxyReqHeaders: [],
  proxyResHeaders: [],
  data: [],
  callbacks: []
}
