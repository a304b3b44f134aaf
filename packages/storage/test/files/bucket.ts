import { randomUUID } from "node:crypto"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ListMultipartUploadsCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import type { S3Options } from "../../src/files/s3/S3Options.ts"
import { s3Bytes } from "../../src/files/s3/s3Bytes.ts"
import { dataDirectory, hashOf, type PlaceKind } from "./places.ts"
import { type Backend, listed, theBackend } from "./s3/backend.ts"

/** A prefix of its own in the backend's bucket. */
export const optionsFor = ({ bucket, credentials, front }: Backend, data: string) => ({
  bucket,
  prefix: `${randomUUID()}/`,
  endpoint: front.url,
  credentials,
  temporary: join(data, "tmp")
})

const keyOf = ({ prefix }: S3Options, sha256: string) => `${prefix}${sha256.slice(0, 2)}/${sha256}`

/** What is below the prefix, as another program than ours finds it. */
export const leftIn = async (backend: Backend, { bucket: Bucket, prefix: Prefix, temporary }: S3Options) => {
  const { Uploads = [] } = await backend.client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
  return {
    contents: await listed(backend, Prefix),
    temporary: [...readdirSync(temporary), ...Uploads.map(({ Key }) => `${Key}`)]
  }
}

const leaveObject = async ({ client }: Backend, options: S3Options, bytes: Uint8Array): Promise<string> => {
  const sha256 = hashOf(bytes)
  await client.send(new PutObjectCommand({ Bucket: options.bucket, Key: keyOf(options, sha256), Body: bytes }))
  return sha256
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
      leave: (bytes) => Effect.promise(() => leaveObject(backend, options, bytes)),
      keepsWhatIsRead: true
    }
  }),
  crashes: [["while bytes come in", ({ data }, bytes) => Effect.sync(() => writeFileSync(`${data}/tmp/1.part`, bytes))]]
}
