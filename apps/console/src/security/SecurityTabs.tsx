import { Link } from "@tanstack/react-router"

const linkClass =
  "flex h-8 items-center border-b-2 border-transparent font-medium text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"

/** The two halves of the section. */
export const SecurityTabs = () => (
  <nav aria-label="Parts of security" className="mb-4 flex gap-5 border-b border-line">
    <Link to="/security" activeOptions={{ exact: true, includeSearch: false }} className={linkClass}>
      Audit log
    </Link>
    <Link to="/security/destinations" className={linkClass}>
      Destinations
    </Link>
  </nav>
)
