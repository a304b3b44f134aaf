export type { SqlDelivery } from "./columns.ts"
export { layerNodeSqlite } from "./nodeSqlite.ts"
export {
  DeliveryRefused,
  makeSqlQueue,
  type NewDelivery,
  type SqlQueue,
  type SqlQueueOptions
} from "./SqlQueue.ts"
