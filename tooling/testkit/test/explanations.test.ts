import { suite, suiteOnClock } from "../src/blackbox/explain.ts"
import { suite as deliveries } from "../src/blackbox/settings-deliveries.ts"
import { suite as redeliveries, suiteOnClock as redeliveriesOnClock } from "../src/blackbox/settings-redeliveries.ts"
import { suite as statistics, suiteOnClock as statisticsOnClock } from "../src/blackbox/settings-statistics.ts"
import { Emulator } from "../src/support/emulator.ts"
import { Server } from "../src/support/server.ts"

const servers = (["memory", "sqlite", "postgres"] as const).map((store) => new Server(store))
for (const target of [new Emulator(), ...servers]) {
  suite(target)
  deliveries(target)
  redeliveries(target)
  statistics(target)
}
suiteOnClock(new Emulator())
redeliveriesOnClock(new Emulator())
statisticsOnClock(new Emulator())
