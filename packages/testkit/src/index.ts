export { type Crash, type OpenStore, onTrial, type StoreBackend, type Trial } from "./backend.ts"
export { dieInTransaction } from "./persistence.ts"
export { readAll } from "./readAll.ts"
export { storeConformance } from "./store.ts"
