import { Link } from "@tanstack/react-router"
import { LogOut, Monitor, Moon, Search, Sun } from "lucide-react"
import { tapedeck } from "../api/client.ts"
import { mount, productPath } from "../api/mount.ts"
import { useMe } from "../api/session.tsx"
import { deleteAllNow } from "../recordings/deletions.ts"
import { forgetAllUploads } from "../recordings/unfinishedUploads.ts"
import { IconButton } from "../ui/Button.tsx"
import { cx } from "../ui/cx.ts"
import { failed } from "../ui/Toasts.tsx"
import { paletteKeys, setPalette } from "./palette.ts"
import { sections } from "./sections.ts"
import { setTheme, type Theme, themes, useTheme } from "./theme.ts"

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const satisfies Record<Theme, unknown>
const themeNames = { system: "As the system", light: "Light", dark: "Dark" } as const

/** Signs out. An emulator has no sign-in, because its bar selects the user. */
const SignOut = () => {
  if (mount.control !== null) return null
  const signOut = async () => {
    try {
      await deleteAllNow()
      await tapedeck.settings.sessions.signOut()
      forgetAllUploads()
      location.assign(productPath("/sign-in"))
    } catch (error) {
      failed(error)
    }
  }
  return <IconButton icon={LogOut} label="Sign out" onClick={signOut} />
}

const ThemeSwitch = () => {
  const theme = useTheme()
  return (
    <fieldset className="flex rounded-md border border-line p-0.5">
      <legend className="sr-only">Colours</legend>
      {themes.map((one) => {
        const Icon = themeIcons[one]
        return (
          <label
            key={one}
            title={themeNames[one]}
            className={cx(
              "flex h-6 flex-1 cursor-pointer items-center justify-center rounded px-2 has-focus-visible:outline-2 has-focus-visible:outline-accent",
              theme === one ? "bg-hover text-ink" : "text-faint hover:text-ink"
            )}
          >
            <input
              type="radio"
              name="theme"
              className="sr-only"
              checked={theme === one}
              onChange={() => setTheme(one)}
              aria-label={themeNames[one]}
            />
            <Icon aria-hidden className="size-3.5" />
          </label>
        )
      })}
    </fieldset>
  )
}

const Mark = () => (
  <svg aria-hidden viewBox="0 0 32 32" className="size-6">
    <rect width="32" height="32" rx="8" className="fill-accent-strong" />
    <g fill="none" stroke="#fff" strokeWidth="2.4">
      <circle cx="10.5" cy="15" r="4" />
      <circle cx="21.5" cy="15" r="4" />
      <path d="M10.5 19h11" />
    </g>
  </svg>
)

/** The links that the caller may use, the account, and the signed-in user. */
export const Navigation = ({ onChosen }: { readonly onChosen?: () => void }) => {
  const me = useMe()
  return (
    <div className="flex h-full flex-col gap-4 p-3">
      <div className="flex items-center gap-2 px-1.5 pt-1">
        <Mark />
        <span className="truncate font-semibold tracking-tight">
          <bdi>{me.account.name}</bdi>
        </span>
      </div>
      <button
        type="button"
        aria-keyshortcuts="Control+K Meta+K"
        className="flex h-8 items-center gap-2.5 rounded-md border border-line bg-raised px-2 text-left text-soft hover:bg-hover"
        onClick={() => {
          onChosen?.()
          setPalette(true)
        }}
      >
        <Search aria-hidden className="size-4 shrink-0" />
        <span className="flex-1">Search</span>
        <kbd className="text-xs max-md:hidden">{paletteKeys}</kbd>
      </button>
      <nav aria-label="Main" className="flex-1 overflow-y-auto">
        {sections.map((group) => (
          <ul key={group[0].to} className="mb-4 space-y-0.5">
            {group
              .filter(({ isForAdmins }) => me.isAdmin || !isForAdmins)
              .map(({ icon: Icon, name, to }) => (
                <li key={to}>
                  <Link
                    to={to as "/recordings"}
                    {...(onChosen !== undefined && { onClick: onChosen })}
                    className="flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-soft hover:bg-hover hover:text-ink"
                    activeProps={{ className: "bg-hover !text-ink" }}
                  >
                    <Icon aria-hidden className="size-4 shrink-0" />
                    {name}
                  </Link>
                </li>
              ))}
          </ul>
        ))}
      </nav>
      <ThemeSwitch />
      <div className="flex items-center gap-2 border-t border-line pt-3 pl-1.5">
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium">
            <bdi>{me.name}</bdi>
          </p>
          <p className="truncate text-xs text-soft">
            <bdi>{me.email}</bdi>
          </p>
        </div>
        <SignOut />
      </div>
    </div>
  )
}
