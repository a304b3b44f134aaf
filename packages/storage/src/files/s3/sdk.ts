/** The SDK, an optional peer dependency of this package, is not installed. */
export class S3SdkMissing extends Error {
  override readonly name = "S3SdkMissing"
  constructor() {
    super("Files in S3 need the package @aws-sdk/client-s3, which is not installed: npm install @aws-sdk/client-s3")
  }
}

/** Imports a module that uses the SDK. Rejects with `S3SdkMissing` if the SDK is not installed. */
export const withSdk = <Module>(load: () => Promise<Module>): Promise<Module> =>
  load().catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes("@aws-sdk/client-s3")) throw new S3SdkMissing()
    throw error
  })
