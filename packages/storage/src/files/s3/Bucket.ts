import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client
} from "@aws-sdk/client-s3"
import { Effect, Option, type Scope, Stream } from "effect"
import { measureS3 } from "../../metrics.ts"
import { isContentKey } from "../contentKey.ts"
import { S3Failure } from "./errors.ts"
import type { S3Options } from "./S3Options.ts"

/** An object in a listing. */
export interface Listed {
  readonly key: string
  readonly sizeBytes: number
}

/** Contents and other objects in one bucket, below one prefix. Requests are retried before they fail with an `S3Failure`. */
export interface Bucket {
  readonly client: S3Client
  readonly name: string
  readonly prefix: string
  /** The object's name: `<prefix><first two digits of the hash>/<key>`, as on a disk: files can be copied from one to the other. */
  readonly nameOf: (key: string) => string
  /** The URL of an object's name, for messages. */
  readonly at: (name: string) => string
  /** Undefined if there is no such object. */
  readonly sizeOf: (key: string) => Effect.Effect<number | undefined, S3Failure>
  readonly remove: (key: string) => Effect.Effect<void, S3Failure>
  /** Objects in the order of their names. */
  readonly list: Stream.Stream<Listed, S3Failure>
  /** A small text; undefined if there is no such object. */
  readonly readText: (key: string) => Effect.Effect<string | undefined, S3Failure>
  readonly writeText: (key: string, text: string) => Effect.Effect<void, S3Failure>
}

/** A request is retried if connecting takes longer, or if the connection is idle for longer. */
const connectMs = 5_000
const idleMs = 60_000

/** Maximum number of tries, about 15 seconds in all: enough for a backend that restarts or asks to slow down. */
const maxTries = 8

/** One request to the backend, aborted if the caller is interrupted. */
export const request = <A>(send: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, S3Failure> =>
  measureS3(Effect.tryPromise({ try: send, catch: (error) => new S3Failure(error) }))

const undefinedIfMissing = <A>(requested: Effect.Effect<A, S3Failure>): Effect.Effect<A | undefined, S3Failure> =>
  Effect.catchIf(
    requested,
    // A missing bucket is an error, a missing object is not.
    (failure) => failure.isMissing && failure.code !== "NoSuchBucket",
    () => Effect.undefined
  )

const clientOf = ({ credentials, endpoint, pathStyle, region, tries }: S3Options) => {
  const regionHere = region ?? (endpoint === undefined ? undefined : "us-east-1")
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(regionHere !== undefined && { region: regionHere }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    maxAttempts: tries ?? maxTries,
    // Compatible stores often do not support the newer checksums. Bodies are signed with their SHA-256 in any case.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      // A slow reader occupies a connection while it reads.
      httpAgent: { keepAlive: true, maxSockets: 1_000 },
      httpsAgent: { keepAlive: true, maxSockets: 1_000 }
    }
  })
}

/** The bucket for as long as the scope lasts. Sends no request yet. */
export const openBucket = (options: S3Options): Effect.Effect<Bucket, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => clientOf(options)),
      (client) => Effect.sync(() => client.destroy())
    ),
    (client) => bucketOf(client, options)
  )

const bucketOf = (client: S3Client, { bucket: name, prefix }: S3Options): Bucket => {
  const nameOf = (key: string) => `${prefix}${key.slice(0, 2)}/${key}`
  const named = (key: string) => ({ Bucket: name, Key: nameOf(key) })
  return {
    client,
    name,
    prefix,
    nameOf,
    at: (objectName) => `s3://${name}/${objectName}`,
    sizeOf: (key) =>
      undefinedIfMissing(
        request((abortSignal) => client.send(new HeadObjectCommand(named(key)), { abortSignal }))
      ).pipe(Effect.map((head) => head?.ContentLength)),
    remove: (key) =>
      Effect.asVoid(request((abortSignal) => client.send(new DeleteObjectCommand(named(key)), { abortSignal }))),
    list: listObjects(client, name, prefix),
    readText: (key) =>
      undefinedIfMissing(
        request(async (abortSignal) => {
          const found = await client.send(new GetObjectCommand({ Bucket: name, Key: key }), { abortSignal })
          return (await found.Body?.transformToString()) ?? ""
        })
      ),
    writeText: (key, text) =>
      Effect.asVoid(
        request((abortSignal) =>
          client.send(new PutObjectCommand({ Bucket: name, Key: key, Body: text }), { abortSignal })
        )
      )
  }
}

const listObjects = (client: S3Client, name: string, prefix: string): Stream.Stream<Listed, S3Failure> =>
  Stream.paginate<string | undefined, Listed, S3Failure>(undefined, (token) =>
    Effect.map(
      request((abortSignal) =>
        client.send(new ListObjectsV2Command({ Bucket: name, Prefix: prefix, ContinuationToken: token }), {
          abortSignal
        })
      ),
      ({ Contents = [], IsTruncated, NextContinuationToken: next }) => {
        const contents = Contents.flatMap(({ Key = "", Size = 0 }) => {
          const key = Key.slice(prefix.length + "00/".length)
          return isContentKey(key) ? [{ key, sizeBytes: Size }] : []
        })
        return [contents, IsTruncated === true && next !== undefined ? Option.some(next) : Option.none()] as const
      }
    )
  )
