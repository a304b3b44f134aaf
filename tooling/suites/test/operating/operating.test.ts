import { readFences } from "@tapedeck/tsconfig/fences.ts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Machine, makeMachine } from "../../src/support/machine.ts"

/** Does what docs/operating.md says, block by block, from an empty machine on. */

const left = new Set(readFences("docs/operating.md", "sh").map(({ code }) => code))

/** The page's block that has this text, the next of those that are not done yet. */
const blockWith = (text: string): string => {
  const found = [...left].find((block) => block.includes(text))
  expect(found, `a block with ${text} that was not done yet`).toBeDefined()
  left.delete(found!)
  return found!
}

let machine: Machine
let token = ""
/** What the admin's link has after `token=`. */
let link = ""
beforeAll(async () => {
  machine = await makeMachine()
})
afterAll(() => machine.off())

/** What the page puts into `tapedeck.env`, block by block. */
const settings = readFences("docs/operating.md", "ini").map(({ code }) => code)

const run = (text: string, change: (block: string) => string = (block) => block) => machine.run(change(blockWith(text)))

const call = async <A>(method: string, path: string, json?: unknown): Promise<A> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const answer = await fetch(`${machine.baseUrl}/api/${path}`, { method, headers, ...body })
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true)
  return (await answer.json()) as A
}

const titles = async () => {
  const { records } = await call<{ records: ReadonlyArray<{ title: string }> }>("GET", "v2/recordings")
  return records.map(({ title }) => title)
}

// One machine, whose life the page tells: each test goes on where the one before it ended.
test("the page's commands install, configure, and create an account with its admin", async () => {
  expect(await run("useradd")).toContain('"ready"')
  const config = await run("trusted_proxies")
  expect(config).toMatch(/^public_url +https:\/\/rec\.acme\.example +.*\/etc\/tapedeck\/tapedeck\.yaml: public_url$/m)
  expect(config).toMatch(/^page_size +100 +default$/m)
  const made = await run("account create Acme\ntapedeck admin")
  token = /^(tdk_\w+)$/m.exec(made)?.[1] ?? ""
  link = /^https:\/\/rec\.acme\.example\/sign-in\/link\?token=(\S+)$/m.exec(made)?.[1] ?? ""
  expect(made).toContain("ada@acme.example is an admin of account 1")
  await call("POST", "settings/recordings", { title: "Checkout fails" })
  const off = await run("--api-access off")
  expect(off.split("\n")).toContainEqual(expect.stringMatching(/^1 +API off +Acme$/))
  expect(JSON.parse(off.split("\n").at(-2)!)).toMatchObject({ accounts: [{ id: 1, name: "Acme", api_access: true }] })
})

test("the admin sets a password by the link, signs in, lists their sessions and signs out", async () => {
  const said = await run("/sign-in/link", (block) =>
    block.replace("bUw9…", link).replaceAll("curl ", "curl -fsw '\\n' ")
  )
  const [set, signedIn, listed] = said
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
  for (const answer of [set, signedIn]) expect(answer).toMatchObject({ user: { email: "ada@acme.example" } })
  expect(listed.sessions).toMatchObject([{ current: true }, { method: "link" }])
  type Log = { readonly audit_entries: ReadonlyArray<{ readonly event_type: string }> }
  const { audit_entries } = await call<Log>("GET", "settings/audit-entries")
  const [out, ...before] = audit_entries.map(({ event_type }) => event_type)
  expect([out, ...before.slice(0, 3)]).toEqual(["user.logout", "user.login", "user.login", "user.password_changed"])
})

test("the page's settings of mail and of a provider are accepted", async () => {
  for (const block of settings) {
    const variables = block.trim().split("\n").join(" ")
    const config = await machine.run(`env ${variables} tapedeck config`)
    for (const [, name = ""] of block.matchAll(/^TAPEDECK_(\w+)=/gm)) {
      expect(config).toMatch(new RegExp(`^${name.toLowerCase()} .*TAPEDECK_${name}$`, "m"))
    }
  }
  expect(settings).toHaveLength(2)
})

test("the page's settings of probes, metrics, traces, TLS and proxies work, with the collector down", async () => {
  expect(await run("curl -i")).toMatch(/^HTTP\/1\.1 200/)
  expect(await run("TAPEDECK_METRICS_PORT")).toContain("tapedeck_build_info{")
  await run("TAPEDECK_OTLP_ENDPOINT")
  expect(await run("openssl")).toContain('"ok"')
  await run("TAPEDECK_TRUSTED_PROXIES=127")
  await run("TAPEDECK_CORS_ORIGINS")
  await machine.run("systemctl restart tapedeck")
})

