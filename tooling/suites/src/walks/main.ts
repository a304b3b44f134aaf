/** `pnpm walks`: which source files a list request on SQLite, and a delivery on PostgreSQL, execute. */
import { deliveryWalk, listWalk } from "./walks.ts"

const print = (title: string, files: ReadonlyArray<string>) =>
  console.log(`${title}: ${files.length} files\n${files.map((file) => `  ${file}\n`).join("")}`)

print("A list on SQLite", await listWalk())
print("A delivery on PostgreSQL", await deliveryWalk())
