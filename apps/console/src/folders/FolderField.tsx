import { SelectField } from "../ui/Field.tsx"
import { useFolders } from "./queries.ts"

interface FolderFieldProps {
  /** A folder's id; empty for none. */
  readonly value: string
  readonly onChange: (id: string) => void
}

/** The folder that a new recording enters. */
export const FolderField = ({ onChange, value }: FolderFieldProps) => {
  const folders = useFolders()
  return (
    <SelectField
      label="Folder"
      hint="Its automations fire."
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">In no folder</option>
      {folders.data?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
