import type { Change } from "./Witness.ts"

/** What the changes of one delivery come to. */
export interface History {
  /** How often an attempt was begun: as often, at most, may something have been sent. */
  readonly begun: number
  /** Attempts that were begun and never recorded: their holder failed, or lost its claim. */
  readonly lost: number
  readonly faults: ReadonlyArray<string>
  /** All changes, to find the reason of a fault. */
  readonly told: string
}

/** Something that was done to a node, or to its way to the database. */
export interface NodeFailure {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly node: string
  /** Whether the node's process lived on, and was not stopped: it was its way to the database, or that. */
  readonly livedOn: boolean
}

/** Who connected from a port. */
export interface Caller {
  readonly node: string
  /** Which of its lives it was. */
  readonly life: number
}

export interface Judging {
  /** Whose connection something came by. */
  readonly callerOf: (one: Pick<Change, "at" | "port">) => Caller
  readonly failures: ReadonlyArray<NodeFailure>
  /** When a delivery was received, in milliseconds since 1970. */
  readonly receivedAt?: (id: string) => ReadonlyArray<number>
}

/** An attempt here takes less, even on a busy machine: a node that failed so soon after a claim still held it. */
const maxHeldMs = 20_000

/** Whether the node that made the claim failed while it held it. */
export const isExplained = (claim: Pick<Change, "at" | "port">, { callerOf, failures }: Judging): boolean => {
  const holder = callerOf(claim)
  return failures.some(({ at, node }) => node === holder.node && at >= claim.at - 1_000 && at <= claim.at + maxHeldMs)
}

const ended: ReadonlyArray<string> = ["Delivered", "PermanentlyFailed", "Cancelled", "Skipped"]

const isClaim = ({ fence, fence_before }: Change): boolean => fence !== fence_before

/** The clock's resolution, on the row and in the database. */
const slackMs = 1

const claimFaults = (one: Change): ReadonlyArray<string> => {
  const { at, due_before: due, fence, fence_before: before, leased, leased_before: leasedBefore, state } = one
  const faults: Array<string> = []
  if (fence !== before + 1) faults.push(`its fence went from ${before} to ${fence}`)
  if (state !== "Attempting" || !leased) faults.push(`it was claimed, and is ${state} without a lease`)
  if (due === null) faults.push("it was claimed, and nothing of it was due")
  else if (due > at + slackMs) faults.push(`it was claimed ${due - at} ms before it was due`)
  const ends = leasedBefore ?? 0
  if (ends > at + slackMs) faults.push(`it was claimed ${ends - at} ms before its lease had ended`)
  return faults
}

/** Its holder keeps it for longer. */
const isRenewal = ({ fence, fence_before: fenceBefore, leased, state, state_before: before }: Change): boolean =>
  before === "Attempting" && state === "Attempting" && Boolean(leased) && fence === fenceBefore

const changeFaults = (one: Change): ReadonlyArray<string> => {
  const { attempts, attempts_before: before, claimed, claimed_before: claimedBefore, fence } = one
  const { state, state_before: stateBefore } = one
  const faults: Array<string> = []
  // Nothing in this load calls an attempt off: it is begun, and it ends.
  if (stateBefore === "Attempting" && state === "Attempting" && !isClaim(one) && claimed !== claimedBefore) {
    faults.push(`it was taken twice under fence ${fence}`)
  }
  if (ended.includes(stateBefore)) faults.push(`it was ${stateBefore}, and became ${state}`)
  if (attempts < before || attempts > before + 1) faults.push(`its attempts went from ${before} to ${attempts}`)
  if (attempts !== before && stateBefore !== "Attempting")
    faults.push(`an attempt was recorded while it was ${stateBefore}`)
  return faults
}

/**
 * What was lost had been received before, and its node lived on: it knew the outcome, and the database was there again to be told.
 * Of a first claim alone: only its holder can have sent anything.
 */
const isForgotten = (claim: Change, lostAt: number, { callerOf, failures, receivedAt }: Judging): boolean => {
  if (claim.fence_before !== 0 || receivedAt === undefined) return false
  const { node } = callerOf(claim)
  const livedOn = failures.every((one) => one.node !== node || one.at < claim.at || one.at > lostAt || one.livedOn)
  return livedOn && receivedAt(claim.id).some((at) => at <= lostAt)
}

const none: Caller = { node: "none", life: 0 }

/** Compares each change of a delivery with the one before it: only the node that claimed it may settle it. */
export const judge = (changes: ReadonlyArray<Change>, judging: Judging): History => {
  const { callerOf } = judging
  const faults: Array<string> = []
  let [begun, lost] = [0, 0]
  let claim: Change | undefined
  let holder = none
  for (const change of changes) {
    faults.push(...changeFaults(change))
    const caller = callerOf(change)
    if (isClaim(change)) {
      faults.push(...claimFaults(change))
      if (change.state_before !== "Attempting") begun += 1
      else {
        lost += 1
        if (claim === undefined || !isExplained(claim, judging))
          faults.push(`${told(holder)} lost its attempt under fence ${change.fence_before} for nothing`)
        else if (isForgotten(claim, change.at, judging))
          faults.push(`${told(holder)} lived on, and never recorded what was received under fence ${claim.fence}`)
      }
      claim = change
      holder = caller
    } else if (isRenewal(change)) {
      if (caller.node !== holder.node || caller.life !== holder.life)
        faults.push(`${told(caller)} renewed what ${told(holder)} had claimed under fence ${change.fence}`)
    } else if (change.state_before === "Attempting" && change.state !== "Attempting") {
      if (caller.node !== holder.node || caller.life !== holder.life) {
        faults.push(`${told(caller)} settled what ${told(holder)} had claimed under fence ${change.fence}`)
      }
    }
  }
  return { begun, lost, faults, told: changes.map((change) => changeText(change, callerOf(change))).join("; ") }
}

const changeText = ({ at, fence, state, state_before: before }: Change, caller: Caller): string =>
  `${at} ${told(caller)}: ${before} to ${state}, fence ${fence}`

const told = ({ life, node }: Caller): string => `${node} (life ${life})`
