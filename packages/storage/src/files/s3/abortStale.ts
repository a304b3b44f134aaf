import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type MultipartUpload } from "@aws-sdk/client-s3"
import { Effect, Option, Stream } from "effect"
import { asking, type Bucket } from "./Bucket.ts"
import type { S3Failure } from "./trouble.ts"

/** Where a listing of uploads goes on. */
interface After {
  readonly KeyMarker?: string | undefined
  readonly UploadIdMarker?: string | undefined
}

/** Uploads in parts that were begun below the prefix before an instant, and not ended: a crash left them, and they cost. */
export const abortStale = (bucket: Bucket, before: number): Effect.Effect<number, S3Failure> =>
  uploadsUnderWay(bucket).pipe(
    Stream.filter(({ Initiated }) => Initiated !== undefined && Initiated.getTime() < before),
    Stream.mapEffect(({ Key, UploadId }) =>
      asking(() => bucket.client.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId })))
    ),
    Stream.runCount
  )

const uploadsUnderWay = ({ client, name, prefix }: Bucket): Stream.Stream<MultipartUpload, S3Failure> =>
  Stream.paginate<After, MultipartUpload, S3Failure>({}, (after) =>
    Effect.map(
      asking((abortSignal) =>
        client.send(new ListMultipartUploadsCommand({ Bucket: name, Prefix: prefix, ...after }), { abortSignal })
      ),
      ({ IsTruncated, NextKeyMarker, NextUploadIdMarker, Uploads = [] }) => [
        Uploads,
        IsTruncated === true
          ? Option.some({ KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker })
          : Option.none()
      ]
    )
  )
