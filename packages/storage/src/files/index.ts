export { FileBytes, type Received } from "./FileBytes.ts"
export { checkRoom, roomCheckedEvery } from "./room.ts"
export type { Inventory } from "./s3/inventory.ts"
export type { S3Options } from "./s3/S3Options.ts"
export type { FilesRefused } from "./s3/trouble.ts"
export { FileTrouble } from "./trouble.ts"

/** What opens an `Inventory`. The SDK is loaded now. */
export const loadInventory = async () => (await import("./s3/inventory.ts")).openInventory
