import { useBlocker } from "@tanstack/react-router"
import { Confirm } from "./Confirm.tsx"

interface UnsavedProps {
  /** True if the page has unsaved changes. */
  readonly isChanged: boolean
}

/** Asks before a page with unsaved changes is left, by a link, by the browser's Back, or by closing the tab. */
export const Unsaved = ({ isChanged }: UnsavedProps) => {
  const { proceed, reset, status } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: () => isChanged,
    withResolver: true
  })
  return (
    status === "blocked" && (
      <Confirm
        title="Leave without saving?"
        action="Discard the changes"
        onClose={reset}
        onConfirm={async () => proceed()}
      >
        What you changed on this page is not saved.
      </Confirm>
    )
  )
}
