export { Api } from "./Api.ts"
export { Folder, FolderInput, FolderPage, Folders } from "./Folders.ts"
export { AdminAccess, MemberAccess, SessionOnly } from "./middleware.ts"
