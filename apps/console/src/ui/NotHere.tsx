import { NotFoundError } from "@tapedeck/client"
import { Page } from "./Page.tsx"
import { Problem } from "./states.tsx"

const notFound = new NotFoundError("The address leads to no page of the console.")

export const NotHere = () => (
  <Page title="No such page">
    <Problem error={notFound} />
  </Page>
)
