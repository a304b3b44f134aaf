import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keepFolders, type ObjectFiles } from "@tapedeck/storage/testing/s3"
import type { Random } from "../determinism/Random.ts"

/** It comes without types. */
const S3rver = createRequire(import.meta.url)("s3rver") as new (options: {
  readonly silent: boolean
  readonly directory: string
  readonly configureBuckets: ReadonlyArray<{ readonly name: string; readonly configs: ReadonlyArray<string> }>
}) => {
  readonly configureBuckets: () => Promise<unknown>
  readonly callback: () => RequestListener
  readonly store: ObjectFiles
}

const noUploads = "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>"

/** s3rver can neither list uploads in parts nor forget them; what it leaves of them here is never read. */
const answerUploads = ({ method, url = "" }: IncomingMessage, response: ServerResponse): boolean => {
  const asked = new URL(url, "http://s3").searchParams
  if (method === "GET" && asked.has("uploads")) response.end(noUploads)
  else if (method === "DELETE" && asked.has("uploadId")) response.writeHead(204).end()
  else return false
  return true
}

/**
 * Its lists' second version names what comes next by a cipher that Node's OpenSSL has no more: it fails behind 1,000 objects. The
 * first version goes on behind a key, which is made the second's token here.
 */
const listByKeys = (request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? "", "http://s3")
  const { searchParams: asked } = url
  if (request.method !== "GET" || asked.get("list-type") !== "2") return
  const behind = asked.get("continuation-token")
  asked.delete("list-type")
  asked.delete("continuation-token")
  if (behind !== null) asked.set("marker", behind)
  request.url = `${url.pathname}${url.search}`
  const end = response.end.bind(response)
  response.end = ((list: string) => {
    const last = [...list.matchAll(/<Key>(.*?)<\/Key>/g)].at(-1)?.[1]
    const isTruncated = list.includes("<IsTruncated>true<") && last !== undefined
    const next = `<NextContinuationToken>${last}</NextContinuationToken></ListBucketResult>`
    const text = isTruncated ? list.replace("</ListBucketResult>", next) : list
    response.setHeader("content-length", Buffer.byteLength(text))
    return end(text)
  }) as ServerResponse["end"]
}

/** How a bucket behaves: the delay of a request in milliseconds, and its outcome. */
export interface Behaviour {
  readonly delayMs: number
  /** `refused`: 503, and not done. `lost`: done, and the connection is cut before the answer. */
  readonly outcome: "done" | "refused" | "lost"
}

/** A slow and failing bucket, as the seed chooses: removals are slow above all, and arrive when their sender may be gone. */
export const unreliable =
  (random: Random) =>
  (method: string): Behaviour => ({
    delayMs:
      method === "DELETE"
        ? random.integer(0, 3_000)
        : random.weighted([
            [9, 0],
            [1, random.integer(0, 500)]
          ]),
    outcome: random.weighted<Behaviour["outcome"]>([
      [90, "done"],
      [5, "refused"],
      [5, "lost"]
    ])
  })

const refuse = (response: ServerResponse) => {
  response.writeHead(503, { "content-type": "application/xml" })
  response.end("<Error><Code>SlowDown</Code><Message>Slow down</Message></Error>")
}

/** A bucket in this process, for files that nodes share; it checks no signatures. */
export const startBucket = async (
  behaviourOf: (method: string) => Behaviour = () => ({ delayMs: 0, outcome: "done" })
) => {
  const directory = mkdtempSync(join(tmpdir(), "tapedeck-cluster-bucket-"))
  const s3 = new S3rver({ silent: true, directory, configureBuckets: [{ name: "tapedeck", configs: [] }] })
  keepFolders(s3.store)
  await s3.configureBuckets()
  const answer = s3.callback()
  const delays = new Set<NodeJS.Timeout>()
  const server = createServer((request, response) => {
    if (answerUploads(request, response)) return
    const { delayMs, outcome } = behaviourOf(request.method ?? "")
    const handle = () => {
      if (outcome === "refused") {
        request.resume()
        return refuse(response)
      }
      if (outcome === "lost")
        response.end = () => {
          request.socket.destroy()
          return response
        }
      else listByKeys(request, response)
      answer(request, response)
    }
    if (delayMs === 0) return handle()
    // A removal is done even if its sender has gone meanwhile.
    const delay = setTimeout(() => {
      delays.delete(delay)
      if (request.method === "DELETE" || !request.socket.destroyed) handle()
    }, delayMs)
    delays.add(delay)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    environment: {
      TAPEDECK_FILES: "s3://tapedeck",
      TAPEDECK_S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      TAPEDECK_S3_ACCESS_KEY_ID: "S3RVER",
      TAPEDECK_S3_SECRET_ACCESS_KEY: "S3RVER"
    },
    close: () => {
      for (const delay of delays) clearTimeout(delay)
      server.close()
      server.closeAllConnections()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
