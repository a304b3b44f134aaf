import { Effect, Semaphore } from "effect"

/** What this process does with one content. */
interface Hold {
  /** Readers, and what was received and is not placed: its object stays as long as there are any. */
  users: number
  /** For `alone`. */
  readonly turn: Semaphore.Semaphore
  turns: number
  /** It was taken from its place; `due` once that is certain, so that the object may go. */
  retired: { due: boolean } | undefined
}

/**
 * Who uses which content, so that an object goes as a file does on a disk: out of sight at once, its bytes when nobody has it open.
 * And content that is stored anew while it goes stays, or is stored again. For one process: others would have to ask it.
 */
export class Holds {
  private readonly held = new Map<string, Hold>()
  private readonly removeObject: (sha256: string) => Effect.Effect<void>

  constructor(removeObject: (sha256: string) => Effect.Effect<void>) {
    this.removeObject = removeObject
  }

  private of(sha256: string): Hold {
    const found = this.held.get(sha256)
    if (found !== undefined) return found
    const hold: Hold = { users: 0, turn: Semaphore.makeUnsafe(1), turns: 0, retired: undefined }
    this.held.set(sha256, hold)
    return hold
  }

  private forget(sha256: string, hold: Hold): void {
    const isIdle = hold.users === 0 && hold.turns === 0 && hold.retired === undefined
    if (isIdle && this.held.get(sha256) === hold) this.held.delete(sha256)
  }

  enter(sha256: string): void {
    this.of(sha256).users++
  }

  /** The last one to leave removes what was retired meanwhile. */
  leave(sha256: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const hold = this.of(sha256)
      hold.users--
      return this.removeIfDue(sha256, hold)
    })
  }

  /** It is wanted: whoever was about to remove it does not. */
  keep(sha256: string): void {
    const hold = this.of(sha256)
    hold.retired = undefined
    this.forget(sha256, hold)
  }

  /** Gives what removes it, once nobody uses it, and unless it is wanted again by then. */
  retire(sha256: string): Effect.Effect<void> {
    const hold = this.of(sha256)
    const retired = { due: false }
    hold.retired = retired
    return Effect.suspend(() => {
      retired.due = true
      return this.removeIfDue(sha256, hold)
    })
  }

  /** What changes the object, one after another. */
  alone<A, E>(sha256: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const hold = this.of(sha256)
      hold.turns++
      return Effect.ensuring(
        hold.turn.withPermits(1)(effect),
        Effect.sync(() => {
          hold.turns--
          this.forget(sha256, hold)
        })
      )
    })
  }

  private removeIfDue(sha256: string, hold: Hold): Effect.Effect<void> {
    const isDue = () => hold.retired?.due === true && hold.users === 0
    if (!isDue()) {
      this.forget(sha256, hold)
      return Effect.void
    }
    const remove = Effect.suspend(() => {
      if (!isDue()) return Effect.void
      hold.retired = undefined
      return this.removeObject(sha256)
    })
    return this.alone(sha256, remove)
  }
}
