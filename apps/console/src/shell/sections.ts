import {
  Building2,
  CircleUser,
  Folder,
  type LucideIcon,
  Send,
  ShieldCheck,
  SquarePlay,
  Users,
  Workflow
} from "lucide-react"

export interface Section {
  readonly to: string
  readonly name: string
  readonly icon: LucideIcon
  readonly isForAdmins: boolean
}

/** The navigation, in groups. */
export const sections = [
  [
    { to: "/recordings", name: "Recordings", icon: SquarePlay, isForAdmins: false },
    { to: "/folders", name: "Folders", icon: Folder, isForAdmins: false }
  ],
  [
    { to: "/automations", name: "Automations", icon: Workflow, isForAdmins: true },
    { to: "/deliveries", name: "Deliveries", icon: Send, isForAdmins: true }
  ],
  [
    { to: "/security", name: "Security", icon: ShieldCheck, isForAdmins: true },
    { to: "/people", name: "People", icon: Users, isForAdmins: true },
    { to: "/account", name: "Account", icon: Building2, isForAdmins: true },
    { to: "/personal", name: "Personal", icon: CircleUser, isForAdmins: false }
  ]
] as const satisfies ReadonlyArray<ReadonlyArray<Section>>
