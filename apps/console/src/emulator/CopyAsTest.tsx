import { Menu } from "@base-ui/react/menu"
import type { Settings } from "@tapedeck/client"
import { FlaskConical } from "lucide-react"
import { mount } from "../api/mount.ts"
import { useMe } from "../api/session.tsx"
import { buttonClass } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { failed } from "../ui/Toasts.tsx"
import { asCurl, asPython, asTypeScript } from "./asTest.ts"
import { readScenario } from "./readScenario.ts"

const languages = [
  ["TypeScript (vitest)", asTypeScript],
  ["Python (pytest)", asPython],
  ["curl (with jq)", asCurl]
] as const

/** Copies a test that repeats this delivery. Only on an emulator. */
export const CopyAsTest = ({ delivery }: { readonly delivery: Settings.Delivery }) => {
  const { account } = useMe()
  if (mount.control === null || delivery.automation_id === null || delivery.recording_uuid === null) return null
  const copy = async (write: (typeof languages)[number][1]) => {
    try {
      const { id, name } = account
      const text = write(await readScenario(delivery.id, { id, name }), location.origin)
      await copyText(text, "The test is copied.")
    } catch (error) {
      failed(error)
    }
  }
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonClass()}>
        <FlaskConical aria-hidden className="size-3.5" />
        Copy as a test
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-40">
          <Menu.Popup className="min-w-48 rounded-lg border border-line bg-raised p-1 shadow-pop outline-none">
            {languages.map(([name, write]) => (
              <Menu.Item
                key={name}
                className="cursor-pointer rounded px-2.5 py-1.5 outline-none data-highlighted:bg-hover"
                onClick={() => copy(write)}
              >
                {name}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
