/** Where content is kept in S3, or in what speaks its language. */
export interface S3Options {
  readonly bucket: string
  /** What its names begin with: empty, or with `/` at its end. It is one installation's alone. */
  readonly prefix: string
  /** Of what is not AWS's own. */
  readonly endpoint?: string | undefined
  /** Where none is given the SDK looks for one, in its variables and files; with an endpoint it is `us-east-1`. */
  readonly region?: string | undefined
  /** Whether the bucket is part of the path, not of the host's name. Where nothing is said: with an endpoint. */
  readonly pathStyle?: boolean | undefined
  /** Where none are given the SDK looks for them: variables, files, and what the machine or the pod was given. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  /** A folder for content on its way in; see `DiskOptions`. */
  readonly temporary: string
  /**
   * Whether several processes have this content, with one database. Then only its transactions can say who comes first: one
   * that places content asks whether it is there, and one that retires it removes it; both lock its row meanwhile. For one
   * process alone, no transaction waits for the network.
   */
  readonly isShared?: boolean | undefined
  /** How often a request is tried before it has failed. Between two tries it waits, each time about twice as long. */
  readonly tries?: number | undefined
}
