export { FileBytes, type Received } from "./FileBytes.ts"
export { FileTrouble } from "./trouble.ts"
