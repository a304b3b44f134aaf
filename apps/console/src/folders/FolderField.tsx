import { SelectField } from "../ui/Field.tsx"
import { FolderOptions } from "./FolderOptions.tsx"

interface FolderFieldProps {
  /** A folder's id; empty for none. */
  readonly value: string
  readonly onChange: (id: string) => void
}

/** The folder that a new recording enters. */
export const FolderField = ({ onChange, value }: FolderFieldProps) => {
  return (
    <SelectField
      label="Folder"
      hint="Its automations fire."
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">In no folder</option>
      <FolderOptions />
    </SelectField>
  )
}
