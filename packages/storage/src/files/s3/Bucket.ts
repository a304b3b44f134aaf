import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client
} from "@aws-sdk/client-s3"
import { Effect, Option, type Scope, Stream } from "effect"
import type { S3Options } from "./S3Options.ts"
import { S3Failure } from "./trouble.ts"

/** An object as a listing has it. */
export interface Listed {
  readonly sha256: string
  readonly sizeBytes: number
  readonly changedAt: number
}

/** Content and what goes with it in one bucket, below one prefix. What fails has been tried again, and is an `S3Failure`. */
export interface Bucket {
  readonly client: S3Client
  readonly name: string
  readonly prefix: string
  /** `<prefix><its hash's first two digits>/<its hash>`, as on a disk: files can be moved from one to the other as they are. */
  readonly keyOf: (sha256: string) => string
  /** As messages say it. */
  readonly at: (key: string) => string
  /** Undefined where there is none. */
  readonly sizeOf: (sha256: string) => Effect.Effect<number | undefined, S3Failure>
  readonly remove: (sha256: string) => Effect.Effect<void, S3Failure>
  /** In the order of their names. */
  readonly list: Stream.Stream<Listed, S3Failure>
  /** A small text; undefined where there is none. */
  readonly readText: (key: string) => Effect.Effect<string | undefined, S3Failure>
  readonly writeText: (key: string, text: string) => Effect.Effect<void, S3Failure>
}

/** So long a connection may take, or stand still: then the request is tried anew. */
const connectMs = 5_000
const idleMs = 60_000

/** Some 15 seconds in all: a backend that is started anew, or that asks to be slowed down for. */
const mostTries = 8

/** One request to the backend; a caller who goes away ends it. */
export const asking = <A>(ask: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, S3Failure> =>
  Effect.tryPromise({ try: ask, catch: (error) => new S3Failure(error) })

const undefinedWhereMissing = <A>(asked: Effect.Effect<A, S3Failure>): Effect.Effect<A | undefined, S3Failure> =>
  Effect.catchIf(
    asked,
    // A bucket that is missing is none of an object's.
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
    maxAttempts: tries ?? mostTries,
    // What else speaks S3 often does not know the newer checksums. Bodies are signed with their SHA-256 all the same.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      // A slow reader keeps a connection for as long as it reads.
      httpAgent: { keepAlive: true, maxSockets: 1_000 },
      httpsAgent: { keepAlive: true, maxSockets: 1_000 }
    }
  })
}

/** The bucket for as long as the scope lasts. Nothing is asked of it yet. */
export const openBucket = (options: S3Options): Effect.Effect<Bucket, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => clientOf(options)),
      (client) => Effect.sync(() => client.destroy())
    ),
    (client) => bucketOf(client, options)
  )

const bucketOf = (client: S3Client, { bucket: name, prefix }: S3Options): Bucket => {
  const keyOf = (sha256: string) => `${prefix}${sha256.slice(0, 2)}/${sha256}`
  const named = (sha256: string) => ({ Bucket: name, Key: keyOf(sha256) })
  return {
    client,
    name,
    prefix,
    keyOf,
    at: (key) => `s3://${name}/${key}`,
    sizeOf: (sha256) =>
      undefinedWhereMissing(
        asking((abortSignal) => client.send(new HeadObjectCommand(named(sha256)), { abortSignal }))
      ).pipe(Effect.map((head) => head?.ContentLength)),
    remove: (sha256) =>
      Effect.asVoid(asking((abortSignal) => client.send(new DeleteObjectCommand(named(sha256)), { abortSignal }))),
    list: listed(client, name, prefix),
    readText: (key) =>
      undefinedWhereMissing(
        asking(async (abortSignal) => {
          const found = await client.send(new GetObjectCommand({ Bucket: name, Key: key }), { abortSignal })
          return (await found.Body?.transformToString()) ?? ""
        })
      ),
    writeText: (key, text) =>
      Effect.asVoid(
        asking((abortSignal) =>
          client.send(new PutObjectCommand({ Bucket: name, Key: key, Body: text }), { abortSignal })
        )
      )
  }
}

const listed = (client: S3Client, name: string, prefix: string): Stream.Stream<Listed, S3Failure> =>
  Stream.paginate<string | undefined, Listed, S3Failure>(undefined, (token) =>
    Effect.map(
      asking((abortSignal) =>
        client.send(new ListObjectsV2Command({ Bucket: name, Prefix: prefix, ContinuationToken: token }), {
          abortSignal
        })
      ),
      ({ Contents = [], IsTruncated, NextContinuationToken: next }) => {
        const contents = Contents.flatMap(({ Key = "", LastModified, Size = 0 }) => {
          const sha256 = /^[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(Key.slice(prefix.length))?.[1]
          return sha256 === undefined ? [] : [{ sha256, sizeBytes: Size, changedAt: LastModified?.getTime() ?? 0 }]
        })
        return [contents, IsTruncated === true && next !== undefined ? Option.some(next) : Option.none()] as const
      }
    )
  )
