import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Backend, listed, remove, startBackend } from "@tapedeck/storage/testing/s3"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { listening, run, runProcess, said, temporaryFolder } from "../support/command.ts"
import { uploadWith } from "../uploads/client.ts"
import { adas, aVideo, bobs, sha256, uploadsOf, videoOf } from "../uploads/trial.ts"

let backend: Backend
beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.close())

const fixtures = {
  users: [
    { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" },
    { email: "bob@acme.test", name: "Bob", role: "member", token: "bob-token" }
  ],
  recordings: [
    { uuid: bobs, title: "Bob's", user: "bob@acme.test" },
    { uuid: adas, title: "Ada's", user: "ada@acme.test" }
  ]
}

let places = 0

/** A data directory, and a prefix in the bucket. */
const makePlace = () => {
  const folder = temporaryFolder()
  const file = join(folder, "fixtures.json")
  writeFileSync(file, JSON.stringify(fixtures))
  const prefix = `place-${++places}/`
  const environment = {
    TAPEDECK_DATA: join(folder, "data"),
    TAPEDECK_FILES: `s3://${backend.bucket}/${prefix}`,
    TAPEDECK_S3_ENDPOINT: backend.proxy.url,
    TAPEDECK_S3_ACCESS_KEY_ID: backend.credentials.accessKeyId,
    TAPEDECK_S3_SECRET_ACCESS_KEY: backend.credentials.secretAccessKey
  }
  return {
    folder,
    prefix,
    data: environment.TAPEDECK_DATA,
    environment,
    /** The hashes of the contents in the bucket. */
    contents: async () => (await listed(backend, prefix)).map((key) => key.slice(0, 64)),
    /** The names of the objects. */
    objects: async () => (await listed(backend, prefix)).map((key) => `${prefix}${key.slice(0, 2)}/${key}`),
    start: (...more: ReadonlyArray<string>) => listening(["--fixtures", file, ...more], environment)
  }
}

const as = (name: string) => ({ authorization: `Bearer ${name}-token` })

describe("a server whose files are in a bucket", () => {
  it("stores uploads by PUT and in parts, serves ranges, and removes them with their recordings", async () => {
    const place = makePlace()
    const server = await place.start()
    const url = (path: string) => `${server.view.base_url}${path}`
    const [first, second] = [aVideo(300_000), aVideo(9 * 1024 ** 2)]
    const stored = await fetch(url(videoOf(bobs)), {
      method: "PUT",
      headers: { ...as("bob"), "content-type": "video/mp4" },
      body: new Uint8Array(first)
    })
    expect(stored.status).toBe(200)
    await uploadWith(second, { as: "ada", endpoint: url(uploadsOf(adas)) })
    // The pieces of the upload are removed after its end.
    await expect.poll(place.contents).toEqual([sha256(first), sha256(second)].sort())
    expect(readdirSync(join(place.data, "tmp"))).toEqual([])
    expect(existsSync(join(place.data, "files"))).toBe(false)

    const whole = await fetch(url(videoOf(adas)), { headers: as("ada") })
    expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256(second))
    const before = backend.proxy.seen.length
    const part = await fetch(url(videoOf(bobs)), { headers: { ...as("bob"), range: "bytes=1000-1999" } })
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 1000-1999/300000"])
    expect(Buffer.from(await part.arrayBuffer()).equals(first.subarray(1000, 2000))).toBe(true)
    expect(backend.proxy.seen.slice(before)).toMatchObject([{ method: "GET", range: "bytes=1000-1999" }])

    const removed = await fetch(url(`/api/settings/recordings/${bobs}`), { method: "DELETE", headers: as("bob") })
    expect(removed.status).toBe(204)
    await expect.poll(place.contents).toEqual([sha256(second)])
    await server.stop()
  })

  it("counts the bucket's requests by outcome, removals that failed, and the bytes in tmp, in /metrics", async () => {
    const place = makePlace()
    const server = await place.start("--metrics-port", "0")
    const [address = ""] = /http:[^"]+\/metrics/.exec(await said(server, "metrics served")) ?? []
    const valueOf = async (name: string) => {
      const text = await (await fetch(address)).text()
      return Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length + 1) ?? 0
      )
    }
    const url = (path: string) => `${server.view.base_url}${path}`
    const succeeded = 'tapedeck_s3_request_duration_seconds_count{outcome="success"}'
    const before = await valueOf(succeeded)
    const headers = { ...as("bob"), "content-type": "video/mp4" }
    const put = { method: "PUT", headers, body: new Uint8Array(aVideo(300_000)) }
    expect((await fetch(url(videoOf(bobs)), put)).status).toBe(200)
    expect(await valueOf(succeeded)).toBeGreaterThan(before)
    expect(await valueOf("tapedeck_file_removals_failed_total")).toBe(0)

    const temporary = await valueOf("tapedeck_temporary_bytes")
    writeFileSync(join(place.data, "tmp", "incoming"), aVideo(3_000))
    expect((await valueOf("tapedeck_temporary_bytes")) - temporary).toBeGreaterThanOrEqual(3_000)

    const { fateOf } = backend.proxy
    onTestFinished(() => {
      backend.proxy.fateOf = fateOf
    })
    backend.proxy.fateOf = ({ method }) => (method === "DELETE" ? { status: 403, code: "AccessDenied" } : "pass")
    expect((await fetch(url(`/api/settings/recordings/${bobs}`), { method: "DELETE", headers })).status).toBe(204)
    await expect.poll(() => valueOf("tapedeck_file_removals_failed_total")).toBe(1)
    expect(await valueOf('tapedeck_s3_request_duration_seconds_count{outcome="failure"}')).toBeGreaterThan(0)
    await server.stop()
  })

  it("is checked by doctor, and backed up without the files; a restored server uses them once the original does not", async () => {
    const place = makePlace()
    const server = await place.start()
    const video = aVideo(50_000)
    const headers = { ...as("bob"), "content-type": "video/mp4" }
    const put = { method: "PUT", headers, body: new Uint8Array(video) }
    expect((await fetch(`${server.view.base_url}${videoOf(bobs)}`, put)).status).toBe(200)
    await server.stop()

    const doctor = async (...more: ReadonlyArray<string>) => {
      const { err, out } = await run(["doctor", "--json", ...more], place.environment)
      expect(err).toBe("")
      const { findings } = JSON.parse(out) as {
        findings: ReadonlyArray<{ level: string; check: string; text: string }>
      }
      return findings.filter(({ check }) => check === "files").map(({ level, text }) => `${level}: ${text}`)
    }
    expect(await doctor("--deep")).toEqual(["ok: 1 contents exist, with the right bytes"])

    const to = join(place.folder, "backup")
    const made = await run(["backup", to, "--with-key"], place.environment)
    expect(made.out).toContain(`Its files stay in ${place.environment.TAPEDECK_FILES}`)
    expect(readdirSync(to).sort()).toEqual(["SHA256SUMS", "backup.json", "key", "tapedeck.db"])
    const elsewhere = { ...place.environment, TAPEDECK_DATA: join(place.folder, "restored") }
    const restored = await run(["restore", to], elsewhere)
    expect([restored.code, restored.err]).toEqual([0, ""])
    // A staging copy would remove what the original stored since as orphans.
    const bucket = place.environment.TAPEDECK_FILES
    expect(restored.out).toContain(`Its files stay in ${bucket}, which the original owns`)
    const beside = await runProcess(["serve", "--port", "0"], elsewhere)
    expect(beside.code).toBe(5)
    expect(beside.err).toContain("to the database that this one was restored or copied from")
    expect(beside.err).toContain(`remove ${bucket}tapedeck.json`)
    await remove(backend, `${place.prefix}tapedeck.json`)
    const again = await listening([], elsewhere)
    const answer = await fetch(`${again.view.base_url}${videoOf(bobs)}`, { headers: as("bob") })
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(video))
    await again.stop()
    expect((await runProcess(["serve", "--port", "0"], place.environment)).code).toBe(5)

    const [object = ""] = await place.objects()
    await remove(backend, object)
    expect(await doctor()).toEqual([`fault: s3://${backend.bucket}/${object}: missing`])
  })

  it("does not start if the bucket cannot be used, and names the setting without secrets", async () => {
    const { environment } = makePlace()
    const start = async (more: NodeJS.ProcessEnv) => {
      const { code, err, out } = await runProcess(["serve", "--port", "0"], { ...environment, ...more })
      expect(`${out}${err}`).not.toContain("the-secret")
      return `${code} ${err.trim()}`
    }
    expect(await start({ TAPEDECK_FILES: "s3://nowhere/x" })).toBe(
      "5 tapedeck: TAPEDECK_FILES: s3://nowhere/x/: ListObjectsV2 failed: there is no such bucket"
    )
    const refused = await start({ TAPEDECK_S3_ACCESS_KEY_ID: "unknown", TAPEDECK_S3_SECRET_ACCESS_KEY: "the-secret" })
    expect(refused).toMatch(/^5 tapedeck: TAPEDECK_S3_ACCESS_KEY_ID and TAPEDECK_S3_SECRET_ACCESS_KEY: s3:.* \(403 /)
    expect(await start({ TAPEDECK_FILES: "/var/files", TAPEDECK_S3_SECRET_ACCESS_KEY: "" })).toBe(
      [
        "2 tapedeck: TAPEDECK_FILES: must be s3://bucket or s3://bucket/prefix",
        "TAPEDECK_S3_ACCESS_KEY_ID and TAPEDECK_S3_SECRET_ACCESS_KEY: set both, or neither"
      ].join("\n")
    )
  })

  it("does not start on another installation's files instead of treating them as orphans", async () => {
    const place = makePlace()
    const server = await place.start()
    const headers = { ...as("bob"), "content-type": "video/mp4" }
    const put = { method: "PUT", headers, body: new Uint8Array(aVideo(50_000)) }
    expect((await fetch(`${server.view.base_url}${videoOf(bobs)}`, put)).status).toBe(200)
    await server.stop()
    const { code, err } = await runProcess(["serve", "--port", "0"], {
      ...place.environment,
      TAPEDECK_DATA: join(place.folder, "new")
    })
    expect(code).toBe(5)
    expect(err).toContain("the files here belong to another installation")
    expect(await place.contents()).toHaveLength(1)
    const masked = await run(["config"], place.environment)
    expect(masked.out).toMatch(/^s3_secret_access_key +\*{8} +TAPEDECK_S3_SECRET_ACCESS_KEY$/m)
  })
})
