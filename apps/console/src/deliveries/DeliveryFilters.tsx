import { auditEventTypes } from "@tapedeck/domain/audit"
import { useAutomations, useFolderName } from "../folders/queries.ts"
import { RecordingFilter } from "../recordings/RecordingFilter.tsx"
import { FilterSelect } from "../ui/Field.tsx"
import { choiceOf } from "../ui/format.ts"
import { Period } from "../ui/Period.tsx"
import { automationName, type DeliveriesSearch, useDestinations } from "./queries.ts"
import { states, stateWord } from "./words.ts"

interface DeliveryFiltersProps {
  readonly search: DeliveriesSearch
  readonly onChange: (change: DeliveriesSearch) => void
}

const inputClass = "h-8 rounded-md border border-line bg-raised px-2 hover:bg-hover"
const unlessEmpty = (text: string): string | undefined => (text === "" ? undefined : text)

/** A receiver as the value of an option: its kind, and its id. */
const receiverOf = ({ automation, destination }: DeliveriesSearch): string =>
  automation !== undefined ? `a:${automation}` : destination !== undefined ? `d:${destination}` : ""

const searchOf = (receiver: string): DeliveriesSearch => ({
  automation: receiver.startsWith("a:") ? receiver.slice(2) : undefined,
  destination: receiver.startsWith("d:") ? receiver.slice(2) : undefined
})

/** Filters of the log, all of which are in the address. */
export const DeliveryFilters = ({ onChange, search }: DeliveryFiltersProps) => {
  const automations = useAutomations()
  const destinations = useDestinations()
  const folderName = useFolderName()
  return (
    <>
      <FilterSelect
        label="Receiver"
        className="max-w-72"
        value={receiverOf(search)}
        onChange={({ target }) => onChange(searchOf(target.value))}
      >
        <option value="">All receivers</option>
        <optgroup label="Automations">
          {automations.data?.map((one) => (
            <option key={one.id} value={`a:${one.id}`}>
              {automationName(one, folderName(one.folder_id))}
            </option>
          ))}
        </optgroup>
        <optgroup label="Audit destinations">
          {destinations.data?.map(({ id, name }) => (
            <option key={id} value={`d:${id}`}>
              {name}
            </option>
          ))}
        </optgroup>
      </FilterSelect>
      <FilterSelect
        label="State"
        value={search.state ?? ""}
        onChange={({ target }) => onChange({ state: choiceOf(states, target.value) })}
      >
        <option value="">Any state</option>
        {states.map((one) => (
          <option key={one} value={one}>
            {stateWord(one)}
          </option>
        ))}
      </FilterSelect>
      <FilterSelect
        label="Event"
        className="max-w-56"
        value={search.event ?? ""}
        onChange={({ target }) => onChange({ event: unlessEmpty(target.value) })}
      >
        <option value="">Any event</option>
        {auditEventTypes.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </FilterSelect>
      <input
        type="text"
        inputMode="numeric"
        aria-label="Status of an answer"
        placeholder="Status"
        maxLength={3}
        className={`${inputClass} w-18 tabular placeholder:text-faint`}
        value={search.status ?? ""}
        onChange={({ target }) => onChange({ status: unlessEmpty(target.value.replace(/\D/g, "")) })}
      />
      <Period since={search.since} until={search.until} onChange={onChange} />
      <RecordingFilter value={search.recording} onChange={(recording) => onChange({ recording })} />
    </>
  )
}
