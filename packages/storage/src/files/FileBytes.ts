import { Context, Effect, Layer } from "effect"
import type { Bytes } from "./Bytes.ts"
import { type DiskOptions, diskBytes } from "./disk.ts"
import { memoryBytes } from "./memory.ts"
import type { S3Options } from "./s3/S3Options.ts"
import { withSdk } from "./s3/sdk.ts"

/**
 * File contents. The database has the references to them (`sql/files/repository.ts`). Its effects do not
 * fail: a full disk is the defect `StorageFull`, every other error `FileError`; both name the path.
 */
export class FileBytes extends Context.Service<FileBytes, Bytes>()("@tapedeck/storage/FileBytes") {
  static readonly layerDisk = (options: DiskOptions) => Layer.effect(FileBytes, diskBytes(options))

  /**
   * Dies with `FilesRefused` if the bucket cannot be used, and with `S3SdkMissing` if `@aws-sdk/client-s3` is not
   * installed. The SDK is loaded when the layer is built.
   */
  static readonly layerS3 = (options: S3Options) =>
    Layer.effect(
      FileBytes,
      Effect.flatMap(
        Effect.promise(() => withSdk(() => import("./s3/s3Bytes.ts"))),
        ({ s3Bytes }) => s3Bytes(options)
      )
    )

  /** Layer for tests. */
  static readonly layerMemory = Layer.sync(FileBytes, memoryBytes)
}
