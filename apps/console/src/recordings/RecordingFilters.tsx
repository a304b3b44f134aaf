import { SlidersHorizontal } from "lucide-react"
import { useState } from "react"
import { useMe } from "../api/session.tsx"
import { FolderOptions } from "../folders/FolderOptions.tsx"
import { usePeople } from "../people/queries.ts"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/Field.tsx"
import { choiceOf } from "../ui/format.ts"
import { Period } from "../ui/Period.tsx"
import { SearchBox } from "../ui/SearchBox.tsx"
import { orderNames, orders, platformName, platforms, types } from "./facts.ts"
import { maxSearchLength, type RecordingsSearch } from "./queries.ts"

interface RecordingFiltersProps {
  readonly search: RecordingsSearch
  readonly onChange: (change: RecordingsSearch) => void
}

const unlessEmpty = (text: string): string | undefined => (text === "" ? undefined : text)

/** Filters and order of the list, all of which are in the address. */
export const RecordingFilters = ({ onChange, search }: RecordingFiltersProps) => {
  const me = useMe()
  const [isOpen, setOpen] = useState(
    [search.platform, search.owner, search.since, search.until].some((one) => one !== undefined)
  )
  const owners = usePeople(me.isAdmin)
  return (
    <>
      <SearchBox
        label="Search recordings"
        placeholder="Title, ticket, words that were said"
        maxLength={maxSearchLength}
        value={search.search ?? ""}
        onSearch={(text) => onChange({ search: unlessEmpty(text) })}
      />
      <FilterSelect
        label="Type"
        value={search.type ?? ""}
        onChange={({ target }) => onChange({ type: choiceOf(types, target.value) })}
      >
        <option value="">All types</option>
        {types.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </FilterSelect>
      <FilterSelect
        label="Filter by folder"
        value={search.folder ?? ""}
        onChange={({ target }) => onChange({ folder: unlessEmpty(target.value) })}
      >
        <option value="">All folders</option>
        <FolderOptions />
      </FilterSelect>
      <FilterSelect
        label="Order"
        value={search.sort ?? "-created_at"}
        onChange={({ target }) =>
          onChange({ sort: target.value === "-created_at" ? undefined : choiceOf(orders, target.value) })
        }
      >
        {orders.map((order) => (
          <option key={order} value={order}>
            {orderNames[order]}
          </option>
        ))}
      </FilterSelect>
      <Button look="quiet" icon={SlidersHorizontal} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        More filters
      </Button>
      {isOpen && (
        <div className="order-last flex w-full flex-wrap items-center gap-2">
          <FilterSelect
            label="Helpdesk"
            value={search.platform ?? ""}
            onChange={({ target }) => onChange({ platform: choiceOf(platforms, target.value) })}
          >
            <option value="">All helpdesks</option>
            {platforms.map((platform) => (
              <option key={platform} value={platform}>
                {platformName(platform)}
              </option>
            ))}
          </FilterSelect>
          {me.isAdmin && (
            <FilterSelect
              label="Owner"
              value={search.owner ?? ""}
              onChange={({ target }) => onChange({ owner: unlessEmpty(target.value) })}
            >
              <option value="">All owners</option>
              {owners.data?.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </FilterSelect>
          )}
          <Period since={search.since} until={search.until} onChange={onChange} />
        </div>
      )}
    </>
  )
}
