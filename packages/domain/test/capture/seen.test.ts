import { describe, expect, it } from "vitest"
import { MAX_STRETCHES, type Stretches, takeUnseen } from "../../src/capture/seen.ts"

const take = (seen: Stretches, ...seqs: ReadonlyArray<number>) => {
  const { seen: after, unseen } = takeUnseen(
    seen,
    seqs.map((seq) => ({ seq }))
  )
  return { seen: after, unseen: unseen.map(({ seq }) => seq) }
}

describe("numbers that have come of a stream", () => {
  it("are taken once each, in the order in which they come", () => {
    expect(take([], 3, 1, 3, 2, 7)).toEqual({
      seen: [
        [1, 3],
        [7, 7]
      ],
      unseen: [3, 1, 2, 7]
    })
    expect(
      take(
        [
          [1, 3],
          [7, 7]
        ],
        0,
        3,
        4,
        7,
        8,
        6
      )
    ).toEqual({
      seen: [
        [0, 4],
        [6, 8]
      ],
      unseen: [0, 4, 8, 6]
    })
    expect(
      take(
        [
          [1, 3],
          [5, 9]
        ],
        4
      )
    ).toEqual({ seen: [[1, 9]], unseen: [4] })
    expect(take([[1, 3]])).toEqual({ seen: [[1, 3]], unseen: [] })
    expect(take([[5, 5]], Number.MAX_SAFE_INTEGER).seen).toEqual([
      [5, 5],
      [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
    ])
  })

  it("are the same for every division into batches, of random orders", () => {
    let state = 7
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    for (let run = 0; run < 200; run++) {
      const seqs = Array.from({ length: 20 }, () => random(30))
      const cut = random(20)
      const first = take([], ...seqs.slice(0, cut))
      const second = take(first.seen, ...seqs.slice(cut))
      expect([...first.unseen, ...second.unseen]).toEqual([...new Set(seqs)])
      expect(second.seen).toEqual(take([], ...seqs).seen)
    }
  })

  it("have at most the maximum of stretches, of more the first ones count as one", () => {
    const odd = Array.from({ length: MAX_STRETCHES + 1 }, (_, index) => 2 * index + 1)
    const atLimit = take([], ...odd.slice(0, -1))
    expect(atLimit.seen).toHaveLength(MAX_STRETCHES)
    expect(take(atLimit.seen, 2).unseen).toEqual([2])
    const beyond = take([], ...odd)
    expect(beyond.seen).toHaveLength(MAX_STRETCHES)
    expect(beyond.seen.slice(0, 2)).toEqual([
      [1, 3],
      [5, 5]
    ])
    expect(take(beyond.seen, 2, 4).unseen).toEqual([4])
  })

  it("of a large batch whose order goes down are compared a bounded number of times each", () => {
    let reads = 0
    const count = 50_000
    const items = Array.from({ length: count }, (_, index) => ({
      get seq() {
        reads++
        return 2 * (count - index)
      }
    }))
    expect(takeUnseen([], items).unseen).toHaveLength(count)
    expect(reads).toBeLessThan(50 * count)
  })
})
