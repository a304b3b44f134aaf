import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router"
import { queries } from "./api/client.ts"
import { mount } from "./api/mount.ts"
import { recordingPages } from "./recordings/queries.ts"
import { RecordingsPage } from "./recordings/RecordingsPage.tsx"
import {
  readDeliveriesSearch,
  readNewAutomationSearch,
  readNewLinkSearch,
  readRecordingSearch,
  readRecordingsSearch,
  readSecuritySearch
} from "./search.ts"
import { Shell } from "./shell/Shell.tsx"
import { LoadError } from "./ui/LoadError.tsx"
import { lazyPage } from "./ui/lazyPage.ts"
import { NotHere } from "./ui/NotHere.tsx"
import { startReading } from "./ui/usePages.ts"

const root = createRootRoute({ component: Shell, notFoundComponent: NotHere })

const index = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/recordings", replace: true })
  }
})

const recordings = createRoute({
  getParentRoute: () => root,
  path: "/recordings",
  validateSearch: readRecordingsSearch,
  component: RecordingsPage,
  // A server's session exists already, so the list is read while the screen is created.
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => {
    if (mount.control === null) startReading(queries, recordingPages(deps))
  }
})

const captureLinks = createRoute({
  getParentRoute: () => root,
  path: "/recordings/links",
  validateSearch: readNewLinkSearch,
  component: lazyPage(() => import("./recordings/CaptureLinksPage.tsx"), "CaptureLinksPage")
})

/** The address for macros of helpdesks. */
const newLink = createRoute({
  getParentRoute: () => root,
  path: "/new-link",
  validateSearch: readNewLinkSearch,
  beforeLoad: ({ search }) => {
    throw redirect({ to: "/recordings/links", search, replace: true })
  }
})

const sites = createRoute({
  getParentRoute: () => root,
  path: "/recordings/sites",
  component: lazyPage(() => import("./recordings/SitesPage.tsx"), "SitesPage")
})

const recording = createRoute({
  getParentRoute: () => root,
  path: "/recordings/$uuid",
  validateSearch: readRecordingSearch,
  component: lazyPage(() => import("./recordings/RecordingPage.tsx"), "RecordingPage")
})

const folders = createRoute({
  getParentRoute: () => root,
  path: "/folders",
  component: lazyPage(() => import("./folders/FoldersPage.tsx"), "FoldersPage")
})

const automations = createRoute({
  getParentRoute: () => root,
  path: "/automations",
  component: lazyPage(() => import("./automations/AutomationsPage.tsx"), "AutomationsPage")
})

const newAutomation = createRoute({
  getParentRoute: () => root,
  path: "/automations/new",
  validateSearch: readNewAutomationSearch,
  component: lazyPage(() => import("./automations/AutomationPage.tsx"), "NewAutomationPage")
})

const automation = createRoute({
  getParentRoute: () => root,
  path: "/automations/$id",
  component: lazyPage(() => import("./automations/AutomationPage.tsx"), "AutomationPage")
})

const deliveries = createRoute({
  getParentRoute: () => root,
  path: "/deliveries",
  validateSearch: readDeliveriesSearch,
  component: lazyPage(() => import("./deliveries/DeliveriesPage.tsx"), "DeliveriesPage")
})

const delivery = createRoute({
  getParentRoute: () => root,
  path: "/deliveries/$id",
  component: lazyPage(() => import("./deliveries/DeliveryPage.tsx"), "DeliveryPage")
})

const security = createRoute({
  getParentRoute: () => root,
  path: "/security",
  validateSearch: readSecuritySearch,
  component: lazyPage(() => import("./security/AuditLogPage.tsx"), "AuditLogPage")
})

const destinations = createRoute({
  getParentRoute: () => root,
  path: "/security/destinations",
  component: lazyPage(() => import("./security/DestinationsPage.tsx"), "DestinationsPage")
})

const newDestination = createRoute({
  getParentRoute: () => root,
  path: "/security/destinations/new",
  component: lazyPage(() => import("./security/DestinationPage.tsx"), "NewDestinationPage")
})

const destination = createRoute({
  getParentRoute: () => root,
  path: "/security/destinations/$id",
  component: lazyPage(() => import("./security/DestinationPage.tsx"), "DestinationPage")
})

const people = createRoute({
  getParentRoute: () => root,
  path: "/people",
  component: lazyPage(() => import("./people/PeoplePage.tsx"), "PeoplePage")
})

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyPage(() => import("./account/AccountPage.tsx"), "AccountPage")
})

const personal = createRoute({
  getParentRoute: () => root,
  path: "/personal",
  component: lazyPage(() => import("./personal/PersonalPage.tsx"), "PersonalPage")
})

const world = createRoute({
  getParentRoute: () => root,
  path: "/world",
  component: lazyPage(() => import("./emulator/WorldPage.tsx"), "WorldPage")
})

export const router = createRouter({
  routeTree: root.addChildren([
    index,
    recordings,
    captureLinks,
    newLink,
    sites,
    recording,
    folders,
    automations,
    newAutomation,
    automation,
    deliveries,
    delivery,
    security,
    destinations,
    newDestination,
    destination,
    people,
    account,
    personal,
    world
  ]),
  basepath: mount.root,
  defaultErrorComponent: LoadError,
  defaultPreload: "intent",
  scrollRestoration: false
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
