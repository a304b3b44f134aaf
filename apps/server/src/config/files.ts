import { Result } from "effect"
import { bothOrNeither, optional, type Problem, secretFile } from "./setting.ts"
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
    description: "bucket for the videos",
    details: "See [Videos in S3](operating.md#videos-in-s3).",
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
    description: "region of the bucket",
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
    description: "id of the access key",
    parse: text,
    initially: "credentials that AWS's SDK finds: variables, files, roles"
  }),
  s3_secret_access_key: optional({
    value: "KEY",
    description: "secret of the access key",
    parse: text,
    initially: "none",
    secret: true
  }),
  s3_secret_access_key_file: secretFile("a file with it")
}

type Files = { readonly [Name in keyof typeof files]: (typeof files)[Name]["initial"] }

const fileSettings = Object.keys(files) as ReadonlyArray<keyof Files>

/** Errors of combinations of settings. */
export const fileProblems = (
  config: Files & { readonly store: string }
): ReadonlyArray<Problem<keyof Files | "store">> => {
  const isStray = (name: keyof Files) =>
    name !== "files" && name !== "s3_secret_access_key_file" && config[name] !== undefined
  const stray = config.files === undefined ? fileSettings.filter(isStray) : []
  return [
    ...stray.map((name) => ({
      names: [name],
      text: "is for TAPEDECK_FILES=s3://…, which is not set",
      dependsOn: ["files"] as const
    })),
    ...(config.files !== undefined && config.store === "memory"
      ? [{ names: ["files", "store"] as const, text: "memory stores files in memory: set one of them" }]
      : []),
    ...bothOrNeither(config, "s3_access_key_id", "s3_secret_access_key")
  ]
}
