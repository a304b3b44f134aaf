import type { FolderRepository } from "@tapedeck/core"
import { Folder } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { allOf, type DocumentRow, documentsIn, firstOf } from "../database/documents.ts"

const readFolder = documentsIn("folders", Folder)

export const makeFolders = ({ read, sql, write }: Database): FolderRepository => ({
  byId: (id) => read(firstOf(readFolder, sql<DocumentRow>`SELECT id, document FROM folders WHERE id = ${id}`)),
  list: (accountId) =>
    read(
      allOf(
        readFolder,
        sql<DocumentRow>`SELECT id, document FROM folders WHERE account_id = ${accountId} ORDER BY sequence`
      )
    ),
  save: (folder) =>
    write(sql`
      INSERT INTO folders (id, account_id, document) VALUES (${folder.id}, ${folder.accountId}, ${JSON.stringify(folder)})
      ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, document = excluded.document`).pipe(
      Effect.asVoid
    ),
  remove: (id) => Effect.asVoid(write(sql`DELETE FROM folders WHERE id = ${id}`))
})
