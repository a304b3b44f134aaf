import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { sha256 } from "../src/crash/Client.ts"
import { Life } from "../src/crash/Life.ts"
import { smallDisk } from "../src/crash/SmallDisk.ts"
import { type Call, call } from "../src/support/http.ts"
import { temporaryFolder } from "../src/support/process.ts"

const admin = "ada@acme.test"
const webm = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex")

test("writes to a full disk are refused, stored data stays, and writes work once there is space", async () => {
  const folder = await temporaryFolder()
  const document = { users: [{ email: admin, name: "Ada", role: "admin" }] }
  const fixtures = await folder.write("fixtures.json", JSON.stringify(document))
  const disk = await smallDisk(join(folder.path, "disk"), 8 * 1024 * 1024)
  onTestFinished(async () => {
    await disk.remove()
    await folder.remove()
  })
  const start = () => {
    const life = new Life({ data: join(disk.path, "data"), more: ["--fixtures", fixtures], wrap: disk.wrap })
    onTestFinished(() => life.kill("SIGKILL"))
    return life
  }
  let life = start()
  let { base_url, tokens } = await life.listening
  const ask = (path: string, init: Call = {}) => call(base_url, path, { ...init, token: tokens[admin] })
  const make = (title: string, description = "") =>
    ask("/api/settings/recordings", { method: "POST", json: { title, description } })
  const restart = async () => {
    life.kill("SIGKILL")
    await life.ended
    life = start()
    ;({ base_url, tokens } = await life.listening)
  }

  // Videos, until one finds no room: each larger than the one before it.
  const kept = new Map<string, string>()
  const refused: Array<number> = []
  for (let nth = 1; refused.length === 0; nth++) {
    const made = await make(`video ${nth}`)
    if (made.status !== 201) refused.push(made.status)
    if (made.status !== 201) break
    const { uuid } = made.as<{ uuid: string }>()
    const body = Buffer.concat([webm, randomBytes(nth * 300_000)])
    const headers = { "content-type": "video/webm" }
    const answer = await ask(`/api/settings/recordings/${uuid}/video`, { method: "PUT", body, headers })
    if (answer.status === 200) kept.set(uuid, sha256(body))
    else refused.push(answer.status)
  }
  expect(refused).toEqual([disk.refusal])
  expect(kept.size).toBeGreaterThan(2)

  // Then recordings, until the database finds none either.
  const titles: Array<string> = []
  let full = await make("text 0", "x".repeat(60_000))
  for (let nth = 1; full.status === 201; nth++) {
    titles.push(full.as<{ title: string }>().title)
    full = await make(`text ${nth}`, "x".repeat(60_000))
  }
  expect(full.status).toBe(disk.refusal)
  expect(Object.keys(full.as<object>())).toEqual(["error"])
  expect(life.errors).toMatch(/tapedeck\.db|no space|disk/i)

  // Load balancers go on sending requests; monitoring sees why writes fail.
  const readiness = async (): Promise<unknown> => (await call(base_url, "/readyz")).as<{ status: string }>().status
  if (!disk.needsRestart) {
    expect(full.as<object>()).toEqual({ error: "There is not enough storage space left" })
    expect(await call(base_url, "/readyz")).toMatchObject({ status: 200 })
    expect(await readiness()).toBe("storage_full")
    // Smaller writes fit for longer: the audit entries of downloads, until the last page is taken.
    const [read] = [...kept.keys()]
    while ((await ask(`/api/v2/recordings/${read}/download`)).status !== 507);
    expect((await call(base_url, `/r/${read}`)).status).toBe(200)
  }

  const everything = async () => {
    for (const [uuid, hash] of kept) {
      // On its public page: a download by the API is in the audit log, and is refused where that cannot be written.
      const video = await ask(`/r/${uuid}/video`)
      expect([video.status, sha256(video.body)]).toEqual([200, hash])
    }
    const found: Array<string> = []
    for (let page: number | undefined = 1; page !== undefined; ) {
      const answer = await ask(`/api/v2/recordings?page=${page}`)
      expect(answer.status, String(answer)).toBe(200)
      const list = answer.as<{ pagination: { next_page?: number }; records: ReadonlyArray<{ title: string }> }>()
      found.push(...list.records.map(({ title }) => title))
      page = list.pagination.next_page
    }
    expect(found.filter((title) => title.startsWith("text")).toSorted()).toEqual(titles.toSorted())
  }
  await everything()

  await disk.free()
  if (disk.needsRestart) await restart()
  else while ((await readiness()) !== "ready");
  const made = await make("text again")
  expect(made.status, String(made)).toBe(201)
  titles.push("text again")
  await everything()

  await restart()
  await everything()
})
