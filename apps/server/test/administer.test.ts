import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { listening, run, runProcess, temporaryFolder } from "./support/command.ts"

const ask = (base: string, path: string, token: string) =>
  fetch(`${base}/api/${path}`, { headers: { authorization: `Bearer ${token}` } })

const administerBy =
  (execute: typeof run) =>
  async (data: string, ...args: ReadonlyArray<string>): Promise<unknown> => {
    const { code, err, out } = await execute([...args, "--json", "--data", data])
    expect({ code, err }, args.join(" ")).toEqual({ code: 0, err: "" })
    return JSON.parse(out)
  }

const administer = administerBy(run)
const administerProcess = administerBy(runProcess)

interface Admin {
  readonly token: string
}

interface SignInLink {
  readonly link: { readonly url: string }
}

const admin = (account: string, email: string) => [
  "admin",
  "create",
  "--account",
  account,
  "--email",
  email,
  "--name",
  "Ada"
]

describe("tapedeck account and admin", () => {
  test.each([
    ["account", "list"],
    ["admin", "link", "ada@acme.test"],
    ["account", "set", "1", "--api-access", "on"],
    admin("1", "ada@acme.test")
  ])("refuses a data directory without a database and creates nothing: %s %s", async (...args) => {
    const data = join(temporaryFolder(), "typo")
    const refused = await run([...args, "--data", data])
    expect(refused).toMatchObject({ code: 5, out: "", err: expect.stringContaining(`${data}: no database in this`) })
    expect(existsSync(data)).toBe(false)
  })

  test("account and admin create the first account and admin of a new data directory, with audit entries", async () => {
    const data = join(temporaryFolder(), "data")
    expect(await administerProcess(data, "account", "create", "Acme")).toEqual({
      accounts: [{ id: 1, name: "Acme", api_access: true }]
    })
    await administerProcess(data, "account", "create", "Other", "--api-access", "off")
    const { token } = (await administerProcess(data, ...admin("1", "ada@acme.test"))) as Admin
    const other = (await administerProcess(data, ...admin("2", "bob@other.test"))) as Admin
    expect((await runProcess(["account", "list", "--data", data])).out).toBe(
      "1       API on   Acme\n2       API off  Other\n"
    )

    const server = await listening(["--data", data])
    const base = server.view.base_url
    expect((await ask(base, "v2/recordings", token)).status).toBe(200)
    expect((await ask(base, "v2/recordings", other.token)).status).toBe(403)
    const log = await ask(base, "settings/audit-entries", token)
    const { audit_entries } = (await log.json()) as { audit_entries: ReadonlyArray<Record<string, unknown>> }
    expect(audit_entries.map(({ event_type, user }) => [event_type, user])).toEqual([
      ["user.api_token_created", null],
      ["user.invited", null],
      ["account.updated", null]
    ])
    expect(JSON.stringify(audit_entries)).not.toContain(token)

    // The server has the directory.
    const refused = await runProcess(["migrate", "--data", data])
    expect(refused).toMatchObject({ code: 5, out: "", err: expect.stringContaining("stop it first") })
    await server.stop()
    expect(await administerProcess(data, "account", "set", "2", "--api-access", "on")).toEqual({
      accounts: [{ id: 2, name: "Other", api_access: true }]
    })
    const again = await listening(["--data", data])
    expect((await ask(again.view.base_url, "v2/recordings", other.token)).status).toBe(200)
    expect(readFileSync(join(data, "tapedeck.db")).includes(token)).toBe(false)
  })

  test("work while the server runs, through a socket that only its user may open (S4)", async () => {
    const data = join(temporaryFolder(), "data")
    await administer(data, "account", "create", "Acme")
    const { token } = (await administer(data, ...admin("1", "ada@acme.test"))) as Admin
    const server = await listening(["--data", data])
    const base = server.view.base_url
    const socket = join(data, "operator.sock")
    expect([statSync(socket).isSocket(), statSync(socket).mode & 0o777]).toEqual([true, 0o600])

    const off = { accounts: [{ id: 1, name: "Acme", api_access: false }] }
    expect(await administer(data, "account", "set", "1", "--api-access", "off")).toEqual(off)
    expect((await ask(base, "v2/recordings", token)).status).toBe(403)
    expect(await administer(data, "account", "list")).toEqual(off)
    await administer(data, "account", "set", "1", "--api-access", "on")
    expect((await ask(base, "v2/recordings", token)).status).toBe(200)
    const log = await ask(base, "settings/audit-entries?event_type=account.updated", token)
    const { audit_entries } = (await log.json()) as { audit_entries: ReadonlyArray<Record<string, unknown>> }
    expect(audit_entries.slice(0, 2)).toMatchObject([
      { user: null, metadata: { changes: { api_access: { from: false, to: true } } } },
      { user: null, metadata: { changes: { api_access: { from: true, to: false } } } }
    ])

    await administer(data, "account", "create", "Other")
    const other = (await administer(data, ...admin("2", "bob@other.test"))) as Admin
    expect((await ask(base, "v2/recordings", other.token)).status).toBe(200)
    const refused = [
      [["account", "set", "9", "--api-access", "on"], "no such account"],
      [admin("1", "ada@acme.test"), "--email: is the address of a user already"]
    ] as const
    for (const [args, said] of refused) {
      expect(await run([...args, "--data", data])).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(said)
      })
    }
    await server.stop()
    expect(existsSync(socket)).toBe(false)
  })

  test.each(["stopped", "running"])(
    "admin link prints a link that signs any active user in, once, while the server is %s",
    async (state) => {
      const data = join(temporaryFolder(), "data")
      await administer(data, "account", "create", "Acme")
      await administer(data, ...admin("1", "ada@acme.test"))
      const running = state === "running" ? await listening(["--data", data]) : null
      const printed = (await administer(data, "admin", "link", "ada@acme.test")) as SignInLink
      expect(printed).toMatchObject({ id: 1, account_id: 1, email: "ada@acme.test" })
      const { base_url } = (running ?? (await listening(["--data", data]))).view
      const address = new URL(new URL(printed.link.url).search, `${base_url}/sign-in/link`)
      const open = (method: string) => fetch(address, { method })
      const submit = (origin: string) =>
        fetch(new URL("/sign-in/link", base_url), {
          method: "POST",
          headers: { origin },
          body: new URLSearchParams({ token: address.searchParams.get("token") ?? "" }),
          redirect: "manual"
        })
      // Neither opening it nor another site's form signs a user in, or uses the link up.
      for (const method of ["GET", "HEAD", "GET"]) {
        const page = await open(method)
        expect([page.status, page.headers.get("set-cookie")]).toEqual([200, null])
        if (method === "GET") expect(await page.text()).toContain("<button>Sign in</button>")
      }
      const foreign = await submit("https://evil.test")
      expect([foreign.status, foreign.headers.get("set-cookie")]).toEqual([403, null])
      const opened = await submit(base_url)
      expect([opened.status, opened.headers.get("location")]).toEqual([303, "/"])
      const cookie = opened.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
      const signedIn = await fetch(`${base_url}/api/settings/profile`, { headers: { cookie } })
      expect(await signedIn.json()).toMatchObject({ email: "ada@acme.test" })
      expect((await open("GET")).status).toBe(404)
      expect((await submit(base_url)).status).toBe(404)

      const refused = await run(["admin", "link", "none@acme.test", "--data", data])
      expect(refused).toEqual({
        code: 2,
        out: "",
        err: "tapedeck: EMAIL: no user has this address\nSee tapedeck admin link --help.\n"
      })
      const shown = await runProcess(["admin", "link", "ada@acme.test", "--data", data])
      expect(shown).toMatchObject({ code: 0, err: "" })
      expect(shown.out).toMatch(
        /^Link that signs ada@acme\.test in, valid once, until \S+Z:\nhttp:\S+\/sign-in\/link\?token=\S+\n$/
      )
    }
  )

  test("work on a directory whose server was killed and whose socket remains", async () => {
    const data = join(temporaryFolder(), "data")
    await administer(data, "account", "create", "Acme")
    const server = await listening(["--data", data])
    server.child.kill("SIGKILL")
    await server.ended
    expect(existsSync(join(data, "operator.sock"))).toBe(true)
    const off = { accounts: [{ id: 1, name: "Acme", api_access: false }] }
    expect(await administer(data, "account", "set", "1", "--api-access", "off")).toEqual(off)
    await listening(["--data", data])
    expect(await administer(data, "account", "list")).toEqual(off)
  })

  test("refuse unknown and invalid values by the option's name", async () => {
    const data = join(temporaryFolder(), "data")
    await administer(data, "account", "create", "Acme")
    await administer(data, ...admin("1", "ada@acme.test"))
    const refused = [
      [admin("7", "x@acme.test"), "no such account"],
      [["account", "set", "7", "--api-access", "on"], "no such account"],
      [admin("1", "ADA@acme.test"), "--email: is the address of a user already"],
      [admin("1", "no-address"), "--email: "],
      [["account", "create", " "], "NAME: must not be blank"],
      [["account", "set", "1"], "--api-access: must be on or off"],
      [["account", "set", "one", "--api-access", "on"], "ID: must be the number of an account, not one"],
      [["account", "create", "A", "--api-access", "yes"], "--api-access: must be on or off, not yes"],
      [["account", "create"], "NAME: is required"],
      [["account", "create", "A", "B"], "B: tapedeck account create does not take it"],
      [["admin", "create", "--account", "1"], "--email: is required\n--name: is required\n"],
      [["admin", "link"], "EMAIL: is required"],
      [["admin", "link", "ada"], "EMAIL: must be an e-mail address"]
    ] as const
    for (const [args, message] of refused) {
      const { code, err, out } = await run([...args, "--data", data])
      expect({ code, out }, message).toEqual({ code: 2, out: "" })
      expect(err).toContain(`tapedeck: ${message}`)
    }
  })
})

