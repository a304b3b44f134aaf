/** A page of the list on `node:http` and `node:sqlite`, and nothing else: what a start costs at least. `nodePeer.ts DATABASE PORT` */
import { createServer } from "node:http"
import { DatabaseSync } from "node:sqlite"

const [file = "", port = ""] = process.argv.slice(2)
const database = new DatabaseSync(file, { readOnly: true })
const page = database.prepare(
  "SELECT document FROM recordings WHERE account_id = 1 ORDER BY created_at DESC, id DESC LIMIT 25"
)

createServer((_request, response) => {
  const records = page.all().map(({ document }) => JSON.parse(document as string) as unknown)
  const body = Buffer.from(JSON.stringify({ records }))
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
}).listen(Number(port), "127.0.0.1")
