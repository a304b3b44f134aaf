import type { Pagination } from "@tapedeck/domain"
import { Pieces } from "../Pieces.ts"
import { wirePagination } from "./pagination.ts"
import type { ReadyJson } from "./ready.ts"

const tail = Buffer.from("]}")

/** A page of a list, `{"pagination":…,"records":[…]}`, of records whose JSON is ready. */
export const listBody = (pagination: Pagination, records: ReadonlyArray<ReadyJson>): Pieces => {
  const head = Buffer.from(`{"pagination":${JSON.stringify(wirePagination(pagination))},"records":[`)
  const listed = records.map(({ bytes, following }, index) => (index === 0 ? bytes : following))
  return new Pieces([head, ...listed, tail])
}
