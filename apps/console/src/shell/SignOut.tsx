import { LogOut } from "lucide-react"
import { tapedeck } from "../api/client.ts"
import { mount, productPath } from "../api/mount.ts"
import { forgetAllUploads } from "../recordings/unfinishedUploads.ts"
import { IconButton } from "../ui/Button.tsx"
import { failed } from "../ui/Toasts.tsx"

/** An emulator has no sign-in: the bar selects the user. */
export const SignOut = () => {
  if (mount.control !== null) return null
  const signOut = async () => {
    try {
      await tapedeck.settings.sessions.signOut()
      forgetAllUploads()
      location.assign(productPath("/sign-in"))
    } catch (error) {
      failed(error)
    }
  }
  return <IconButton icon={LogOut} label="Sign out" onClick={signOut} />
}
