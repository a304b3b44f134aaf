import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { listening, said, temporaryFolder } from "./support/command.ts"

const hidden = "plain-value-of-a-broken-row"
const [broken, whole] = [1, 2].map((number) => `00000000-0000-4000-8000-00000000000${number}`)

test("a recording that cannot be read is answered with 500 and logged without its values; others are answered and listed", async () => {
  const folder = temporaryFolder()
  const file = join(folder, "fixtures.json")
  const user = "ada@one.test"
  const recordings = [broken, whole].map((uuid) => ({ uuid, user }))
  writeFileSync(file, JSON.stringify({ users: [{ email: user, name: "Ada" }], recordings }))
  const data = join(folder, "data")
  const server = await listening(["--data", data, "--fixtures", file])
  const database = new DatabaseSync(join(data, "tapedeck.db"), { timeout: 5_000 })
  database
    .prepare("UPDATE recordings SET document = json_set(document, '$.title', json_object('a', ?)) WHERE uuid = ?")
    .run(hidden, broken!)
  database.close()

  const get = (path: string) => {
    const headers = { authorization: `Bearer ${server.view.tokens[user]}` }
    return fetch(`${server.view.base_url}/api/v2/${path}`, { headers })
  }
  expect((await get(`recordings/${broken}`)).status).toBe(500)
  expect((await get(`recordings/${whole}`)).status).toBe(200)
  const { records } = (await (await get("recordings")).json()) as { records: ReadonlyArray<{ uuid: string }> }
  expect(records.map(({ uuid }) => uuid)).toEqual([whole])
  await said(server, "of recordings cannot be read: title: Expected ")
  await server.stop()
  expect(server.output.err + server.output.out).not.toContain(hidden)
})
