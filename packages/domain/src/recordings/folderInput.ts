import { change, label, object } from "../input/fields.ts"

export const folderFields = { name: label("Label of the folder.").annotate({ examples: ["VIP customers"] }) }

export const FolderInput = object(folderFields, "A folder to create.")
export type FolderInput = typeof FolderInput.Type

export const FolderChange = change(folderFields, "Changes of a folder.")
export type FolderChange = typeof FolderChange.Type
