import type { Pagination as WirePagination } from "@tapedeck/contract"
import type { Pagination } from "@tapedeck/domain"

export const wirePagination = (pagination: Pagination): WirePagination => ({
  count: pagination.count,
  page: pagination.page,
  items: pagination.items,
  pages: pagination.pages,
  last_page: pagination.lastPage,
  from: pagination.from,
  to: pagination.to,
  ...(pagination.nextPage !== undefined && { next_page: pagination.nextPage }),
  ...(pagination.prevPage !== undefined && { prev_page: pagination.prevPage })
})
