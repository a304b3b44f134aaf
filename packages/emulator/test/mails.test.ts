import { startEmulator } from "@tapedeck/emulator"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { RunningWorld } from "../src/index.ts"

const uuid = "7d0f3c1e-0000-4000-8000-000000000001"

let emulator: Awaited<ReturnType<typeof startEmulator>>
beforeAll(async () => {
  emulator = await startEmulator({
    fixtures: {
      users: [
        { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" },
        { email: "bob@acme.test", name: "Bob", token: "bob-token" },
        { email: "mia@acme.test", name: "Mia", token: "mia-token" },
        { email: "eve@acme.test", name: "Eve", role: "admin", token: "eve-token", notify_failed_deliveries: "Disabled" }
      ],
      recordings: [{ uuid, title: "Checkout fails", user: "bob@acme.test" }],
      folders: [{ id: "vip", name: "VIP" }],
      sinks: [{ id: "crm", respond: Array.from({ length: 20 }, () => 500) }],
      automations: [{ id: "a1", folder: "vip", url: "sink:crm" }]
    }
  })
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())

const create = async (world: RunningWorld, body: unknown, as = "bob") => {
  const response = await world.fetch("/api/settings/recordings", {
    method: "POST",
    headers: { authorization: `Bearer ${as}-token`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return (await response.json()) as { readonly uuid: string }
}

const mailed = async (world: RunningWorld) => (await world.mails()).map(({ subject, to }) => [to, subject])

const change = (world: RunningWorld, id: number, body: unknown) =>
  world.fetch(`/api/settings/users/${id}`, {
    method: "PATCH",
    headers: { authorization: "Bearer ada-token", "content-type": "application/json" },
    body: JSON.stringify(body)
  })

describe("mail about recordings", () => {
  test("is sent to the owner and to admins, and not to members who may not see the recording", async () => {
    await create(emulator, { title: "Login loops" })
    expect(await mailed(emulator)).toEqual([
      ["ada@acme.test", "New recording: Login loops"],
      ["eve@acme.test", "New recording: Login loops"],
      ["bob@acme.test", "Your new recording: Login loops"]
    ])
  })

  test("is sent for a captured recording when its capture is finished, and not when it begins", async () => {
    const post = async (path: string, authorization: string, body: unknown) => {
      const response = await emulator.fetch(path, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      expect(response.ok).toBe(true)
      return (await response.json()) as { readonly finish_url: string; readonly capture_token: string }
    }
    const { capture_token: token, finish_url: finish } = await post("/api/settings/captures", "Bearer bob-token", {
      title: "Captured"
    })
    expect(await mailed(emulator)).toEqual([])
    await post(finish, `Capture ${token}`, {})
    expect(await mailed(emulator)).toContainEqual(["bob@acme.test", "Your new recording: Captured"])
  })

  test("is not sent to users who turned it off; the switch for all includes their own recordings", async () => {
    await change(emulator, 1, { notifications: { notify_all_recordings: "Disabled" } })
    await change(emulator, 4, { notifications: { notify_all_recordings: "Disabled" } })
    await change(emulator, 2, { notifications: { notify_own_recordings: "Disabled" } })
    await create(emulator, { title: "Login loops" })
    expect(await mailed(emulator)).toEqual([["bob@acme.test", "New recording: Login loops"]])
  })

  test("is sent to the owner once, at the first view", async () => {
    for (let view = 0; view < 3; view++) await emulator.fetch(`/r/${uuid}`)
    expect(await mailed(emulator)).toEqual([["bob@acme.test", "First view: Checkout fails"]])
    await change(emulator, 2, { notifications: { notify_first_view: "Disabled" } })
    expect(await mailed(emulator)).toEqual([])
  })

  test("is not sent at a preview by a messenger or a prefetch, and is at the first view after", async () => {
    const preview = { "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" }
    for (const headers of [preview, { "sec-purpose": "prefetch" }]) await emulator.fetch(`/r/${uuid}`, { headers })
    expect(await mailed(emulator)).toEqual([])
    await emulator.fetch(`/r/${uuid}`)
    expect(await mailed(emulator)).toEqual([["bob@acme.test", "First view: Checkout fails"]])
  })

  test("is limited to 30 in an hour for each user", async () => {
    for (let number = 0; number < 31; number++) await create(emulator, { title: `Recording ${number}` })
    const ofBob = async () => (await mailed(emulator)).filter(([to]) => to === "bob@acme.test")
    expect(await ofBob()).toHaveLength(30)
    await emulator.clock.advance({ by: "PT1H" })
    await create(emulator, { title: "An hour later" })
    expect(await ofBob()).toHaveLength(31)
  })

  test("shows hostile titles as text", async () => {
    await create(emulator, { title: '<img src=x onerror="alert(1)">\u202e\r\nBcc: eve@evil.test' })
    const [mail] = await emulator.mails()
    expect(mail?.subject).toBe('New recording: <img src=x onerror="alert(1)"> Bcc: eve@evil.test')
    expect(mail?.html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;")
    expect(mail?.html).not.toContain("<img")
  })
})

describe("the list of a world's mails", () => {
  test("has the newest 1,000", async () => {
    const users = Array.from(
      { length: 100 },
      (_, n) => ({ email: `u${n}@acme.test`, name: `U${n}`, role: "admin" }) as const
    )
    const [owner, ...others] = users
    const world = await emulator.createWorld({ fixtures: { users: [{ ...owner!, token: "bob-token" }, ...others] } })
    const recordings = []
    for (let n = 0; n < 10; n++) recordings.push(await create(world, { title: `Recording ${n}` }))
    const before = await world.mails()
    expect(before).toHaveLength(1_000)
    await world.fetch(`/r/${recordings[0]?.uuid}`)
    const after = await world.mails()
    expect(after.slice(0, -1)).toEqual(before.slice(1))
    expect(after.at(-1)).toMatchObject({ to: "u0@acme.test", subject: "First view: Recording 0" })
    await world.remove()
  })
})

describe("mail about failed deliveries", () => {
  test("is sent to admins with that switch when the last retry failed, once an hour for each automation", async () => {
    await emulator.addToFolder("vip", uuid)
    await create(emulator, { title: "Second", folder_id: "vip" })
    await emulator.clock.advance({ until: "idle" })
    const failed = (await emulator.mails()).filter((mail) => mail.switch === "failed_deliveries")
    expect(failed.map(({ subject, to }) => [to, subject])).toEqual([
      ["ada@acme.test", "Webhook failed: sinks.tapedeck.test (folder VIP)"]
    ])
    const [mail] = failed
    expect(mail?.text).toContain("HTTP status 500")
    expect(mail?.text).toMatch(new RegExp(`Open the delivery: .*/deliveries/${mail?.delivery}`))
    await create(emulator, { title: "Third", folder_id: "vip" })
    await emulator.clock.advance({ until: "idle" })
    expect((await emulator.mails()).filter((one) => one.switch === "failed_deliveries")).toHaveLength(2)
  })
})

describe("the link in a mail", () => {
  const linkIn = async (world: RunningWorld, to: string) => {
    const mail = (await world.mails()).find((one) => one.to === to)
    expect(mail?.headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click")
    return new URL(/^<(.*)>$/.exec(mail?.headers["List-Unsubscribe"] ?? "")?.[1] ?? "").pathname
  }

  test("turns off one switch of one user on POST, and not on GET", async () => {
    await create(emulator, { title: "Login loops" })
    const link = await linkIn(emulator, "bob@acme.test")
    const page = await emulator.fetch(link)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Turn it off")])
    expect(await mailed(emulator)).toHaveLength(3)
    for (let repeat = 0; repeat < 2; repeat++) {
      const turnedOff = await emulator.fetch(link, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "List-Unsubscribe=One-Click"
      })
      expect([turnedOff.status, await turnedOff.text()]).toEqual([200, expect.stringContaining("Mail is off")])
    }
    const bob = await emulator.fetch("/api/settings/users/2", { headers: { authorization: "Bearer ada-token" } })
    expect(((await bob.json()) as { notifications: unknown }).notifications).toEqual({
      notify_first_view: "Enabled",
      notify_all_recordings: "Enabled",
      notify_own_recordings: "Disabled"
    })
    const audit = await emulator.fetch("/api/settings/audit-entries?event_type=user.updated", {
      headers: { authorization: "Bearer ada-token" }
    })
    const { audit_entries: entries } = (await audit.json()) as {
      audit_entries: ReadonlyArray<{ user: { id: number } }>
    }
    expect(entries.map(({ user }) => user.id)).toEqual([2])
  })

  test("is refused with another user, switch or signature", async () => {
    await create(emulator, { title: "Login loops" })
    const link = await linkIn(emulator, "bob@acme.test")
    const changed = [
      link.replace("/2-", "/3-"),
      link.replace("own_recordings", "all_recordings"),
      link.replace("own_recordings", "everything"),
      `${link.slice(0, -1)}${link.endsWith("A") ? "B" : "A"}`,
      `${link}A`
    ]
    for (const one of changed) expect((await emulator.fetch(one, { method: "POST" })).status).toBe(404)
  })
})

describe("the clock of a world", () => {
  test("sends mails that are pending, which are in the journal and not in `fired`", async () => {
    await create(emulator, { title: "Login loops" })
    const { pending } = await emulator.clock.get()
    expect(pending.map(({ attempt, kind }) => [kind, attempt])).toEqual(Array.from({ length: 3 }, () => ["mail", 1]))
    expect(new Set((await emulator.mails()).map(({ state }) => state))).toEqual(new Set(["pending"]))
    const move = await emulator.clock.advance({ until: "idle" })
    expect(move).toMatchObject({ fired: [], pending_count: 0, next: null, reached: true })
    expect((await emulator.mails()).map(({ state, tries }) => [state, tries])).toEqual(
      Array.from({ length: 3 }, () => ["sent", 1])
    )
    const { entries } = await emulator.journal.read({ kind: "job" })
    expect(entries).toMatchObject(pending.map(({ id }) => ({ job: "mail", id, attempt: 1, outcome: "success" })))
  })

  test("stops at a mail with `next`", async () => {
    await emulator.fetch(`/r/${uuid}`)
    const move = await emulator.clock.advance({ next: true })
    expect(move).toMatchObject({ now: "2026-01-01T00:00:05.000Z", fired: [], pending_count: 0 })
  })

  test("drops a mail that its user turned off", async () => {
    await create(emulator, { title: "Login loops" })
    await change(emulator, 2, {
      notifications: { notify_own_recordings: "Disabled", notify_all_recordings: "Disabled" }
    })
    await emulator.clock.advance({ until: "idle" })
    const { entries } = await emulator.journal.read({ kind: "job" })
    expect(entries.flatMap((one) => (one.kind === "job" ? [one.outcome] : []))).toEqual([
      "success",
      "success",
      "skipped"
    ])
    expect(await mailed(emulator)).toHaveLength(2)
  })
})

describe("a mail to an address of the domain `invalid`", () => {
  const start = {
    config: { keep_logs: "P7D", keep_audit: "3d" },
    fixtures: {
      users: [{ email: "ada@acme.invalid", name: "Ada", role: "admin" as const, token: "bob-token" }],
      sinks: [{ id: "crm", respond: [500, 500, 200] }],
      folders: [{ id: "vip", name: "VIP" }],
      automations: [{ id: "a1", folder: "vip", url: "sink:crm" }]
    }
  }

  /** The events of two weeks with a mail that fails, a capture that is abandoned, an upload that expires, and a delivery. */
  const twoWeeks = async () => {
    const world = await emulator.createWorld(start)
    const { uuid: recording } = await create(world, { title: "Login loops", folder_id: "vip" })
    const authorization = "Bearer bob-token"
    const captured = await world.fetch("/api/settings/captures", {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ title: "Captured" })
    })
    expect(captured.status).toBe(201)
    const upload = await world.fetch(`/api/settings/recordings/${recording}/uploads`, {
      method: "POST",
      headers: { authorization, "tus-resumable": "1.0.0", "upload-length": "10" }
    })
    expect(upload.status).toBe(201)
    const uploadPath = new URL(upload.headers.get("location") ?? "", world.url).pathname
    const before = await world.clock.get()
    const move = await world.clock.advance({ by: "P14D" })
    const gone = await world.fetch(uploadPath, { method: "HEAD", headers: { authorization, "tus-resumable": "1.0.0" } })
    const after = await world.clock.get()
    const { entries } = await world.journal.read()
    const mails = await world.mails()
    const deliveries = await world.deliveries()
    await world.remove()
    return { before, move, after, entries, mails, deliveries, status: gone.status }
  }

  test("is tried again by the schedule of mails, beside the other jobs of two weeks, twice the same", async () => {
    const weeks = await twoWeeks()
    const { after, before, deliveries, entries, mails, move, status } = weeks
    const runsOf = (job: string) => entries.flatMap((one) => (one.kind === "job" && one.job === job ? [one] : []))
    expect(runsOf("mail").map(({ at, attempt, outcome }) => [at, attempt, outcome])).toEqual([
      ["2026-01-01T00:00:00.000Z", 1, "failure"],
      ["2026-01-01T00:01:00.000Z", 2, "failure"],
      ["2026-01-01T00:06:00.000Z", 3, "failure"],
      ["2026-01-01T00:36:00.000Z", 4, "failure"],
      ["2026-01-01T02:36:00.000Z", 5, "failure"],
      ["2026-01-01T14:36:00.000Z", 6, "given_up"]
    ])
    expect(mails.map(({ state, tries }) => [state, tries])).toEqual([["failed", 6]])
    const instantsOf = (job: string) => runsOf(job).map(({ at, outcome }) => [at, outcome])
    expect(instantsOf("capture")).toEqual([["2026-01-01T00:10:00.000Z", "success"]])
    expect(instantsOf("sweep")).toEqual([["2026-01-02T00:10:00.000Z", "success"]])
    // The entries of the calls, and of the abandoned capture.
    expect(instantsOf("seal")).toEqual([
      ["2026-01-01T00:00:01.000Z", "success"],
      ["2026-01-01T00:10:01.000Z", "success"]
    ])
    // The entries of the calls, that of the capture, and the delivery.
    expect(instantsOf("retention").slice(0, 3)).toEqual([
      ["2026-01-04T00:00:00.001Z", "success"],
      ["2026-01-04T00:10:00.001Z", "success"],
      ["2026-01-08T00:00:00.001Z", "success"]
    ])
    expect([deliveries, status]).toEqual([[], 404])
    expect(move.fired.map(({ kind }) => kind)).toEqual(["attempt", "attempt", "attempt", "capture"])
    expect(before.repeating?.map(({ at, id, kind }) => [at, kind, id])).toEqual([
      ["2026-01-01T00:00:01.000Z", "seal", "seal"],
      ["2026-01-02T00:10:00.000Z", "sweep", "sweep"],
      ["2026-01-04T00:00:00.001Z", "retention", "retention"]
    ])
    expect(after.repeating?.map(({ kind }) => kind)).toEqual(["retention"])
    expect([move.pending_count, move.repeating]).toEqual([0, 1])
    expect(await twoWeeks()).toEqual(weeks)
  })
})

test("an expired upload holds up no move of the clock", async () => {
  const world = await emulator.createWorld({
    fixtures: {
      users: [{ email: "bob@acme.test", name: "Bob", token: "bob-token" }],
      recordings: [{ uuid, title: "Checkout fails", user: "bob@acme.test" }]
    }
  })
  const upload = await world.fetch(`/api/settings/recordings/${uuid}/uploads`, {
    method: "POST",
    headers: { authorization: "Bearer bob-token", "tus-resumable": "1.0.0", "upload-length": "10" }
  })
  expect(upload.status).toBe(201)
  expect(await world.clock.advance({ until: "idle" })).toMatchObject({ fired: [], repeating: 1, next: null })
  expect((await world.clock.get()).now).toBe("2026-01-01T00:00:00.000Z")
  await world.remove()
})

test("a fork and a snapshot contain the world's mails", async () => {
  await create(emulator, { title: "Login loops" })
  const before = await emulator.mails()
  const snapshot = await emulator.snapshot()
  await emulator.reset()
  expect(await emulator.mails()).toEqual([])
  await emulator.restore(snapshot)
  expect(await emulator.mails()).toEqual(before)
})
