import { withSdk } from "./s3/sdk.ts"

export type { Received } from "./Bytes.ts"
export { FileBytes } from "./FileBytes.ts"
export { checkRoom, roomCheckedEvery } from "./room.ts"
export type { Inventory } from "./s3/inventory.ts"
export type { S3Options } from "./s3/S3Options.ts"
export { S3SdkMissing } from "./s3/sdk.ts"
export type { FilesRefused } from "./s3/trouble.ts"
export { FileTrouble } from "./trouble.ts"

/** What opens an `Inventory`. The SDK is loaded now; rejects with `S3SdkMissing` if it is not installed. */
export const loadInventory = async () => (await withSdk(() => import("./s3/inventory.ts"))).openInventory
