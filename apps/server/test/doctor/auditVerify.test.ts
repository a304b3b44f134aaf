import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { auditLinked } from "../support/auditLinks.ts"
import { listening, run, runProcess, said, temporaryFolder } from "../support/command.ts"

const uuid = "00000000-0000-4000-8000-000000000001"
const [ada, otto] = ["ada@one.test", "otto@two.test"]

/** A server on a new data directory, of two accounts, that has made these many audit entries of each. */
const written = async (entries: Readonly<Record<string, number>>, ...more: ReadonlyArray<string>) => {
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
  const server = await listening(["--data", data, "--fixtures", file, ...more])
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
const linked = async (data: string): Promise<Report> => {
  await auditLinked(data)
  const { report } = await verify(data)
  expect(report?.accounts).toMatchObject([{ waiting: 0 }])
  return report!
}

describe("audit verify", () => {
  test("verifies the chains of a running and of a killed server, and names each manipulation", async () => {
    const { data, server } = await written({ [ada]: 3 })
    const report = await linked(data)
    expect(report).toMatchObject({ ok: true, accounts: [{ account_id: 1, links: 3, findings: [] }] })
    const { head } = report.accounts[0]!
    server.child.kill("SIGKILL")
    await server.ended

    const person = await runProcess(["audit", "verify", "--data", data, "--account", "1", "--head", head])
    expect(person).toEqual({
      code: 0,
      err: "",
      out: `account 1: 3 linked entries, all unchanged\n  head: ${head}\n`
    })

    const database = new DatabaseSync(join(data, "tapedeck.db"))
    database.exec("UPDATE audit_entries SET document = replace(document, 'success', 'failure') WHERE id = 2")
    database.close()
    expect(await verify(data)).toMatchObject({
      code: 7,
      report: { ok: false, accounts: [{ findings: [{ kind: "changed", entry_id: 2 }], head }] }
    })
    expect(await runProcess(["audit", "verify", "--data", data])).toMatchObject({
      code: 7,
      out: expect.stringContaining("changed: place 2, entry 2: the entry or its link was changed")
    })
  })

  test("detects a truncated chain by a known head, even if it is empty", async () => {
    const { data, server } = await written({ [ada]: 2 })
    const { head } = (await linked(data)).accounts[0]!
    expect(await server.stop()).toBe(0)
    const database = new DatabaseSync(join(data, "tapedeck.db"))
    database.exec("DELETE FROM audit_entries; DELETE FROM audit_seals")
    database.close()
    expect(await verify(data)).toMatchObject({ code: 0, report: { ok: true, end_verified: false, accounts: [] } })
    expect((await run(["audit", "verify", "--data", data])).out).toMatch(
      /^the audit log is empty\nwithout a known head, the removal of a chain's last entries, or of a whole chain, cannot be detected\..*--head\n$/
    )
    expect(await verify(data, "--account", "1", "--head", head)).toMatchObject({
      code: 7,
      report: { end_verified: true, accounts: [{ account_id: 1, findings: [{ kind: "cut_off" }] }] }
    })
  })

  test("detects a truncated chain by the heads that the server keeps in a file as evidence", async () => {
    const heads = join(temporaryFolder(), "heads.json")
    const { data, server } = await written({ [ada]: 2 }, "--audit-heads", heads)
    const { head } = (await linked(data)).accounts[0]!
    const kept = { 1: head }
    const inFile = () => (existsSync(heads) ? (JSON.parse(readFileSync(heads, "utf8")) as unknown) : undefined)
    await expect.poll(inFile).toEqual(kept)
    const verified = () => verify(data, "--audit-heads", heads)
    expect(await verified()).toMatchObject({ code: 0, report: { ok: true, end_verified: true } })
    expect(await server.stop()).toBe(0)
    const remove = (where: string) => {
      const database = new DatabaseSync(join(data, "tapedeck.db"))
      database.exec(`DELETE FROM audit_seals ${where}; DELETE FROM audit_entries ${where.replace("entry_id", "id")}`)
      database.close()
    }
    const cutOff = {
      code: 7,
      report: { ok: false, end_verified: true, accounts: [{ account_id: 1, findings: [{ kind: "cut_off" }] }] }
    }
    for (const where of ["WHERE entry_id = 2", ""]) {
      remove(where)
      expect(await verified()).toMatchObject(cutOff)
      const again = await listening(["--data", data, "--audit-heads", heads])
      await said(again, /does not continue from its known head","account_id":1,"seq":2/)
      expect(await again.stop()).toBe(0)
      expect(inFile()).toEqual(kept)
    }
    expect(await verified()).toMatchObject(cutOff)
  })

  test("refuses a file of heads in the data directory, and one without heads", async () => {
    const folder = temporaryFolder()
    const data = join(folder, "data")
    const inside = await run(["serve", "--port", "0", "--data", data, "--audit-heads", join(data, "heads.json")])
    expect(inside).toMatchObject({ code: 2, err: expect.stringContaining("must be outside the data directory") })
    const heads = join(folder, "heads.json")
    writeFileSync(heads, '{"1": "none"}')
    const none = await run(["serve", "--port", "0", "--data", data, "--audit-heads", heads])
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining("contains no heads of audit chains") })
  })

  test("refuses invalid options, and a key that is not the database's", async () => {
    const { data, server } = await written({})
    await server.stop()
    expect(await run(["audit", "verify", "--data", data])).toEqual({
      code: 0,
      out: expect.stringMatching(/^the audit log is empty\n/),
      err: ""
    })
    const refused = [
      [["--account", "0"], "--account: must be the number of an account, not 0"],
      [["--head", "7"], "--head: must be SEQ:HASH as an earlier run printed it, not 7"],
      [["--head", `1:${"A".repeat(43)}`], "--head: give --account too, because there are several accounts"],
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
      err: expect.stringContaining("no database in this directory")
    })
  })
})
