import { useMutation } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { FolderField } from "../folders/FolderField.tsx"
import { Button } from "../ui/Button.tsx"
import { CheckField, SelectField, TextArea, TextField } from "../ui/Field.tsx"
import { linesOf } from "../ui/format.ts"
import { Modal } from "../ui/Modal.tsx"
import { messageOf } from "../ui/states.tsx"
import { platformName, platforms } from "./facts.ts"

interface SiteFormProps {
  /** The site to edit; null for a new one. */
  readonly site: Settings.Site | null
  readonly onSaved: (site: Settings.Site) => void
  readonly onClose: () => void
}

const lists = [
  ["headers", "Redacted headers", "Names of headers, in addition to Authorization, cookies and tokens."],
  [
    "query_parameters",
    "Redacted parameters",
    "Names in addresses, forms and JSON, in addition to passwords, tokens and similar ones."
  ],
  ["selectors", "Masked elements", "CSS selectors of elements to blur, in addition to password and payment fields."],
  ["body_urls", "Addresses whose bodies are kept", "* stands for any characters. ! before an address excludes it."]
] as const

/** Creates or edits a site. Each line of a list is an item. */
export const SiteForm = ({ onClose, onSaved, site }: SiteFormProps) => {
  const [name, setName] = useState(site?.name ?? "")
  const [origins, setOrigins] = useState(site?.origins.join("\n") ?? "")
  const [folder, setFolder] = useState(site?.folder_id ?? "")
  const [platform, setPlatform] = useState(site?.helpdesk.platform ?? "")
  const [isEnabled, setEnabled] = useState(site?.is_enabled ?? true)
  const [redaction, setRedaction] = useState(
    Object.fromEntries(lists.map(([key]) => [key, site?.redaction[key].join("\n") ?? ""]))
  )
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name,
        origins: linesOf(origins),
        folder_id: folder === "" ? null : folder,
        helpdesk: { platform: platform === "" ? null : platform },
        redaction: Object.fromEntries(lists.map(([key]) => [key, linesOf(redaction[key] ?? "")])),
        is_enabled: isEnabled
      }
      return site === null ? tapedeck.settings.sites.create(body) : tapedeck.settings.sites.update(site.id, body)
    },
    onSuccess: onSaved
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Modal title={site === null ? "New site" : "Edit the site"} isOpen onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <TextField
          label="Name"
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextArea
          label="Origins"
          hint="One a line, as https://shop.example.com; https://*.example.com allows every subdomain."
          rows={2}
          required
          value={origins}
          onChange={({ target }) => setOrigins(target.value)}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <FolderField value={folder} onChange={setFolder} />
          <SelectField
            label="Platform of its tickets"
            value={platform}
            onChange={({ target }) => setPlatform(target.value)}
          >
            <option value="">None</option>
            {platforms.map((one) => (
              <option key={one} value={one}>
                {platformName(one)}
              </option>
            ))}
          </SelectField>
          {lists.map(([key, label, hint]) => (
            <TextArea
              key={key}
              label={label}
              hint={hint}
              rows={2}
              value={redaction[key]}
              onChange={({ target }) => setRedaction({ ...redaction, [key]: target.value })}
            />
          ))}
        </div>
        <CheckField
          label="Enabled"
          hint="Its pages show the button and start recordings."
          checked={isEnabled}
          onChange={({ target }) => setEnabled(target.checked)}
        />
        {save.isError && (
          <p role="alert" className="text-bad">
            {messageOf(save.error)}
          </p>
        )}
        <div className="flex justify-end gap-2 pt-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={save.isPending}>
            {site === null ? "Create" : "Save"}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
