/** Answers v2's `GET /recordings/{uuid}` and 100 pages of 100 from memory: `server.ts PORT`. Prints a line when it listens. */
import { createServer } from "node:http"
import { openApiV2 } from "@tapedeck/contract"

const [port] = process.argv.slice(2)
const size = 100
const pages = 100

const { paths } = openApiV2({ vendor: "tapedeck" })
const example = paths["/recordings/{uuid}"]!.get!.responses["200"]!.content!["application/json"]!.example as object
const uuidOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`
const recordingOf = (index: number) => ({ ...example, uuid: uuidOf(index) })

const pageOf = (page: number) => {
  const records = Array.from({ length: size }, (_, index) => recordingOf((page - 1) * size + index))
  const from = (page - 1) * size + 1
  const pagination = {
    ...{ count: size * pages, page, items: size, pages, last_page: pages, from, to: from + size - 1 },
    ...(page < pages && { next_page: page + 1 })
  }
  return Buffer.from(JSON.stringify({ pagination, records }))
}

const one = Buffer.from(JSON.stringify(recordingOf(0)))
const all = Array.from({ length: pages }, (_, index) => pageOf(index + 1))

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, "http://localhost")
  const body = pathname.endsWith("/recordings") ? all[Number(searchParams.get("page") ?? 1) - 1]! : one
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": body.length,
    "x-request-id": "req_00000000000000000000000000"
  })
  response.end(body)
}).listen(Number(port), "127.0.0.1", () => console.log("listening"))
