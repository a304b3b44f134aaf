import { Result } from "effect"
import { optional, secretFile } from "./setting.ts"
import { httpUrl, onOff, type Parse, text } from "./values.ts"

/** A bucket, and what the names in it begin with: empty, or with `/` at its end. */
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

/** Where the videos are, if not in the data directory. */
export const files = {
  files: optional({
    value: "s3://BUCKET/PREFIX",
    says: "a bucket that the videos are kept in",
    parse: bucketPlace,
    initially: "files/ in the data directory"
  }),
  s3_endpoint: optional({
    value: "URL",
    says: "what speaks S3 in place of AWS",
    parse: httpUrl,
    initially: "AWS"
  }),
  s3_region: optional({
    value: "NAME",
    says: "the bucket's region",
    parse: text,
    initially: "AWS_REGION; us-east-1 with s3_endpoint"
  }),
  s3_path_style: optional({
    value: "on|off",
    says: "whether the bucket is in the path, not in the host's name",
    parse: onOff,
    initially: "on with s3_endpoint, else off"
  }),
  s3_access_key_id: optional({
    value: "ID",
    says: "the access key's id",
    parse: text,
    initially: "what AWS's SDK finds: variables, files, roles"
  }),
  s3_secret_access_key: optional({
    value: "KEY",
    says: "the access key's secret",
    parse: text,
    initially: "none",
    secret: true
  }),
  s3_secret_access_key_file: secretFile("a file with it")
}

type Files = { readonly [Name in keyof typeof files]: (typeof files)[Name]["initial"] }

/** What is wrong with settings together, each line naming its variables. */
export const fileProblems = (config: Files & { readonly store: string }): ReadonlyArray<string> => {
  const [hasId, hasSecret] = [config.s3_access_key_id !== undefined, config.s3_secret_access_key !== undefined]
  const stray = Object.keys(files).find((name) => name !== "files" && config[name as keyof Files] !== undefined)
  return [
    ...(config.files === undefined && stray !== undefined
      ? [`TAPEDECK_${stray.toUpperCase()}: is for TAPEDECK_FILES=s3://…, which is not set`]
      : []),
    ...(config.files !== undefined && config.store === "memory"
      ? ["TAPEDECK_FILES: TAPEDECK_STORE=memory keeps files in memory: set one of them"]
      : []),
    ...(hasId === hasSecret
      ? []
      : ["TAPEDECK_S3_ACCESS_KEY_ID and TAPEDECK_S3_SECRET_ACCESS_KEY: set both, or neither"])
  ]
}
