import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { useMe } from "../api/session.tsx"
import { cx } from "./cx.ts"

interface AvatarProps {
  readonly id: number
  readonly name: string
  readonly hasPicture: boolean
  readonly isLarge?: boolean
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => [...word].slice(0, 1))
    .filter((letter) => /\p{L}/u.test(letter))
    .slice(0, 2)
    .join("")
    .toUpperCase()

/** The picture of a user, or the initials. It is read with the caller's session, so its URL works on this page only. */
export const Avatar = ({ hasPicture, id, isLarge = false, name }: AvatarProps) => {
  // A member can only read their own picture.
  const isMe = useMe().id === id
  const { data } = useQuery({
    queryKey: ["users", id, "picture"],
    queryFn: async () => {
      const { profile, users } = tapedeck.settings
      const { contentType, ...picture } = await (isMe ? profile.getPicture() : users.getPicture(String(id)))
      return new Blob([(await picture.bytes()).slice()], { type: contentType })
    },
    enabled: hasPicture,
    staleTime: 60_000
  })
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (data === undefined || !hasPicture) return setUrl(undefined)
    const made = URL.createObjectURL(data)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [data, hasPicture])
  return (
    <span
      aria-hidden
      className={cx(
        "flex shrink-0 items-center justify-center overflow-hidden rounded-full bg-accent-soft font-semibold text-accent",
        isLarge ? "size-16 text-xl" : "size-8 text-xs"
      )}
    >
      {url === undefined ? initials(name) : <img src={url} alt="" className="size-full object-cover" />}
    </span>
  )
}
