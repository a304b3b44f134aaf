import type { Settings } from "@tapedeck/client"
import { useMe } from "../api/session.tsx"
import { useMinute } from "../ui/time.tsx"
import { urlOf, valuesOf } from "./preview.ts"

interface UrlPreviewProps {
  readonly url: string
  readonly folder: Settings.Folder | undefined
}

/** The URL with the values of a send-test's recording, or what is wrong with its variables. */
const UrlPreview = ({ folder, url }: UrlPreviewProps) => {
  const me = useMe()
  const now = useMinute()
  const { problems, url: rendered } = urlOf(
    url,
    valuesOf(undefined, { folder, account: me.account, now: new Date(now).toISOString() })
  )
  return (
    <div role="status" className="text-xs wrap-anywhere">
      {problems.map((problem) => (
        <p key={problem} className="text-bad">
          URL, {problem}
        </p>
      ))}
      {rendered !== undefined && (
        <p className="text-soft">
          With the sample of a test: <bdi className="font-mono">{rendered}</bdi>
        </p>
      )}
    </div>
  )
}

export default UrlPreview
