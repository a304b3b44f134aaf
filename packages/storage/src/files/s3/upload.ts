import { type FileHandle, open } from "node:fs/promises"
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand
} from "@aws-sdk/client-s3"
import { Effect, Exit } from "effect"
import type { Received } from "../Bytes.ts"
import { onDisk } from "../errors.ts"
import { type Bucket, request } from "./Bucket.ts"
import type { S3Failure } from "./errors.ts"

const MiB = 1024 ** 2

/** Files up to this size are uploaded in one request. S3 needs parts of at least 5 MiB, and some stores need equal sizes. */
const minPartBytes = 8 * MiB
const maxParts = 10_000

/** Maximum number of concurrent parts of one file, all of which are in memory. */
const partConcurrency = 4

interface Source {
  readonly path: string
  readonly file: FileHandle
  readonly sizeBytes: number
}

interface Target {
  readonly Bucket: string
  readonly Key: string
}

/**
 * Uploads a received file. A large one is uploaded in parts; if a part fails permanently, or the caller is interrupted, the others
 * stop and the upload is aborted. (`@aws-sdk/lib-storage` would send the others first, and not wait.)
 */
export const upload = (
  bucket: Bucket,
  { sizeBytes, temporary: path }: Received,
  key: string
): Effect.Effect<void, S3Failure> =>
  Effect.acquireUseRelease(
    onDisk(path, () => open(path, "r")),
    (file) => {
      const [source, target] = [
        { file, path, sizeBytes },
        { Bucket: bucket.name, Key: bucket.nameOf(key) }
      ]
      if (sizeBytes <= minPartBytes) return uploadWhole(bucket, source, target)
      // The response to the completion may have been lost: then the retry finds no upload, but the object exists.
      return Effect.catch(uploadParts(bucket, source, target), (failure) =>
        Effect.flatMap(bucket.sizeOf(key), (found) => (found === sizeBytes ? Effect.void : Effect.fail(failure)))
      )
    },
    (file) => onDisk(path, () => file.close())
  )

const uploadWhole = ({ client }: Bucket, source: Source, target: Target) =>
  Effect.flatMap(bytesOf(source, 0, source.sizeBytes), (Body) =>
    Effect.asVoid(request((abortSignal) => client.send(new PutObjectCommand({ ...target, Body }), { abortSignal })))
  )

const uploadParts = ({ client }: Bucket, source: Source, target: Target) => {
  const { sizeBytes } = source
  const partBytes = Math.max(minPartBytes, Math.ceil(sizeBytes / maxParts / MiB) * MiB)
  const numbers = Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => index + 1)

  const send = Effect.fnUntraced(function* (UploadId: string, PartNumber: number) {
    const start = (PartNumber - 1) * partBytes
    const Body = yield* bytesOf(source, start, Math.min(partBytes, sizeBytes - start))
    const part = new UploadPartCommand({ ...target, UploadId, PartNumber, Body })
    const { ETag } = yield* request((abortSignal) => client.send(part, { abortSignal }))
    return { ETag, PartNumber }
  })

  const begin = request((abortSignal) => client.send(new CreateMultipartUploadCommand(target), { abortSignal }))
  return Effect.acquireUseRelease(
    Effect.map(begin, ({ UploadId = "" }) => UploadId),
    Effect.fnUntraced(function* (UploadId) {
      const Parts = yield* Effect.forEach(numbers, (number) => send(UploadId, number), { concurrency: partConcurrency })
      const complete = new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } })
      yield* request((abortSignal) => client.send(complete, { abortSignal }))
    }),
    (UploadId, exit) => (Exit.isSuccess(exit) ? Effect.void : abort({ client, target, UploadId }))
  )
}

const bytesOf = ({ file, path }: Source, start: number, length: number): Effect.Effect<Uint8Array> =>
  Effect.map(
    onDisk(path, () => file.read(Buffer.allocUnsafeSlow(length), 0, length, start)),
    ({ buffer, bytesRead }) => buffer.subarray(0, bytesRead)
  )

/** If this fails, a later search aborts the upload (`abortStale`). */
const abort = ({ client, target, UploadId }: Pick<Bucket, "client"> & { target: Target; UploadId: string }) =>
  Effect.ignore(request(() => client.send(new AbortMultipartUploadCommand({ ...target, UploadId }))))
