import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { FolderPlus } from "lucide-react"
import { useState } from "react"
import { tapedeck } from "../api/client.ts"
import { useFolderName, useFolders } from "../folders/queries.ts"
import { BackLink } from "../ui/BackLink.tsx"
import { buttonClass } from "../ui/Button.tsx"
import { Page } from "../ui/Page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { AutomationForm, type AutomationStart } from "./AutomationForm.tsx"
import { PresetChooser } from "./PresetChooser.tsx"
import { ReceiverActions } from "./ReceiverActions.tsx"
import { SecretCard } from "./SecretCard.tsx"

const back = <BackLink to="/automations" />

export const NewAutomationPage = () => {
  const folders = useFolders()
  const { folder } = useSearch({ from: "/automations/new" })
  const [start, setStart] = useState<AutomationStart>()
  return (
    <Page title="New automation" back={back}>
      <Loaded query={folders}>
        {(list) =>
          list.length === 0 ? (
            <Empty
              icon={FolderPlus}
              title="An automation needs a folder"
              action={
                <Link to="/folders" className={buttonClass("primary")}>
                  Create a folder
                </Link>
              }
            >
              It fires for each recording that is added to its folder, and there is no folder yet.
            </Empty>
          ) : (
            <div className="space-y-4">
              <PresetChooser onFill={setStart} />
              <AutomationForm
                key={JSON.stringify(start)}
                automation={null}
                folders={list}
                chosenFolder={folder}
                start={start}
              />
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

export const AutomationPage = () => {
  const { id } = useParams({ from: "/automations/$id" })
  const automation = useQuery({
    queryKey: ["automations", id],
    queryFn: () => tapedeck.settings.automations.get(id)
  })
  const folders = useFolders()
  const folderName = useFolderName()
  const navigate = useNavigate()
  const found = automation.data
  return (
    <Page
      title={found === undefined ? "Automation" : `Automation of ${folderName(found.folder_id)}`}
      back={back}
      actions={
        found !== undefined && (
          <ReceiverActions
            kind="automation"
            id={id}
            onDeleted={() => navigate({ to: "/automations", ignoreBlocker: true })}
          />
        )
      }
    >
      <Loaded query={automation}>
        {(one) => (
          <Loaded query={folders}>
            {(list) => (
              <div className="space-y-4">
                <AutomationForm key={one.id} automation={one} folders={list} />
                <SecretCard
                  kind="automation"
                  id={one.id}
                  masked={one.secret}
                  previous={one.previous_secrets}
                  queryKey={["automations", one.id]}
                />
              </div>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
