/** A bucket in S3 or in a compatible store. */
export interface S3Options {
  readonly bucket: string
  /** The prefix of all keys: empty, or ending in `/`. Each installation needs its own. */
  readonly prefix: string
  /** URL of a store other than AWS. */
  readonly endpoint?: string | undefined
  /** Default: the SDK's variables and files; with an endpoint `us-east-1`. */
  readonly region?: string | undefined
  /** True if the bucket is part of the path, not of the host name. Default: true with an endpoint. */
  readonly pathStyle?: boolean | undefined
  /** Default: the SDK's sources (variables, files, the machine's or pod's role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  /** A directory for content that is being received; see `DiskOptions`. */
  readonly temporary: string
  /** Maximum number of tries of a request, with exponential backoff. */
  readonly tries?: number | undefined
}
