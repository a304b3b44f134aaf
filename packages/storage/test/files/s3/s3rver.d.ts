declare module "s3rver" {
  export default class S3rver {
    constructor(options: {
      readonly address: string
      readonly port: number
      readonly silent: boolean
      readonly directory: string
      readonly configureBuckets: ReadonlyArray<{ readonly name: string; readonly configs: ReadonlyArray<string> }>
    })
    run(): Promise<{ readonly port: number }>
    readonly httpServer: import("node:http").Server
    readonly store: import("./backend.ts").ObjectFiles
  }
}
