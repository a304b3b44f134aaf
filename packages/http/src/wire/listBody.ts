import type { Pagination } from "@tapedeck/domain"
import { wirePagination } from "./pagination.ts"

/**
 * A page of a list, `{"pagination":…,"records":[…]}`, of records that are JSON already. It is joined in one go: a string
 * that is put together in two steps is copied twice before it is sent.
 */
export const listBody = (pagination: Pagination, records: ReadonlyArray<string>): string => {
  const head = `{"pagination":${JSON.stringify(wirePagination(pagination))},"records":[`
  if (records.length === 0) return `${head}]}`
  const parts = [...records]
  parts[0] = head + parts[0]
  parts[parts.length - 1] += "]}"
  return parts.join(",")
}
