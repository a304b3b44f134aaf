export { type MovedTable, moveDatabase } from "./moveDatabase.ts"
