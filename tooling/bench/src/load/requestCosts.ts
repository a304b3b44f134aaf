import { costsOf } from "../costs.ts"
import type { StartedProcess } from "../processes.ts"
import type { Load, LoadOrder } from "./Load.ts"

const forMs = 2_000

/** What a server spends on a request, as results of a bench. Call it after the rates: the server is warm then. */
export const requestCosts = async (
  key: string,
  load: Load,
  server: StartedProcess,
  order: Omit<LoadOrder, "forMs">
): Promise<ReturnType<typeof costsOf>> => {
  let answered = 0
  const costs = await server.costsOf(async () => {
    answered = (await load.run({ ...order, forMs })).answered
  })
  return costsOf(key, costs, answered)
}
