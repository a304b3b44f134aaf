import { Link } from "@tanstack/react-router"
import { ChevronLeft } from "lucide-react"

interface BackLinkProps {
  readonly to: "/recordings" | "/deliveries" | "/automations" | "/security/destinations"
  readonly search?: object
}

/** The link to the list that a page belongs to. It does not have the section's name, because only the navigation's link has it. */
export const BackLink = ({ search = {}, to }: BackLinkProps) => (
  <Link
    to={to}
    search={search as never}
    className="mb-0.5 -ml-1 inline-flex items-center gap-0.5 rounded text-xs font-medium text-soft hover:text-ink"
  >
    <ChevronLeft aria-hidden className="size-3.5" />
    Back
  </Link>
)
