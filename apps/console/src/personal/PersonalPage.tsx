import { mount } from "../api/mount.ts"
import { Page } from "../ui/Page.tsx"
import { PasswordCard } from "./PasswordCard.tsx"
import { ProfileCard } from "./ProfileCard.tsx"
import { SessionsCard } from "./SessionsCard.tsx"
import { TokensCard } from "./TokensCard.tsx"

/** The caller's profile and tokens. An emulator has neither passwords nor sessions. */
export const PersonalPage = () => (
  <Page title="Personal">
    <div className="max-w-4xl space-y-4">
      <ProfileCard />
      <TokensCard />
      {mount.control === null && (
        <>
          <PasswordCard />
          <SessionsCard />
        </>
      )}
    </div>
  </Page>
)
