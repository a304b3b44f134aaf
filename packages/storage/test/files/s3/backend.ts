/// <reference path="./s3rver.d.ts" />
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CreateBucketCommand, DeleteObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3"
import { type FaultProxy, startFaultProxy } from "./FaultProxy.ts"

/** What speaks S3 in tests, behind a proxy. */
export interface Backend {
  readonly proxy: FaultProxy
  readonly bucket: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** As the tests look into it. */
  readonly client: S3Client
  readonly close: () => Promise<void>
}

const bucket = "tapedeck"

/** `TAPEDECK_TEST_S3` says where one runs, as `http://id:secret@host:port`; else one is started in this process. */
export const startBackend = async (): Promise<Backend> => {
  const given = process.env.TAPEDECK_TEST_S3
  return given === undefined ? startS3rver() : connectTo(new URL(given))
}

let started: Promise<Backend> | undefined

/** The one that a file of tests has; it is started when it is first asked for. */
export const theBackend = (): Promise<Backend> => (started ??= startBackend())

export const stopBackend = async (): Promise<void> => {
  await (await started)?.close()
  started = undefined
}

const connectTo = async ({ host, password, username }: URL): Promise<Backend> => {
  const proxy = await startFaultProxy(`http://${host}`)
  const [accessKeyId, secretAccessKey] = [decodeURIComponent(username), decodeURIComponent(password)]
  const made = withClient(proxy, { accessKeyId, secretAccessKey }, async () => {})
  await made.client.send(new CreateBucketCommand({ Bucket: bucket })).catch((error: Error) => {
    if (!/^BucketAlready/.test(error.name)) throw error
  })
  return made
}

const startS3rver = async (): Promise<Backend> => {
  const directory = mkdtempSync(join(tmpdir(), "tapedeck-s3rver-"))
  const { default: S3rver } = await import("s3rver")
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }]
  })
  keepFolders(server.store)
  const { port } = await server.run()
  const proxy = await startFaultProxy(
    `http://127.0.0.1:${port}`,
    answerUploads(join(directory, bucket, "._S3rver_uploads"))
  )
  return withClient(proxy, { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" }, async () => {
    // It does not see that a caller has gone, and would wait for the rest of the body.
    server.httpServer.close()
    server.httpServer.closeAllConnections()
    rmSync(directory, { recursive: true, force: true })
  })
}

/** The files of s3rver's objects. */
export interface ObjectFiles {
  readonly getResourcePath: (bucket: string, key: string, resource: string) => string
  deleteObject: (bucket: string, key: string) => Promise<void>
}

/**
 * s3rver removes folders that a removal leaves empty, also one that it has just made for another object: opening that one's file fails then,
 * and ends the process.
 */
export const keepFolders = (store: ObjectFiles): void => {
  store.deleteObject = async (bucketName, key) => {
    for (const resource of ["object", "object.md5", "metadata.json"]) {
      rmSync(store.getResourcePath(bucketName, key, resource), { force: true })
    }
  }
}

const withClient = (proxy: FaultProxy, credentials: Backend["credentials"], stop: () => Promise<void>): Backend => {
  const client = new S3Client({
    endpoint: proxy.url,
    region: "us-east-1",
    forcePathStyle: true,
    credentials,
    requestChecksumCalculation: "WHEN_REQUIRED"
  })
  const close = async () => {
    client.destroy()
    proxy.close()
    await stop()
  }
  return { bucket, client, credentials, proxy, close }
}

/** s3rver takes uploads in parts, and can neither list them nor forget them. */
const answerUploads =
  (folder: string) =>
  (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://s3")
    const id = searchParams.get("uploadId")
    if (incoming.method === "DELETE" && id !== null) {
      // Its folder stays: s3rver may still be opening a file for a part whose request was aborted.
      rmSync(join(folder, id, "key"), { force: true })
      outgoing.writeHead(204).end()
      return true
    }
    if (incoming.method !== "GET" || pathname.split("/").length > 3 || !searchParams.has("uploads")) return false
    const uploads = idsIn(folder).flatMap((one) => {
      const file = join(folder, one, "key")
      const key = readFileSync(file, "utf8")
      const begun = statSync(file).mtime.toISOString()
      if (!key.startsWith(searchParams.get("prefix") ?? "")) return []
      return `<Upload><Key>${key}</Key><UploadId>${one}</UploadId><Initiated>${begun}</Initiated></Upload>`
    })
    outgoing.writeHead(200, { "content-type": "application/xml" })
    outgoing.end(
      `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join("")}</ListMultipartUploadsResult>`
    )
    return true
  }

const idsIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder).filter((id) => existsSync(join(folder, id, "key")))
  } catch {
    return []
  }
}

/** The contents that are below a prefix, as another program than ours finds them. */
export const listed = async ({ bucket: Bucket, client }: Backend, Prefix: string): Promise<ReadonlyArray<string>> => {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }))
  const names = Contents.flatMap(({ Key }) => Key?.split("/").at(-1) ?? [])
  return names.filter((name) => name !== "tapedeck.json").sort()
}

export const remove = async ({ bucket: Bucket, client }: Backend, Key: string): Promise<void> => {
  await client.send(new DeleteObjectCommand({ Bucket, Key }))
}
