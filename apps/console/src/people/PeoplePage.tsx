import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { KeyRound, MonitorSmartphone, UserCheck, UserPlus, UserX } from "lucide-react"
import { useMemo, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { mount } from "../api/mount.ts"
import { useMe } from "../api/session.tsx"
import { Avatar } from "../ui/Avatar.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { Page } from "../ui/Page.tsx"
import { Loaded } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { When } from "../ui/time.tsx"
import { Invite } from "./Invite.tsx"
import { LinkMade } from "./LinkMade.tsx"
import { maxUsers, usePeople } from "./queries.ts"
import { UserSessions } from "./UserSessions.tsx"

type User = Settings.User
type Change = (user: User) => void

interface Actions {
  readonly me: number
  readonly onRole: (user: User, role: Settings.Role) => void
  readonly onActive: Change
  readonly onLink: Change
  readonly onSessions: Change
}

const columnsOf = ({ me, onActive, onLink, onRole, onSessions }: Actions): ReadonlyArray<Column<User>> => [
  {
    id: "name",
    header: "Person",
    className: "flex-1 basis-40",
    cell: ({ active, email, has_profile_picture: hasPicture, id, invited, name }) => (
      <span className="flex items-center gap-3">
        <span className="max-sm:hidden">
          <Avatar id={id} name={name} hasPicture={hasPicture} />
        </span>
        <span className="min-w-0">
          <bdi className="block truncate font-medium">
            {name}
            {id === me && <span className="font-normal text-soft"> (you)</span>}
          </bdi>
          <bdi className="block truncate text-xs text-soft">{email}</bdi>
          {(!active || invited) && (
            <span className="block text-xs text-soft sm:hidden">{active ? "Invited" : "Deactivated"}</span>
          )}
        </span>
      </span>
    )
  },
  {
    id: "role",
    header: "Role",
    className: "w-24 shrink-0",
    cell: (user) => (
      <select
        aria-label={`Role of ${user.name}`}
        className="h-7 w-full rounded-md border border-line bg-raised px-1.5 disabled:opacity-60"
        value={user.role}
        disabled={user.id === me || !user.active}
        onChange={({ target }) => onRole(user, target.value === "admin" ? "admin" : "member")}
      >
        <option value="admin">Admin</option>
        <option value="member">Member</option>
      </select>
    )
  },
  {
    id: "state",
    header: "State",
    className: "w-24 max-sm:hidden",
    cell: ({ active, invited }) => (
      <Badge tone={!active ? "plain" : invited ? "info" : "good"}>
        {!active ? "Deactivated" : invited ? "Invited" : "Active"}
      </Badge>
    )
  },
  {
    id: "since",
    header: "Since",
    className: "w-28 text-right text-soft max-md:hidden",
    cell: ({ created_at: at }) => <When at={at} />
  },
  {
    id: "actions",
    header: "Actions",
    isHeaderHidden: true,
    className: "w-21 shrink-0",
    cell: (user) => (
      <span className="flex justify-end">
        {user.active && (
          <IconButton icon={MonitorSmartphone} label={`Sessions of ${user.name}`} onClick={() => onSessions(user)} />
        )}
        {mount.control === null && user.active && (
          <IconButton icon={KeyRound} label={`Password link for ${user.name}`} onClick={() => onLink(user)} />
        )}
        {user.id !== me && (
          <IconButton
            icon={user.active ? UserX : UserCheck}
            label={`${user.active ? "Deactivate" : "Reactivate"} ${user.name}`}
            onClick={() => onActive(user)}
          />
        )}
      </span>
    )
  }
]

export const PeoplePage = () => {
  const me = useMe()
  const client = useQueryClient()
  const users = usePeople()
  const [isInviting, setInviting] = useState(false)
  /** The change to confirm: a role, or null for the deactivation. */
  const [asked, setAsked] = useState<{ readonly user: User; readonly role: Settings.Role | null } | null>(null)
  const [watched, setWatched] = useState<User | null>(null)
  const refresh = () => client.invalidateQueries({ queryKey: ["users"] })
  const role = useMutation({
    mutationFn: ({ id, role: next }: { readonly id: number; readonly role: Settings.Role }) =>
      tapedeck.settings.users.update(String(id), { role: next }),
    onSuccess: async ({ name, role: next }) => {
      await refresh()
      done(`${name} is ${next === "admin" ? "an admin" : "a member"} now.`)
    }
  })
  const active = useMutation({
    mutationFn: ({ active: isActive, id }: User) =>
      isActive ? tapedeck.settings.users.deactivate(String(id)) : tapedeck.settings.users.reactivate(String(id)),
    onSuccess: async ({ active: isActive, name }) => {
      await refresh()
      done(`${name} is ${isActive ? "active again" : "deactivated: their tokens and sessions are refused"}.`)
    },
    onError: (error, { active: isActive }) => isActive || failed(error)
  })
  const link = useMutation({
    mutationFn: ({ id }: User) => tapedeck.settings.users.createPasswordLink(String(id)),
    onError: failed
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what mutates does not change
  const columns = useMemo(
    () =>
      columnsOf({
        me: me.id,
        onRole: (user, next) => setAsked({ user, role: next }),
        onActive: (user) => (user.active ? setAsked({ user, role: null }) : active.mutate(user)),
        onLink: link.mutate,
        onSessions: setWatched
      }),
    [me.id]
  )
  return (
    <Page
      title="People"
      description="Members see their own recordings; admins see and change everything in the account."
      actions={
        <Button look="primary" icon={UserPlus} onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      <Loaded query={users} limit={maxUsers}>
        {(list) => (
          <DataTable label="People" columns={columns} rows={list} idOf={({ id }) => String(id)} rowHeight={56} />
        )}
      </Loaded>
      {isInviting && <Invite onClose={() => setInviting(false)} />}
      {asked !== null && (
        <Confirm
          title={
            asked.role === null
              ? `Deactivate ${asked.user.name}?`
              : `Make ${asked.user.name} ${asked.role === "admin" ? "an admin" : "a member"}?`
          }
          action={asked.role === null ? "Deactivate" : asked.role === "admin" ? "Make an admin" : "Make a member"}
          onClose={() => setAsked(null)}
          onConfirm={() =>
            asked.role === null
              ? active.mutateAsync(asked.user)
              : role.mutateAsync({ id: asked.user.id, role: asked.role })
          }
        >
          {asked.role === null
            ? "They are signed out, and their tokens are refused. Their recordings stay. You can reactivate them."
            : asked.role === "admin"
              ? "They see and change everything in the account. You can make them a member again."
              : "They see their own recordings only. You can make them an admin again."}
        </Confirm>
      )}
      {watched !== null && <UserSessions user={watched} onClose={() => setWatched(null)} />}
      {link.data !== undefined && <LinkMade link={link.data} onClose={link.reset} />}
    </Page>
  )
}
