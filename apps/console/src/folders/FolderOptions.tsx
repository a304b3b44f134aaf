import { maxFolders, useFolders } from "./queries.ts"

/** The folders as options of a select; the last one is a notice that there may be more folders. */
export const FolderOptions = () => {
  const { data: folders = [] } = useFolders()
  return (
    <>
      {folders.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {folders.length >= maxFolders && (
        <option disabled>{maxFolders.toLocaleString("en")} folders are listed at most</option>
      )}
    </>
  )
}
