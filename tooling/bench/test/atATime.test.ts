import { expect, it } from "vitest"
import { atATime } from "../src/dispatch/peers/atATime.ts"

it("atATime runs a limited number of calls, starts the others in order, and continues after a failure", async () => {
  const limited = atATime(2)
  const began: Array<number> = []
  const ends: Array<(failed: boolean) => void> = []
  const all = [0, 1, 2, 3].map((name) =>
    limited(() => {
      began.push(name)
      return new Promise<number>((resolve, reject) =>
        ends.push((failed) => (failed ? reject(new Error("broken")) : resolve(name)))
      )
    })
  )
  const settled = Promise.allSettled(all)
  await Promise.resolve()
  expect(began).toEqual([0, 1])
  ends[1]!(true)
  await expect(all[1]).rejects.toThrow("broken")
  await Promise.resolve()
  expect(began).toEqual([0, 1, 2])
  ends[0]!(false)
  await all[0]
  await Promise.resolve()
  expect(began).toEqual([0, 1, 2, 3])
  for (const end of ends.slice(2)) end(false)
  expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"])
})
