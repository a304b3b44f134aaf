import { randomUUID } from "node:crypto"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ListMultipartUploadsCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import { sha256Of } from "../../src/files/contentKey.ts"
import type { S3Options } from "../../src/files/s3/S3Options.ts"
import { s3Bytes } from "../../src/files/s3/s3Bytes.ts"
import { dataDirectory, keyOf, type PlaceKind } from "./places.ts"
import { type Backend, listed, theBackend } from "./s3/backend.ts"

/** A prefix of its own in the backend's bucket. */
export const optionsFor = ({ bucket, credentials, proxy }: Backend, data: string) => ({
  bucket,
  prefix: `${randomUUID()}/`,
  endpoint: proxy.url,
  credentials,
  temporary: join(data, "tmp")
})

/** What is below the prefix, as another program than ours finds it. */
export const leftIn = async (backend: Backend, { bucket: Bucket, prefix: Prefix, temporary }: S3Options) => {
  const { Uploads = [] } = await backend.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
  return {
    contents: (await listed(backend, Prefix)).map(sha256Of),
    temporary: [...readdirSync(temporary), ...Uploads.map(({ Key }) => `${Key}`)]
  }
}

const leaveObject = async ({ client }: Backend, options: S3Options, bytes: Uint8Array): Promise<string> => {
  const key = keyOf(bytes)
  const Key = `${options.prefix}${key.slice(0, 2)}/${key}`
  await client.send(new PutObjectCommand({ Bucket: options.bucket, Key, Body: bytes }))
  return key
}

/** Files in a bucket. */
export const bucketKind: PlaceKind = {
  name: "in a bucket",
  makePlace: Effect.gen(function* () {
    const data = yield* dataDirectory
    const backend = yield* Effect.promise(theBackend)
    const options = optionsFor(backend, data)
    return {
      data,
      openBytes: s3Bytes(options),
      left: Effect.promise(() => leftIn(backend, options)),
      leave: (bytes) => Effect.promise(() => leaveObject(backend, options, bytes))
    }
  }),
  crashes: [["while bytes come in", ({ data }, bytes) => Effect.sync(() => writeFileSync(`${data}/tmp/1.part`, bytes))]]
}
