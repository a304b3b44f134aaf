import { createHash } from "node:crypto"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { inspectDatabase } from "@tapedeck/storage/sqlite"
import { describe, expect, onTestFinished, test } from "vitest"
import type { Manifest } from "../src/backup/layout.ts"
import { first as pair } from "./support/certificates.ts"
import { listening, run, runProcess, temporaryFolder } from "./support/command.ts"

const admin = { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }

/** A receiver that answers when the test says so: until then, every attempt is in flight. */
const receiver = async () => {
  const received = new Set<string>()
  const state = { answers: false }
  const server: Server = createServer(pair, (request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      if (!state.answers) return
      received.add((JSON.parse(Buffer.concat(pieces).toString()) as { recording: { id: string } }).recording.id)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, received, answer: () => Object.assign(state, { answers: true }) }
}

const asAdmin = { authorization: `Bearer ${admin.token}`, "content-type": "application/json" }

const ask = async <A>(
  base: string,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>
): Promise<A> => {
  const headers = body instanceof Uint8Array ? { ...asAdmin, "content-type": "video/webm" } : asAdmin
  const answer = await fetch(`${base}/api/${path}`, { method, headers, ...(body !== undefined && { body }) })
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true)
  return (await answer.json()) as A
}

const webm = Buffer.from(
  "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701000000000049b5",
  "hex"
)

/** A video like no other. */
let made = 0
const video = () => new Uint8Array(Buffer.concat([webm, Buffer.alloc(50_000, `video ${made++} `)]))

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

interface Known {
  readonly uuid: string
  readonly title: string
  /** Hashes of every video that was sent for it, the last one last. */
  readonly videos: Array<string>
}

const upload = async (base: string, one: Known) => {
  const bytes = video()
  one.videos.push(sha256(bytes))
  await ask(base, "PUT", `settings/recordings/${one.uuid}/video`, bytes)
}

/** A recording with a video, moved to the folder whose automation tells the receiver. */
const make = async (base: string, title: string): Promise<Known> => {
  const { uuid } = await ask<{ uuid: string }>(base, "POST", "settings/recordings", JSON.stringify({ title }))
  const one = { uuid, title, videos: [] }
  await upload(base, one)
  await ask(base, "PUT", `settings/recordings/${uuid}/folder`, JSON.stringify({ folder_id: "f1" }))
  return one
}

const downloaded = async (base: string, { uuid }: Known) => {
  const answer = await fetch(`${base}/api/v2/recordings/${uuid}/download`, { headers: asAdmin })
  expect(answer.status).toBe(200)
  return sha256(new Uint8Array(await answer.arrayBuffer()))
}

interface Logged {
  readonly state: string
  readonly recording_uuid: string
  readonly attempts: ReadonlyArray<unknown>
}

const deliveriesOf = async (base: string) => {
  const { deliveries } = await ask<{ deliveries: ReadonlyArray<Logged> }>(
    base,
    "GET",
    "settings/automations/a1/deliveries"
  )
  return deliveries
}

/** Options and variables of a server that may call the receiver. */
const serverIn = (folder: string, url: string) => {
  const fixtures = join(folder, "fixtures.json")
  const automations = [{ id: "a1", folder: "f1", url }]
  writeFileSync(fixtures, JSON.stringify({ users: [admin], folders: [{ id: "f1", name: "One" }], automations }))
  writeFileSync(join(folder, "ca.pem"), pair.cert)
  const environment = {
    TAPEDECK_ALLOW_RECEIVERS: "127.0.0.1",
    TAPEDECK_CA_FILE: join(folder, "ca.pem"),
    TAPEDECK_PAGE_SIZE: "10000"
  }
  return { args: ["--fixtures", fixtures], environment }
}

/** The path of the only content in a data directory. */
const contentIn = (data: string) => {
  const [content = ""] = inspectDatabase(join(data, "tapedeck.db"), { deep: false }).contents.map(({ key }) =>
    join("files", key.slice(0, 2), key)
  )
  return content
}

/** A data directory that a server has run on, with one recording's video. */
const usedData = async () => {
  const folder = temporaryFolder()
  const data = join(folder, "data")
  const { args, environment } = serverIn(folder, "https://missing.test/hook")
  const server = await listening(["--data", data, ...args], environment)
  const one = await make(server.view.base_url, "One")
  await server.stop()
  return { folder, data, one, content: contentIn(data) }
}

