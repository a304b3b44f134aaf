import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type MultipartUpload } from "@aws-sdk/client-s3"
import { Effect, Option, Stream } from "effect"
import { type Bucket, request } from "./Bucket.ts"
import type { S3Failure } from "./errors.ts"

/** Where a listing of uploads continues. */
interface Marker {
  readonly KeyMarker?: string | undefined
  readonly UploadIdMarker?: string | undefined
}

/** Aborts multipart uploads below the prefix that began before an instant: a crash left them, and the provider charges for them. */
export const abortStale = (bucket: Bucket, before: number): Effect.Effect<number, S3Failure> =>
  unfinishedUploads(bucket).pipe(
    Stream.filter(({ Initiated }) => Initiated !== undefined && Initiated.getTime() < before),
    Stream.mapEffect(({ Key, UploadId }) =>
      request(() => bucket.client.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId })))
    ),
    Stream.runCount
  )

const unfinishedUploads = ({ client, name, prefix }: Bucket): Stream.Stream<MultipartUpload, S3Failure> =>
  Stream.paginate<Marker, MultipartUpload, S3Failure>({}, (after) =>
    Effect.map(
      request((abortSignal) =>
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