test("the audit log is verified, also against an earlier head", async () => {
  // Entries are linked within a second.
  const verify = async () => JSON.parse(await machine.run("tapedeck audit verify --json")) as Verified
  await expect.poll(async () => (await verify()).accounts[0]?.waiting).toBe(0)
  const { head } = (await verify()).accounts[0]!
  const said = await run("audit verify --account", (block) => block.replace(/--head \S+/, `--head ${head}`))
  expect(said).toContain("all unchanged")
})

interface Verified {
  readonly accounts: ReadonlyArray<{ readonly head: string; readonly waiting: number }>
}

test("a backup is restored, checked, and replaces the previous data", async () => {
  expect(await run("tapedeck/today\n")).toContain("1 recordings")
  await run("backups/tapedeck/key\n")
  await call("POST", "settings/recordings", { title: "After the backup" })
  const looked = await run("tapedeck restore /var/backups/tapedeck/today")
  expect(looked).toContain("restored to the state at ")
  expect(looked).not.toMatch(/^fault/m)
  expect(await titles()).toEqual(["After the backup", "Checkout fails"])
  await run("mv /var/lib/tapedeck-restored")
  expect(await titles()).toEqual(["Checkout fails"])
})

test("the page's upgrade and its rollback work", async () => {
  expect(await run("before-upgrade\narchive")).toMatch(/: version \d+, current$/m)
  await call("POST", "settings/recordings", { title: "After the upgrade" })
  await run("rm -r /opt/tapedeck")
  expect(await titles()).toEqual(["Checkout fails"])
})

test("the key is rotated, and doctor finds no fault", async () => {
  const before = machine.read("var/backups/tapedeck/key").trim()
  await run("key rotate")
  expect(machine.read("var/backups/tapedeck/key").trim()).not.toBe(before)
  expect(await titles()).toEqual(["Checkout fails"])
  const found = await run("tapedeck doctor\n")
  expect(found).toMatch(/^ok +key/m)
  expect(found).not.toMatch(/^fault/m)
})

test("a webhook is explained, and failed deliveries are counted for a redelivery", async () => {
  const { id: folder } = await call<{ id: string }>("POST", "settings/folders", { name: "VIP" })
  const { id: automation } = await call<{ id: string }>("POST", "settings/automations", {
    folder_id: folder,
    url: "https://10.1.2.3/hook"
  })
  const { uuid: recording } = await call<{ uuid: string }>("POST", "settings/recordings", { title: "Filed" })
  await call("PUT", `settings/recordings/${recording}/folder`, { folder_id: folder })
  const { deliveries } = await call<{ deliveries: ReadonlyArray<{ id: string }> }>(
    "GET",
    `settings/automations/${automation}/deliveries`
  )
  const said = await run("$DELIVERY", (block) =>
    block
      .replace("tdk_…", token)
      .replace("$AUTOMATION", automation)
      .replace("$RECORDING", recording)
      .replace("$DELIVERY", deliveries[0]!.id)
      .replace(/^curl .*$/gm, "$&; echo")
  )
  const [event, delivery] = said.split("\n").map((line) => (line === "" ? null : JSON.parse(line)))
  expect(event).toMatchObject({ reason: "has_deliveries", deliveries: [{ id: deliveries[0]!.id }] })
  expect(delivery).toMatchObject({ delivery_id: deliveries[0]!.id })
  const counted = await run(
    "/redeliveries",
    (block) => `TOKEN=${token}\nAPI=http://127.0.0.1:4020/api/settings\n${block.replace("vip-to-crm", automation)}`
  )
  expect(JSON.parse(counted)).toMatchObject({ count: 0, count_is_exact: true })
})

test("the page's settings of external services are accepted", async () => {
  for (const block of [...left].filter((one) => /TAPEDECK_S3|TAPEDECK_DATABASE_URL/.test(one))) {
    left.delete(block)
    const config = await machine.run(block.replaceAll("tapedeck serve", "tapedeck config"))
    for (const [variable] of block.matchAll(/TAPEDECK_\w+(?==)/g)) expect(config).toMatch(RegExp(` ${variable}$`, "m"))
  }
})

test("every command of the page is run, except those that need Docker (packages/serverImage.check.ts)", () => {
  expect([...left]).toEqual([])
})
