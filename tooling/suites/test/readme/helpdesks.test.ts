import { readFileSync } from "node:fs"
import { helpdeskPresets, presetLabel } from "@tapedeck/domain/internal/presets"
import { helpdeskPlatforms } from "@tapedeck/domain/internal/recordings"
import { expect, test } from "vitest"

test("each helpdesk has a preset, and docs/helpdesks.md lists its values and its API", () => {
  expect(helpdeskPresets.map(({ platform }) => platform)).toEqual(helpdeskPlatforms)
  const page = readFileSync(new URL("../../../../docs/helpdesks.md", import.meta.url), "utf8")
  const rows = helpdeskPresets.map((preset) => {
    const values = preset.fields.map(({ label }) => label).join("; ")
    return `| ${presetLabel(preset)} | ${values} | [\`${preset.method}\`](${preset.documentation}) |`
  })
  expect(page).toContain(rows.join("\n"))
})
