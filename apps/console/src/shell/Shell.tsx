import { Dialog } from "@base-ui/react/dialog"
import { useQueryClient } from "@tanstack/react-query"
import { Outlet, useMatches } from "@tanstack/react-router"
import { ForbiddenError } from "@tapedeck/client"
import { Menu, Search } from "lucide-react"
import { lazy, Suspense, useEffect, useState } from "react"
import { whenSignedOut } from "../api/client.ts"
import { mount, productPath } from "../api/mount.ts"
import { SignedIn, useMe, useSession } from "../api/session.tsx"
import { IconButton } from "../ui/Button.tsx"
import { useKeys } from "../ui/keys.ts"
import { lazyPage } from "../ui/lazyPage.ts"
import { Page } from "../ui/Page.tsx"
import { Loading, Problem } from "../ui/states.tsx"
import { LiveBar } from "./LiveBar.tsx"
import { Navigation } from "./Navigation.tsx"
import { setPalette, usePalette } from "./palette.ts"
import { sections } from "./sections.ts"

const EmulatorFrame = mount.control === null ? null : lazyPage(() => import("../emulator/EmulatorFrame.tsx"))
const SignInAgain = lazy(() => import("./SignInAgain.tsx"))
const Palette = lazy(() => import("./Palette.tsx"))

/** Loads what the first screen of an emulator needs besides its page. */
export const loadFrame = async (): Promise<void> => {
  await EmulatorFrame?.preload?.()
}

/** Frame of every screen. On an emulator, the bar of the world comes first, which shows the acting user. */
export const Shell = () => (
  <>
    <SkipLink />
    {EmulatorFrame === null ? (
      <div className="flex h-full">
        <Frame />
      </div>
    ) : (
      <EmulatorFrame>
        <Frame />
      </EmulatorFrame>
    )}
  </>
)

const SkipLink = () => (
  // biome-ignore lint/a11y/useValidAnchor: a link by its meaning; by its address it would leave the page, as the base is another
  <a
    href="#main"
    className="sr-only z-50 rounded-md bg-accent-strong px-3 py-2 font-medium text-white focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
    onClick={(event) => {
      event.preventDefault()
      document.getElementById("main")?.focus()
    }}
  >
    Skip to the content
  </a>
)

const Starting = () => (
  <main className="p-6">
    <Loading />
  </main>
)

const signInPage = () => `${productPath("/sign-in")}?next=${encodeURIComponent(location.pathname + location.search)}`

const Frame = () => {
  const session = useSession()
  const client = useQueryClient()
  const [isSignedOut, setSignedOut] = useState(false)
  useEffect(() => whenSignedOut(() => setSignedOut(true)), [])
  const isStranger = session.data === null && mount.control === null
  useEffect(() => {
    if (isStranger) location.replace(signInPage())
  }, [isStranger])
  if (session.data === undefined) {
    return session.error === null ? (
      <Starting />
    ) : (
      <main className="p-6">
        <Problem error={session.error} onRetry={() => session.refetch()} />
      </main>
    )
  }
  const me = session.data
  if (me === null) return <Starting />
  return (
    <SignedIn me={me}>
      <div className="flex min-h-0 min-w-0 flex-1">
        <aside className="hidden w-56 shrink-0 border-r border-line md:block">
          <Navigation />
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <SmallBar />
          <LiveBar isSignedOut={isSignedOut} />
          <main id="main" tabIndex={-1} className="flex min-h-0 flex-1 flex-col overflow-y-auto outline-none">
            <Screen />
          </main>
        </div>
      </div>
      <PaletteHere />
      {isSignedOut && (
        <Suspense>
          <SignInAgain
            me={me}
            onSignedIn={() => {
              setSignedOut(false)
              void client.invalidateQueries()
            }}
          />
        </Suspense>
      )}
    </SignedIn>
  )
}

/** The palette, which its keys open on every screen. */
const PaletteHere = () => {
  const isOpen = usePalette()
  useKeys(({ altKey, ctrlKey, key, metaKey, shiftKey }) => {
    if (key.toLowerCase() !== "k" || altKey || shiftKey || ctrlKey === metaKey) return false
    setPalette(!isOpen)
    return true
  })
  return (
    isOpen && (
      <Suspense>
        <Palette onClose={() => setPalette(false)} />
      </Suspense>
    )
  )
}

const isForAdmins = new ForbiddenError(
  "This page is for admins. Ask one of them to change your role, or to do it for you."
)

/** The screen of the URL. Screens that the caller may not use are neither shown nor requested. */
const Screen = () => {
  const me = useMe()
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? "" })
  const section = sections.flat().find(({ to }) => path === to || path.startsWith(`${to}/`))
  if (me.isAdmin || section?.isForAdmins !== true) return <Outlet />
  return (
    <Page title={section.name}>
      <Problem error={isForAdmins} />
    </Page>
  )
}

/** The navigation of narrow screens. */
const SmallBar = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <nav aria-label="Menu and search" className="flex items-center gap-2 border-b border-line px-3 py-2 md:hidden">
      <Dialog.Root open={isOpen} onOpenChange={setOpen}>
        <Dialog.Trigger className="flex size-8 items-center justify-center rounded-md hover:bg-hover" aria-label="Menu">
          <Menu aria-hidden className="size-5" />
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
          <Dialog.Popup className="fixed inset-y-0 left-0 z-40 w-64 border-r border-line bg-ground shadow-pop outline-none">
            <Dialog.Title className="sr-only">Menu</Dialog.Title>
            <Navigation onChosen={() => setOpen(false)} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      <span className="flex-1 font-semibold">Tapedeck</span>
      <IconButton icon={Search} label="Search everything" onClick={() => setPalette(true)} />
    </nav>
  )
}
