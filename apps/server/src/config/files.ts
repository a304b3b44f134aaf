import { Result } from "effect"
import { optional, secretFile } from "./setting.ts"
import { httpUrl, onOff, type Parse, text } from "./values.ts"

/** A bucket, and the prefix of all names in it: empty, or with `/` at its end. */
export interface BucketPlace {
  readonly bucket: string
  readonly prefix: string
}

/** `s3://bucket` or `s3://bucket/prefix`. */
const bucketPlace: Parse<BucketPlace> = (written) => {
  const [, bucket, path = ""] =
    /^s3:\/\/([a-z0-9][a-z0-9._-]+[a-z0-9])((?:\/[A-Za-z0-9._=-]+)*)\/?$/.exec(written) ?? []
  return bucket === undefined || bucket.length > 63
    ? Result.fail("must be s3://bucket or s3://bucket/prefix")
    : Result.succeed({ bucket, prefix: path === "" ? "" : `${path.slice(1)}/` })
}

/** Settings of the bucket, if videos are not in the data directory. */
export const files = {
  files: optional({
    value: "s3://BUCKET/PREFIX",
    description: "a bucket for the videos",
    parse: bucketPlace,
    initially: "files/ in the data directory"
  }),
  s3_endpoint: optional({
    value: "URL",
    description: "an S3-compatible endpoint instead of AWS",
    parse: httpUrl,
    initially: "AWS"
  }),
  s3_region: optional({
    value: "NAME",
    description: "the bucket's region",
    parse: text,
    initially: "AWS_REGION; us-east-1 with s3_endpoint"
  }),
  s3_path_style: optional({
    value: "on|off",
    description: "whether the bucket is in the path, not in the host name",
    parse: onOff,
    initially: "on with s3_endpoint, else off"
  }),
  s3_access_key_id: optional({
    value: "ID",
    description: "the access key's id",
    parse: text,
    initially: "what AWS's SDK finds: variables, files, roles"
  }),
  s3_secret_access_key: optional({
    value: "KEY",
    description: "the access key's secret",
    parse: text,
    initially: "none",
    secret: true
  }),
  s3_secret_access_key_file: secretFile("a file with it")
}

type Files = { readonly [Name in keyof typeof files]: (typeof files)[Name]["initial"] }

/** Errors of combinations of settings; each line names its variables. */
export const fileProblems = (config: Files & { readonly store: string }): ReadonlyArray<string> => {
  const [hasId, hasSecret] = [config.s3_access_key_id !== undefined, config.s3_secret_access_key !== undefined]
  const stray = Object.keys(files).find((name) => name !== "files" && config[name as keyof Files] !== undefined)
  return [
    ...(config.files === undefined && stray !== undefined
      ? [`TAPEDECK_${stray.toUpperCase()}: is for TAPEDECK_FILES=s3://…, which is not set`]
      : []),
    ...(config.files !== undefined && config.store === "memory"
      ? ["TAPEDECK_FILES: TAPEDECK_STORE=memory stores files in memory: set one of them"]
      : []),
    ...(hasId === hasSecret
      ? []
      : ["TAPEDECK_S3_ACCESS_KEY_ID and TAPEDECK_S3_SECRET_ACCESS_KEY: set both, or neither"])
  ]
}
