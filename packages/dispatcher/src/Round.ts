import type { QueueKey } from "@tapedeck/core"
import type { AccountId } from "@tapedeck/domain"

/**
 * An account may have this many times the hands that are free: alone three quarters of all, two of them three sevenths
 * each. Whoever comes to a crowded house finds a hand, and nobody's share is kept for somebody who is not there.
 */
export const accountShare = 3

/** Who was served last, and in how many rounds anybody was. */
export interface Turn {
  readonly account: number
  readonly count: number
}

export interface State {
  readonly turn: Turn
  readonly room: number
  readonly free: number
  readonly inHand: (account: AccountId) => number
  readonly hostOf: (lane: QueueKey) => string
  readonly roomAt: (host: string) => number
  /** How many may be claimed that there is no hand for yet, and of each host. */
  readonly ahead: number
  readonly aheadAt: (host: string) => number
}

/**
 * Deals out the free hands, and then what may be claimed ahead: one to each account in turn, and within an account one to each
 * of its lanes in turn.
 */
export class Round {
  turn: Turn
  private readonly takes: Array<number>
  private readonly seats: ReadonlyArray<Seat>
  private readonly rooms: Rooms
  private readonly roomsAhead: Rooms
  private room: number
  private free: number
  private ahead: number

  constructor(lanes: ReadonlyArray<QueueKey>, state: State) {
    this.room = state.room
    this.free = state.free
    this.ahead = state.ahead
    this.rooms = new Rooms(state.roomAt)
    this.roomsAhead = new Rooms(state.aheadAt)
    this.turn = { ...state.turn, count: state.turn.count + 1 }
    this.takes = lanes.map(() => 0)
    this.seats = seatsOf(lanes, state)
  }

  play(): ReadonlyArray<number> {
    this.dealOut((seat) => this.dealHand(seat))
    this.dealOut((seat) => this.dealAhead(seat))
    return this.takes
  }

  /** Whoever gets nothing has no room for more, and drops out. */
  private dealOut(deal: (seat: Seat) => boolean) {
    let seats = fromTurn(this.seats, this.turn)
    while (seats.length > 0) seats = seats.filter(deal)
  }

  private dealHand(seat: Seat): boolean {
    if (this.free <= 0 || seat.inHand >= accountShare * this.free || !this.take(seat, this.rooms)) return false
    this.free--
    seat.inHand++
    this.turn = { ...this.turn, account: seat.account }
    return true
  }

  /** Where there are too few hands for all, nobody waits for one before somebody whose turn for that comes first. */
  private dealAhead(seat: Seat): boolean {
    if (this.ahead <= 0) return false
    if (!this.take(seat, this.roomsAhead)) {
      if (this.free <= 0 && seat.lanes.some(({ host }) => this.rooms.has(host))) this.ahead = 0
      return false
    }
    this.ahead--
    this.turn = { ...this.turn, account: seat.account }
    return true
  }

  /** One of the account's next lane whose host has room. */
  private take(seat: Seat, rooms: Rooms): boolean {
    for (let tried = 0; tried < seat.lanes.length && this.room > 0; tried++) {
      const { host, index } = seat.lanes[seat.next++ % seat.lanes.length]!
      if (!rooms.take(host)) continue
      this.takes[index]!++
      this.room--
      return true
    }
    return false
  }
}

/** What hosts have room for, less what was dealt. */
class Rooms {
  private readonly left = new Map<string, number>()
  private readonly roomAt: (host: string) => number

  constructor(roomAt: (host: string) => number) {
    this.roomAt = roomAt
  }

  has(host: string): boolean {
    return this.of(host) > 0
  }

  take(host: string): boolean {
    const left = this.of(host)
    if (left <= 0) return false
    this.left.set(host, left - 1)
    return true
  }

  private of(host: string): number {
    return this.left.get(host) ?? this.roomAt(host)
  }
}

/** An account at the table. */
interface Seat {
  readonly account: AccountId
  readonly lanes: ReadonlyArray<{ readonly index: number; readonly host: string }>
  next: number
  inHand: number
}

/** By account; of an account another lane each time. */
const seatsOf = (lanes: ReadonlyArray<QueueKey>, { hostOf, inHand, turn }: State): ReadonlyArray<Seat> => {
  const byAccount = new Map<AccountId, Array<{ readonly index: number; readonly host: string }>>()
  lanes.forEach((lane, index) => {
    const own = byAccount.get(lane.accountId) ?? []
    own.push({ index, host: hostOf(lane) })
    byAccount.set(lane.accountId, own)
  })
  return [...byAccount].map(([account, own]) => ({
    account,
    lanes: own,
    next: turn.count % own.length,
    inHand: inHand(account)
  }))
}

/** The account after the one that was served last comes first. */
const fromTurn = (seats: ReadonlyArray<Seat>, turn: Turn): ReadonlyArray<Seat> => {
  const first = seats.findIndex(({ account }) => account > turn.account)
  return first <= 0 ? seats : [...seats.slice(first), ...seats.slice(0, first)]
}
