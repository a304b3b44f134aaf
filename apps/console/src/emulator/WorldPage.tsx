import { Tabs } from "@base-ui/react/tabs"
import { mount } from "../api/mount.ts"
import { NotHere } from "../ui/NotHere.tsx"
import { Page } from "../ui/Page.tsx"
import { FaultsTab } from "./FaultsTab.tsx"
import { JournalTab } from "./JournalTab.tsx"
import { MailsTab } from "./MailsTab.tsx"
import { PendingTab } from "./PendingTab.tsx"
import { SinksTab } from "./SinksTab.tsx"
import { WorldsTab } from "./WorldsTab.tsx"

const tabs = [
  ["pending", "Pending", PendingTab],
  ["sinks", "Sinks", SinksTab],
  ["mails", "Mails", MailsTab],
  ["faults", "Faults", FaultsTab],
  ["journal", "Journal", JournalTab],
  ["worlds", "Worlds", WorldsTab]
] as const

const tabClass =
  "h-8 px-1 text-sm font-medium text-soft border-b-2 border-transparent hover:text-ink data-active:border-accent data-active:text-ink"

/** Functions of an emulator in addition to the product: pending events, receivers, faults, the journal and the worlds. */
export const WorldPage = () => {
  if (mount.control === null) return <NotHere />
  return (
    <Page
      title="World"
      description="Functions of the emulator only: a clock that you move, scripted receivers and faults."
    >
      <Tabs.Root defaultValue="pending">
        <Tabs.List
          aria-label="Parts of the world"
          className="mb-4 flex gap-5 overflow-x-auto max-sm:gap-1.5 border-b border-line"
        >
          {tabs.map(([value, name]) => (
            <Tabs.Tab key={value} value={value} className={tabClass}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([value, , Tab]) => (
          <Tabs.Panel key={value} value={value}>
            <Tab />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </Page>
  )
}
