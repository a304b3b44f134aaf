import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startPostgres, type TestDatabases } from "../../src/postgres/index.ts"
import { temporaryFolder } from "../../src/support/process.ts"
import { type Ready, serve, tapedeck } from "../../src/support/tapedeck.ts"

let postgres: TestDatabases
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

const rotate = (environment: Readonly<Record<string, string>>) => tapedeck(environment, "key", "rotate")

test("rotating the key of a PostgreSQL database without running nodes keeps tokens and secrets, and the old key opens nothing", async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const { query, url } = await postgres.createDatabase()
  const [one = "", two = "", three = ""] = Array.from({ length: 3 }, () => randomBytes(32).toString("base64"))
  const data = join(folder.path, "data")
  const by = (key: string) => ({ TAPEDECK_DATABASE_URL: url, TAPEDECK_KEY: key })

  const before = await serve(by(one), "--data", data, "--demo")
  const token = Object.values(before.ready.tokens)[0]!
  const settings = async ({ base_url }: Ready) => {
    const answer = await fetch(`${base_url}/api/settings/automations`, {
      headers: { authorization: `Bearer ${token}` }
    })
    return { status: answer.status, text: await answer.text() }
  }
  const seen = await settings(before.ready)
  expect(seen).toMatchObject({ status: 200, text: expect.stringContaining("url") })
  const sealed = () => query("SELECT sealed FROM automations ORDER BY sequence")
  const old = await sealed()

  const change = { ...by(one), TAPEDECK_NEW_KEY: two }
  expect(await rotate(change)).toEqual({
    code: 5,
    out: "",
    err: expect.stringContaining("nodes use it: stop them")
  })
  expect(await sealed()).toEqual(old)
  await before.stop()
  expect(await rotate(by(one))).toMatchObject({ code: 6, err: expect.stringContaining("TAPEDECK_NEW_KEY") })
  expect(await rotate({ ...by(two), TAPEDECK_NEW_KEY: three })).toMatchObject({ code: 6 })
  expect(await rotate(change)).toMatchObject({ code: 0 })
  // And again, as after an interruption.
  expect(await rotate(change)).toMatchObject({ code: 0 })
  expect(await sealed()).not.toEqual(old)

  await expect(serve(by(one), "--data", data)).rejects.toThrow()
  const after = await serve(by(two), "--data", data)
  expect(await settings(after.ready)).toEqual(seen)
})
