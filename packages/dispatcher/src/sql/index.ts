export type { ListedSqlDelivery, SqlDelivery } from "./columns.ts"
export { layerNodeSqlite } from "./nodeSqlite.ts"
export {
  DeliveryRefused,
  type ListOptions,
  makeSqlQueue,
  type NewDelivery,
  type SqlQueue,
  type SqlQueueOptions
} from "./SqlQueue.ts"