describe("tapedeck migrate", () => {
  test("upgrades a database to this version and prints the previous one; --check only prints it", async () => {
    const data = join(temporaryFolder(), "data")
    await administer(data, "account", "create", "Acme")
    const file = join(data, "tapedeck.db")
    const { newest } = (await administer(data, "migrate", "--check")) as { newest: number }
    expect(await administer(data, "migrate")).toEqual({ from: newest, to: newest, newest })

    // As a first start leaves it that was killed before the first migration.
    const old = join(temporaryFolder(), "old")
    await administer(old, "account", "create", "Acme")
    writeFileSync(join(old, "tapedeck.db"), "")
    for (const name of ["tapedeck.db-wal", "tapedeck.db-shm"]) writeFileSync(join(old, name), "")
    const database = new DatabaseSync(join(old, "tapedeck.db"))
    database.exec("CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)")
    database.close()
    const check = await run(["migrate", "--check", "--data", old])
    expect(check).toEqual({ code: 5, err: "", out: `${old}: version 0; tapedeck migrate upgrades it to ${newest}\n` })
    expect(await runProcess(["migrate", "--data", old])).toEqual({
      code: 0,
      err: "",
      out: `${old}: from version 0 to ${newest}\n`
    })
    expect(await administer(old, "migrate", "--check")).toEqual({ from: newest, to: newest, newest })

    const newer = new DatabaseSync(file)
    newer.exec("INSERT INTO migrations VALUES (99, 'later', 'x')")
    newer.close()
    for (const args of [["migrate"], ["migrate", "--check"]]) {
      const { code, err, out } = await run([...args, "--data", data])
      expect(code).toBe(5)
      expect(err + out).toContain("a newer Tapedeck")
    }
  })
})
