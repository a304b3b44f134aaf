import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { startPostgres } from "../../src/postgres/index.ts"
import { CuttingLine } from "../../src/support/CuttingLine.ts"
import { temporaryFolder } from "../../src/support/process.ts"
import { serve } from "../../src/support/tapedeck.ts"

test("64 concurrent requests of a member on two nodes make as many recordings as the quota allows, on a slow database too", async () => {
  const [postgres, folder] = await Promise.all([startPostgres(), temporaryFolder()])
  const { url } = await postgres.createDatabase()
  const line = await CuttingLine.start({ to: () => Number(new URL(url).port), delayMs: 2 })
  onTestFinished(async () => {
    await line.close()
    await Promise.all([postgres.close(), folder.remove()])
  })
  const slow = new URL(url)
  slow.port = String(line.port)
  const fixtures = join(folder.path, "fixtures.json")
  writeFileSync(
    fixtures,
    JSON.stringify({
      users: [
        { email: "ada@acme.test", name: "Ada", role: "admin" },
        { email: "bob@acme.test", name: "Bob", role: "member", token: "token-of-bob" }
      ]
    })
  )
  const there = { TAPEDECK_DATABASE_URL: slow.href, TAPEDECK_KEY: Buffer.alloc(32, 7).toString("base64") }
  const settings = ["--quota-recordings", "3", "--rate-limit", "off"]
  const node = (name: string, ...more: ReadonlyArray<string>) =>
    serve(there, "--data", join(folder.path, name), ...settings, ...more)
  const nodes = [await node("one", "--fixtures", fixtures), await node("two")]
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      fetch(`${nodes[index % 2]!.ready.base_url}/api/settings/recordings`, {
        method: "POST",
        headers: { authorization: "Bearer token-of-bob", "content-type": "application/json" },
        body: JSON.stringify({ title: `Recording ${index}` })
      })
    )
  )
  const counts = Map.groupBy(answers, ({ status }) => status)
  expect([...counts].map(([status, { length }]) => [status, length]).toSorted()).toEqual([
    [201, 3],
    [409, 61]
  ])
})
