import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { listening, run, temporaryFolder } from "./support/command.ts"

const uuid = "00000000-0000-4000-8000-000000000001"
const [ada, otto] = ["ada@one.test", "otto@two.test"]

/** A server on a new data directory, of two accounts, that has made these many audit entries of each. */
const written = async (entries: Readonly<Record<string, number>>) => {
  const folder = temporaryFolder()
  const file = join(folder, "fixtures.json")
  const users = [
    { email: ada, name: "Ada", account: 1, role: "admin" },
    { email: otto, name: "Otto", account: 2, role: "admin" }
  ]
  const accounts = [
    { id: 1, name: "One" },
    { id: 2, name: "Two" }
  ]
  writeFileSync(file, JSON.stringify({ accounts, users, recordings: [{ uuid, user: ada }] }))
  const data = join(folder, "data")
  const server = await listening(["--data", data, "--fixtures", file])
  for (const [email, count] of Object.entries(entries)) {
    for (let made = 0; made < count; made++) {
      const headers = { authorization: `Bearer ${server.view.tokens[email]}`, "content-type": "application/json" }
      const body = JSON.stringify({ recording: { title: `Title ${made}` } })
      const changed = await fetch(`${server.view.base_url}/api/v2/recordings/${uuid}`, {
        method: "PATCH",
        headers,
        body
      })
      expect(changed.status).toBe(200)
    }
  }
  return { data, server }
}

interface Report {
  readonly ok: boolean
  readonly accounts: ReadonlyArray<{
    readonly account_id: number
    readonly links: number
    readonly waiting: number
    readonly head: string
    readonly findings: ReadonlyArray<{ readonly kind: string; readonly entry_id: number | null }>
  }>
}

const verify = async (data: string, ...more: ReadonlyArray<string>) => {
  const { code, err, out } = await run(["audit", "verify", "--data", data, "--json", ...more])
  return { code, err, report: out === "" ? undefined : (JSON.parse(out) as Report) }
}

/** Once the server has linked all that waits. */
const linked = async (data: string) => {
  for (;;) {
    const { report } = await verify(data)
    if (report !== undefined && report.accounts.length > 0 && report.accounts.every(({ waiting }) => waiting === 0)) {
      return report
    }
  }
}

describe("audit verify", () => {
  test("goes through the chains of a running server, and of one that was killed, and names what was done to them", async () => {
    const { data, server } = await written({ [ada]: 3 })
    const report = await linked(data)
    expect(report).toMatchObject({ ok: true, accounts: [{ account_id: 1, links: 3, findings: [] }] })
    const { head } = report.accounts[0]!
    server.child.kill("SIGKILL")
    await server.ended

    const person = await run(["audit", "verify", "--data", data, "--account", "1", "--head", head])
    expect(person).toEqual({
      code: 0,
      err: "",
      out: `account 1: 3 linked entries, all as they were\n  head: ${head}\n`
    })

    const database = new DatabaseSync(join(data, "tapedeck.db"))
    database.exec("UPDATE audit_entries SET document = replace(document, 'success', 'failure') WHERE id = 2")
    database.close()
    expect(await verify(data)).toMatchObject({
      code: 7,
      report: { ok: false, accounts: [{ findings: [{ kind: "changed", entry_id: 2 }], head }] }
    })
    expect(await run(["audit", "verify", "--data", data])).toMatchObject({
      code: 7,
      out: expect.stringContaining("changed: place 2, entry 2: the entry, or its link, is not what it was")
    })
  })

  test("shows by a known head that the end was cut off, also where nothing is left", async () => {
    const { data, server } = await written({ [ada]: 2 })
    const { head } = (await linked(data)).accounts[0]!
    expect(await server.stop()).toBe(0)
    const database = new DatabaseSync(join(data, "tapedeck.db"))
    database.exec("DELETE FROM audit_entries; DELETE FROM audit_seals")
    database.close()
    expect(await verify(data)).toMatchObject({ code: 0, report: { ok: true, accounts: [] } })
    expect(await verify(data, "--account", "1", "--head", head)).toMatchObject({
      code: 7,
      report: { accounts: [{ account_id: 1, findings: [{ kind: "cut_off" }] }] }
    })
  })

  test("refuses what it cannot follow, and a key that is not the database's", async () => {
    const { data, server } = await written({})
    await server.stop()
    expect(await run(["audit", "verify", "--data", data])).toEqual({
      code: 0,
      out: "the audit log is empty\n",
      err: ""
    })
    const refused = [
      [["--account", "0"], "--account: must be the number of an account, not 0"],
      [["--head", "7"], "--head: must be SEQ:HASH as an earlier run has printed it, not 7"],
      [["--head", `1:${"A".repeat(43)}`], "--head: say whose chain it is of, with --account"],
      [["--port", "1"], "--port: not an option of tapedeck audit verify"]
    ] as const
    for (const [args, message] of refused) {
      expect(await run(["audit", "verify", "--data", data, ...args]), message).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(`tapedeck: ${message}`)
      })
    }
    const other = Buffer.alloc(32, 7).toString("base64")
    const wrong = await run(["audit", "verify", "--data", data], { TAPEDECK_KEY: other })
    expect(wrong).toMatchObject({ code: 6, out: "", err: expect.stringContaining("sealed with another key") })
    expect(await run(["audit", "verify", "--data", temporaryFolder()])).toMatchObject({
      code: 5,
      out: "",
      err: expect.stringContaining("there is no database here")
    })
  })
})
