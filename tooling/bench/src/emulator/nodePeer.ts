/** What `node:http` does for the same request: the token, the recording, its JSON. `nodePeer.ts PORT` */
import { createServer } from "node:http"
import { token, uuidOf } from "./fixtures.ts"

const callers = new Map([[token, { role: "admin" }]])
const recordings = new Map(
  Array.from({ length: 100 }, (_, index) => {
    const uuid = uuidOf(index)
    return [
      uuid,
      { uuid, title: `Recording ${index}`, summary: null, description: null, metadata: { duration: index } }
    ]
  })
)

createServer((request, response) => {
  const caller = callers.get((request.headers.authorization ?? "").slice("Bearer ".length))
  const found = recordings.get((request.url ?? "").slice("/api/v2/recordings/".length))
  const status = request.url === "/" ? 200 : caller === undefined ? 401 : found === undefined ? 404 : 200
  const body = Buffer.from(JSON.stringify(found ?? {}))
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length }).end(body)
}).listen(Number(process.argv[2]), "127.0.0.1", () => console.log("listening"))
