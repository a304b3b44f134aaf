import type { S3Options } from "@tapedeck/storage/files"
import { Effect, Layer } from "effect"
import type { Config } from "../config/Config.ts"
import type { DataDirectory } from "../config/dataDirectory.ts"

/** The files in the data directory, or in the configured bucket. Loads only the modules that are used. */
export const layerFiles = (config: Config, { files, temporary }: DataDirectory) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@tapedeck/storage/files")),
      ({ FileBytes }) => {
        const bucket = bucketOf(config, temporary)
        return bucket === undefined ? FileBytes.layerDisk({ directory: files, temporary }) : FileBytes.layerS3(bucket)
      }
    )
  )

/** The configured bucket; undefined if none is set. */
export const bucketOf = (config: Config, temporary: string): S3Options | undefined => {
  if (config.files === undefined) return undefined
  return {
    ...config.files,
    endpoint: config.s3_endpoint,
    region: config.s3_region,
    pathStyle: config.s3_path_style,
    credentials: credentialsIn(config),
    temporary
  }
}

/** Undefined: the SDK searches for credentials. */
const credentialsIn = (config: Config): S3Options["credentials"] => {
  const { s3_access_key_id: accessKeyId, s3_secret_access_key: secretAccessKey = "" } = config
  return accessKeyId === undefined ? undefined : { accessKeyId, secretAccessKey }
}
