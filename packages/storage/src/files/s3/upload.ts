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
import { onDisk } from "../trouble.ts"
import { asking, type Bucket } from "./Bucket.ts"
import type { S3Failure } from "./trouble.ts"

const MiB = 1024 ** 2

/** Files up to this size go in one request. S3 wants parts of 5 MiB at least, and some want all but the last alike. */
const smallestPart = 8 * MiB
const mostParts = 10_000

/** How many parts of one file are under way at a time: so much of it is in memory. */
const partsAtOnce = 4

interface Source {
  readonly path: string
  readonly file: FileHandle
  readonly sizeBytes: number
}

/** Where it goes. */
interface Target {
  readonly Bucket: string
  readonly Key: string
}

/**
 * Puts a received file in its place. A large one goes in parts; where one of them fails for good, or the caller goes away, the
 * others stop, and the backend is told to forget them all. (`@aws-sdk/lib-storage` would send the others first, and not wait.)
 */
export const upload = (
  bucket: Bucket,
  { sha256, sizeBytes, temporary: path }: Received
): Effect.Effect<void, S3Failure> =>
  Effect.acquireUseRelease(
    onDisk(path, () => open(path, "r")),
    (file) => {
      const [source, target] = [
        { file, path, sizeBytes },
        { Bucket: bucket.name, Key: bucket.keyOf(sha256) }
      ]
      if (sizeBytes <= smallestPart) return inOne(bucket, source, target)
      // The answer may have been lost, and the parts be one: a second try then finds no upload to complete.
      return Effect.catch(inParts(bucket, source, target), (failure) =>
        Effect.flatMap(bucket.sizeOf(sha256), (found) => (found === sizeBytes ? Effect.void : Effect.fail(failure)))
      )
    },
    (file) => onDisk(path, () => file.close())
  )

const inOne = ({ client }: Bucket, source: Source, target: Target) =>
  Effect.flatMap(bytesOf(source, 0, source.sizeBytes), (Body) =>
    Effect.asVoid(asking((abortSignal) => client.send(new PutObjectCommand({ ...target, Body }), { abortSignal })))
  )

const inParts = ({ client }: Bucket, source: Source, target: Target) => {
  const { sizeBytes } = source
  const partBytes = Math.max(smallestPart, Math.ceil(sizeBytes / mostParts / MiB) * MiB)
  const numbers = Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => index + 1)

  const send = Effect.fnUntraced(function* (UploadId: string, PartNumber: number) {
    const start = (PartNumber - 1) * partBytes
    const Body = yield* bytesOf(source, start, Math.min(partBytes, sizeBytes - start))
    const part = new UploadPartCommand({ ...target, UploadId, PartNumber, Body })
    const { ETag } = yield* asking((abortSignal) => client.send(part, { abortSignal }))
    return { ETag, PartNumber }
  })

  const begin = asking((abortSignal) => client.send(new CreateMultipartUploadCommand(target), { abortSignal }))
  return Effect.acquireUseRelease(
    Effect.map(begin, ({ UploadId = "" }) => UploadId),
    Effect.fnUntraced(function* (UploadId) {
      const Parts = yield* Effect.forEach(numbers, (number) => send(UploadId, number), { concurrency: partsAtOnce })
      const complete = new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } })
      yield* asking((abortSignal) => client.send(complete, { abortSignal }))
    }),
    (UploadId, exit) => (Exit.isSuccess(exit) ? Effect.void : forget({ client, target, UploadId }))
  )
}

const bytesOf = ({ file, path }: Source, start: number, length: number): Effect.Effect<Uint8Array> =>
  Effect.map(
    onDisk(path, () => file.read(Buffer.allocUnsafeSlow(length), 0, length, start)),
    ({ buffer, bytesRead }) => buffer.subarray(0, bytesRead)
  )

/** What the backend cannot be told now is told at a later start. */
const forget = ({ client, target, UploadId }: Pick<Bucket, "client"> & { target: Target; UploadId: string }) =>
  Effect.ignore(asking(() => client.send(new AbortMultipartUploadCommand({ ...target, UploadId }))))
