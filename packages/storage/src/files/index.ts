import { withSdk } from "./s3/sdk.ts"

export type { Received } from "./Bytes.ts"
export type { FilesRefused } from "./errors.ts"
export { FileError } from "./errors.ts"
export { FileBytes } from "./FileBytes.ts"
export { checkFreeSpace, freeSpaceCheckBytes } from "./freeSpace.ts"
export type { Inventory } from "./s3/inventory.ts"
export type { S3Options } from "./s3/S3Options.ts"
export { S3SdkMissing } from "./s3/sdk.ts"

/** Loads the SDK and returns `openInventory`. Rejects with `S3SdkMissing` if the SDK is not installed. */
export const loadInventory = async () => (await withSdk(() => import("./s3/inventory.ts"))).openInventory
