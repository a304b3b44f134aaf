import type { Settings } from "@tapedeck/client"
import { helpdeskPlatforms } from "@tapedeck/domain/internal/recordings"
import type { ReactNode } from "react"
import { platformName, typeMeanings, types } from "../recordings/facts.ts"
import { CheckField } from "../ui/Field.tsx"
import { known } from "../ui/format.ts"

export const noCondition: Settings.AutomationCondition = { platforms: [], types: [], has_ticket: false }

interface ConditionFieldsProps {
  readonly condition: Settings.AutomationCondition
  readonly onChange: (condition: Settings.AutomationCondition) => void
}

/** Adds the item, or removes it. */
const toggled = <Item extends string>(items: ReadonlyArray<Item>, item: Item): ReadonlyArray<Item> =>
  items.includes(item) ? items.filter((one) => one !== item) : [...items, item]

const Group = ({ children, legend }: { readonly legend: string; readonly children: ReactNode }) => (
  <fieldset className="min-w-0">
    <legend className="mb-1.5 text-xs font-medium text-soft">{legend}</legend>
    {children}
  </fieldset>
)

/** The recordings that an automation sends. */
export const ConditionFields = ({ condition, onChange }: ConditionFieldsProps) => {
  const { has_ticket: hasTicket, platforms, types: chosen } = condition
  // The service's own app has the vendor's name, which only the API knows.
  const offered = [...new Set<string>([...helpdeskPlatforms, ...platforms])]
  return (
    <div className="grid gap-4 md:grid-cols-[minmax(12rem,1fr)_minmax(12rem,1fr)_2fr]">
      <Group legend="Ticket">
        <CheckField
          label="It has a ticket"
          hint="A ticket, conversation, issue or object of a helpdesk."
          checked={hasTicket}
          onChange={({ target }) => onChange({ ...condition, has_ticket: target.checked })}
        />
      </Group>
      <Group legend="Type: none checked for all">
        <div className="space-y-2">
          {types.map((type) => (
            <CheckField
              key={type}
              label={type}
              hint={known(typeMeanings, type)}
              checked={chosen.includes(type)}
              onChange={() => onChange({ ...condition, types: toggled(chosen, type) })}
            />
          ))}
        </div>
      </Group>
      <Group legend="Platform: none checked for all">
        <div className="grid gap-2 sm:grid-cols-2">
          {offered.map((platform) => (
            <CheckField
              key={platform}
              label={platformName(platform)}
              checked={platforms.includes(platform)}
              onChange={() => onChange({ ...condition, platforms: toggled(platforms, platform) })}
            />
          ))}
        </div>
      </Group>
    </div>
  )
}
