export { FileBytes, type Received } from "./FileBytes.ts"
export { checkRoom, roomCheckedEvery } from "./room.ts"
export { FileTrouble } from "./trouble.ts"