describe("A backup", () => {
  test("made under load restores everything that was acknowledged: records, files and deliveries", async () => {
    const folder = temporaryFolder()
    const [data, backup, elsewhere] = ["data", "backup", "elsewhere"].map((name) => join(folder, name)) as [
      string,
      string,
      string
    ]
    const { answer, received, url } = await receiver()
    const { args, environment } = serverIn(folder, url)
    const server = await listening(["--data", data, ...args], environment)
    const base = server.view.base_url

    const before: Array<Known> = []
    for (let count = 0; count < 25; count++) before.push(await make(base, `before ${count}`))
    const changing = before.slice(0, 5)
    const work = { isOver: false, steps: 0 }
    const load = [0, 1, 2].map(async (worker) => {
      while (!work.isOver) {
        // What is replaced is removed at once: files come and go while they are copied.
        await upload(base, changing[(worker + work.steps) % changing.length]!)
        await make(base, `meanwhile ${worker} ${work.steps++}`)
      }
    })
    const { code, err, out } = await runProcess(["backup", backup, "--data", data, "--with-key", "--json"])
    const steps = work.steps
    work.isOver = true
    await Promise.all(load)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(steps).toBeGreaterThan(0)
    server.child.kill("SIGKILL")
    await server.ended

    const manifest = JSON.parse(out) as Manifest
    expect(manifest).toEqual(JSON.parse(readFileSync(join(backup, "backup.json"), "utf8")))
    expect(manifest.database.rows.recordings).toBeGreaterThanOrEqual(before.length)
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([])
    expect(await runProcess(["restore", backup, "--data", elsewhere])).toMatchObject({ code: 0, err: "" })
    expect(await runProcess(["doctor", "--deep", "--data", elsewhere])).toMatchObject({ code: 0, err: "" })

    answer()
    const restored = await listening(["--data", elsewhere, ...args], environment)
    const there = restored.view.base_url
    for (const one of before) {
      expect(await ask(there, "GET", `settings/recordings/${one.uuid}`)).toMatchObject({
        title: one.title,
        folder_id: "f1"
      })
      const hash = await downloaded(there, one)
      if (changing.includes(one)) expect(one.videos).toContain(hash)
      else expect(hash).toBe(one.videos[0])
    }
    // What was in flight counts as lost and is tried again in a minute; the rest was sent at once.
    const pending = ({ state }: Logged) => state === "scheduled" || state === "attempting"
    await expect.poll(async () => (await deliveriesOf(there)).filter(pending)).toEqual([])
    const deliveries = await deliveriesOf(there)
    const told = deliveries.map(({ recording_uuid }) => recording_uuid)
    expect(told).toEqual(expect.arrayContaining(before.map(({ uuid }) => uuid)))
    expect(deliveries).toHaveLength(manifest.database.rows.deliveries!)
    for (const { attempts, recording_uuid, state } of deliveries) {
      expect(["waiting", "delivered"]).toContain(state)
      // An attempt that was in flight is in the log as lost.
      expect(attempts).toMatchObject([{ outcome: state === "delivered" ? "success" : "lost" }])
      expect(received.has(recording_uuid)).toBe(state === "delivered")
    }
    expect(await restored.stop()).toBe(0)
  })

  test("can be read by its owner only, can be checked with sha256sum, and contains no key unless requested", async () => {
    const { content, data, folder } = await usedData()
    const backup = join(folder, "backup")
    expect(await run(["backup", backup, "--data", data])).toEqual({
      code: 0,
      err: "",
      out: `${backup}: 1 recordings, 1 deliveries, 1 files\nThe backup does not contain the key: store it separately.\n`
    })
    const names = readdirSync(backup, { recursive: true, withFileTypes: true })
    for (const one of names) expect(statSync(join(one.parentPath, one.name)).mode & 0o077, one.name).toBe(0)
    const lines = readFileSync(join(backup, "SHA256SUMS"), "utf8").trimEnd().split("\n")
    expect(lines.map((line) => line.slice(66))).toEqual([content, "tapedeck.db"])
    for (const line of lines) expect(line.slice(0, 64)).toBe(sha256(readFileSync(join(backup, line.slice(66)))))
    const to = join(folder, "elsewhere")
    const restored = await run(["restore", backup, "--data", to])
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(`put it into ${join(to, "key")}`) })
    expect(existsSync(join(to, "key"))).toBe(false)
  })

  test("refuses to overwrite anything and to skip lost or damaged files, and leaves nothing then", async () => {
    const { content, data, folder } = await usedData()
    const backup = join(folder, "backup")
    mkdirSync(backup)
    const over = await run(["backup", backup, "--data", data])
    expect(over).toMatchObject({ code: 5, err: expect.stringContaining(`${backup}: already exists`) })
    rmSync(backup, { recursive: true })

    appendFileSync(join(data, content), "more")
    const damaged = await run(["backup", backup, "--data", data])
    expect(damaged).toMatchObject({ code: 5, err: expect.stringContaining(`${join(data, content)}: damaged`) })
    rmSync(join(data, content))
    const lost = await run(["backup", backup, "--data", data])
    expect(lost).toMatchObject({
      code: 5,
      err: expect.stringContaining(`${join(data, content)}: missing, but the database refers to it`)
    })
    expect(readdirSync(folder).toSorted()).toEqual(["ca.pem", "data", "fixtures.json"])
    const nothing = await run(["backup", backup, "--data", join(folder, "none")])
    expect(nothing).toMatchObject({ code: 5, err: expect.stringContaining("no database in this directory") })
    expect(await run(["backup", "--data", data])).toMatchObject({
      code: 2,
      err: expect.stringContaining("DIR: is required")
    })
  })

  test("refuses a key that is not the database's", async () => {
    const { data, folder } = await usedData()
    const other = { TAPEDECK_KEY: Buffer.alloc(32, 7).toString("base64") }
    const refused = await run(["backup", join(folder, "backup"), "--data", data, "--with-key"], other)
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining("--with-key") })
    expect(existsSync(join(folder, "backup"))).toBe(false)
  })
})

