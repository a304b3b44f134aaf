import { startPostgres } from "@tapedeck/suites/postgres"
import { inField } from "./field.ts"
import { ContenderProcess } from "./ContenderProcess.ts"
import { idleLatencies } from "./idle.ts"
await inField(async (field) => {
  const postgres = await startPostgres({ shared_buffers: "512MB", max_wal_size: "4GB" })
  const url = (await postgres.createDatabase()).url
  const url2 = (await postgres.createDatabase()).url
  const start = (program: string, kind: string[], where: string) => ContenderProcess.start({ program, parameters: [...kind, where, field.url], authority: field.authority })
  const works = await start("ours", ["postgres"], url)
  const submits = await start("ours", ["postgres"], url)
  const all: any = { ours: { works, submits } }
  if (process.env.PEER) all.peer = { works: await start("../../ondemand/dispatch/graphileWorker", [], url2), submits: await start("../../ondemand/dispatch/graphileWorker", [], url2) }
  console.log(await idleLatencies(field, all))
  for (const { works, submits } of Object.values(all) as any) { await works.stop(); await submits.stop() }
  await postgres.close()
})
