import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { startPostgres } from "../postgres/index.ts"
import { cert } from "../support/certificate.ts"
import { freePort, startProcess, temporaryFolder } from "../support/process.ts"
import { receiver } from "../support/receiver.ts"
import { Coverage } from "./Coverage.ts"

/** What one request, or one delivery, executes of the repository's source files. */

const main = "apps/server/src/main.ts"
const recording = "00000000-0000-4000-8000-000000000001"
const headers = { authorization: "Bearer ada-token", "content-type": "application/json" }

/** The first passes load modules and fill caches; what each of the later ones executes belongs to the walk. */
const [firstPasses, measuredPasses] = [2, 8]

const documentWith = (rest: object) =>
  JSON.stringify({
    users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
    recordings: [{ uuid: recording, title: "One", user: "ada@acme.test" }],
    ...rest
  })

interface Ready {
  readonly base_url: string
}

const start = async (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) => {
  const inspector = await freePort()
  const options = `--conditions=source --inspect=127.0.0.1:${inspector}`
  const started = await startProcess<Ready>(main, ["serve", "--port", "0", "--json", "--ffmpeg", "off", ...args], {
    ...environment,
    NODE_OPTIONS: options
  })
  return { ...started, inspector }
}

/** What each of several passes executes, but not what happened to run beside one of them. */
const walked = async (inspector: number, pass: () => Promise<void>): Promise<ReadonlyArray<string>> => {
  for (let n = 0; n < firstPasses; n++) await pass()
  const coverage = await Coverage.connect(inspector)
  let files: ReadonlySet<string> | undefined
  for (let n = 0; n < measuredPasses; n++) {
    const executed = await coverage.during(pass)
    files = new Set([...(files ?? executed)].filter((file) => executed.has(file)))
  }
  coverage.close()
  return [...(files ?? [])].sort()
}

const succeed = async (url: string, init: RequestInit = {}): Promise<void> => {
  const response = await fetch(url, { ...init, headers })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

/** `GET /api/v2/recordings?page=1` on the server with SQLite. */
export const listWalk = async (): Promise<ReadonlyArray<string>> => {
  const folder = await temporaryFolder()
  const fixtures = await folder.write("fixtures.json", documentWith({}))
  const server = await start(["--data", join(folder.path, "data"), "--fixtures", fixtures])
  try {
    return await walked(server.inspector, () => succeed(`${server.ready.base_url}/api/v2/recordings?page=1`))
  } finally {
    await server.stop()
    await folder.remove()
  }
}

/**
 * Other work of the process, which may run beside every pass: the sealer of the audit log, because each change of the folder makes an
 * entry, the jobs that the worker starts between claims, and its look at the agenda; and the look at the free space.
 */
const isBeside = (file: string): boolean =>
  /\/audit|\/Vault\.ts$|\/locks\.ts$|\/(JobRunner|jobs|queues|documents|agenda|sqlStore|SpaceMonitor)\.ts$/.test(file)

/** A delivery of a folder's automation on PostgreSQL, from its claim to the recorded outcome, in a process that only delivers. */
export const deliveryWalk = async (): Promise<ReadonlyArray<string>> => {
  const [postgres, folder] = await Promise.all([startPostgres(), temporaryFolder()])
  let arrived = () => {}
  const answer = () => {
    arrived()
    return { status: 200 }
  }
  const hook = await receiver(answer, "127.0.0.1", "https")
  const fixtures = await folder.write(
    "fixtures.json",
    documentWith({ folders: [{ id: "vip", name: "VIP" }], automations: [{ id: "crm", folder: "vip", url: hook.url }] })
  )
  const database = await postgres.createDatabase()
  const environment = { TAPEDECK_DATABASE_URL: database.url, TAPEDECK_KEY: randomBytes(32).toString("base64") }
  const common = [
    ...["--data", join(folder.path, "data"), "--allow-receivers", "127.0.0.0/8"],
    ...["--ca-file", await folder.write("ca.pem", cert)]
  ]
  const api = await start(["--role", "api", "--fixtures", fixtures, ...common], environment)
  const dispatcher = await start(["--role", "dispatcher", ...common], environment)
  const folderUrl = `${api.ready.base_url}/api/settings/recordings/${recording}/folder`
  const enter = () => succeed(folderUrl, { method: "PUT", body: JSON.stringify({ folder_id: "vip" }) })
  const leave = () => succeed(folderUrl, { method: "DELETE" })
  let passes = 0
  try {
    const files = await walked(dispatcher.inspector, async () => {
      const isDelivered = new Promise<void>((resolve) => {
        arrived = resolve
      })
      await enter()
      await isDelivered
      passes++
      // Its log line comes last.
      while (dispatcher.logged().split('"message":"attempt"').length <= passes) await setImmediate()
      await leave()
    })
    return files.filter((file) => !isBeside(file))
  } finally {
    await Promise.all([dispatcher.stop(), api.stop()])
    await Promise.all([postgres.close(), hook.close(), folder.remove()])
  }
}