describe("A restore", () => {
  const backedUp = async () => {
    const used = await usedData()
    const backup = join(used.folder, "backup")
    expect(await run(["backup", backup, "--data", used.data, "--with-key"])).toMatchObject({ code: 0 })
    return { ...used, backup, to: join(used.folder, "elsewhere") }
  }

  test("refuses a backup that is damaged, incomplete or newer, and leaves nothing", async () => {
    const { backup, content, folder, to } = await backedUp()
    const refusal = async () => {
      const { code, err } = await run(["restore", backup, "--data", to])
      expect(code).toBe(5)
      expect(existsSync(to)).toBe(false)
      return err
    }
    /** With a file of the backup changed, or gone. */
    const refusalWith = async (name: string, change: (text: Buffer) => string | Buffer | undefined) => {
      const bytes = readFileSync(join(backup, name))
      const changed = change(bytes)
      // In a file of its own: the backup's content may be the data directory's too.
      rmSync(join(backup, name))
      if (changed !== undefined) writeFileSync(join(backup, name), changed)
      const text = await refusal()
      rmSync(join(backup, name), { force: true })
      writeFileSync(join(backup, name), bytes)
      return text
    }
    const flip = (bytes: Buffer) => {
      const changed = Buffer.from(bytes)
      changed[changed.length - 1]! ^= 1
      return changed
    }
    for (const name of [content, "tapedeck.db"]) {
      expect(await refusalWith(name, flip)).toContain(`${join(backup, name)}: its checksum`)
      expect(await refusalWith(name, () => undefined)).toContain(`${join(backup, name)}: no such file`)
    }
    expect(await refusalWith("SHA256SUMS", (text) => text.toString().replace(/\n.*/, "\n"))).toContain(
      "its checksum does not match"
    )
    expect(await refusalWith("SHA256SUMS", () => undefined)).toContain("SHA256SUMS: no such file")
    expect(await refusalWith("backup.json", () => undefined)).toContain("not a backup")
    const changed = (from: string | RegExp, into: string) => (text: Buffer) => text.toString().replace(from, into)
    expect(await refusalWith("backup.json", changed('"format": 1', '"format": 2'))).toContain(
      "unknown format of backup"
    )
    expect(await refusalWith("backup.json", changed(/"version": \d+/, '"version": 99'))).toContain("newer Tapedeck")
    expect(await refusalWith("backup.json", changed('"recordings": 1', '"recordings": 2'))).toContain(
      "recordings: its count"
    )
    expect(await run(["restore", backup, "--data", to])).toMatchObject({ code: 0 })
    expect(readdirSync(folder)).toContain("elsewhere")
  })

  test("refuses a directory that is not empty, and completes an interrupted restore", async () => {
    const { backup, data, one, to } = await backedUp()
    const there = await run(["restore", backup, "--data", data])
    expect(there).toMatchObject({ code: 5, err: expect.stringContaining(`${data}: not empty`) })

    mkdirSync(join(to, ".restoring"), { recursive: true })
    writeFileSync(join(to, "tapedeck.db"), "a half")
    const early = await run(["serve", "--data", to])
    expect(early).toMatchObject({ code: 5, err: expect.stringContaining("a restore into it is incomplete") })
    expect(await run(["restore", backup, "--data", to])).toMatchObject({ code: 0 })
    const server = await listening(["--data", to])
    expect(await downloaded(server.view.base_url, one)).toBe(one.videos[0])
  })
})
