/**
 * MSW for the same read, in process: `msw.ts MEASURE`. It opens no socket: `first` prints a word as soon as it has
 * answered, `load` a line of JSON.
 */
import { HttpResponse, http } from "msw"
import { setupServer } from "msw/node"
import { recordingBody, token, uuidOf } from "../../src/emulator/fixtures.ts"

const [measure] = process.argv.slice(2) as ["first" | "load"]
const origin = "https://recordings.test"

const server = setupServer(
  http.get(`${origin}/api/v2/recordings/:uuid`, ({ params, request }) =>
    request.headers.get("authorization") === `Bearer ${token}`
      ? HttpResponse.json(recordingBody(String(params.uuid)))
      : HttpResponse.json({ error: "Unauthorized" }, { status: 401 })
  )
)
server.listen()

const read = async (index: number) => {
  const url = `${origin}/api/v2/recordings/${uuidOf(index % 100)}`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (answer.status !== 200) throw new Error(`${answer.status}`)
  await answer.text()
}

const load = async () => {
  const count = 5_000
  for (let index = 0; index < 500; index++) await read(index)
  const start = performance.now()
  for (let index = 0; index < count; index++) await read(index)
  const rps = (count / (performance.now() - start)) * 1000
  console.log(JSON.stringify({ rps, rss_mb: process.memoryUsage.rss() / 2 ** 20 }))
}

await read(0)
if (measure === "first") console.log("answered")
else await load()
server.close()
