import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { startBucket } from "../cluster/Bucket.ts"
import { startPostgres } from "../postgres/index.ts"
import type { Machine } from "../support/machine.ts"
import { webm } from "../support/webm.ts"
import { startMailReceiver } from "./mailReceiver.ts"
import { expectText, missingProgram, type Walk } from "./Walk.ts"

/** The server of the first walk, with which the others continue. */
interface Installed {
  readonly machine: Machine
  readonly token: string
  /** Of a recording with a log. */
  uuid?: string
}

let installed: Installed | undefined

const missingOpenssl = () => missingProgram("openssl", "version")

/** The server, or the program without which it is not tried. */
const missingServer = () =>
  installed === undefined ? (missingOpenssl() ?? `the walk "${serverWalk.title}"`) : undefined

const theServer = (): Installed => {
  if (installed === undefined) throw new Error("the walk of the server did not end")
  return installed
}

/** Installs a server on a machine of its own. */
const install = async (machine: Machine): Promise<void> => {
  expectText(
    await machine.run(readFence("docs/operating.md", "sh", "npm pack --silent @tapedeck/server)\nuseradd")),
    /"ready"/
  )
  await machine.run(readFence("docs/operating.md", "sh", "tapedeck.yaml <<'END'"))
}

export const serverWalk: Walk = {
  title: "The server with TLS and mail",
  pages: ["docs/operating.md"],
  maxMinutes: 15,
  missing: missingOpenssl,
  walk: async (place, step) => {
    const relay = await startMailReceiver()
    place.atEnd(relay.close)
    const machine = await place.machine()
    await step("install and configure", () => install(machine))
    const made = await step("create an account and its admin", () =>
      machine.run(readFence("docs/operating.md", "sh", "tapedeck account create Acme\ntapedeck admin create"))
    )
    const [, token = ""] = expectText(made, /^(tdk_\w+)$/m)
    const [, link = ""] = expectText(made, /\/sign-in\/link\?token=(\S+)$/m)
    await step("configure mail, and invite a user", async () => {
      const settings = readFence("docs/operating.md", "ini", "TAPEDECK_SMTP_URL")
      machine.append("etc/tapedeck/tapedeck.env", settings.replace(/smtps:\/\/\S+/, `'${relay.url}'`))
      await machine.run("systemctl restart tapedeck")
      const signIn = readFence("docs/operating.md", "sh", "/api/settings/sign-in/link")
      const invite = `curl -b cookies -H 'Origin: http://127.0.0.1:4020' --json '{"email": "bob@acme.example", "name": "Bob"}' http://127.0.0.1:4020/api/settings/users`
      const steps = signIn.replace("bUw9…", link).replace(/^curl .*sign-out$/m, invite)
      await machine.run(steps.replaceAll("curl ", "curl -fsS "))
      expectText(await relay.first, /^To: .*bob@acme\.example/m)
    })
    await step("serve by TLS", async () =>
      expectText(await machine.run(readFence("docs/operating.md", "sh", "openssl req")), /"ok"/)
    )
    await machine.run("systemctl restart tapedeck")
    installed = { machine, token }
  }
}

export const recordingWalk: Walk = {
  title: "A recording with a log",
  pages: ["docs/uploading.md", "docs/capture.md"],
  maxMinutes: 2,
  missing: () => missingServer() ?? missingProgram("jq", "--version"),
  walk: async (_, step) => {
    const server = theServer()
    const home = join(server.machine.root, "home")
    await writeFile(join(home, "call.mp4"), webm(2264))
    await writeFile(join(home, "log.jsonl"), readFence("docs/capture.md", "jsonl"))
    const create = [
      `export TOKEN=${server.token}`,
      readFence("docs/uploading.md", "sh", "uuid=$(curl"),
      readFence("docs/uploading.md", "sh", "-T call.mp4").replace("video/mp4", "video/webm"),
      "echo $uuid"
    ].join("\n")
    const output = await step("create a recording, and upload its video", () => server.machine.run(create))
    const [, size, uuid = ""] = expectText(output, /"size_bytes":(2264)[\s\S]*\n(\S+)\n$/)
    if (size === undefined) throw new Error(output)
    const variables = [`uuid=${uuid}`, "api=http://127.0.0.1:4020/api", `as="Authorization: Bearer ${server.token}"`]
    const log = await step("attach the log of its page", () =>
      server.machine.run([...variables, readFence("docs/capture.md", "sh", "-T log.jsonl")].join("\n"))
    )
    expectText(log, /TypeError: x is null/)
    server.uuid = uuid
  }
}

export const secondNodeWalk: Walk = {
  title: "A second node on PostgreSQL",
  pages: ["docs/cluster.md", "docs/operating.md"],
  maxMinutes: 15,
  missing: () => missingServer() ?? (installed?.uuid === undefined ? `the walk "${recordingWalk.title}"` : undefined),
  walk: async (place, step) => {
    const { machine, token, uuid } = theServer()
    // The machine's: a database and a bucket.
    const postgres = await startPostgres()
    place.atEnd(() => postgres.close())
    const bucket = await startBucket()
    place.atEnd(() => bucket.close())
    const { url } = await postgres.createDatabase()
    const given = Object.entries(bucket.environment)
      .filter(([name]) => name !== "TAPEDECK_FILES")
      .map(([name, value]) => `export ${name}='${value}'\n`)
      .join("")
    await step("move the data from SQLite", async () => {
      const move = readFence("docs/cluster.md", "sh", "tapedeck migrate --from")
      expectText(await machine.run(given + move.replace("postgres://…", url)), /recordings/)
    })
    const nodes = readFence("docs/cluster.md", "sh", "tapedeck serve --role api")
      .replace(/postgres:\S+/, url)
      .replace("TAPEDECK_KEY=…", `TAPEDECK_KEY='${machine.read("var/lib/tapedeck/key").trim()}'`)
    const withRole = (role: string) =>
      given + nodes.replace(new RegExp(`^tapedeck serve --role (?!${role}\\b).*\\n`, "m"), "")
    await step("start a node for the API", () => machine.run(withRole("api")))
    const second = await place.machine()
    await step("install a second node", async () => {
      await install(second)
      await second.run("systemctl stop tapedeck")
    })
    await step("start the second node, which delivers", () => second.run(withRole("dispatcher")))
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${machine.baseUrl}/api/v2/recordings/${uuid}`, { headers })
    expectText(`${answer.status} ${await answer.text()}`, /^200 .*Checkout fails/)
    expectText(await (await fetch(`${second.baseUrl}/readyz`)).text(), /"ready"/)
  }
}
